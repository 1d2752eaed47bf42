"""The weighted longest common subsequence of ROUGE-W, which prefers adjacent matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.backwards import backwards
from nlgauge.kernels.lcs import united

# With this many predicted tokens or more, computing the table row by row is quicker than cell by cell.
LONG = 300


class TableRow(NamedTuple):
    """One row of the table: values, the length of the run that ends in each cell, and whether the way
    back drops the predicted token there.
    """

    values: list[float]
    runs: list[int]
    dropped: bytearray


class LongRow(NamedTuple):
    """A `TableRow` in arrays; `dropped` has a bit per cell."""

    values: Array
    runs: Array
    dropped: Array


@compiled
def weighted_lcs_hits(column: Ragged, predictions: Ragged, references: Ragged, weight: float) -> Array:
    """Return (rows,) weighted hits: `predictions[i]` and `references[i]` are the rows of the texts'
    sentences.

    In each reference sentence the places of its weighted LCS with every predicted sentence are united. A run
    of such places, whose tokens may be apart in the prediction, counts its length to the power `weight`; as
    in ROUGE-1.5.5, a token counts no more often than it occurs in the prediction, and a run that loses its
    last place in this way continues with the next place.
    """
    rows = column.lists()
    hits = np.zeros(len(predictions))
    for i, (predicted, expected) in enumerate(zip(predictions.lists(), references.lists(), strict=True)):
        left = Counter(token for sentence in predicted for token in rows[sentence])
        unite = united(
            [rows[sentence] for sentence in dict.fromkeys(predicted)],
            partial(weighted_lcs_places, weight=weight),
        )
        unions = {sentence: unite(rows[sentence]) for sentence in dict.fromkeys(expected)}
        for sentence in expected:
            union = set(unions[sentence])
            run = 0
            for place in unions[sentence]:
                token = rows[sentence][place]
                if left[token] > 0:
                    left[token] -= 1
                    run += 1
                    if place + 1 not in union:
                        hits[i] += run**weight
                        run = 0
    return hits


@compiled
def weighted_lcs_places(reference: list[int], prediction: list[int], weight: float) -> list[int]:
    """Return the places in the reference of the weighted LCS; on a tie the reference token is dropped.

    Rounding decides ties between runs that are worth the same, so sums are made in the script's order.
    """
    powers = [float(k) ** weight for k in range(min(len(reference), len(prediction)) + 2)]
    drops = (short_drops if len(prediction) < LONG else long_drops)(reference, prediction, powers)
    places: list[int] = []
    j = len(prediction) - 1
    for i, dropped in zip(range(len(reference) - 1, -1, -1), drops, strict=True):
        while j >= 0 and reference[i] != prediction[j] and dropped(j):
            j -= 1
        if j < 0:
            break
        if reference[i] == prediction[j]:
            places.append(i)
            j -= 1
    return places[::-1]


def short_drops(
    reference: list[int], prediction: list[int], powers: list[float]
) -> Iterator[Callable[[int], int]]:
    """Yield for each reference token, from last to first, a function that returns True if the way back drops
    the predicted token j there.
    """

    def advance(above: TableRow, token: int) -> TableRow:
        upper, upper_runs, _ = above
        values, runs, dropped = [0.0], [0], bytearray(len(prediction))
        for j, other in enumerate(prediction):
            if token == other:
                values.append(upper[j] + powers[upper_runs[j] + 1] - powers[upper_runs[j]])
                runs.append(upper_runs[j] + 1)
            else:
                dropped[j] = values[j] > upper[j + 1]
                values.append(values[j] if dropped[j] else upper[j + 1])
                runs.append(0)
        return TableRow(values, runs, dropped)

    first = TableRow([0.0] * (len(prediction) + 1), [0] * (len(prediction) + 1), bytearray())
    size = len(prediction) + 1
    return backwards(first, reference, advance, 32 * size, lambda row: row.dropped.__getitem__, size)


def long_drops(
    reference: list[int], prediction: list[int], powers: list[float]
) -> Iterator[Callable[[int], int]]:
    """Yield the same as `short_drops`, a row at a time: between two matches a cell has the greatest value so
    far, which a match resets.

    Complex numbers are compared by real part, here the number of matches before, then by imaginary part.
    """
    tokens, power = np.array(prediction), np.array(powers)
    cells = np.zeros(len(prediction) + 1, dtype=np.complex128)

    def advance(above: LongRow, token: int) -> LongRow:
        match = tokens == token
        runs = above.runs[:-1]
        cells.real[1:] = match.cumsum()
        cells.imag[1:] = np.where(match, above.values[:-1] + power[runs + 1] - power[runs], above.values[1:])
        values = np.maximum.accumulate(cells).imag.copy()
        dropped = np.packbits(~match & (values[:-1] > above.values[1:]), bitorder="little")
        return LongRow(
            values, np.append(np.zeros(1, np.int32), np.where(match, runs + 1, 0).astype(np.int32)), dropped
        )

    size = len(prediction) + 1
    first = LongRow(np.zeros(size), np.zeros(size, dtype=np.int32), np.zeros(0, dtype=np.uint8))
    return backwards(first, reference, advance, 12 * size, _bits, size / 8)


def _bits(row: LongRow) -> Callable[[int], int]:
    bits = row.dropped.tobytes()
    return lambda j: bits[j >> 3] >> (j & 7) & 1
