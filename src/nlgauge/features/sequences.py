"""Edits and common subsequences of a prediction and its reference, which metrics share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus.texts import any_has_lines
from nlgauge.features import RowFeature, RowKernel
from nlgauge.features.tokens.sentences import Lines
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.edits.distances import edit_counts, edit_distances
from nlgauge.kernels.lcs import lcs_lengths, union_lcs_hits


@dataclass(frozen=True)
class EditCounts(RowFeature):
    """(rows, 4) substitutions, deletions, insertions and hits between each prediction and its one
    reference.
    """

    tokens: Tokens

    def compute(self, view: Any) -> Array:
        return edit_counts(*view.get(self.tokens, view.predictions, view.reference))

    def kernel(self) -> RowKernel:
        return RowKernel("edit_counts", self.tokens, 4, lambda columns: columns)


class Compared(NamedTuple):
    """(rows,) a number of each pair of texts, and the lengths of the prediction and of the reference."""

    value: Array
    predicted: Array
    expected: Array


def _compared(columns: Any) -> Compared:
    return Compared(*(columns[:, k] for k in range(3)))


@dataclass(frozen=True)
class EditDistance(RowFeature):
    """The Levenshtein distance between each prediction and its one reference, and both lengths."""

    tokens: Tokens

    def compute(self, view: Any) -> Compared:
        tokens, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        distances = edit_distances(tokens, predictions, references)
        return Compared(distances, tokens.lengths[predictions], tokens.lengths[references])

    def kernel(self) -> RowKernel:
        return RowKernel("edit_distance", self.tokens, 3, _compared)


@dataclass(frozen=True)
class CommonSubsequence(RowFeature):
    """The length of the longest common subsequence of each prediction with each of its references, and the lengths
    of both.
    """

    tokens: Tokens

    def compute(self, view: Any) -> Compared:
        owners = view.references.owners
        tokens, predictions, references = view.get(self.tokens, view.predictions[owners], view.reference)
        lengths = lcs_lengths(tokens, predictions, references)
        return Compared(lengths, tokens.lengths[predictions], tokens.lengths[references])

    def kernel(self) -> RowKernel:
        return RowKernel("common_subsequence", self.tokens, 3, _compared)


@dataclass(frozen=True)
class UnionSubsequence(RowFeature):
    """The hits of the subsequences of the lines of each prediction, united for each line of its one reference, and the
    tokens of all lines of both.
    """

    tokens: Tokens

    def compute(self, view: Any) -> Compared:
        if not _has_lines(view):  # a text of one line has one subsequence: there is nothing to unite
            whole: Compared = view.rows(CommonSubsequence(self.tokens))
            return whole
        lines, predictions, references = view.get(Lines(), view.predictions, view.reference)
        left, right = lines.take(predictions), lines.take(references)
        tokens, predicted, expected = view.get(self.tokens, left.values, right.values)
        sides = Ragged(predicted, left.offsets), Ragged(expected, right.offsets)
        sizes = [np.bincount(side.owners, tokens.lengths[side.values], len(side)) for side in sides]
        return Compared(union_lcs_hits(tokens, *sides), sizes[0], sizes[1])

    def kernel(self) -> RowKernel:
        return RowKernel("union_subsequence", self.tokens, 3, _compared)


def _has_lines(view: Any) -> bool:
    """Return True if any text has more than one line."""
    return any(
        any_has_lines(view.features.texts.strings_of(side)) for side in (view.predictions, view.reference)
    )
