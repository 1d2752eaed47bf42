"""Selection of the segments to explain if not all can be: segments that a page lists first, segments with
differing systems, disagreeing metrics, the worst or best scores, and a random sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array

# A page shows a segment for at most this many systems side by side, and for more systems only the two that
# are compared.
BESIDE = 4


def chosen(
    outputs: list[dict[str, Any]], columns: Array, count: int, seed: int, pair: Sequence[int]
) -> list[int]:
    """Return about `count` segments, a fifth of each kind, in order; all if there are no more. A tenth are
    those that a page opens with.

    `pair` are the systems that the page compares when it opens.
    """
    segments = columns.shape[2]
    if segments <= count or count == 0:
        return list(range(min(segments, count)))
    rng = np.random.default_rng(seed)
    directed = [
        output
        for output in outputs
        if output["column"] is not None and output["up"] is not None and not output["people"]
    ]
    drawn = rng.permutation(segments).tolist()
    if not directed:
        return sorted(drawn[:count])
    # (outputs, systems, segments) places from 0, the worst, to 1.
    places = np.stack(
        [_places(columns[output["column"]] * (1 if output["up"] else -1)) for output in directed]
    )
    mean = places.mean(axis=0)
    kinds = (
        np.ptp(mean, axis=0) if len(mean) > 1 else np.ptp(places, axis=0).max(axis=0),
        np.ptp(places, axis=0).max(axis=0),
        -mean.min(axis=0),
        mean.max(axis=0),
    )
    found: dict[int, None] = dict.fromkeys(
        np.argsort(-_listed_first(directed[0], columns, pair), kind="stable")[: -(-count // 10)].tolist()
    )
    for wanted in kinds:
        found.update(dict.fromkeys(np.argsort(-wanted, kind="stable")[: count // 5].tolist()))
    for segment in drawn:
        if len(found) >= count:
            break
        found[segment] = None
    return sorted(found)


def _listed_first(output: dict[str, Any], columns: Array, pair: Sequence[int]) -> Array:
    """Return the key by which a page first orders its list: the range of the first score over the systems
    shown, or the worst score of one system.
    """
    values: Array = columns[output["column"]]
    values = values[list(pair)] if len(values) > BESIDE else values
    with np.errstate(invalid="ignore"):
        wanted: Array = (
            np.fmax.reduce(values) - np.fmin.reduce(values)
            if len(values) > 1
            else values[0] * (-1 if output["up"] else 1)
        )
    return np.where(np.isnan(wanted), -np.inf, wanted)


def _places(values: Array) -> Array:
    """Return the place of each value among all, from 0 to 1; unknown values are in the middle."""
    flat = values.ravel()
    known = np.isfinite(flat)
    found = np.full(len(flat), 0.5)
    if known.sum() > 1:
        _, inverse, counts = np.unique(flat[known], return_inverse=True, return_counts=True)
        # Equal values share the middle of their places.
        found[known] = (np.cumsum(counts) - (counts + 1) / 2)[inverse] / (known.sum() - 1)
    return found.reshape(values.shape)
