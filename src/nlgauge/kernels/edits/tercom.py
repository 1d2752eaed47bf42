"""Tercom's edits: insertions, deletions, substitutions and shifts of blocks, each at cost 1, found greedily.

A shift moves a block of the prediction that the reference also contains. In every round all shifts are tried
on the edit distance to the reference and the best shift is made, until none lowers the distance. The order of
shifts and ties follows Tercom as in sacreBLEU 2.6:

- blocks of 1 to 10 tokens that start at most 50 places apart in prediction and reference, by prediction
  start, reference
  start, length; only if neither the block nor its counterpart is free of errors in the current alignment, and the
  counterpart is not aligned into the block itself;
- targets: before the first token, or after the token that is aligned with reference place `start - 1`,
  `start`, ...,
  `start + length - 1`; a target equal to the previous target is skipped;
- the best shift has the greatest gain, then the longest block, the earliest start, the earliest target;
- once 1000 shifts were tried, the current round is abandoned and its best shift is not made.

The edit distance looks only at cells of the grid near its diagonal, 25 to either side (a last row is
complete); among equal costs a step is a match or substitution, then a token of the prediction too many, then
one of the reference missing.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.kernels.edits.distances import Opcode

LONGEST_BLOCK, FARTHEST, MOST_TRIED, BEAM = 10, 50, 1000, 25
_NEVER = 10**9
Token = TypeVar("Token")


class Shift(NamedTuple):
    """A block of `length` tokens from `start`, moved so that it begins at `target` of the shifted
    prediction.
    """

    start: int
    length: int
    target: int


class Path(NamedTuple):
    """Shifts in the order they are made, the prediction after them, and the steps of its alignment with
    the reference.
    """

    shifts: list[Shift]
    shifted: list[int]
    steps: list[Opcode]

    @property
    def edits(self) -> int:
        """Shifts and all steps that are not equal."""
        return len(self.shifts) + sum(kind != "equal" for kind, *_ in self.steps)


@compiled
def shift_edits(column: Ragged, predictions: Array, references: Array) -> tuple[Array, Ragged]:
    """Return (rows,) all edits that turn prediction row into reference row, and the shifts among them as
    (start, length, target).
    """
    rows = column.lists()
    edits, shifts = np.zeros(len(predictions)), []
    for i, (prediction, reference) in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        path = shift_path(rows[prediction], rows[reference])
        edits[i] = path.edits
        shifts.append(path.shifts)
    return edits, shift_column(shifts)


def shift_column(shifts: Sequence[Sequence[Shift]]) -> Ragged:
    """Return the shifts of every row as one column."""
    flat = np.array([shift for row in shifts for shift in row], dtype=np.int64).reshape(-1, 3)
    return Ragged(flat, offsets_of([len(row) for row in shifts]))


def alignment(shifted: list[int], reference: list[int]) -> list[Opcode]:
    """Return the steps that align a prediction, once its shifts are made, with the reference."""
    grid = _Grid(len(shifted), reference)
    return grid.steps(shifted, grid.forward(shifted))


def shift_path(prediction: list[int], reference: list[int]) -> Path:
    """Return the edits that turn the prediction into the reference."""
    grid = _Grid(len(prediction), reference)
    shifts: list[Shift] = []
    tried = 0
    while True:
        forward = grid.forward(prediction)
        steps = grid.steps(prediction, forward)
        best: tuple[int, int, int, int] | None = None
        backward: list[list[int]] | None = None
        for start, length, targets in _shifts(prediction, reference, steps):
            backward = grid.backward(prediction) if backward is None else backward
            for target in targets:
                gain = forward[-1][-1] - grid.distance_with(
                    prediction, Shift(start, length, _place(start, length, target)), forward, backward
                )
                best = max(best or (gain, length, -start, -target), (gain, length, -start, -target))
                tried += 1
            if tried >= MOST_TRIED:
                break
        if tried >= MOST_TRIED or best is None or best[0] <= 0:
            return Path(shifts, prediction, steps)
        _, length, start, target = best
        shifts.append(Shift(-start, length, _place(-start, length, -target)))
        prediction = apply_shift(prediction, shifts[-1])


def apply_shift(tokens: list[Token], shift: Shift) -> list[Token]:
    """Return the tokens after a shift."""
    start, length, target = shift
    rest = tokens[:start] + tokens[start + length :]
    return rest[:target] + tokens[start : start + length] + rest[target:]


def _place(start: int, length: int, target: int) -> int:
    """Return the start of a block after a move to before token `target`; a target inside it moves it right by
    as much, as in sacreBLEU.
    """
    return target if target <= start + length else target - length


def _shifts(
    prediction: list[int], reference: list[int], steps: list[Opcode]
) -> Iterator[tuple[int, int, list[int]]]:
    """Return blocks worth moving, as start and length, with the targets to try: places of the prediction to
    put them before.
    """
    aligned, wrong, missed = _alignment(steps)
    places: dict[int, list[int]] = {}
    for place, token in enumerate(reference):
        places.setdefault(token, []).append(place)
    for start, token in enumerate(prediction):
        matches = places.get(token, [])
        for expected in matches[
            bisect_left(matches, start - FARTHEST) : bisect_right(matches, start + FARTHEST)
        ]:
            for length in range(
                1, min(LONGEST_BLOCK, len(prediction) - start, len(reference) - expected) + 1
            ):
                if prediction[start + length - 1] != reference[expected + length - 1]:
                    break
                erring = any(wrong[start : start + length]) and any(missed[expected : expected + length])
                if erring and not start <= aligned[expected] < start + length:
                    targets = [
                        aligned[place] + 1 if place >= 0 else 0
                        for place in range(expected - 1, expected + length)
                    ]
                    yield (
                        start,
                        length,
                        [target for i, target in enumerate(targets) if i == 0 or target != targets[i - 1]],
                    )


def _alignment(steps: list[Opcode]) -> tuple[list[int], list[bool], list[bool]]:
    """Return for each token of the reference the last token of the prediction up to it; whether tokens of
    either side are in error.
    """
    aligned: list[int] = []
    wrong: list[bool] = []
    missed: list[bool] = []
    for kind, *_ in steps:
        if kind != "delete":
            wrong.append(kind != "equal")
        if kind != "insert":
            missed.append(kind != "equal")
            aligned.append(len(wrong) - 1)
    return aligned, wrong, missed


class _Grid:
    """The edit grid of predictions of one length with a reference: row i, column j is the cost of i tokens
    against j.

    A row has only the columns of its band. `forward` costs lead from the first cell here, `backward` costs
    from here to the last.
    """

    def __init__(self, length: int, reference: list[int]) -> None:
        ratio = len(reference) / length if length else 1.0
        width = BEAM if ratio / 2 <= BEAM else math.ceil(ratio / 2 + BEAM)
        diagonal = [math.floor(i * ratio) for i in range(1, length + 1)]
        columns = len(reference) + 1
        self.reference = reference
        self.bands = [(0, columns), *((max(0, d - width), min(columns, d + width)) for d in diagonal)]
        self.bands[-1] = (self.bands[-1][0], columns)

    def forward(self, prediction: list[int]) -> list[list[int]]:
        rows = [list(range(len(self.reference) + 1))]
        for i, token in enumerate(prediction):
            rows.append(self._below(i, rows[-1], token))
        return rows

    def backward(self, prediction: list[int]) -> list[list[int]]:
        last = self.bands[-1]
        rows = [[len(self.reference) - j for j in range(*last)]]
        for i in reversed(range(len(prediction))):
            rows.append(self._above(i, rows[-1], prediction[i]))
        return rows[::-1]

    def distance_with(
        self, prediction: list[int], shift: Shift, forward: list[list[int]], backward: list[list[int]]
    ) -> int:
        """Return the distance after a shift: only the rows between the old and the new place of the block are
        new.
        """
        start, length, target = shift
        block = prediction[start : start + length]
        if target < start:
            first, changed = target, block + prediction[target:start]
        else:
            first, changed = start, prediction[start + length : target + length] + block
        row = forward[first]
        for i, token in enumerate(changed, start=first):
            row = self._below(i, row, token)
        return min(map(sum, zip(row, backward[first + len(changed)], strict=True)))

    def steps(self, prediction: list[int], forward: list[list[int]]) -> list[Opcode]:
        """Return a cheapest way through the grid, from its first cell."""
        found: list[Opcode] = []
        i, j = len(prediction), len(self.reference)
        while i or j:
            same = i > 0 and j > 0 and prediction[i - 1] == self.reference[j - 1]
            cost = self._cost(forward, i, j)
            if cost == self._cost(forward, i - 1, j - 1) + (not same):
                found.append(("equal" if same else "replace", j - 1, j, i - 1, i))
                i, j = i - 1, j - 1
            elif cost == self._cost(forward, i - 1, j) + 1:
                found.append(("insert", j, j, i - 1, i))
                i -= 1
            else:
                found.append(("delete", j - 1, j, i, i))
                j -= 1
        return found[::-1]

    def _cost(self, rows: list[list[int]], i: int, j: int) -> int:
        low, high = self.bands[i]
        return rows[i][j - low] if i >= 0 and low <= j < high else _NEVER

    def _below(self, i: int, above: list[int], token: int) -> list[int]:
        """Return row i + 1 from row i and the token between them."""
        (low, high), (next_low, next_high) = self.bands[i], self.bands[i + 1]
        costs = [_NEVER, *above, *[_NEVER] * (next_high - high)][next_low - low :]
        tokens = (
            self.reference[next_low - 1 : next_high - 1]
            if next_low
            else [-1, *self.reference[: next_high - 1]]
        )
        row: list[int] = []
        cost = _NEVER
        for other, diagonal, up in zip(tokens, costs, costs[1:], strict=False):
            cost = min(diagonal + (other != token), up + 1, cost + 1)
            row.append(cost)
        return row

    def _above(self, i: int, below: list[int], token: int) -> list[int]:
        """Return the backward row i from row i + 1 and the token between them."""
        (low, high), (next_low, next_high) = self.bands[i], self.bands[i + 1]
        costs = [*[_NEVER] * (next_low - low), *below, *[_NEVER] * (high - next_high + 1)]
        row: list[int] = []
        cost = _NEVER
        for j in reversed(range(low, high)):
            same = j < len(self.reference) and self.reference[j] == token
            cost = min(costs[j - low + 1] + (not same), costs[j - low] + 1, cost + 1)
            row.append(cost)
        return row[::-1]
