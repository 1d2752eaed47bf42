"""DepthScore: how far apart the depth-trimmed regions of two clouds of token vectors are.

    D(x)  = mean over directions u of  min(r_u(x), n - r_u(x)) / n,    r_u(x) = rank of <x, u> among the n tokens: integrated rank-weighted depth
    R_a   = the tokens at least as deep as the a-quantile of depths,   h_a(u) = max over x in R_a of <x, u>: its support function
    score = ( mean over levels a of  max over directions u of  |h_a(u) of the prediction - h_a(u) of the reference|^p )^(1/p)

Levels go from `lowest` to 1 in equal steps. Directions are drawn once from the run's seed, uniformly on the
sphere, the same for every text. The authors' program leaves out the absolute value: with its odd p the score
is not symmetric and may overlook the larger side, and has no value if the reference's regions lie inside the
prediction's in every direction (NaN). It takes one set of directions for depths and another for regions, both
of seed 0. `compat="official"` does the same. Its affine-invariant depth is left out: whitened, a text with
fewer tokens than dimensions is a regular simplex, all of whose corners are equally deep, so that only chance
would order them. A text without any token that the model knows is read as an empty text, with only the
special tokens; the score is undefined if neither text has a known token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.features import RunOptions
from nlgauge.features.encoders.encoder_layers import HiddenLayers
from nlgauge.metric import TRUNCATED, Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_number, require_whole
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, read_pairs, unknown_share
from nlgauge.models import ModelSpec

# Support functions of this many texts are remembered within a chunk: 400 kB each with the usual directions
# and levels.
_REMEMBERED = 256


@register
@dataclass(frozen=True)
class DepthScore(UsesEncoder, Metric):
    """Distance of depth-trimmed regions of token vectors, from 0 (the same) to 2."""

    model: ModelSpec = "bert-base-uncased"
    layer: int | None = None
    p: float = 5
    levels: int = 5
    lowest: float = 0.3
    directions: int = 10_000
    compat: str | None = None

    name: ClassVar[str] = "depthscore"
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "layer", 0, optional=True)
        require_number(self, "p", 1, 100)
        require_whole(self, "levels")
        require_number(self, "lowest", most=1)
        require_whole(self, "directions")
        require_choice(self, "compat", (None, "official"))

    @property
    def seeded(self) -> bool:  # type: ignore[override]
        return self.compat is None

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "neither text has a token that the model knows"
        if self.compat == "official":
            nan += (
                ", or the official formula takes the root of a negative number, which the default,"
                " compat=None, does not"
            )
        return {"depthscore": (Output("depthscore", False, 0, 2, nan), TRUNCATED, UNKNOWN_TOKENS)}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "layer": str(self._layer)}

    @property
    def _layer(self) -> int:
        if self.layer is not None:
            return self.layer
        return 6 if self.model == "minilm" else 9

    def reads(self, options: RunOptions) -> tuple[HiddenLayers, ...]:
        return (HiddenLayers(self.model, (self._layer,), precision=self.precision),)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        read = read_pairs(view.features, self.model, "encoder", view.predictions, view.reference)
        (feature,) = self.reads(view.features.options)
        hidden, predictions, references = view.get(feature, read.first.ids, read.second.ids)
        dimensions = hidden.vectors.values.shape[1]
        official = self.compat == "official"
        draw = (
            _official_directions(self.directions, dimensions)
            if official
            else _directions(self.directions, dimensions, view.features.options.seed)
        )

        @lru_cache(maxsize=_REMEMBERED)
        def supports(text: int) -> Array:
            return self._supports(hidden.vectors[text].astype(np.float64), *draw)

        values = np.empty(len(view))
        # In the order of references, so that one is remembered for all systems.
        for row in np.lexsort((predictions, references)):
            values[row] = self._distance(supports, int(references[row]), int(predictions[row]))
        cut = np.maximum(hidden.truncated.values[predictions], hidden.truncated.values[references])
        known = ~np.isnan(values) & ~read.undefined
        return {"depthscore": np.column_stack([np.where(known, values, 0.0), known, cut, read.counts])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {
            "depthscore": share(statistics[..., 0], statistics[..., 1]),
            "truncated": statistics[..., 2],
            **unknown_share(statistics),
        }

    def _distance(self, supports: Callable[[int], Array], reference: int, prediction: int) -> float:
        if reference == prediction:
            return 0.0
        difference = supports(reference) - supports(prediction)
        with np.errstate(invalid="ignore"):
            powers = (difference if self.compat == "official" else np.abs(difference)) ** self.p
        mean = float(powers.max(axis=1).mean())
        return mean ** (1 / self.p) if mean >= 0 else float("nan")

    def _supports(self, vectors: Array, for_depth: Array, for_regions: Array) -> Array:
        """Return (levels, directions) support functions of a text's trimmed regions."""
        projections = vectors @ for_depth.T
        deep = _depth(projections)
        if for_regions is not for_depth:
            projections = vectors @ for_regions.T
        # The official program cuts the lowest level to whole percents.
        lowest = int(self.lowest * 100) if self.compat == "official" else self.lowest * 100
        quantiles = np.percentile(deep, np.linspace(lowest, 100, self.levels))
        return np.stack([projections[deep >= quantile].max(axis=0) for quantile in quantiles])


def _depth(projections: Array) -> Array:
    """Return the integrated rank-weighted depth of each token, from its projections (tokens, directions)."""
    count = len(projections)
    order = np.argsort(projections, axis=0)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, count + 1)[:, None], axis=0)
    depth: Array = np.minimum(ranks, count - ranks).mean(axis=1) / count
    return depth


@lru_cache(maxsize=2)
def _directions(count: int, dimensions: int, seed: int) -> tuple[Array, Array]:
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions))
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit, unit


@lru_cache(maxsize=2)
def _official_directions(count: int, dimensions: int) -> tuple[Array, Array]:
    """Return the two sets that the authors' program draws, for depths and for regions, from a separate
    generator with its seed.
    """
    generator = np.random.RandomState(0)
    drawn = [
        generator.multivariate_normal(np.zeros(dimensions), np.identity(dimensions), size=count)
        for _ in range(2)
    ]
    first, second = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in drawn)
    return first, second
