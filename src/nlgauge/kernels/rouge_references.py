"""Several references as ROUGE-1.5.5 takes them: pooled or the best, all of them or all but one in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged


class PairCounts(NamedTuple):
    """Counts of each pair of prediction and reference; the best reference has the greatest share."""

    hits: Array
    predicted: Array
    expected: Array
    share: Array


def reference_sets(
    counts: PairCounts, groups: Ragged, pool: bool, jackknife: bool
) -> tuple[tuple[Array, ...], Array]:
    """Return hits, predicted and expected of every set of references that is scored, and the row to which the
    set belongs.

    `groups` has the pairs of each row. It has one set, of all its references; with `jackknife` one for each
    reference that can be left out. The counts of a set are the sums over its references (`pool`), or the
    counts of the best reference (on a tie the first).
    """
    owners, rows, pairs = groups.owners, np.arange(len(groups)), np.arange(len(groups.values))
    several = groups.lengths[owners] > 1
    if pool:
        sums = [np.bincount(owners, values, len(groups)) for values in counts[:3]]
        if not jackknife:
            return tuple(sums), rows
        others = (
            np.maximum(total[owners] - values, 0.0) for total, values in zip(sums, counts[:3], strict=True)
        )
        return tuple(
            np.where(several, other, values) for other, values in zip(others, counts[:3], strict=True)
        ), owners
    order = np.lexsort((pairs, -counts.share, owners))
    first, second = order[groups.offsets[:-1]], order[np.minimum(groups.offsets[:-1] + 1, len(order) - 1)]
    # The best reference changes only if it is itself left out.
    chosen = (
        np.where(several & (pairs == first[owners]), second[owners], first[owners]) if jackknife else first
    )
    return tuple(values[chosen] for values in counts[:3]), owners if jackknife else rows


def means(values: Array, owners: Array, rows: int) -> Array:
    """Return (rows,) mean of the values that belong to each row."""
    return np.asarray(np.bincount(owners, values, rows) / np.bincount(owners, minlength=rows))
