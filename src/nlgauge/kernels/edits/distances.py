"""Levenshtein alignments with unit costs; rapidfuzz's alignment decides ties, as it does in jiwer."""

from __future__ import annotations

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged

# Kind, start and end in the reference, start and end in the prediction.
Opcode = tuple[str, int, int, int, int]
SUBSTITUTIONS, DELETIONS, INSERTIONS, HITS = range(4)
_KINDS = {"replace": SUBSTITUTIONS, "delete": DELETIONS, "insert": INSERTIONS}


@compiled
def edit_counts(column: Ragged, predictions: Array, references: Array) -> Array:
    """Return (rows, 4) substitutions, deletions, insertions and hits on the way from reference to prediction."""
    from rapidfuzz.distance import Levenshtein

    rows = column.lists()
    counts = np.zeros((len(predictions), 4))
    for i, (prediction, reference) in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        row = [0, 0, 0, 0]
        for operation in Levenshtein.editops(rows[reference], rows[prediction]):
            row[_KINDS[operation.tag]] += 1
        row[HITS] = len(rows[reference]) - row[SUBSTITUTIONS] - row[DELETIONS]
        counts[i] = row
    return counts


@compiled
def edit_distances(column: Ragged, predictions: Array, references: Array) -> Array:
    """Return (rows,) the fewest edits between prediction and reference."""
    from rapidfuzz.distance import Levenshtein

    rows = column.lists()
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return np.array(
        [Levenshtein.distance(rows[reference], rows[prediction]) for prediction, reference in pairs],
        dtype=np.float64,
    )


def opcodes(reference: list[str], prediction: list[str]) -> list[Opcode]:
    """Return the same alignment as runs."""
    from rapidfuzz.distance import Levenshtein

    return [
        (op.tag, op.src_start, op.src_end, op.dest_start, op.dest_end)
        for op in Levenshtein.opcodes(reference, prediction)
    ]


def runs(steps: list[Opcode]) -> list[Opcode]:
    """Combine steps of one token each into runs: neighbors of one kind become one run, except jumps."""
    found: list[Opcode] = []
    for kind, start, end, first, last in steps:
        if found and found[-1][0] == kind != "jump":
            found[-1] = (kind, found[-1][1], end, found[-1][3], last)
        else:
            found.append((kind, start, end, first, last))
    return found
