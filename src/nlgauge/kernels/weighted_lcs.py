"""The weighted longest common subsequence of ROUGE-W, which prefers matches that stand together."""

from __future__ import annotations

from collections import Counter

import numpy as np

from nlgauge.corpus.columns import Array, Ragged
from nlgauge.kernels.lcs import walk_back

# From so many predicted tokens on a row of the table at a time is quicker than a cell at a time.
LONG = 300


def weighted_lcs_hits(column: Ragged, predictions: Ragged, references: Ragged, weight: float) -> Array:
    """(rows,) weighted hits: `predictions[i]` and `references[i]` are the rows of the texts' sentences.

    In each reference sentence the places of its weighted LCS with every predicted sentence are united. A run of such places, whose tokens
    may stand apart in the prediction, counts its length to the power `weight`; as in ROUGE-1.5.5, a token counts no more often than it
    stands in the prediction, and a run whose last place is lost that way goes on with the next one.
    """
    rows = column.lists()
    hits = np.zeros(len(predictions))
    for i, (predicted, expected) in enumerate(zip(predictions.lists(), references.lists(), strict=True)):
        left = Counter(token for sentence in predicted for token in rows[sentence])
        for sentence in expected:
            reference = rows[sentence]
            union = {place for other in predicted for place in weighted_lcs_places(reference, rows[other], weight)}
            run = 0
            for place in sorted(union):
                token = reference[place]
                if left[token] > 0:
                    left[token] -= 1
                    run += 1
                    if place + 1 not in union:
                        hits[i] += run**weight
                        run = 0
    return hits


def weighted_lcs_places(reference: list[int], prediction: list[int], weight: float) -> list[int]:
    """The places in the reference of the weighted LCS; on a tie the reference token is dropped.

    Rounding decides ties between runs that are worth the same, so sums are made in the script's order.
    """
    powers = [float(k) ** weight for k in range(min(len(reference), len(prediction)) + 2)]
    dropped = (drops if len(prediction) < LONG else long_drops)(reference, prediction, powers)
    return walk_back(reference, prediction, lambda i, j: bool(dropped[i][j]))


def drops(reference: list[int], prediction: list[int], powers: list[float]) -> list[bytearray]:
    """For each cell whether the way back drops the predicted token: one byte, because long texts have many cells."""
    above, runs = [0.0] * (len(prediction) + 1), [0] * (len(prediction) + 1)
    found: list[bytearray] = []
    for token in reference:
        row, new_runs, dropped = [0.0], [0], bytearray(len(prediction))
        for j, other in enumerate(prediction):
            if token == other:
                row.append(above[j] + powers[runs[j] + 1] - powers[runs[j]])
                new_runs.append(runs[j] + 1)
            else:
                dropped[j] = row[j] > above[j + 1]
                row.append(row[j] if dropped[j] else above[j + 1])
                new_runs.append(0)
        above, runs = row, new_runs
        found.append(dropped)
    return found


def long_drops(reference: list[int], prediction: list[int], powers: list[float]) -> list[Array]:
    """What `drops` gives, a row at a time: between two matches a cell has the greatest value so far, which a match sets anew.

    The maximum of complex numbers is that of their real parts, here the number of matches before, then that of their imaginary ones.
    """
    tokens, power = np.array(prediction), np.array(powers)
    above, runs = np.zeros(len(prediction) + 1), np.zeros(len(prediction) + 1, dtype=np.int64)
    cells = np.zeros(len(prediction) + 1, dtype=np.complex128)
    found: list[Array] = []
    for token in reference:
        match = tokens == token
        cells.real[1:] = match.cumsum()
        cells.imag[1:] = np.where(match, above[:-1] + power[runs[:-1] + 1] - power[runs[:-1]], above[1:])
        row = np.maximum.accumulate(cells).imag
        found.append(~match & (row[:-1] > above[1:]))
        runs = np.concatenate([[0], np.where(match, runs[:-1] + 1, 0)])
        above = row
    return found
