"""The base of metrics that ask a classifier about pairs of texts: values of rows that may be undefined, and
counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment, Explanation
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.findings import Findings
from nlgauge.features.tokens.sentences import SPLITTERS
from nlgauge.metric import Arrays, View
from nlgauge.metric.domains import require_choice
from nlgauge.metric.mean import Measured
from nlgauge.metrics._shared.model_means import ModelMeans, UsesModel, measured
from nlgauge.models import ModelSpec, model_name

# The names of the labels in explanations.
LABELS = {"e": "entail", "n": "neutral", "c": "contradict"}
NOTHING = "a text is empty, or has no token that the model knows"


def require_nli(order: tuple[str, ...], needed: str, model: ModelSpec) -> tuple[str, ...]:
    """Return the order of labels, or raise ModelError if a label that a metric needs is missing."""
    if not set(needed) <= set(order):
        raise ModelError(
            f"the model {model_name(model)} must predict"
            f" {', '.join(LABELS[label] for label in needed)}, but its labels are"
            f" {', '.join(LABELS.get(label, label) for label in order)}; choose another model."
        )
    return order


def texts_of(view: View, ids: Array) -> list[str]:
    """Return the texts with these ids."""
    return [view.text(text) for text in ids.tolist()]


class PairValues(NamedTuple):
    """(rows, measures) values, NaN if undefined; True for rows with a cut text; True for rows in which only
    the prediction is empty; unknown and all tokens; the data of explanations for each row.
    """

    values: Array
    truncated: Array
    empty: Array
    counts: Array
    shown: list[Any]


@dataclass(frozen=True)
class PairScores(UsesModel, ModelMeans):
    """A metric that asks a classifier about each row; its findings serve the statistics and the
    explanations.
    """

    def require_labels(self, meanings: Mapping[str, str]) -> None:
        """Raise unless the parameter `labels` is None, or has each of some meanings once."""
        known, labels = dict.fromkeys(meanings.values()), getattr(self, "labels", None)
        fits = isinstance(labels, tuple) and len(set(labels)) == len(labels) > 1 and set(labels) <= set(known)
        listed = ", ".join(map(repr, known))
        domain = f"None, or some of {listed}, each once, in the order of the model's labels"
        self.require(labels is None or fits, "labels", domain)

    def findings(self, view: View) -> PairValues:
        """Return the values of the classifier for each row."""
        raise NotImplementedError

    def measured(self, view: View) -> Measured:
        rows: PairValues = view.rows(Findings(self))
        return measured(rows.values, rows.truncated, rows.empty, rows.counts)


class SentencePairScores(PairScores):
    """A metric that asks about sentences, each with every text that may bear it out or contradict it.

    An explanation of a row shows its matrices (texts, sentences) by label, the decisive matrix first, the
    texts and the sentences.
    """

    splitter: str

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "splitter", SPLITTERS)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "sentences": f"{self.splitter}-{corpus.lang or 'en'}"}

    def called(self) -> str:
        """Return the name of the score in explanations."""
        return self.name

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)[self.name]
        for row, (matrices, texts, sentences) in zip(rows, view.rows(Findings(self)).shown, strict=True):
            is_scored = row[len(self.measures())]
            title = f"{self.called()} {row[0]:.4f}" if is_scored else f"{self.name}: nothing to check"
            decisive = next(iter(matrices.values()))
            best = decisive.argmax(axis=0).tolist() if decisive.size else []
            yield Entailment(title, {self.name: row}, texts, sentences if best else [], matrices, best)


def every_pair(
    view: View, feature: PairLogits, labels: int, firsts: list[Array], seconds: list[Array]
) -> tuple[list[Array], Array]:
    """Return for each row the logits (firsts, seconds, labels) of all its pairs of texts, and whether one of
    these was cut.
    """
    sizes = [(len(ours), len(theirs)) for ours, theirs in zip(firsts, seconds, strict=True)]
    pairs = [
        (first, second)
        for ours, theirs in zip(firsts, seconds, strict=True)
        for first in ours.tolist()
        for second in theirs.tolist()
    ]
    answers, places = view.get(feature, Ragged.of(pairs))
    logits, cut = answers.logits.values[places], answers.truncated.values[places]
    ends = np.cumsum([0, *(one * two for one, two in sizes)])
    matrices = [
        np.reshape(logits[start:end] if end > start else [], (*size, labels))
        for (start, end), size in zip(pairwise(ends), sizes, strict=True)
    ]
    return matrices, np.array([bool(cut[start:end].any()) for start, end in pairwise(ends)], dtype=bool)
