"""Selection of the segments to explain if not all can be: segments that a page lists first, segments with
differing systems, disagreeing metrics, the worst or best scores, and a random sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array

# A page shows a segment for at most this many systems side by side, and for more systems the best and the
# worst of the segment and the two that are compared.
BESIDE = 4


def chosen(outputs: list[dict[str, Any]], columns: Array, count: int, seed: int) -> list[int]:
    """Return about `count` segments, a fifth of each kind, in order; all if there are no more. A tenth are
    those that a page opens with.
    """
    segments = columns.shape[2]
    if segments <= count or count == 0:
        return list(range(min(segments, count)))
    rng = np.random.default_rng(seed)
    directed = [output for output in outputs if _is_listed(output)]
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
        np.argsort(-_listed_first(directed[0], columns), kind="stable")[: -(-count // 10)].tolist()
    )
    for wanted in kinds:
        found.update(dict.fromkeys(np.argsort(-wanted, kind="stable")[: count // 5].tolist()))
    for segment in drawn:
        if len(found) >= count:
            break
        found[segment] = None
    return sorted(found)


def shown_first(
    outputs: list[dict[str, Any]], columns: Array, label: str, segment: int, pair: Sequence[int]
) -> list[int]:
    """Return the systems that a page with many systems shows first for a segment: the compared pair, and the
    best and the worst by the score that the page opens with and by the first score of the label.
    """
    opens = next((output for output in outputs if _is_listed(output)), None)
    first = next((one for one in outputs if one["label"] == label and one["column"] is not None), None)
    systems = dict.fromkeys(pair)
    for output in (opens, first):
        if output is not None:
            scores = columns[output["column"]][:, segment] * (-1 if output["up"] is False else 1)
            if np.isfinite(scores).any():
                systems |= dict.fromkeys((int(np.nanargmax(scores)), int(_last_least(scores))))
    return sorted(systems)


def _last_least(scores: Array) -> int:
    """Return the last of the systems with the least score, which is the last in the ranking of a page."""
    return len(scores) - 1 - int(np.nanargmin(scores[::-1]))


def _is_listed(output: dict[str, Any]) -> bool:
    return output["column"] is not None and output["up"] is not None and not output["people"]


def _listed_first(output: dict[str, Any], columns: Array) -> Array:
    """Return the key by which a page first orders its list: the range of the first score over systems, or
    the worst score of one system.
    """
    values: Array = columns[output["column"]]
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
