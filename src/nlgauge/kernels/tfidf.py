"""Similarity of texts as vectors of weighted n-gram counts."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.sums import added


@compiled
def tfidf_similarity(
    keys: Ragged, weights: Array, predictions: Array, references: Array, clipped: bool
) -> Array:
    """Return (rows,) cosine of count times weight of the n-grams of two texts; `weights` has one for each of
    `keys.values`.

    If `clipped`, a component of the prediction counts no higher than the reference's, while its norm stays
    unchanged. A text whose vector is zero is similar to nothing.
    """
    rows, row_weights = keys.lists(), Ragged(weights, keys.offsets).lists()

    @cache
    def vector(row: int) -> tuple[dict[int, float], float]:
        weight = dict(zip(rows[row], row_weights[row], strict=True))
        components = {key: count * weight[key] for key, count in Counter(rows[row]).items()}
        return components, math.sqrt(added(value * value for value in components.values()))

    found = np.zeros(len(predictions))
    for i, (prediction, reference) in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        (left, left_norm), (right, right_norm) = vector(prediction), vector(reference)
        if left_norm > 0 and right_norm > 0:
            shared = [(value, right[key]) for key, value in left.items() if key in right]
            found[i] = added((min(a, b) if clipped else a) * b for a, b in shared) / (left_norm * right_norm)
    return found
