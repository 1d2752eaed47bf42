"""Levenshtein alignments with unit costs; rapidfuzz's alignment decides ties, as it does in jiwer."""

from __future__ import annotations

import numpy as np
from rapidfuzz.distance import Levenshtein

from nlgauge.columns import Array, Ragged

SUBSTITUTIONS, DELETIONS, INSERTIONS, HITS = range(4)
_KINDS = {"replace": SUBSTITUTIONS, "delete": DELETIONS, "insert": INSERTIONS}


def edit_counts(column: Ragged, predictions: Array, references: Array) -> Array:
    """(rows, 4) substitutions, deletions, insertions and hits on the way from reference to prediction."""
    rows = column.lists()
    counts = np.zeros((len(predictions), 4))
    for i, (prediction, reference) in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        row = [0, 0, 0, 0]
        for operation in Levenshtein.editops(rows[reference], rows[prediction]):
            row[_KINDS[operation.tag]] += 1
        row[HITS] = len(rows[reference]) - row[SUBSTITUTIONS] - row[DELETIONS]
        counts[i] = row
    return counts


def opcodes(reference: list[str], prediction: list[str]) -> list[tuple[str, int, int, int, int]]:
    """The same alignment as runs: (kind, reference start, end, prediction start, end)."""
    return [(op.tag, op.src_start, op.src_end, op.dest_start, op.dest_end) for op in Levenshtein.opcodes(reference, prediction)]
