"""Longest common subsequences: the length of one, and the summary-level union of ROUGE-Lsum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
from rapidfuzz.distance import LCSseq

from nlgauge.corpus.columns import Array, Ragged


def lcs_lengths(column: Ragged, predictions: Array, references: Array) -> Array:
    """(rows,) lengths of the longest common subsequence."""
    rows = column.lists()
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return np.array([LCSseq.similarity(rows[reference], rows[prediction]) for prediction, reference in pairs], dtype=np.float64)


def union_lcs_hits(column: Ragged, predictions: Ragged, references: Ragged) -> Array:
    """(rows,) hits of the union LCS: `predictions[i]` and `references[i]` are the rows of the texts' sentences.

    Each reference sentence contributes the union of its LCS with every predicted sentence; a token counts no more often
    than it stands on either side.
    """
    rows = column.lists()
    hits = np.zeros(len(predictions))
    for i, (predicted, expected) in enumerate(zip(predictions.lists(), references.lists(), strict=True)):
        if len(predicted) == len(expected) == 1:  # one LCS: nothing to unite, nothing counted twice
            hits[i] = LCSseq.similarity(rows[expected[0]], rows[predicted[0]])
            continue
        left = Counter(token for sentence in predicted for token in rows[sentence])
        right = Counter(token for sentence in expected for token in rows[sentence])
        for sentence in expected:
            reference = rows[sentence]
            union = {place for other in predicted for place in lcs_places(reference, rows[other])}
            for place in sorted(union):
                token = reference[place]
                if left[token] > 0 and right[token] > 0:
                    left[token] -= 1
                    right[token] -= 1
                    hits[i] += 1
    return hits


def lcs_places(reference: list[int], prediction: list[int]) -> list[int]:
    """The places in the reference of the LCS that rouge-score's backtrack finds: on a tie it drops the reference token."""
    table = [[0] * (len(prediction) + 1)]
    for token in reference:
        above, row = table[-1], [0]
        for j, other in enumerate(prediction):
            row.append(above[j] + 1 if token == other else max(above[j + 1], row[j]))
        table.append(row)
    return walk_back(reference, prediction, lambda i, j: table[i + 1][j] > table[i][j + 1])


def walk_back(reference: list[int], prediction: list[int], drops: Callable[[int, int], bool]) -> list[int]:
    """The places in the reference of the tokens matched on the way back from the ends of both texts.

    Where the tokens at (i, j) differ, `drops(i, j)` says whether the predicted one is left out, else that of the reference is.
    """
    places: list[int] = []
    i, j = len(reference) - 1, len(prediction) - 1
    while i >= 0 and j >= 0:
        if reference[i] == prediction[j]:
            places.append(i)
            i, j = i - 1, j - 1
        elif drops(i, j):
            j -= 1
        else:
            i -= 1
    return places[::-1]
