"""BLEU from counts: sacreBLEU's four smoothings, and what the COCO captions' program does in their place.

All functions take the predicted length, the reference length, and matched and predicted n-grams by order on
the last axis, and give the score (0 to 100), the brevity penalty and the precisions in percent.
"""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array

# Each smoothing with its default value, which "none" and "exp" have no use for.
SMOOTHING = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}
# COCO's: added to the numerator and to the denominator.
_TINY, _SMALL = 1e-15, 1e-9


def smoothed(
    length: Array, reference: Array, matched: Array, total: Array, method: str, value: float, effective: bool
) -> tuple[Array, Array, Array]:
    """Smooth as sacreBLEU; with `effective`, orders without predicted n-grams are left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.where(length < reference, np.where(length > 0, np.exp(1 - reference / length), 0.0), 1.0)
        precisions, reached = _precisions(matched, total, method, value)
        logs, orders = np.log(precisions), matched.shape[-1]
        if effective:
            logs, orders = np.where(reached, logs, 0.0), np.maximum(reached.sum(axis=-1), 1)
        some = matched.sum(axis=-1) > 0
        score = np.where(some, penalty * np.exp(logs.sum(axis=-1) / orders), 0.0)
    return score, penalty, np.where(some[..., None], precisions, 0.0)


def coco(length: Array, reference: Array, matched: Array, total: Array) -> tuple[Array, Array, Array]:
    """Smooth as the program of COCO captions: no order is left out, and an order without a match counts as
    (nearly) 0.
    """
    shares = (matched + _TINY) / (total + _SMALL)
    ratio = (length + _TINY) / (reference + _SMALL)
    penalty = np.where(ratio < 1, np.exp(1 - 1 / np.minimum(ratio, 1.0)), 1.0)
    return 100 * shares.prod(axis=-1) ** (1 / matched.shape[-1]) * penalty, penalty, 100 * shares


def _precisions(matched: Array, total: Array, method: str, value: float) -> tuple[Array, Array]:
    """Return smoothed precisions in percent, and whether n-grams of each order were predicted."""
    if method == "add-k":
        later = np.arange(matched.shape[-1]) > 0
        matched, total = matched + value * later, total + value * later
    positive = total > 0
    divisor = np.where(positive, total, 1.0)
    reached = np.logical_and.accumulate(positive, axis=-1)
    precisions = np.where(reached, 100.0 * matched / divisor, 0.0)
    missed = reached & (matched == 0)
    if method in ("exp", "floor"):
        instead = (
            100.0 / (2.0 ** np.cumsum(missed, axis=-1) * divisor)
            if method == "exp"
            else 100.0 * value / divisor
        )
        precisions = np.where(missed, instead, precisions)
    return precisions, reached
