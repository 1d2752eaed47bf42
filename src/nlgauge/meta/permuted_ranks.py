"""Rank coefficients under swaps, without ranking anything twice.

Within a group of n points let w_ij = sign(z_i - z_j) for Kendall, r_i - r_j (r the ranks of z) for Spearman: the numerator of the coefficient of x is
the sum over i < j of w_ij sign(x_i - x_j). Let H_uv[i] = sum_j w_ij sign(u_i - v_j) for two metrics u, v. After swaps with signs s, the numerators of
metrics k and m

    differ by    1/2 s · (H_kk - H_mm + H_km - H_mk),
    add to       1/4 sum_i (H_kk + H_mm + H_km + H_mk)[i] - 1/4 (2 F_km - F_kk - F_mm),  F_uv = sum_ij s_i s_j w_ij sign(u_i - v_j).

Without ties among the scores of k and m, the denominators are the same in every draw, and the difference is all that is needed: one product of the
signs with one column per pair of metrics. With ties the sum is needed too, and the denominators follow from how many points take each tied value,
which is linear in s again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.meta.arrays import mid_ranks

_BLOCK = 4_000_000


def rank_differences(x: Array, z: Array, present: Array, signs: Sequence[tuple[Array, Array]], name: str) -> Array:
    """The differences of all pairs of metrics, as the mean over groups, (draws, pairs).

    x (M, G, n), z and present (G, n); for each group the unit of each point and the signs (draws, units).
    """
    k, m = np.triu_indices(len(x), 1)
    groups = [group for group in _groups(x, z, present, signs, name) if group.defined]
    found = np.full((len(signs[0][1]), len(k)), np.nan)
    if not groups:
        return found
    fragile = np.any([group.fragile for group in groups], axis=0)
    steady = np.flatnonzero(~fragile)
    found[:, steady] = 0.0
    for group in groups:
        tied = group.tied[k, m]
        plain = steady[~tied[steady]]
        found[:, plain] += group.untied_differences(k[plain], m[plain]) / len(groups)
        for pair in steady[tied[steady]]:
            one, other = group.coefficients(k[pair], m[pair])
            found[:, pair] += (one - other) / len(groups)
    for pair in np.flatnonzero(fragile):
        both = [group.coefficients(k[pair], m[pair]) for group in groups]
        one, other = (_mean_of_defined([of[side] for of in both]) for side in (0, 1))
        found[:, pair] = one - other
    return found


def _groups(x: Array, z: Array, present: Array, signs: Sequence[tuple[Array, Array]], name: str) -> Iterator[Group]:
    for g, (here, (units, drawn)) in enumerate(zip(present, signs, strict=True)):
        needed, unit = np.unique(units[here], return_inverse=True)
        yield Group(x[:, g, here], z[g, here], unit, drawn[:, needed].astype(float), name)


@dataclass(frozen=True, eq=False)
class Group:
    """The points of one group: scores x (M, n), human scores z (n,), the unit of each point, and the signs of the units (draws, units)."""

    x: Array
    z: Array
    units: Array
    signs: Array
    name: str
    _forms: dict[tuple[int, int], Array] = field(default_factory=dict)

    @cached_property
    def defined(self) -> bool:
        """Whether people tell any two points apart."""
        return len(self.z) > 1 and bool((self.z != self.z[0]).any())

    @cached_property
    def _levels(self) -> tuple[Array, Array]:
        """The distinct human scores, on the scale that differences are taken of, and which of them each point has."""
        values, places = np.unique(mid_ranks(self.z), return_inverse=True)
        return values, places

    def _weights(self, levels: Array, others: Array) -> Array:
        differences = levels[:, None] - others[None, :]
        return differences if self.name == "spearman" else np.sign(differences)

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """H[u, v, i], and whether any score of u is that of another point's of v (or the same point's, of another metric)."""
        metrics, n = self.x.shape
        levels, places = self._levels
        sums, equal = np.empty((metrics, metrics, n)), np.zeros((metrics, metrics), bool)
        size = max(1, _BLOCK // n)
        for v in range(metrics):
            order = np.argsort(self.x[v], kind="stable")
            left, right = (np.searchsorted(self.x[v][order], self.x, side) for side in ("left", "right"))
            equal[:, v] = (right - left > (np.arange(metrics) == v)[:, None]).any(axis=1)
            for start in range(0, len(levels), size):
                here = (places >= start) & (places < start + size)
                table = np.zeros((len(levels[start : start + size]), n + 1))
                np.cumsum(self._weights(levels[start : start + size], levels[places[order]]), axis=1, out=table[:, 1:])
                row = places[here] - start
                sums[:, v, here] = table[row, left[:, here]] + table[row, right[:, here]] - table[row, -1]
        return sums, equal

    @cached_property
    def tied(self) -> Array:
        """tied[k, m]: two scores of k and m together are equal."""
        equal = self._sums[1]
        return np.asarray(equal | np.diag(equal)[:, None] | np.diag(equal)[None, :])

    @cached_property
    def fragile(self) -> Array:
        """For each pair of metrics whether some swap may leave one of them constant."""
        k, m = np.triu_indices(len(self.x), 1)
        found = np.zeros(len(k), bool)
        for pair in np.flatnonzero(self.tied[k, m]):
            one, other = self.x[k[pair]], self.x[m[pair]]
            found[pair] = any(((one == value) | (other == value)).all() for value in (one[0], other[0]))
        return found

    @cached_property
    def _membership(self) -> Array | None:
        """Which points belong to which unit, (n, units); None where each is its own."""
        units = np.arange(self.signs.shape[1])
        return None if np.array_equal(self.units, units) else (self.units[:, None] == units)

    def _summed(self, values: Array) -> Array:
        """Values of points (..., n) summed over the points of each unit."""
        return values if self._membership is None else values @ self._membership.astype(values.dtype)

    @cached_property
    def _human(self) -> float:
        """What the human side gives to the denominator."""
        n = len(self.z)
        _, sizes = np.unique(self.z, return_counts=True)
        return float(_spread(n, (sizes**3 - sizes).sum()) if self.name == "spearman" else (n * n - (sizes**2).sum()) / 2)

    def _denominator(self, cubes: Array | float, squares: Array | float) -> Array:
        """The denominator of a side of which tied values are taken by t points each: sums of t³ - t and of t² - t over them; 0 if constant."""
        n = len(self.z)
        if self.name == "spearman":
            # The numerator has twice the centred ranks of x.
            return np.asarray(2 * np.sqrt(_spread(n, cubes) * self._human))
        ordered = (n * (n - 1) - squares) / 2
        return np.asarray(np.where(ordered > 0, n * (n - 1) / 2, 0.0) if self.name == "kendall_a" else np.sqrt(ordered * self._human))

    def untied_differences(self, k: Array, m: Array) -> Array:
        """The differences of metrics k and m, (draws, pairs), where no two of their scores are equal."""
        return self._moved(k, m) / self._denominator(0.0, 0.0)

    def _moved(self, k: Array, m: Array) -> Array:
        sums = self._sums[0]
        found: Array = self.signs @ self._summed(sums[k, k] - sums[m, m] + sums[k, m] - sums[m, k]).T / 2
        return found

    def coefficients(self, k: int, m: int) -> tuple[Array, Array]:
        """The coefficients of metrics k and m after the swaps of each draw; NaN where all scores are equal then."""
        sums = self._sums[0]
        moved = self._moved(np.array([k]), np.array([m]))[:, 0]
        added = (sums[k, k] + sums[m, m] + sums[k, m] + sums[m, k]).sum() / 4 - (2 * self._form(k, m) - self._form(k, k) - self._form(m, m)) / 4
        below = self._denominators(k, m)
        one, other = (
            np.where(of > 0, (added + sign * moved) / 2 / np.where(of > 0, of, 1.0), np.nan) for sign, of in zip((1, -1), below, strict=True)
        )
        return one, other

    def _form(self, u: int, v: int) -> Array:
        """The sum over i and j of s_i s_j w_ij sign(u_i - v_j) in each draw; it is the same for v and u."""
        if (u, v) not in self._forms:
            levels, places = self._levels
            scale, n = levels[places], len(places)
            # Whole numbers, for Kendall so small that float32 holds their sums.
            signs = self.signs.astype(np.float32) if self.name != "spearman" else self.signs
            found = np.zeros(len(signs))
            size = max(1, _BLOCK // n)
            for start in range(0, n, size):
                rows = slice(start, start + size)
                one, other = self.x[u, rows, None], self.x[v]
                order = (one > other).view(np.int8) - (one < other).view(np.int8)
                block = self._summed(self._weights(scale[rows], scale).astype(signs.dtype) * order)
                found += np.einsum("br,br->b", signs @ block.T, signs[:, self.units[rows]], dtype=float)
            self._forms[u, v] = found
        return self._forms[u, v]

    def _denominators(self, k: int, m: int) -> tuple[Array, Array]:
        """Both denominators of each draw."""
        n = len(self.z)
        _, codes, counts = np.unique(np.concatenate([self.x[k], self.x[m]]), return_inverse=True, return_counts=True)
        shared = np.flatnonzero(counts > 1)
        first, second = (code[None, :] == shared[:, None] for code in (codes[:n], codes[n:]))
        moved = self.signs @ self._summed(first.astype(float) - second).T
        whole = first.sum(axis=1) + second.sum(axis=1)
        below = []
        for sign in (1, -1):
            t = (whole + sign * moved) / 2
            below.append(self._denominator((t**3 - t).sum(axis=1), (t**2 - t).sum(axis=1)))
        return below[0], below[1]


def _spread(n: int, cubes: Array | float) -> Array | float:
    """The sum of squares of centred ranks of n points, with t³ - t summed over ties."""
    return (n**3 - n - cubes) / 12


def _mean_of_defined(values: Sequence[Array]) -> Array:
    stacked = np.stack(values)
    count = (~np.isnan(stacked)).sum(axis=0)
    return np.where(count > 0, np.nansum(stacked, axis=0) / np.maximum(count, 1), np.nan)
