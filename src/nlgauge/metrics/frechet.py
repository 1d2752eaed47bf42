"""Fréchet distance of embeddings: the distance between the texts of a system and the references, both taken
as Gaussian clouds.

    d^2 = |m - m'|^2 + tr(S) + tr(S') - 2 tr( (S S')^(1/2) )

m and S are mean and covariance (over n - 1) of the sentence embeddings of all predictions, m' and S' of all
references. With S = A^T A and S' = B^T B the last trace is the sum of the singular values of A B^T: no root
of a matrix is taken, and fewer texts than dimensions cause no failure. It is the squared distance, as Fréchet
inception distance gives it for images. A text without any token that the model knows is read as an empty
text; the distance is undefined if a side has only such texts.
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
from nlgauge.features import Features
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.metric import TRUNCATED, CorpusMetric, Output, Takes, register
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.unknown_tokens import NO_KNOWN_TEXT, UNKNOWN_TOKENS, read_texts, total_share
from nlgauge.models import ModelSpec


def frechet_distance(first: Any, second: Any) -> float:
    """Return the squared Fréchet distance between the Gaussians fitted to the rows of two matrices with
    equally many columns.

    >>> round(frechet_distance([[0.0], [2.0]], [[3.0], [7.0]]), 10)  # means 1 and 5, variances 2 and 8
    18.0
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    if any(side.ndim != 2 or len(side) < 2 for side in sides) or sides[0].shape[1] != sides[1].shape[1]:
        raise ParameterError(
            "both sides must be matrices with at least two rows and the same number of columns; got"
            f" the shapes {sides[0].shape} and {sides[1].shape}."
        )
    means = [side.mean(axis=0) for side in sides]
    factors = [_factor(side - mean) for side, mean in zip(sides, means, strict=True)]
    traces = sum(float((factor**2).sum()) for factor in factors)
    shared = float(np.linalg.svd(factors[0] @ factors[1].T, compute_uv=False).sum())
    return max(0.0, float(((means[0] - means[1]) ** 2).sum()) + traces - 2 * shared)


def _factor(centered: Array) -> Array:
    """Return A with the covariance A^T A, in the fewest rows."""
    upper: Any = np.linalg.qr(centered, mode="r")
    found: Array = upper / math.sqrt(len(centered) - 1)
    return found


@register
@dataclass(frozen=True)
class Frechet(UsesEncoder, CorpusMetric):
    """Squared Fréchet distance between the embeddings of predictions and of references, from 0."""

    model: ModelSpec = "minilm"

    name: ClassVar[str] = "frechet"
    takes: ClassVar[Takes] = "joint"
    resamples: ClassVar[int] = 200

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = f"a covariance needs at least two predictions and two references, or {NO_KNOWN_TEXT}"
        return {"frechet": (Output("frechet", False, 0, nan=nan), TRUNCATED, UNKNOWN_TOKENS)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        sides = corpus.predictions[system].values, corpus.distinct_references()
        read = [read_texts(features, self.model, "encoder", side) for side in sides]
        embedded, predictions, references = features.get(
            TextEmbedding(self.model, precision=self.precision), *(side.ids for side in read)
        )
        vectors, cut = embedded.vectors.values, embedded.truncated.values
        fewest = min(len(predictions), len(references))
        if fewest <= vectors.shape[1]:
            problem = "undefined" if fewest < 2 else "far too high"
            warnings.warn(
                f"frechet has {counted(fewest, 'text')} on one side for {vectors.shape[1]} dimensions; with so few its"
                f" value is {problem}. Score more texts, or compare only values of equal numbers of texts.",
                stacklevel=2,
            )
        undefined = fewest < 2 or any(side.knows_nothing for side in read)
        value = math.nan if undefined else frechet_distance(vectors[predictions], vectors[references])
        return {
            "frechet": value,
            "truncated": float(cut[predictions].sum() + cut[references].sum()),
            **total_share(*read),
        }
