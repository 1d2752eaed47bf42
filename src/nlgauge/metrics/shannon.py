"""Shannon Score, Information Difference, BLANC-Shannon: how much a summary helps a language model predict its
document.

    I(D | c) = - sum_t log p(x_t | c, x_<t)      over the tokens of each sentence of D, each sentence by itself
    ID       = I(D) - I(D | S)                   Information Difference
    s        = ID / (I(D) - I(D | D))            Shannon Score
    b        = (n_01 - n_10) / n                 BLANC-Shannon: n_01 of the n tokens are the likeliest guess only with the summary, n_10 only without

A sentence's prompt is the start token, then for I(D) the `upstream` sentences before it, for I(D|S) the
summary and those, for I(D|D) those, the sentence itself, and those again: "the document given the document"
is in the paper's code the sentence given itself, here `full="sentence"`; `full="document"` prompts with the
whole document. Summary, sentences and `separator` are encoded apart. No cleaning.

The corpus score is the mean over segments. s is NaN if I(D) = I(D|D): an empty document, or a model that
learns nothing from a prompt. A text without any token that the model knows is read as an empty text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.language_models.causal_lm import LogProbs, TokenInformation
from nlgauge.features.language_models.model_halves import token_strings
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import TRUNCATED, Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, read_pairs, unknown_share
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load

# Means over segments, in the order of the statistics; the two that can be undefined come first.
_NAMES = (
    "shannon",
    "blanc_shannon",
    "information_difference",
    "information",
    "information_given_summary",
    "information_given_document",
)
_MEASURES = _NAMES[:3]


class _Readings(NamedTuple):
    """The places of the sentences of each row's document in the feature: without the summary, after the
    summary, after themselves; unknown and all tokens.
    """

    information: TokenInformation
    base: Ragged
    help: Ragged
    full: Ragged
    counts: Array

    @property
    def sides(self) -> tuple[Ragged, Ragged, Ragged]:
        """The three ways in which a sentence is read."""
        return self.base, self.help, self.full


@register
@dataclass(frozen=True)
class Shannon(UsesModel, Metric):
    """Shannon Score (the score), Information Difference and BLANC-Shannon, from any causal language model."""

    model: ModelSpec = "smollm2"
    measure: str = "shannon"
    upstream: int = 0
    full: str = "sentence"
    separator: str = ""
    units: str = "nats"
    start: str = ""

    name: ClassVar[str] = "shannon"
    revision: ClassVar[int] = 2
    aliases: ClassVar[dict[str, dict[str, object]]] = {
        "shannon_score": {},
        "information_difference": {"measure": "information_difference"},
        "blanc_shannon": {"measure": "blanc_shannon"},
    }
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "measure", _MEASURES)
        require_whole(self, "upstream", 0)
        require_choice(self, "full", ("sentence", "document"))
        self.require(isinstance(self.separator, str), "separator", "a string")
        require_choice(self, "units", ("nats", "bits"))
        self.require(
            isinstance(self.start, str), "start", "the name of a token, or '' for the default of the model"
        )

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        no_information = (
            "the document tells the model nothing about itself: it is empty, or the model ignores its prompt"
        )
        measures = {
            "shannon": Output("shannon", True, nan=no_information),
            "blanc_shannon": Output("blanc_shannon", True, -1, 1, nan="the document has no token"),
            "information_difference": Output("information_difference", True),
        }
        first = measures.pop(self.measure)
        informations = [Output(name, None, 0) for name in _NAMES[3:]]
        return {
            "shannon": (
                first,
                *measures.values(),
                *informations,
                Output("document_tokens", None, 0),
                TRUNCATED,
                UNKNOWN_TOKENS,
            )
        }

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {
            **super().facts(corpus),
            "sentences": f"sentencex-{corpus.lang or 'en'}",
        }

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        readings = self._readings(view)
        scale = 1 / math.log(2) if self.units == "bits" else 1.0
        sums = -scale * _row_sums(readings.information.log_probabilities)
        hits = _row_sums(readings.information.likeliest)
        base, helped, full = (
            np.bincount(side.owners, sums[side.values], len(side)) for side in readings.sides
        )
        gained = np.bincount(
            readings.help.owners, hits[readings.help.values] - hits[readings.base.values], len(view)
        )
        tokens = np.bincount(
            readings.base.owners, readings.information.ids.lengths[readings.base.values], len(view)
        )
        cut = readings.information.truncated.values
        truncated = np.any(
            [np.bincount(side.owners, cut[side.values], len(side)) > 0 for side in readings.sides], axis=0
        )
        # Below this share of the document's information the difference is rounding.
        valid = np.abs(base - full) > 1e-7 * base
        score = np.where(valid, (base - helped) / np.where(valid, base - full, 1.0), 0.0)
        gain = gained / np.maximum(tokens, 1)
        counts = [tokens, truncated, valid, tokens > 0, np.ones(len(view))]
        return {
            "shannon": np.column_stack(
                [score, gain, base - helped, base, helped, full, *counts, readings.counts]
            )
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        tokens, truncated, valid, filled, count = (statistics[..., len(_NAMES) + i] for i in range(5))
        found = {name: statistics[..., i] / count for i, name in enumerate(_NAMES)}
        for name, defined in (("shannon", valid), ("blanc_shannon", filled)):
            found[name] = np.where(
                defined > 0, statistics[..., _NAMES.index(name)] / np.where(defined > 0, defined, 1.0), np.nan
            )
        found |= {"document_tokens": tokens, "truncated": truncated, **unknown_share(statistics)}
        return {output.name: found[output.name] for output in self.outputs()[part]}

    def _readings(self, view: View) -> _Readings:
        read = read_pairs(view.features, self.model, "causal", view.predictions, view.source)
        sentences, documents = view.get(Sentences(view.lang or "en"), read.second.ids)
        texts = view.features.texts
        separator = [texts.intern(self.separator)] if self.separator else []
        keys: dict[str, list[list[int]]] = {"base": [], "help": [], "full": []}
        counts = []
        for summary, source in zip(read.first.ids.tolist(), documents.tolist(), strict=True):
            parts = sentences[source].tolist()
            counts.append(len(parts))
            # After an empty summary a sentence is read without a summary, so that its difference is 0 and not
            # rounding.
            prompt = [summary] if texts[summary] else []
            for j, sentence in enumerate(parts):
                before = [
                    part for other in parts[max(0, j - self.upstream) : j] for part in (other, *separator)
                ]
                document = [part for other in parts for part in (*separator, other)][len(separator) :]
                whole = document if self.full == "document" else [*before, sentence]
                keys["base"].append([*before, sentence])
                keys["help"].append([*prompt, *separator, *before, sentence])
                keys["full"].append([*whole, *separator, *before, sentence])
        columns = [Ragged.of(rows) for rows in keys.values()]
        information, *places = view.get(LogProbs(self.model, self.start), *columns)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        base, helped, full = (Ragged(place, offsets) for place in places)
        return _Readings(information, base, helped, full, read.counts)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        readings = self._readings(view)
        rows = self.statistics(view, fitted)["shannon"]
        information = readings.information
        scale = 1 / math.log(2) if self.units == "bits" else 1.0
        loaded = load(self.model, "causal", view.features.options.device)
        for i, row in enumerate(rows):
            tokens = token_strings(
                loaded, [int(token) for place in readings.base[i] for token in information.ids[place]]
            )
            values = {
                name: [
                    float(-scale * value)
                    for place in side[i]
                    for value in information.log_probabilities[place]
                ]
                for name, side in zip(
                    ("alone", "given the summary", "given itself"), readings.sides, strict=True
                )
            }
            score = self.score("shannon", row)
            title = (
                f"shannon {score['shannon']:.4f}, information difference"
                f" {score['information_difference']:.2f} {self.units}, "
            )
            title += f"BLANC-Shannon {score['blanc_shannon']:.4f}"
            yield TokenScores(title, {"shannon": row}, tokens, values, "source")


def _row_sums(column: Ragged) -> Array:
    return np.bincount(column.owners, column.values, len(column))
