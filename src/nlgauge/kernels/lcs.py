"""Longest common subsequences: the length of one, its places, and the summary-level union of ROUGE-Lsum."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.backwards import backwards

Places = Callable[[list[int], list[int]], list[int]]


@compiled
def lcs_lengths(column: Ragged, predictions: Array, references: Array) -> Array:
    """Return (rows,) lengths of the longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    rows = column.lists()
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return np.array(
        [LCSseq.similarity(rows[reference], rows[prediction]) for prediction, reference in pairs],
        dtype=np.float64,
    )


@compiled
def union_lcs_hits(column: Ragged, predictions: Ragged, references: Ragged) -> Array:
    """Return (rows,) hits of the union LCS: `predictions[i]` and `references[i]` are the rows of the texts'
    sentences.

    Each reference sentence contributes the union of its LCS with every predicted sentence; a token counts no
    more often than it occurs on either side.
    """
    from rapidfuzz.distance import LCSseq

    rows = column.lists()
    hits = np.zeros(len(predictions))
    for i, (predicted, expected) in enumerate(zip(predictions.lists(), references.lists(), strict=True)):
        if len(predicted) == len(expected) == 1:  # one LCS: nothing to unite, nothing counted twice
            hits[i] = LCSseq.similarity(rows[expected[0]], rows[predicted[0]])
            continue
        left = Counter(token for sentence in predicted for token in rows[sentence])
        right = Counter(token for sentence in expected for token in rows[sentence])
        unite = united([rows[sentence] for sentence in dict.fromkeys(predicted)], lcs_places)
        unions = {sentence: unite(rows[sentence]) for sentence in dict.fromkeys(expected)}
        for sentence in expected:
            for place in unions[sentence]:
                token = rows[sentence][place]
                if left[token] > 0 and right[token] > 0:
                    left[token] -= 1
                    right[token] -= 1
                    hits[i] += 1
    return hits


def united(predicted: list[list[int]], places: Places) -> Callable[[list[int]], list[int]]:
    """Return a function that finds, in ascending order, the places of a reference sentence in its LCS with
    any predicted sentence.

    Only sentences that share a token are compared, those with a rare one first, and no more of them once
    every place that can be found is.
    """
    holders: dict[int, list[int]] = defaultdict(list)
    for number, sentence in enumerate(predicted):
        for token in dict.fromkeys(sentence):
            holders[token].append(number)

    def unite(reference: list[int]) -> list[int]:
        common = sorted(
            {token for token in reference if token in holders}, key=lambda token: len(holders[token])
        )
        possible = sum(token in holders for token in reference)
        found: set[int] = set()
        for number in dict.fromkeys(number for token in common for number in holders[token]):
            found.update(places(reference, predicted[number]))
            if len(found) == possible:
                break
        return sorted(found)

    return unite


@compiled
def lcs_places(reference: list[int], prediction: list[int]) -> list[int]:
    """Return the places in the reference of the LCS that rouge-score's backtrack finds: on a tie it drops the
    reference token.

    One column of the table of lengths is one number: bit i is set where the length for i + 1 tokens of the
    reference is that for i tokens (Hyyrö 2004). On the way back from (i, j) reference tokens are dropped up
    to one that is the predicted token, or from which on the length grows; its partner then is the last such
    token before.
    """
    masks: dict[int, int] = defaultdict(int)
    for place, token in enumerate(reference):
        masks[token] |= 1 << place
    whole = (1 << len(reference)) - 1
    before = _last_places(prediction)
    found: list[int] = []
    i = len(reference) - 1
    wanted = len(prediction) - 1
    size = len(reference) / 8 + 1
    columns = backwards(
        whole, [masks.get(token, 0) for token in prediction], partial(_column, whole), size, _itself, size
    )
    for j, column in zip(range(len(prediction) - 1, -1, -1), columns, strict=True):
        if j > wanted:
            continue
        i = ((~column | masks.get(prediction[j], 0)) & (1 << i + 1) - 1).bit_length() - 1
        if i < 0:
            break
        found.append(i)
        token = reference[i]
        wanted = (j if prediction[j] == token else before(token, j)) - 1
        i -= 1
    return found[::-1]


def _column(whole: int, column: int, mask: int) -> int:
    """Return the column of the next predicted token, which is at the bits of `mask` in the reference."""
    matched = column & mask
    return (column + matched | column - matched) & whole


def _itself(column: int) -> int:
    return column


def _last_places(tokens: list[int]) -> Callable[[int, int], int]:
    """Return a function for the last place of a token before place j, called with falling j; -1 if there is
    none.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        places[token].append(place)

    def before(token: int, j: int) -> int:
        known = places[token]
        while known and known[-1] >= j:
            known.pop()
        return known[-1] if known else -1

    return before
