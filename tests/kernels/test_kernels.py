"""String kernels against dull, obvious oracles."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate, chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlgauge._core.backend import using
from nlgauge._core.ragged import Ragged
from nlgauge.kernels import backwards as backwards_module
from nlgauge.kernels import lcs, skip_bigrams, weighted_lcs
from nlgauge.kernels.backwards import backwards
from nlgauge.kernels.edits.distances import DELETIONS, HITS, INSERTIONS, SUBSTITUTIONS, edit_counts, opcodes
from nlgauge.kernels.edits.jumps import JumpCosts, jump_distances, jump_steps
from nlgauge.kernels.lcs import lcs_lengths, lcs_places, union_lcs_hits
from nlgauge.kernels.ngrams import longest_matched, ngram_matches, ngram_totals
from nlgauge.kernels.skip_bigrams import skip_bigram_matches, skip_bigram_totals
from nlgauge.kernels.weighted_lcs import weighted_lcs_hits, weighted_lcs_places

pytestmark = pytest.mark.usefixtures("both_kernels")

ROW = st.lists(st.integers(0, 2), max_size=7)
ONE = np.array([0])


def grams(row: list[int], n: int) -> list[tuple[int, ...]]:
    return [tuple(row[i : i + n]) for i in range(len(row) - n + 1)]


@given(ROW, st.lists(ROW, min_size=1, max_size=3), st.integers(1, 5))
def test_matches_are_clipped_by_the_greatest_reference(prediction, references, orders):
    found = ngram_matches(
        Ragged.of([prediction, *references]), ONE, Ragged.of([range(1, len(references) + 1)]), orders
    )
    for n in range(1, orders + 1):
        counts = [Counter(grams(reference, n)) for reference in references]
        expected = sum(
            min(count, max(other[gram] for other in counts))
            for gram, count in Counter(grams(prediction, n)).items()
        )
        assert found[0, n - 1] == expected
    assert ngram_totals(np.array([len(prediction)]), orders)[0].tolist() == [
        len(grams(prediction, n)) for n in range(1, orders + 1)
    ]


@given(st.lists(st.tuples(ROW, ROW), min_size=2, max_size=4))
def test_a_pair_does_not_depend_on_the_others(pairs):
    column = Ragged.of([row for pair in pairs for row in pair])
    left, right = np.arange(0, 2 * len(pairs), 2), np.arange(1, 2 * len(pairs), 2)
    together = (
        edit_counts(column, left, right),
        lcs_lengths(column, left, right),
        ngram_matches(column, left, Ragged.single(right), 3),
    )
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
        return min(
            between(i - 1, j) + 1,
            between(i, j - 1) + 1,
            between(i - 1, j - 1) + (left[i - 1] != right[j - 1]),
        )

    return between(len(left), len(right))


@given(ROW, ROW)
def test_edits_are_a_shortest_alignment(prediction, reference):
    counts = edit_counts(Ragged.of([prediction, reference]), ONE, np.array([1]))[0]
    assert counts[SUBSTITUTIONS] + counts[DELETIONS] + counts[INSERTIONS] == distance(
        tuple(reference), tuple(prediction)
    )
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
    return {
        tuple(row[i] for i in places)
        for size in range(len(row) + 1)
        for places in combinations(range(len(row)), size)
    }


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
    longest = max(
        (len(lcs_places(reference, prediction)) for reference in expected for prediction in predicted),
        default=0,
    )
    assert hits >= longest


@given(ROW, st.lists(ROW, min_size=1, max_size=2), st.integers(1, 4))
def test_longest_matched_is_the_longest_ngram_around_a_token(prediction, references, orders):
    left, right = list(map(str, prediction)), [list(map(str, reference)) for reference in references]
    for place, found in enumerate(longest_matched(left, right, orders)):
        holding = [
            n
            for n in range(1, orders + 1)
            for start in range(len(left) - n + 1)
            if start <= place < start + n
            and any(
                left[start : start + n] in [list(gram) for gram in grams(reference, n)] for reference in right
            )
        ]
        assert found == max(holding, default=0)


# --- whole tables, cell by cell: what the kernels find without keeping one

LONGER = st.lists(st.integers(0, 3), max_size=14)


@pytest.fixture(params=[0, 1 << 24], ids=["checkpoints", "whole"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are kept whole, or in part as those of long texts are."""
    monkeypatch.setattr(backwards_module, "SMALL", request.param)


def slow_lcs_places(reference: list[int], prediction: list[int]) -> list[int]:
    table = [[0] * (len(prediction) + 1)]
    for token in reference:
        above, row = table[-1], [0]
        for j, other in enumerate(prediction):
            row.append(above[j] + 1 if token == other else max(above[j + 1], row[j]))
        table.append(row)
    return walk_back(reference, prediction, lambda i, j: table[i + 1][j] > table[i][j + 1])


def slow_weighted_places(reference: list[int], prediction: list[int], weight: float) -> list[int]:
    above, runs = [0.0] * (len(prediction) + 1), [0] * (len(prediction) + 1)
    dropped = []
    for token in reference:
        row, new_runs = [0.0], [0]
        dropped.append([False] * len(prediction))
        for j, other in enumerate(prediction):
            if token == other:
                row.append(above[j] + float(runs[j] + 1) ** weight - float(runs[j]) ** weight)
            else:
                dropped[-1][j] = row[j] > above[j + 1]
                row.append(max(row[j], above[j + 1]))
            new_runs.append(runs[j] + 1 if token == other else 0)
        above, runs = row, new_runs
    return walk_back(reference, prediction, lambda i, j: dropped[i][j])


def walk_back(reference: list[int], prediction: list[int], drops: Callable[[int, int], bool]) -> list[int]:
    """rouge-score's way back: where the tokens at (i, j) differ, `drops` says whether the predicted one
    is left out, else the other is.
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


@pytest.mark.usefixtures("kept")
@given(LONGER, LONGER)
def test_lcs_places_are_those_of_the_whole_table(reference, prediction):
    assert lcs_places(reference, prediction) == slow_lcs_places(reference, prediction)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("rows", [0, 300], ids=["rows", "cells"])
@given(LONGER, LONGER, st.sampled_from([1.0, 1.2, 2.0]))
def test_weighted_places_are_those_of_the_whole_table(rows, reference, prediction, weight):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_lcs, "LONG", rows)
        assert weighted_lcs_places(reference, prediction, weight) == slow_weighted_places(
            reference, prediction, weight
        )


SENTENCES = st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=5)


@given(SENTENCES, SENTENCES)
@example([[0, 1], [0, 1]], [[1, 0], [1, 0]])  # equal sentences on both sides
def test_unions_are_of_all_sentences(predicted, expected):
    column = Ragged.of([*predicted, *expected])
    sides = Ragged.of([range(len(predicted))]), Ragged.of([range(len(predicted), len(column))])
    left, right = (Counter(chain.from_iterable(side)) for side in (predicted, expected))
    tokens = list(chain.from_iterable(expected))
    starts = [0, *accumulate(map(len, expected))]
    hits, weighted, rest = 0, 0.0, Counter(left)
    for sentence, start in zip(expected, starts, strict=False):
        union = {place for other in predicted for place in slow_lcs_places(sentence, other)}
        for token in (tokens[start + place] for place in sorted(union)):
            if left[token] > 0 and right[token] > 0:
                hits += 1
                left[token] -= 1
                right[token] -= 1
        union = {place for other in predicted for place in slow_weighted_places(sentence, other, 1.2)}
        run = 0
        for place in sorted(union):
            if rest[sentence[place]] > 0:
                rest[sentence[place]] -= 1
                run += 1
                if place + 1 not in union:
                    weighted, run = weighted + run**1.2, 0
    assert union_lcs_hits(column, *sides)[0] == hits
    assert weighted_lcs_hits(column, *sides, 1.2)[0] == weighted


def test_only_sentences_that_can_add_to_a_union_are_compared(monkeypatch):
    compared: list[Any] = []
    monkeypatch.setattr(lcs, "lcs_places", lambda *pair: compared.append(pair) or lcs_places(*pair))
    predicted = [[1, 2, 3], [1, 2, 3], [7, 8], [1, 9], [4], [5]]
    column = Ragged.of([*predicted, [1, 2, 3], [1, 2, 3], [6], [4, 5]])
    with using("python"):
        assert union_lcs_hits(column, Ragged.of([range(6)]), Ragged.of([range(6, 10)]))[0] == 3 + 3 + 2
    assert compared == [([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [1, 2, 3]), ([4, 5], [4]), ([4, 5], [5])]


INTEGERS, EED = JumpCosts(1, 1, 1, 1, 1), JumpCosts(2, 10, 10, 20, 10)
FLOATS = JumpCosts(0.2, 1.0, 1.0, 2.0, 1.0)
# Without a common divisor, and too large for 32 bits once a few of them are added.
LARGE = JumpCosts(999_999_999, 1_000_000, 1_000_001, 999_999_998, 1_000_000)


def slow_jump_rows(
    prediction: list[int], reference: list[int], costs: JumpCosts, landing: int | None
) -> Iterator[tuple[list[float], int]]:
    """The rows of the grid, cell by cell, and the cheapest place of each before jumps."""
    row = [0, *[costs.start] * len(prediction)]
    for token in reference:
        below = [row[0] + costs.insertion]
        for i, other in enumerate(prediction):
            below.append(
                min(
                    row[i] + costs.substitution * (other != token),
                    row[i + 1] + costs.insertion,
                    below[i] + costs.deletion,
                )
            )
        place = below.index(min(below))
        row = [min(cost, below[place] + costs.jump) for cost in below] if landing in (None, token) else below
        yield row, place


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("costs", [INTEGERS, EED, FLOATS, LARGE], ids=["cder", "eed", "floats", "large"])
@given(LONGER, LONGER, st.sampled_from([None, 0]))
def test_jumps_are_those_of_the_whole_grid(costs, prediction, reference, landing):
    rows = [
        ([0, *[costs.start] * len(prediction)], 0),
        *slow_jump_rows(prediction, reference, costs, landing),
    ]
    column = Ragged.of([prediction, reference])
    distance, others, first = jump_distances(column, ONE, np.array([1]), costs, landing)[0]
    visits = Counter(place for _, place in rows[1:])
    assert distance == rows[-1][0][-1]
    assert (others, first) == (
        sum(abs(visits[i] - 1) for i in range(1, len(prediction) + 1)),
        abs(visits[0] - 1),
    )
    total = 0.0
    place = 0
    for kind, start, end, left, right in jump_steps(column[0], column[1], costs, landing):
        if kind == "jump":
            assert left == rows[start][1] if start else left == 0
        else:
            assert left == place
            assert (prediction[left:right] == reference[start:end]) == (kind == "equal")
        place = right
        kinds = {
            "equal": 0,
            "replace": costs.substitution,
            "delete": costs.insertion,
            "insert": costs.deletion,
        }
        total += (costs.jump if start else costs.start) if kind == "jump" else kinds[kind]
    assert total == pytest.approx(distance)


@given(LONGER, LONGER, st.sampled_from([None, 0, 1, 3, 30]), st.booleans(), st.booleans())
def test_skip_bigrams_of_long_texts_are_counted_as_those_of_short_ones(
    prediction, reference, distance, unigrams, last
):
    def every(tokens: list[int]) -> Counter[tuple[int, ...]]:
        widest = len(tokens) if distance is None else distance + 1
        found = Counter(
            (tokens[i], tokens[j]) for j in range(len(tokens)) for i in range(max(0, j - widest), j)
        )
        return found + Counter((token,) for token in (tokens if last else tokens[:-1]) if unigrams)

    column = Ragged.of([prediction, reference])
    for most in (-1, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(skip_bigrams, "MOST_PAIRS", most)
            assert (
                skip_bigram_matches(column, ONE, np.array([1]), distance, unigrams, last)[0]
                == (every(prediction) & every(reference)).total()
            )
    assert skip_bigram_totals(column.lengths, distance, unigrams, last).tolist() == [
        every(row).total() for row in (prediction, reference)
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 5, 16, 17, 100])
@pytest.mark.parametrize("size", [1, 40])
def test_states_come_backwards_with_few_of_them_kept(monkeypatch, count, size):
    monkeypatch.setattr(backwards_module, "SMALL", 0)
    made = []

    def advance(state: int, item: int) -> int:
        made.append(item)
        return state + item

    assert (
        list(backwards(0, range(count), advance, size, lambda state: state, 1))
        == list(accumulate(range(count)))[::-1]
    )
    assert len(made) <= 2 * count


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["lcs", "weighted", "jumps", "skips"])
def test_long_texts_take_no_memory_for_every_pair_of_their_tokens(monkeypatch, name):
    """2,000 tokens: a byte for each pair of them would be 4 MB, a number of Python's 100 MB."""
    monkeypatch.setattr(backwards_module, "SMALL", 1 << 18)
    monkeypatch.setattr(skip_bigrams, "MOST_PAIRS", 1 << 16)
    rng = random.Random(3)
    left, right = ([rng.randrange(500) for _ in range(2000)] for _ in range(2))
    column = Ragged.of([left, right])
    work: dict[str, Callable[[], object]] = {
        "lcs": lambda: lcs_places(left, right),
        "weighted": lambda: weighted_lcs_places(left, right, 1.2),
        "jumps": lambda: jump_steps(column[0], column[1], EED),
        "skips": lambda: skip_bigram_matches(column, ONE, np.array([1]), None, True, True),
    }
    assert peak(work[name]) < 2_500_000
