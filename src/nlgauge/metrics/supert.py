"""SUPERT: each content token of a summary is matched with the most similar content token at the beginning of its
document, by contextual vectors.

    R = mean over the tokens r of the pseudo-reference of  max_s cos(r, s),   P = mean over the tokens s of the summary of  max_r cos(r, s)
    F = 2 P R / (P + R)                               (0 unless both are above 0)

The pseudo-reference is the first `sentences` sentences of the document. Every sentence of both texts is encoded
separately, and English stop words, start and end marks are left out. If the source has several documents, each
has a pseudo-reference, and P, R and F are their means; the authors' program pools all documents with fewer than 15
sentences together. It fails on a summary without content tokens, which scores 0 here; a source without content tokens
is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.explanations import Alignment, Explanation
from nlgauge.features import RunOptions
from nlgauge.features.encoders.embeddings import piece_strings
from nlgauge.features.encoders.encoder_layers import Hidden, HiddenLayers, last_layers
from nlgauge.features.lexical.stop_words import ENGLISH
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import TRUNCATED, Arrays, Output, Takes, View, register
from nlgauge.metric.domains import require_whole
from nlgauge.metric.mean import MeanMetric, Measured
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, PairReading, read_pairs
from nlgauge.models import ModelSpec

_NO_CONTENT = "the source has no token that is not a stop word, or none that the model knows"


class _Content(NamedTuple):
    """The content tokens of some sentences: (tokens, d) unit vectors, ids, and whether a sentence was cut."""

    vectors: Array
    ids: Array
    truncated: bool


class _Row(NamedTuple):
    """The content of a summary and of each document of its source; documents without content are left out."""

    summary: _Content
    documents: list[_Content]


@register
@dataclass(frozen=True)
class Supert(UsesEncoder, MeanMetric):
    """SUPERT: f1 (the score), precision and recall of the summary and the beginning of its document."""

    model: ModelSpec = "minilm"
    layer: int | None = None
    sentences: int = 10
    stop_words: bool = True
    separator: str = ""

    name: ClassVar[str] = "supert"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "layer", 0, optional=True)
        require_whole(self, "sentences", 1)
        self.require(isinstance(self.stop_words, bool), "stop_words", "True or False")
        self.require(isinstance(self.separator, str), "separator", "a string")

    def made_for(self) -> tuple[str, ...] | None:
        return ("en",) if self.stop_words else None

    def measures(self) -> tuple[Output, ...]:
        return (
            Output("f1", True, 0, 1, nan=_NO_CONTENT),
            Output("precision", True, -1, 1, nan=_NO_CONTENT),
            Output("recall", True, -1, 1, nan=_NO_CONTENT),
        )

    def counted(self) -> tuple[Output, ...]:
        return TRUNCATED, UNKNOWN_TOKENS

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "sentence_language": corpus.lang or "en"}

    def reads(self, options: RunOptions) -> tuple[HiddenLayers, ...]:
        layers = last_layers(self.model, 1, options) if self.layer is None else (self.layer,)
        return (HiddenLayers(self.model, layers, precision=self.precision),)

    def measured(self, view: View) -> Measured:
        read = self._read(view)
        rows = list(self._rows(view, read))
        values = np.array([_values(row) for row in rows]).reshape(-1, 3)
        truncated = [any(part.truncated for part in (row.summary, *row.documents)) for row in rows]
        return Measured(values, columns=[np.array(truncated, dtype=np.float64), read.counts])

    def _read(self, view: View) -> PairReading:
        return read_pairs(view.features, self.model, "encoder", view.predictions, view.source)

    def _rows(self, view: View, read: PairReading) -> Iterator[_Row]:
        texts, splitter = view.features.texts, Sentences(view.lang or "en")
        known: dict[int, list[list[int]]] = {}
        for source in np.unique(read.second.ids).tolist():
            documents = texts[source].split(self.separator) if self.separator else [texts[source]]
            split, places = view.get(splitter, np.array([texts.intern(document) for document in documents]))
            known[source] = [split[place][: self.sentences].tolist() for place in places]
        column, places = view.get(splitter, read.first.ids)
        summaries = [column[place].tolist() for place in places]
        (feature,) = self.reads(view.features.options)
        everything = sorted({text for part in chain(summaries, *known.values()) for text in part})
        hidden, rows = view.get(feature, np.array(everything, dtype=np.int64))
        row_of = dict(zip(everything, rows.tolist(), strict=True))
        content = {
            source: [
                part
                for document in documents
                if len((part := self._content(hidden, document, row_of, view)).ids)
            ]
            for source, documents in known.items()
        }
        for summary, source in zip(summaries, read.second.ids.tolist(), strict=True):
            yield _Row(self._content(hidden, summary, row_of, view), content[source])

    def _content(self, hidden: Hidden, sentences: list[int], row_of: dict[int, int], view: View) -> _Content:
        """Return the tokens of sentences that are neither marks nor stop words."""
        rows = [row_of[sentence] for sentence in sentences]
        if not rows:
            return _Content(np.empty((0, hidden.vectors.values.shape[1])), np.empty(0, dtype=np.int64), False)
        ids = np.concatenate([hidden.ids[row] for row in rows])
        wanted = ~np.concatenate([hidden.special[row] for row in rows])
        if self.stop_words:
            pieces = piece_strings(self.model, ids, view.features.options.device)
            wanted &= np.array([piece.lower() not in ENGLISH for piece in pieces], dtype=bool)
        vectors = np.concatenate([hidden.vectors[row] for row in rows])
        return _Content(vectors[wanted], ids[wanted], bool(hidden.truncated.values[rows].any()))

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        device = view.features.options.device
        statistics = self.statistics(view, fitted)[self.name]
        for row, counted in zip(self._rows(view, self._read(view)), statistics, strict=True):
            if not len(row.summary.ids) or not row.documents:
                continue  # nothing is matched
            document = np.concatenate([part.ids for part in row.documents])
            vectors = np.concatenate([part.vectors for part in row.documents])
            score = self.score(self.name, counted)
            title = f"supert f1 {score['f1']:.4f}, precision {score['precision']:.4f}, recall {score['recall']:.4f}"
            yield Alignment(
                title,
                {self.name: counted},
                piece_strings(self.model, row.summary.ids, device),
                piece_strings(self.model, document, device),
                np.clip(row.summary.vectors @ vectors.T, -1, 1),
                np.ones(len(row.summary.ids)),
                np.ones(len(document)),
            )


def _values(row: _Row) -> tuple[float, float, float]:
    """Return F, P and R, the means over documents."""
    if not row.documents:
        return (np.nan,) * 3
    if not len(row.summary.ids):
        return (0.0,) * 3
    found = []
    for document in row.documents:
        cosines = np.clip(row.summary.vectors.astype(np.float64) @ document.vectors.T, -1, 1)
        precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
        f = 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0
        found.append((f, precision, recall))
    f, precision, recall = (float(mean) for mean in np.mean(found, axis=0))
    return f, precision, recall
