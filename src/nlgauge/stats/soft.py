"""Pairwise accuracy of systems: hard (are two systems ordered alike?) and soft (how sure is each side of
that?).

    pairwise accuracy   the share of pairs of systems that both sides order alike or both call tied
    SPA                 1 - mean over i < j of |p^h_ij - p^m_ij|

p_ij is the p of a one-sided sign-flip test that system i is better than j on their common segments, at mid-p:
the share of resamples above the observed sum, plus half of the resamples equal to it, so that p_ij + p_ji = 1
and the order of the systems does not matter. rule=">=" counts equal resamples fully (mt-metrics-eval), which
makes the
value depend on that order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.stats.arrays import mean_of_known, paired
from nlgauge.stats.coefficients import accuracy, accuracy_of_pairs
from nlgauge.stats.kendall import Pairs, pairs

# Up to this number of segments all signs are tried.
_ENUMERATED = 12


def pairwise_accuracy(x: Any, z: Any) -> Array:
    """Return the share of pairs of systems that both sides order alike or both tie.

    Parameters
    ----------
    x : array_like of shape (..., S)
        System scores of a metric.
    z : array_like of shape (..., S)
        Human system scores.

    Returns
    -------
    ndarray of shape (...)
        Pairwise accuracy; NaN for fewer than two systems.

    Examples
    --------
    >>> round(float(pairwise_accuracy([1, 2, 3, 3], [1, 2, 4, 3])), 4)
    0.8333
    """
    return accuracy(x, z)


def pooled_pairwise_accuracy(groups: Iterable[tuple[Any, Any]]) -> Array:
    """Return the pairwise accuracy over the pairs of several groups of systems.

    Parameters
    ----------
    groups : iterable of tuple
        System scores of a metric and human system scores, each of shape (..., S), by group (language pair).

    Returns
    -------
    ndarray of shape (...)
        Share of all pairs within groups that both sides order alike or both tie.

    Raises
    ------
    InputError
        If there is no group.
    """
    counted = [pairs(*paired(x, z)) for x, z in groups]
    if not counted:
        raise InputError("pairwise accuracy needs at least one group of systems, got none.")
    return accuracy_of_pairs(Pairs(*(np.sum(kind, axis=0) for kind in zip(*counted, strict=True))))


def sign_flips(segments: int, resamples: int = 1000, seed: int = 12345) -> Array:
    """Return signs, (resamples, segments), each row with its negative; all 2^n rows for at most 12 segments."""
    if segments <= _ENUMERATED:
        return (
            np.array((np.arange(2**segments)[:, None] >> np.arange(segments)) & 1, dtype=np.float64) * 2 - 1
        )
    half = np.random.default_rng(seed).integers(0, 2, ((resamples + 1) // 2, segments)) * 2.0 - 1
    return np.concatenate([half, -half])


def superiority(scores: Any, signs: Array, rule: str = "mid") -> Array:
    """Return (systems, systems) one-sided p that the row's system is better than the column's, from (systems,
    segments); NaN without common segments.
    """
    scores = np.asarray(scores, dtype=np.float64)
    return superiority_between(scores, scores, signs, rule)


def superiority_between(ours: Array, theirs: Array, signs: Array, rule: str = "mid") -> Array:
    """Return the superiority of the row's system with the scores `ours` over the column's with `theirs`, each
    (systems, segments).
    """
    if rule not in ("mid", ">="):
        raise ParameterError(f"rule must be 'mid' or '>=', got {rule!r:.60}.")
    unknown = np.isnan(ours)
    # The mean of a segment cancels in every difference; without it sums keep more digits.
    with np.errstate(invalid="ignore"):
        center = np.where(unknown, 0.0, ours).sum(axis=0) / np.maximum((~unknown).sum(axis=0), 1)
    ours, theirs = ours - center, theirs - center
    found = np.full((len(ours), len(theirs)), 1.0 if rule == ">=" else 0.5)
    whole = None if unknown.any() or np.isnan(theirs).any() else (signs @ ours.T, signs @ theirs.T)
    for i in range(len(ours)):
        difference = ours[i] - theirs
        common = ~np.isnan(difference)
        difference = np.where(common, difference, 0.0)
        null = whole[0][:, [i]] - whole[1] if whole is not None else signs @ difference.T
        observed = difference.sum(axis=1)
        slack = 1e-12 * np.abs(difference).sum(axis=1)
        above, equal = (null > observed + slack).mean(axis=0), (np.abs(null - observed) <= slack).mean(axis=0)
        found[i] = np.where(common.any(axis=1), above + (equal if rule == ">=" else equal / 2), np.nan)
    return found


def soft_pairwise_accuracy(
    x: Any, z: Any, resamples: int = 1000, seed: int = 12345, rule: str = "mid"
) -> Array:
    """Return the soft pairwise accuracy (SPA) of segment scores.

    Parameters
    ----------
    x : array_like of shape (..., S, N)
        Scores of a metric.
    z : array_like of shape (S, N)
        Human scores.
    resamples : int, default 1000
        Number of sign flips; with at most 12 segments all sign flips are used.
    seed : int, default 12345
        Seed of the sign flips, which are the same for all pairs.
    rule : {"mid", ">="}
        Weight of resamples that equal the observed sum: half (mid-p), or full, as in mt-metrics-eval, which makes the value
        depend on the order of the systems.

    Returns
    -------
    ndarray of shape (...)
        SPA; NaN without pairs of systems.

    Raises
    ------
    InputError
        If the shapes do not match.
    ParameterError
        If `rule` is unknown.

    Notes
    -----
    SPA = 1 - mean over i < j of `|p^h_ij - p^m_ij|`, where p_ij is a one-sided p-value of a sign-flip test that system i
    is better than system j on their common segments.

    Examples
    --------
    >>> human, metric = [[1, 2, 3, 2], [2, 3, 4, 3], [2, 2, 3, 3]], [[2, 2, 4, 2], [1, 3, 5, 4], [2, 2, 4, 4]]
    >>> round(float(soft_pairwise_accuracy(metric, human)), 6)
    0.854167
    """
    x, z = np.asarray(x, dtype=np.float64), np.asarray(z, dtype=np.float64)
    if z.ndim != 2 or x.shape[-2:] != z.shape:
        raise InputError(
            "soft pairwise accuracy needs segment scores (systems, segments) of both sides, got shapes"
            f" {x.shape} and {z.shape}."
        )
    signs = sign_flips(z.shape[1], resamples, seed)
    apart = [apart_in_pairs(metric, z, signs, rule) for metric in x.reshape(-1, *z.shape)]
    return np.reshape([1 - mean_of_known(one) for one in apart], x.shape[:-2])


def apart_in_pairs(x: Array, z: Array, signs: Array, rule: str = "mid") -> Array:
    """Return (pairs,) how far the two sides' p-values of each pair of systems are apart."""
    upper = np.triu_indices(len(z), 1)
    ours, theirs = (superiority(side, signs, rule)[upper] for side in paired(x, z))
    return np.asarray(np.abs(ours - theirs))
