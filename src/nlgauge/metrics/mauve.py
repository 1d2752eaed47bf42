"""MAUVE: how much the distribution of a system's texts overlaps that of human texts, in the space of a
language model.

    r_w   = w p + (1 - w) q                                            for 25 weights w from 1e-6 to 1 - 1e-6
    curve = ( exp(-c KL(q || r_w)), exp(-c KL(p || r_w)) ),            ended by (1, 0) and (0, 1)
    MAUVE = area under the curve, averaged over its two axes

p and q are histograms of predictions and references over the buckets of one codebook: states of the model at
each text's last token, of length 1, on principal axes with 90% of the variance, clustered by k-means. MAUVE*
smooths the counts by 1/2 (Krichevsky-Trofimov). The frontier integral is

    FI = 2 sum over buckets of  (p + q) / 4 - p q (log p - log q) / (2 (p - q))

The authors' package sorts the curve's points before it integrates, which misplaces the end points if p equals
q exactly (0.75 for two buckets instead of 1); here they stay in their order, which changes nothing else. It
drops empty texts; here they count. A text without any token that the model knows is read as an empty text;
the scores are undefined if a side has only such texts.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError
from nlgauge.estimators.codebook import fit_codebook
from nlgauge.features import Feature, Features
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.features.language_models.last_token import LastState
from nlgauge.metric import TRUNCATED, CorpusMetric, Output, Takes, register
from nlgauge.metric.domains import require_number, require_whole
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.metrics._shared.unknown_tokens import NO_KNOWN_TEXT, UNKNOWN_TOKENS, read_texts, total_share
from nlgauge.models import ModelSpec
from nlgauge.models.weights.catalog import Kind

_WEIGHTS = np.linspace(1e-6, 1 - 1e-6, 25)
_FEW_TEXTS = 1000


def mauve_from_histograms(p: Any, q: Any, scaling: float = 5.0, smoothing: float = 0.0) -> float:
    """Return MAUVE of two histograms over the same buckets, counts or shares; `smoothing` is added to every
    bucket first (1/2 of counts: MAUVE*).

    >>> round(mauve_from_histograms([2, 2, 0], [1, 1, 2]), 10)
    0.2781137254
    """
    p, q = _shares(p, q, smoothing)
    mixtures = _WEIGHTS[:, None] * p + (1 - _WEIGHTS[:, None]) * q
    inner = [np.exp(-scaling * _divergences(side, mixtures)) for side in (q, p)]
    x, y = np.concatenate([[1.0], inner[0], [0.0]]), np.concatenate([[0.0], inner[1], [1.0]])
    # The mean of both trapezoidal areas, along x and along y.
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)


def frontier_integral(p: Any, q: Any, smoothing: float = 0.0) -> float:
    """Return the frontier integral of two histograms over the same buckets, counts or shares: 0 if they are
    equal, 1 if they share no bucket.

    >>> round(frontier_integral([2, 2, 0], [1, 1, 2]), 10)
    0.3068528194
    """
    p, q = _shares(p, q, smoothing)
    both = (p > 0) & (q > 0)
    low, high = np.minimum(p, q)[both], np.maximum(p, q)[both]
    # (log p - log q) / (p - q), which tends to 1 / p: log1p is exact if p and q are close.
    gap = (high - low) / low
    slope = np.where(gap > 0, np.log1p(gap) / np.where(gap > 0, gap, 1.0), 1.0) / low
    return float(max(0.0, 2 * ((p + q).sum() / 4 - (low * high * slope).sum() / 2)))


def _shares(p: Any, q: Any, smoothing: float) -> tuple[Array, Array]:
    sides = [np.asarray(side, dtype=np.float64) + smoothing for side in (p, q)]
    if (
        sides[0].ndim != 1
        or sides[0].shape != sides[1].shape
        or any((side < 0).any() or not side.sum() > 0 for side in sides)
    ):
        raise ParameterError(
            "both histograms must be vectors of the same length, of numbers from 0 that are not all 0; got the shapes"
            f" {sides[0].shape} and {sides[1].shape}."
        )
    return sides[0] / sides[0].sum(), sides[1] / sides[1].sum()


def _divergences(p: Array, others: Array) -> Array:
    """Return KL(p || other) for each other distribution, which must be above 0 wherever p is above 0."""
    some = p > 0
    found: Array = (p[some] * np.log(p[some] / others[:, some])).sum(axis=1)
    return found.clip(0.0, None)


@register
@dataclass(frozen=True)
class Mauve(UsesModel, CorpusMetric):
    """MAUVE (the score), its smoothed form and the frontier integral of predictions against references."""

    model: ModelSpec = "smollm2"
    features: str = "causal"
    buckets: int | None = None
    scaling: float = 5.0
    max_tokens: int = 1024

    name: ClassVar[str] = "mauve"
    takes: ClassVar[Takes] = "joint"
    seeded: ClassVar[bool] = True
    resamples: ClassVar[int] = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(
            self.features in ("causal", "embedding"),
            "features",
            "'causal' (a language model) or 'embedding' (a sentence encoder)",
        )
        require_whole(self, "buckets", 2, optional=True)
        require_number(self, "scaling", above=True)
        require_whole(self, "max_tokens")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        outputs = [
            Output(name, name != "frontier_integral", 0, 1, NO_KNOWN_TEXT)
            for name in ("mauve", "mauve_star", "frontier_integral")
        ]
        return {"mauve": (*outputs, Output("buckets", None, 1), TRUNCATED, UNKNOWN_TOKENS)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        kind: Kind = "causal" if self.features == "causal" else "encoder"
        given = corpus.predictions[system].values, corpus.distinct_references()
        read = [read_texts(features, self.model, kind, side) for side in given]
        sides = [side.ids for side in read]
        fewest = min(len(side) for side in sides)
        if fewest < _FEW_TEXTS:
            warnings.warn(
                f"mauve has only {counted(fewest, 'text')} on one side; below about {_FEW_TEXTS:,} its value is"
                " unreliable. Score more texts.",
                stacklevel=2,
            )
        # Texts are taken in alphabetical order, each once, so that neither the order of segments nor another
        # system changes the sample.
        texts = np.array(
            sorted(set(np.concatenate(sides).tolist()), key=lambda text: features.texts[text]), dtype=np.int64
        )
        place = {text: i for i, text in enumerate(texts.tolist())}
        p, q = (
            np.bincount([place[text] for text in side.tolist()], minlength=len(texts)).astype(np.float64)
            for side in sides
        )
        column, rows = features.get(self._feature, texts)
        vectors, cut = column.vectors.values[rows].astype(np.float64), column.truncated.values[rows]
        asked = max(2, round(fewest / 10)) if self.buckets is None else self.buckets
        codebook = fit_codebook(vectors, p + q, asked, seed=features.options.seed)
        found = codebook.buckets(vectors)
        p_counts, q_counts = (np.bincount(found, side, len(codebook.centers)) for side in (p, q))
        values = {
            "mauve": mauve_from_histograms(p_counts, q_counts, self.scaling),
            "mauve_star": mauve_from_histograms(p_counts, q_counts, self.scaling, 0.5),
            "frontier_integral": frontier_integral(p_counts, q_counts),
        }
        if any(side.knows_nothing for side in read):
            values = dict.fromkeys(values, math.nan)
        return {
            **values,
            "buckets": float(len(codebook.centers)),
            "truncated": float((p + q) @ cut),
            **total_share(*read),
        }

    @property
    def _feature(self) -> Feature:
        return (
            LastState(self.model, self.max_tokens) if self.features == "causal" else TextEmbedding(self.model)
        )
