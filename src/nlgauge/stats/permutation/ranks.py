"""Rank coefficients under swaps, without ranking anything twice.

Within a group of n points let w_ij = sign(z_i - z_j) for Kendall, r_i - r_j (r the ranks of z) for Spearman:
the numerator of the coefficient of x is the sum over i < j of w_ij sign(x_i - x_j). Let H_uv[i] = sum_j w_ij
sign(u_i - v_j) for two metrics u, v. After swaps with signs s, the numerators of metrics k and m

    differ by    1/2 s · (H_kk - H_mm + H_km - H_mk),
    add to       1/4 sum_i (H_kk + H_mm + H_km + H_mk)[i] - 1/4 (2 F_km - F_kk - F_mm),  F_uv = sum_ij s_i s_j w_ij sign(u_i - v_j).

Without ties among the scores of k and m, the denominators are the same in every draw, and the difference is
all that is needed: one product of the signs with one column per pair of metrics. With ties the sum is needed
too, and the denominators follow from how many points take each tied value, which is linear in s again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.stats.arrays import mid_ranks
from nlgauge.stats.permutation.orders import order_signs

_BLOCK = 4_000_000
# Values that are read several times should stay in the processor's cache.
_NEAR = 200_000
# Up to this number of units, products of their signs are laid out; up to the number of human scores below, sums
# for each score are faster than all pairs of points.
_FEW_UNITS = 64
_LEVELS = 100


def rank_differences(
    x: Array, z: Array, present: Array, signs: Sequence[tuple[Array, Array]], name: str
) -> Array:
    """Return the differences of all pairs of metrics, as the mean over groups, (resamples, pairs).

    x (M, G, n), z and present (G, n); for each group the unit of each point and the signs (resamples, units).
    """
    k, m = np.triu_indices(len(x), 1)
    groups = [group for group in _groups(x, z, present, signs, name) if group.defined]
    found = np.full((len(signs[0][1]), len(k)), np.nan)
    if not groups:
        return found
    fragile = np.any([group.fragile for group in groups], axis=0)
    steady, moving = np.flatnonzero(~fragile), np.flatnonzero(fragile)
    found[:, steady] = 0.0
    sums, counts = np.zeros((2, 2, len(found), len(moving)))
    for group in groups:
        tied = group.tied[k, m]
        plain, rest = steady[~tied[steady]], steady[tied[steady]]
        found[:, plain] += group.untied_differences(k[plain], m[plain]) / len(groups)
        one, other = group.coefficients(k[rest], m[rest])
        found[:, rest] += (one - other) / len(groups)
        for side, values in enumerate(group.coefficients(k[moving], m[moving])):
            known = ~np.isnan(values)
            sums[side] += np.where(known, values, 0.0)
            counts[side] += known
    one, other = sums / np.where(counts == 0, np.nan, counts)
    found[:, moving] = one - other
    return found


def _groups(
    x: Array, z: Array, present: Array, signs: Sequence[tuple[Array, Array]], name: str
) -> Iterator[Group]:
    for g, (here, (units, drawn)) in enumerate(zip(present, signs, strict=True)):
        needed, unit = np.unique(units[here], return_inverse=True)
        yield Group(x[:, g, here], z[g, here], unit, drawn[:, needed].astype(float), name)


@dataclass(frozen=True, eq=False)
class Group:
    """The points of one group: scores x (M, n), human scores z (n,), the unit of each point, and the
    signs of the units (resamples, units).
    """

    x: Array
    z: Array
    units: Array
    signs: Array
    name: str
    _forms: dict[tuple[int, int], Array] = field(default_factory=dict)

    @lazy
    def defined(self) -> bool:
        """True if at least two human scores differ."""
        return len(self.z) > 1 and bool((self.z != self.z[0]).any())

    @lazy
    def _levels(self) -> tuple[Array, Array]:
        """The distinct human scores, on the scale of the differences, and the place of each point's score
        among them.
        """
        values, places = np.unique(mid_ranks(self.z), return_inverse=True)
        return values, places

    def _weights(self, levels: Array, others: Array) -> Array:
        differences = levels[:, None] - others[None, :]
        return differences if self.name == "spearman" else np.sign(differences)

    @lazy
    def _sums(self) -> tuple[Array, Array]:
        """H[u, v, i], and True if any score of u equals a score of v at another point (or at the same point, of
        another metric).
        """
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
                np.cumsum(
                    self._weights(levels[start : start + size], levels[places[order]]),
                    axis=1,
                    out=table[:, 1:],
                )
                row = places[here] - start
                sums[:, v, here] = table[row, left[:, here]] + table[row, right[:, here]] - table[row, -1]
        return sums, equal

    @lazy
    def tied(self) -> Array:
        """tied[k, m]: two scores of k and m together are equal."""
        equal = self._sums[1]
        return np.asarray(equal | np.diag(equal)[:, None] | np.diag(equal)[None, :])

    @lazy
    def fragile(self) -> Array:
        """For each pair of metrics whether some swap may leave one of them constant."""
        k, m = np.triu_indices(len(self.x), 1)
        constant = np.zeros(len(k), bool)
        for pair in np.flatnonzero(self.tied[k, m]):
            one, other = self.x[k[pair]], self.x[m[pair]]
            constant[pair] = any(((one == value) | (other == value)).all() for value in (one[0], other[0]))
        return constant

    @lazy
    def _membership(self) -> Array | None:
        """True if a point belongs to a unit, (n, units); None if each point is a unit."""
        units = np.arange(self.signs.shape[1])
        return None if np.array_equal(self.units, units) else (self.units[:, None] == units)

    def _summed(self, values: Array) -> Array:
        """Return values of points (..., n) summed over the points of each unit."""
        return values if self._membership is None else values @ self._membership.astype(values.dtype)

    @lazy
    def _human(self) -> float:
        """Contribution of the human side to the denominator."""
        n = len(self.z)
        _, sizes = np.unique(self.z, return_counts=True)
        return float(
            _spread(n, (sizes**3 - sizes).sum())
            if self.name == "spearman"
            else (n * n - (sizes**2).sum()) / 2
        )

    def _denominator(self, cubes: Array | float, squares: Array | float) -> Array:
        """Return the denominator of a side from its ties of t points: `cubes` and `squares` are the sums of
        t³ - t and t² - t; 0 if constant.
        """
        n = len(self.z)
        if self.name == "spearman":
            # The numerator has twice the centered ranks of x.
            return np.asarray(2 * np.sqrt(_spread(n, cubes) * self._human))
        ordered = (n * (n - 1) - squares) / 2
        return np.asarray(
            np.where(ordered > 0, n * (n - 1) / 2, 0.0)
            if self.name == "kendall_a"
            else np.sqrt(ordered * self._human)
        )

    def untied_differences(self, k: Array, m: Array) -> Array:
        """Return the differences of metrics k and m, (resamples, pairs), if no two of their scores are equal."""
        return self._moved(k, m) / self._denominator(0.0, 0.0)

    def _moved(self, k: Array, m: Array) -> Array:
        sums = self._sums[0]
        moved: Array = self.signs @ self._summed(sums[k, k] - sums[m, m] + sums[k, m] - sums[m, k]).T / 2
        return moved

    def coefficients(self, k: Array, m: Array) -> tuple[Array, Array]:
        """Return the coefficients of metrics k and m after the swaps of each resample, (resamples, pairs) each;
        NaN if all scores are then equal.
        """
        if not len(k):
            return np.empty((2, len(self.signs), 0))  # type: ignore[return-value]
        sums = self._sums[0]
        forms = self._forms_of(
            np.concatenate([k, np.arange(len(self.x))]), np.concatenate([m, np.arange(len(self.x))])
        )
        between, own = forms[:, : len(k)], forms[:, len(k) :]
        added = (
            (sums[k, k] + sums[m, m] + sums[k, m] + sums[m, k]).sum(axis=1)
            - 2 * between
            + own[:, k]
            + own[:, m]
        ) / 4
        moved = self._moved(k, m)
        one, other = (
            np.where(of > 0, (added + sign * moved) / 2 / np.where(of > 0, of, 1.0), np.nan)
            for sign, of in zip((1, -1), self._denominators(k, m), strict=True)
        )
        return one, other

    def _forms_of(self, u: Array, v: Array) -> Array:
        """Return the sum over i and j of s_i s_j w_ij sign(u_i - v_j) in each resample, for some pairs of
        metrics, (resamples, pairs).
        """
        units = self.signs.shape[1]
        if units > _FEW_UNITS:
            return np.stack(
                [self._form(one, other) for one, other in zip(u.tolist(), v.tolist(), strict=True)], axis=1
            )
        between = np.stack(
            [self._between(one, other) for one, other in zip(u.tolist(), v.tolist(), strict=True)]
        )
        a, b = np.triu_indices(units, 1)
        # s_a s_a = 1.
        constant = np.trace(between, axis1=1, axis2=2)
        found: Array = (
            constant + (self.signs[:, a] * self.signs[:, b]) @ (between[:, a, b] + between[:, b, a]).T
        )
        return found

    def _form(self, u: int, v: int) -> Array:
        """Return the sums of `_forms_of` for one pair, if nearly every point has its own sign; v and u have
        the same.
        """
        if (u, v) not in self._forms:
            self._forms[u, v] = (self._form_of_ranks if self.name == "spearman" else self._form_of_signs)(
                u, v
            )
        return self._forms[u, v]

    def _form_of_signs(self, u: int, v: int) -> Array:
        # Kendall's sums are whole numbers small enough for float32.
        signs = self.signs[:, self.units].astype(np.float32)
        sums = np.zeros(len(signs))
        for rows, products in self._products(u, v):
            sums += np.einsum("bi,bi->b", signs @ products.T, signs[:, rows], dtype=np.float64)
        return sums

    def _products(self, u: int, v: int) -> Iterator[tuple[slice, Array]]:
        """Return w_ij sign(u_i - v_j) in float32, some rows at a time."""
        levels, places = self._levels
        ranks = levels[places]
        size = max(1, _BLOCK // len(ranks))
        for start in range(0, len(ranks), size):
            rows = slice(start, start + size)
            order = order_signs(self.x[u][rows, None], self.x[v])
            weights = (
                order_signs(ranks[rows, None], ranks)
                if self.name != "spearman"
                else ranks[rows, None] - ranks
            )
            yield rows, (weights * order).astype(np.float32)

    def _form_of_ranks(self, u: int, v: int) -> Array:
        """Return the form of w_ij = r_i - r_j without all pairs, from sums over j in the order of v, read at the
        place of u_i.
        """
        levels, places = self._levels
        ranks, order, left, right = levels[places], *self._standing(u, v)
        found = np.empty(len(self.signs))
        size = max(1, _NEAR // len(ranks))
        for start in range(0, len(found), size):
            signs = self.signs[start : start + size][:, self.units]
            read = []
            for values in (signs, signs * ranks):
                sums = np.zeros((len(signs), len(ranks) + 1))
                np.cumsum(values[:, order], axis=1, out=sums[:, 1:])
                read.append(sums[:, left] + sums[:, right] - sums[:, -1:])
            found[start : start + size] = np.einsum("bi,bi->b", signs, ranks * read[0] - read[1])
        return found

    def _standing(self, u: int, v: int) -> tuple[Array, Array, Array]:
        """Return the order of v, and the numbers of its points that are below, and not above, each point of
        u.
        """
        order = np.argsort(self.x[v], kind="stable")
        left, right = (np.searchsorted(self.x[v][order], self.x[u], side) for side in ("left", "right"))
        return order, left, right

    def _between(self, u: int, v: int) -> Array:
        """Return (units, units) the sums of w_ij sign(u_i - v_j) over the points of both units."""
        levels, places = self._levels
        if self._membership is None:
            return np.concatenate([products for _, products in self._products(u, v)]).astype(np.float64)
        membership = self._membership.astype(np.float64)
        if self.name != "spearman" and len(levels) > _LEVELS:
            found = np.zeros((membership.shape[1],) * 2)
            few = membership.astype(np.float32)
            for rows, products in self._products(u, v):
                found += few[rows].T @ (products @ few)
            return found
        # Sums over j in the order of v, read where u_i would stand.
        order, left, right = self._standing(u, v)
        units = membership.shape[1]
        if self.name == "spearman":
            ranks = levels[places][:, None]
            read = _read(np.concatenate([membership, ranks * membership], axis=1)[order], left, right)
            return np.asarray(membership.T @ (ranks * read[:, :units] - read[:, units:]))
        found = np.zeros((units, units))
        for level in range(len(levels)):
            here = places == level
            read = _read((np.sign(level - places)[:, None] * membership)[order], left[here], right[here])
            found += membership[here].T @ read
        return found

    def _denominators(self, k: Array, m: Array) -> tuple[Array, Array]:
        """Return both denominators of each resample, (resamples, pairs) each, from the numbers of points with
        equal values.
        """
        cubes, squares = np.zeros((2, 2, len(self.signs), len(k)))
        kinds = self._kinds
        counts = np.stack([np.bincount(row, minlength=int(kinds.max()) + 1) for row in kinds])
        # Entries are pairs of metrics and values that two points at least may take.
        pairs, values = np.nonzero(counts[k] + counts[m] > 1)
        whole = (counts[k] + counts[m])[pairs, values]
        for first in range(0, len(pairs), size := max(1, _BLOCK // self.signs.shape[1])):
            own, value, here = (
                pairs[first : first + size],
                values[first : first + size],
                whole[first : first + size],
            )
            moved = self._taken(k[own], value) - self._taken(m[own], value)
            starts = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
            for start in range(0, len(self.signs), step := max(1, _NEAR // len(own))):
                rows = slice(start, start + step)
                up = (here + self.signs[rows] @ moved.T) / 2
                for side, t in enumerate((up, here - up)):
                    of = t * (t - 1)
                    squares[side][rows, own[starts]] += np.add.reduceat(of, starts, axis=1)
                    if self.name == "spearman":
                        cubes[side][rows, own[starts]] += np.add.reduceat(of * (t + 1), starts, axis=1)
        return self._denominator(cubes[0], squares[0]), self._denominator(cubes[1], squares[1])

    @lazy
    def _kinds(self) -> Array:
        """The scores as whole numbers, (M, n), equal if and only if the scores are."""
        return np.unique(self.x, return_inverse=True)[1].reshape(self.x.shape)

    @lazy
    def _table(self) -> Array | None:
        """(M, values, units) how many points of each unit take each value; None where that is large."""
        kinds, units = int(self._kinds.max()) + 1, self.signs.shape[1]
        if len(self.x) * kinds * units > _BLOCK:
            return None
        places = (np.arange(len(self.x))[:, None] * kinds + self._kinds) * units + self.units
        return (
            np.bincount(places.ravel(), minlength=len(self.x) * kinds * units)
            .reshape(len(self.x), kinds, units)
            .astype(np.float64)
        )

    def _taken(self, metrics: Array, values: Array) -> Array:
        """Return (entries, units) how many points of each unit take a value of a metric."""
        return (
            self._table[metrics, values]
            if self._table is not None
            else self._summed((self._kinds[metrics] == values[:, None]).astype(np.float64))
        )


def _read(values: Array, left: Array, right: Array) -> Array:
    """Return the sums of rows before `left` and before `right`, minus the sum of all: the values below minus
    the values above.
    """
    sums = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=sums[1:])
    return np.asarray(sums[left] + sums[right] - sums[-1])


def _spread(n: int, cubes: Array | float) -> Array | float:
    """Return the sum of squares of centered ranks of n points, with t³ - t summed over ties."""
    return (n**3 - n - cubes) / 12
