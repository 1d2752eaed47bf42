"""ESTIME: the number of words of a summary that differ from the word of the document in the most similar
context.

    e(w)  = state of a masked language model at a layer, at the first piece of the word w, with all pieces of w hidden
    a(w)  = argmax over the words v of the document of  e(w) . e(v)             a dot product, not a cosine
    alarm = the first pieces of w and a(w) differ

    alarms           alarms of the M words of the summary that occur in the document with the same case; of all words if none does
    alarms_adjusted  alarms N / M for a summary of N words; N if M = 0
    alarms_alltokens alarms of all N words
    soft             mean cosine of the input vectors of the first pieces of w and a(w)
    coherence        Kendall's tau-c between the places of w and of a(w)

Words hidden together are at least `distance` words apart; a document is read in windows, so nothing is cut.
The authors' program takes the input vectors of `soft` from bert-base-uncased; here they are the model's own.
It fails on a summary or a document without words; here they give NaN. A text without any token that the model
knows is read as an empty text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, WordGroups
from nlgauge.features.language_models.masked_words import HiddenWords, input_vectors
from nlgauge.metric import Arrays, Output, Takes, View, register
from nlgauge.metric.domains import require_whole
from nlgauge.metric.mean import MeanMetric, Measured
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, PairReading, read_pairs
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load


class _Aligned(NamedTuple):
    """A summary's words: first pieces, places, True if they occur in the document; first pieces and places of
    the aligned words.
    """

    ids: Array
    places: Array
    known: Array
    aligned: Array
    aligned_places: Array


@register
@dataclass(frozen=True)
class Estime(UsesModel, MeanMetric):
    """ESTIME's alarms (the score, lower is better), adjusted and over all words, soft ESTIME, coherence,
    and the number of words.
    """

    model: ModelSpec = "bert-large-uncased-whole-word-masking"
    layer: int = 21
    window: int = 450
    margin: int = 50
    distance: int = 8

    name: ClassVar[str] = "estime"
    revision: ClassVar[int] = 2
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for parameter, least in (("layer", 0), ("window", 1), ("margin", 0), ("distance", 1)):
            require_whole(self, parameter, least)
        self.require(
            2 * self.margin < self.window, "margin", f"less than half of window, which is {self.window}"
        )

    def measures(self) -> tuple[Output, ...]:
        nan = "the summary or the document has no words, or none that the model knows"
        alarms = [
            Output(name, False, 0, nan=nan) for name in ("alarms", "alarms_adjusted", "alarms_alltokens")
        ]
        coherence = Output(
            "coherence",
            True,
            -1,
            1,
            nan="the summary has no two words, or all are aligned to one place, or the document has no words",
        )
        return (*alarms, Output("soft", True, -1, 1, nan=nan), coherence, Output("tokens", None, 0))

    def counted(self) -> tuple[Output, ...]:
        return (UNKNOWN_TOKENS,)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {
            **super().facts(corpus),
            "words": f"treebank-sentencex-{corpus.lang or 'en'}",
        }

    def values(self, view: View) -> Array:
        rows = [self._values(row, view.features.options.device) for row in self._rows(view)]
        return np.array(rows, dtype=np.float64).reshape(-1, 6)

    def measured(self, view: View) -> Measured:
        return Measured(self.values(view), columns=[self._read(view).counts])

    def _read(self, view: View) -> PairReading:
        return read_pairs(view.features, self.model, "masked", view.predictions, view.source)

    def _values(self, row: _Aligned, device: str | None) -> tuple[float, ...]:
        count, known = len(row.ids), int(row.known.sum())
        if not len(row.aligned):
            return (np.nan, np.nan, np.nan, np.nan, np.nan, count)
        alarm = row.ids != row.aligned
        alarms = int(alarm[row.known].sum()) if known else int(alarm.sum())
        ours, theirs = (input_vectors(self.model, ids, device) for ids in (row.ids, row.aligned))
        norms = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
        soft = float(np.mean((ours * theirs).sum(axis=1) / np.where(norms > 0, norms, 1.0)))
        adjusted = alarms * count / known if known else count
        return alarms, adjusted, int(alarm.sum()), soft, _tau_c(row.aligned_places), count

    def _rows(self, view: View) -> Iterator[_Aligned]:
        feature = HiddenWords(
            self.model, self.layer, self.window, self.margin, self.distance, view.lang or "en"
        )
        read = self._read(view)
        found, summaries, documents = view.get(feature, read.first.ids, read.second.ids)
        for summary, document in zip(summaries, documents, strict=True):
            known = np.isin(found.words[summary], found.words[document])
            ours, theirs = found.states[summary].astype(np.float64), found.states[document].astype(np.float64)
            nearest = (
                np.argmax(ours @ theirs.T, axis=1)
                if len(ours) and len(theirs)
                else np.empty(0, dtype=np.int64)
            )
            yield _Aligned(
                found.ids[summary],
                found.places[summary],
                known,
                found.ids[document][nearest],
                found.places[document][nearest],
            )

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        tokenizer = load(self.model, "masked", view.features.options.device).tokenizer
        for row, statistics in zip(self._rows(view), self.statistics(view, fitted)["estime"], strict=True):
            groups: dict[str, list[str]] = {
                "same token": [],
                "alarm": [],
                "alarm, word not in the document": [],
            }
            tokens, aligned = (
                tokenizer.convert_ids_to_tokens(ids.tolist()) for ids in (row.ids, row.aligned)
            )
            for token, other, known in zip(tokens, aligned, row.known, strict=False):
                kind = (
                    "same token"
                    if token == other
                    else "alarm"
                    if known
                    else "alarm, word not in the document"
                )
                groups[kind].append(token if token == other else f"{token}/{other}")
            score = self.score("estime", statistics)
            title = (
                f"ESTIME {counted(float(score['alarms']), 'alarm', spec='g')}, {score['alarms_alltokens']:g} of"
                f" {counted(float(score['tokens']), 'word', spec='g')}; alarms as summary/document"
            )
            yield WordGroups(
                title, {"estime": statistics}, groups, against=["alarm", "alarm, word not in the document"]
            )


def _tau_c(places: Array) -> float:
    """Return Kendall's tau-c between the order of the places and their values; NaN unless two places differ.

    >>> _tau_c(np.array([1, 2, 3])), _tau_c(np.array([3, 2, 1]))
    (1.0, -1.0)
    """
    count, distinct = len(places), len(np.unique(places))
    if distinct < 2:
        return float("nan")
    # Concordant less discordant pairs, a row at a time: a matrix of all pairs of a long summary would be
    # large.
    balance = sum(int(np.sign(places[i + 1 :] - places[i]).sum()) for i in range(count))
    return 2 * balance * distinct / (count**2 * (distinct - 1))
