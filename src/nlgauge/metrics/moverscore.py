"""MoverScore: how far the words of one text must travel to become those of the other, between contextual
vectors.

    EMD = min over plans T >= 0 of  sum_ij T_ij c(x_i, y_j),    sum_j T_ij = weight of the prediction's word i, sum_i T_ij of the reference's word j

Three forms are published, all of unit vectors at the first pieces of words, start and end mark included, lone
punctuation marks excluded:

version   vectors                                                        cost                 similarity
"v2"      last layer                                                     |x - y|              "reciprocal" 1 /
(1 + EMD) "v2"      (the same, in the package moverscore 1.0.3)                    |x - y|
"linear" 1 - EMD "v1"      minimum, mean and maximum over the last five layers            |x - y|^2
"linear" 1 - EMD

With `n_gram` above 1 the points are means of n words in a row, weighed as their words are together. Weights
are equal, or with `idf` log((N + 1) / (df + 1)) from the N references; the program has a separate table for
predictions. If every word of a text weighs 0 (an empty text with `idf`, say) the program gives the best
score, and here the score is undefined (NaN).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.estimators import idf
from nlgauge.estimators.transport import exact_plan, transport_module
from nlgauge.explanations import Explanation, Transport
from nlgauge.features import RunOptions
from nlgauge.features.encoders.embeddings import piece_strings
from nlgauge.features.encoders.encoder_layers import Hidden, HiddenLayers, last_layers
from nlgauge.features.encoders.word_starts import word_starts
from nlgauge.metric import TRUNCATED, Arrays, Fit, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.known_words import units
from nlgauge.metrics._shared.token_matching import InverseDocumentFrequency
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, PairReading, read_pairs, unknown_share
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load

_SIMILARITIES = {"v2": "reciprocal", "v1": "linear"}
_LAYERS = {"v2": 1, "v1": 5}
# Number of texts whose points are stored; systems share the points of references.
_REMEMBERED = 256


class _Points(NamedTuple):
    """The points of a text, their weights, and the pieces of each point."""

    places: Array
    weights: Array
    pieces: Array


class _Moved(NamedTuple):
    prediction: _Points
    reference: _Points
    plan: Array
    cost: Array


@register
@dataclass(frozen=True)
class MoverScore(UsesEncoder, Metric):
    """MoverScore, higher is better; up to 1."""

    model: ModelSpec = "distilbert-base-uncased"
    version: str = "v2"
    idf: bool = False
    n_gram: int = 1
    similarity: str | None = None

    name: ClassVar[str] = "moverscore"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "version", _SIMILARITIES)
        self.require(isinstance(self.idf, bool), "idf", "True or False")
        require_whole(self, "n_gram")
        require_choice(self, "similarity", (None, *_SIMILARITIES.values()))

    @property
    def similarity_used(self) -> str:
        """The formula from distance to similarity: the parameter, otherwise the formula of the version."""
        return self.similarity or _SIMILARITIES[self.version]

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "neither text has a token that the model knows, or every word of a text weighs 0"
        low = 0 if self.similarity_used == "reciprocal" else -1 if self.version == "v2" else -3
        return {"moverscore": (Output("moverscore", True, low, 1, nan), TRUNCATED, UNKNOWN_TOKENS)}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "similarity": self.similarity_used}

    def fit(self) -> Fit | None:
        return InverseDocumentFrequency(self.model) if self.idf else None

    def reads(self, options: RunOptions) -> tuple[HiddenLayers, ...]:
        layers = last_layers(self.model, _LAYERS[self.version], options)
        return (HiddenLayers(self.model, layers, precision=self.precision),)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        read, hidden, predictions, references = self._hidden(view)
        cut = np.maximum(hidden.truncated.values[predictions], hidden.truncated.values[references])
        costs = [
            np.nan if row is None else float((row.plan * row.cost).sum()) for row in self._rows(view, fitted)
        ]
        values = 1 / (1 + np.array(costs)) if self.similarity_used == "reciprocal" else 1 - np.array(costs)
        known = ~np.isnan(values)
        return {"moverscore": np.column_stack([np.where(known, values, 0.0), known, cut, read.counts])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {
            "moverscore": share(statistics[..., 0], statistics[..., 1]),
            "truncated": statistics[..., 2],
            **unknown_share(statistics),
        }

    def _hidden(self, view: View) -> tuple[PairReading, Hidden, Array, Array]:
        read = read_pairs(view.features, self.model, "encoder", view.predictions, view.reference)
        (feature,) = self.reads(view.features.options)
        return (read, *view.get(feature, read.first.ids, read.second.ids))

    def _rows(self, view: View, fitted: Arrays) -> Iterator[_Moved | None]:
        """Yield the transport of each pair; None if the score is undefined."""
        transport_module()
        read, hidden, predictions, references = self._hidden(view)
        layers = len(self.reads(view.features.options)[0].layers)
        starts = word_starts(load(self.model, "encoder", view.features.options.device))

        @lru_cache(maxsize=_REMEMBERED)
        def points(text: int) -> _Points:
            return self._points(hidden, text, layers, starts, fitted)

        for prediction, reference, undefined in zip(
            predictions.tolist(), references.tolist(), read.undefined, strict=True
        ):
            sides = points(prediction), points(reference)
            if undefined or not all(len(side.weights) for side in sides):
                yield None
                continue
            cost = _squared_distances(sides[0].places, sides[1].places)
            cost = cost if self.version == "v1" else np.sqrt(cost)
            yield _Moved(*sides, exact_plan(cost, (sides[0].weights, sides[1].weights)), cost)

    def _points(self, hidden: Hidden, text: int, layers_read: int, starts: Array, fitted: Arrays) -> _Points:
        """Return the points of a text that weigh something; their weights sum to 1."""
        ids = hidden.ids[text]
        kept = np.flatnonzero(starts[ids])
        weights = idf.weights(fitted, ids[kept]) if self.idf else np.ones(len(kept))
        vectors = hidden.vectors[text][kept].astype(np.float64)
        if self.version == "v1":
            layers = vectors.reshape(len(kept), layers_read, vectors.shape[1] // layers_read)
            vectors = np.concatenate([layers.min(axis=1), layers.mean(axis=1), layers.max(axis=1)], axis=1)
        size = min(self.n_gram, len(kept))
        windows = np.arange(len(kept) - size + 1)[:, None] + np.arange(size)
        totals = weights[windows].sum(axis=1)
        heavy = totals > 0
        windows, totals = windows[heavy], totals[heavy]
        # The sum of a window has the direction of its mean, and is scaled to length 1 anyway.
        places = np.einsum("ij,ijk->ik", weights[windows], vectors[windows])
        return _Points(units(places), totals / totals.sum(), kept[windows])

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        _, hidden, predictions, references = self._hidden(view)
        statistics = self.statistics(view, fitted)["moverscore"]
        for row, moved, texts in zip(
            statistics, self._rows(view, fitted), zip(predictions, references, strict=True), strict=True
        ):
            if moved is None:
                continue
            names = []
            for text, points in zip(texts, (moved.prediction, moved.reference), strict=True):
                pieces = piece_strings(self.model, hidden.ids[text], view.features.options.device)
                names.append([" ".join(pieces[place] for place in point) for point in points.pieces])
            title = (
                f"moverscore {self.score('moverscore', row)['moverscore']:.4f}, distance"
                f" {(moved.plan * moved.cost).sum():.4f}"
            )
            yield Transport(title, {"moverscore": row}, names[0], names[1], moved.plan, moved.cost)


def _squared_distances(one: Array, other: Array) -> Array:
    """Return |x - y|^2 of unit vectors, from 0 to 4."""
    found: Array = np.clip(2 - 2 * (one @ other.T), 0, 4)
    return found
