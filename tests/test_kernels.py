"""String kernels against dull, obvious oracles."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import chain, combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.corpus.columns import Ragged
from nlgauge.kernels.edits import DELETIONS, HITS, INSERTIONS, SUBSTITUTIONS, edit_counts, opcodes
from nlgauge.kernels.lcs import lcs_lengths, lcs_places, union_lcs_hits
from nlgauge.kernels.ngrams import longest_matched, ngram_matches, ngram_totals

ROW = st.lists(st.integers(0, 2), max_size=7)
ONE = np.array([0])


def grams(row: list[int], n: int) -> list[tuple[int, ...]]:
    return [tuple(row[i : i + n]) for i in range(len(row) - n + 1)]


@given(ROW, st.lists(ROW, min_size=1, max_size=3), st.integers(1, 5))
def test_matches_are_clipped_by_the_greatest_reference(prediction, references, orders):
    found = ngram_matches(Ragged.of([prediction, *references]), ONE, Ragged.of([range(1, len(references) + 1)]), orders)
    for n in range(1, orders + 1):
        counts = [Counter(grams(reference, n)) for reference in references]
        expected = sum(min(count, max(other[gram] for other in counts)) for gram, count in Counter(grams(prediction, n)).items())
        assert found[0, n - 1] == expected
    assert ngram_totals(np.array([len(prediction)]), orders)[0].tolist() == [len(grams(prediction, n)) for n in range(1, orders + 1)]


@given(st.lists(st.tuples(ROW, ROW), min_size=2, max_size=4))
def test_a_pair_does_not_depend_on_the_others(pairs):
    column = Ragged.of([row for pair in pairs for row in pair])
    left, right = np.arange(0, 2 * len(pairs), 2), np.arange(1, 2 * len(pairs), 2)
    together = (edit_counts(column, left, right), lcs_lengths(column, left, right), ngram_matches(column, left, Ragged.single(right), 3))
    for i in range(len(pairs)):
        alone = (
            edit_counts(column, left[i : i + 1], right[i : i + 1]),
            lcs_lengths(column, left[i : i + 1], right[i : i + 1]),
            ngram_matches(column, left[i : i + 1], Ragged.single(right[i : i + 1]), 3),
        )
        assert all((whole[i] == one[0]).all() for whole, one in zip(together, alone, strict=True))


def distance(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        return min(between(i - 1, j) + 1, between(i, j - 1) + 1, between(i - 1, j - 1) + (left[i - 1] != right[j - 1]))

    return between(len(left), len(right))


@given(ROW, ROW)
def test_edits_are_a_shortest_alignment(prediction, reference):
    counts = edit_counts(Ragged.of([prediction, reference]), ONE, np.array([1]))[0]
    assert counts[SUBSTITUTIONS] + counts[DELETIONS] + counts[INSERTIONS] == distance(tuple(reference), tuple(prediction))
    assert counts[SUBSTITUTIONS] + counts[DELETIONS] + counts[HITS] == len(reference)
    assert counts[SUBSTITUTIONS] + counts[INSERTIONS] + counts[HITS] == len(prediction)


@given(ROW, ROW)
def test_opcodes_are_the_alignment_that_was_counted(prediction, reference):
    counts = edit_counts(Ragged.of([prediction, reference]), ONE, np.array([1]))[0].tolist()
    left, right = list(map(str, reference)), list(map(str, prediction))
    runs = opcodes(left, right)
    sizes = Counter()
    for kind, a, b, c, d in runs:
        sizes[kind] += max(b - a, d - c)
        assert (left[a:b] == right[c:d]) == (kind == "equal")
    assert [sizes[kind] for kind in ("replace", "delete", "insert", "equal")] == counts
    assert [token for _, a, b, _, _ in runs for token in left[a:b]] == left
    assert [token for _, _, _, c, d in runs for token in right[c:d]] == right


def subsequences(row: list[int]) -> set[tuple[int, ...]]:
    return {tuple(row[i] for i in places) for size in range(len(row) + 1) for places in combinations(range(len(row)), size)}


@given(ROW, ROW)
def test_lcs_is_the_longest_common_subsequence(prediction, reference):
    expected = max(len(found) for found in subsequences(prediction) & subsequences(reference))
    assert lcs_lengths(Ragged.of([prediction, reference]), ONE, np.array([1]))[0] == expected
    places = lcs_places(reference, prediction)
    assert len(places) == expected
    assert places == sorted(set(places))
    assert tuple(reference[place] for place in places) in subsequences(prediction)


@given(st.lists(ROW, max_size=3), st.lists(ROW, max_size=3))
def test_union_hits_are_bounded_by_each_side_and_contain_each_lcs(predicted, expected):
    column = Ragged.of([*predicted, *expected])
    sides = Ragged.of([range(len(predicted))]), Ragged.of([range(len(predicted), len(column))])
    hits = union_lcs_hits(column, *sides)[0]
    left, right = (Counter(chain.from_iterable(side)) for side in (predicted, expected))
    assert hits <= (left & right).total()
    longest = max((len(lcs_places(reference, prediction)) for reference in expected for prediction in predicted), default=0)
    assert hits >= longest


@given(ROW, st.lists(ROW, min_size=1, max_size=2), st.integers(1, 4))
def test_longest_matched_is_the_longest_ngram_around_a_token(prediction, references, orders):
    left, right = list(map(str, prediction)), [list(map(str, reference)) for reference in references]
    for place, found in enumerate(longest_matched(left, right, orders)):
        holding = [
            n
            for n in range(1, orders + 1)
            for start in range(len(left) - n + 1)
            if start <= place < start + n and any(left[start : start + n] in [list(gram) for gram in grams(reference, n)] for reference in right)
        ]
        assert found == max(holding, default=0)
