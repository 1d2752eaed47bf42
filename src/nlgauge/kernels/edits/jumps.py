"""Edit grids with long jumps: the reference is read once from left to right, the prediction may be read in
any order.

    D(0, 0) = 0,  D(i, 0) = start
    D(i, l) = min( D(i-1, l-1) + substitution [h_i != r_l],  D(i-1, l) + deletion,  D(i, l-1) + insertion )
    D(i, l) = min( D(i, l), min_k D(k, l) + jump )     if a jump may land after r_l: always (CDER), or only if r_l is `landing` (EED)

h is the prediction, r the reference. A jump leaves from the first of the cheapest places, and so does the
visit that EED counts: one place of the prediction for every r_l, before jumps. `truncated` is a rule of EED's
C++ program: while the cheapest place is looked for, the least cost so far is cut to a whole number.

Costs are integers if ties must be exact, otherwise floats of one type, added from left to right as in the
programs that the numbers are compared with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.backwards import backwards
from nlgauge.kernels.edits.distances import Opcode


class JumpCosts(NamedTuple):
    """The cost of each step, all of one type: int, float or np.float32."""

    deletion: float
    insertion: float
    substitution: float
    jump: float
    start: float


@compiled
def jump_distances(
    column: Ragged,
    predictions: Array,
    references: Array,
    costs: JumpCosts,
    landing: int | None = None,
    truncated: bool = False,
) -> Array:
    """Return (rows, 3): D of the whole texts; the sum of abs(visits - 1) over all positions but 0; abs(visits
    - 1) of position 0.

    Position i lies after the prediction's i-th token, so position 0 lies before all of them.
    """
    found = np.zeros((len(predictions), 3))
    # Whole numbers are counted in their greatest common unit, so that those of long texts fit into 32 bits.
    unit = math.gcd(*costs) or 1 if all(isinstance(cost, int) for cost in costs) else 1  # type: ignore[arg-type]
    costs = JumpCosts(*(cost // unit for cost in costs)) if unit > 1 else costs
    for n, (prediction, reference) in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        visits = np.zeros(len(column[prediction]) + 1, dtype=np.int64)
        row = _first(column[prediction], len(column[reference]), costs)
        advance = _advance(column[prediction], row, costs, landing, truncated)
        for token in column[reference].tolist():
            row = advance(row, token)
            visits[row.place] += 1
        missed = np.abs(visits - 1)
        found[n] = row.costs[-1].item() * unit, missed[1:].sum(), missed[0]
    return found


def jump_steps(
    prediction: Array, reference: Array, costs: JumpCosts, landing: int | None = None, truncated: bool = False
) -> list[Opcode]:
    """Return a cheapest way through the grid, step by step; a "jump" goes from its prediction start to its
    prediction end.

    Of equally cheap steps into a cell it takes a match or substitution, then a missing token of the
    reference, then one of the prediction too many, then a jump.
    """
    first = _first(prediction, len(reference), costs)
    advance = _advance(prediction, first, costs, landing, truncated)
    size = first.costs.nbytes
    rows = chain(backwards(first, reference.tolist(), advance, size, lambda row: row, size), [first])
    steps: list[Opcode] = []
    i, j = len(prediction), len(reference)
    row, above = next(rows), next(rows, first)
    while i or j:
        cost = row.costs[i]
        same = bool(i and j and prediction[i - 1] == reference[j - 1])
        if i and j and cost == above.costs[i - 1] + costs.substitution * (not same):
            steps.append(("equal" if same else "replace", j - 1, j, i - 1, i))
            i, j = i - 1, j - 1
            row, above = above, next(rows, first)
        elif j and cost == above.costs[i] + costs.insertion:
            steps.append(("delete", j - 1, j, i, i))
            j -= 1
            row, above = above, next(rows, first)
        elif i and j and cost == row.costs[i - 1] + costs.deletion:
            steps.append(("insert", j, j, i - 1, i))
            i -= 1
        else:
            steps.append(("jump", j, j, row.place, i))
            i = row.place
    return steps[::-1]


class _Row(NamedTuple):
    """The costs of all places after a token of the reference and the jump behind it, and the cheapest
    place before that jump.
    """

    costs: Array
    place: int


def _first(prediction: Array, length: int, costs: JumpCosts) -> _Row:
    """Return row 0 of the grid; 32-bit integers if the costs of a reference of this length fit."""
    highest = max(costs) * (len(prediction) + length + 2)
    row = np.full(
        len(prediction) + 1,
        costs.start,
        dtype=np.int32 if isinstance(costs.start, int) and highest < 2**31 else None,
    )
    row[0] = 0
    return _Row(row, 0)


def _advance(
    prediction: Array, first: _Row, costs: JumpCosts, landing: int | None, truncated: bool
) -> Callable[[_Row, int], _Row]:
    """Return the function that makes a row of the grid from the previous row and the token of the reference
    between them.
    """
    slope = np.arange(len(first.costs), dtype=first.costs.dtype) * costs.deletion
    same = cache(lambda token: np.flatnonzero(prediction == token))

    def advance(above: _Row, token: int) -> _Row:
        reached = above.costs + costs.insertion
        np.minimum(above.costs[:-1] + costs.substitution, reached[1:], out=reached[1:])
        places = same(token)
        reached[places + 1] = np.minimum(above.costs[places], reached[places + 1])
        row = _with_deletions(reached, costs.deletion, slope)
        place = _truncated_minimum(row) if truncated else int(row.argmin())
        if landing is None or token == landing:
            row = np.minimum(row, row[place] + costs.jump)
        return _Row(row, place)

    return advance


def _with_deletions(row: Array, deletion: float, slope: Array) -> Array:
    """Return the row with each place also reachable from its left; integers need no loop, because their sums
    are exact.
    """
    if isinstance(deletion, int):
        return np.minimum.accumulate(row - slope) + slope
    # Python numbers add up faster than NumPy's, to the same sums if they have the same number of bits.
    found, left = [], math.inf
    for cost in row.tolist() if row.dtype == np.float64 else row:
        deleted = left + deletion
        left = cost if cost < deleted else deleted
        found.append(left)
    return np.array(found, dtype=row.dtype)


def _truncated_minimum(row: Array) -> int:
    place, least = 0, int(row[0])
    for i, cost in enumerate(row.tolist()):
        if cost < least:
            place, least = i, int(cost)
    return place
