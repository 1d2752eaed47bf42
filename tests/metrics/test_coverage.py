"""Coverage: published values, the published loop and a brute force as oracles for the fragments, odd
input.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from source_cases import FEW_WORDS, SOURCE, SUMMARY, summeval_taus

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.kernels.fragments import fragments, places
from nlgauge.metrics.coverage import Coverage

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}


def published_loop(summary: list[str], source: list[str]) -> list[tuple[int, int, int]]:
    """Newsroom's algorithm, step by step: two cursors, and the source's jumps to the end of every run
    that was tried.
    """
    found, i = [], 0
    while i < len(summary):
        longest, j = (i, 0, 0), 0
        while j < len(source):
            k = 0
            while i + k < len(summary) and j + k < len(source) and summary[i + k] == source[j + k]:
                k += 1
            if k > longest[2]:
                longest = (i, j, k)
            j += max(k, 1)
        if longest[2]:
            found.append(longest)
        i += max(longest[2], 1)
    return found


def every_run(summary: list[str], source: list[str]) -> list[tuple[int, int, int]]:
    """The longest run at each place by comparing slices."""
    found, i = [], 0
    while i < len(summary):
        runs = [
            (n, -j)
            for j in range(len(source))
            for n in range(1, len(summary) - i + 1)
            if summary[i : i + n] == source[j : j + n]
        ]
        n, j = max(runs, default=(0, 0))
        if n:
            found.append((i, -j, n))
        i += max(n, 1)
    return found


def test_published_fragments_and_values():
    summary, source = SUMMARY.split(), SOURCE.split()
    assert fragments(summary, source, places(source)) == [(0, 8, 5), (5, 5, 1), (7, 15, 1)]
    scores = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="coverage")["coverage"]
    assert (scores["score"], scores["density"], scores["fragments"]) == (0.875, 3.375, 3)


def test_the_published_loop_misses_a_run_that_begins_inside_another():
    result = nlgauge.score(["a a b"], sources=["a a a b"], metrics=["coverage", "coverage(exhaustive=True)"])
    assert (result["coverage"]["density"], result["coverage"]["fragments"]) == (pytest.approx(5 / 3), 2)
    exhaustive = result["coverage(exhaustive=True)"]
    assert (exhaustive["coverage"], exhaustive["density"], exhaustive["fragments"]) == (1, 3, 1)


@given(FEW_WORDS, FEW_WORDS)
def test_fragments_equal_the_oracles(summary, source):
    left, right = summary.split(), source.split()
    assert fragments(left, right, places(right)) == published_loop(left, right)
    assert fragments(left, right, places(right), exhaustive=True) == every_run(left, right)
    for exhaustive, oracle in ((False, published_loop), (True, every_run)):
        label = str(Coverage(exhaustive, "whitespace"))
        lengths = [length for _, _, length in oracle(left, right)]
        scores = nlgauge.score([summary], sources=[source], metrics=label)[label]
        size = max(len(left), 1)
        assert scores["coverage"] == pytest.approx(sum(lengths) / size, abs=1e-12)
        assert scores["density"] == pytest.approx(sum(length**2 for length in lengths) / size, abs=1e-12)
        assert scores["fragments"] == len(lengths)


def test_the_corpus_score_is_the_mean_over_summaries():
    assert nlgauge.score([SUMMARY, "a a", "", "b"], sources=[SOURCE, "a", "a", ""], metrics="coverage")[
        "coverage"
    ]["score"] == pytest.approx(1.875 / 4)


def test_punctuation_counts_and_case_does_not():
    assert nlgauge.score(["The CAT."], sources=["the cat!"], metrics="coverage")["coverage"][
        "score"
    ] == pytest.approx(2 / 3)
    assert (
        nlgauge.score(["The CAT."], sources=["the cat!"], metrics="coverage(tokenizer='unicode')")[
            "coverage"
        ]["score"]
        == 1
    )


def test_the_source_is_never_taken_from_the_references():
    with pytest.raises(InputError, match="coverage needs sources"):
        nlgauge.score([SUMMARY], [SOURCE], metrics="coverage")


def test_explanation_shows_the_fragments():
    (found,) = nlgauge.score([SUMMARY], sources=[SOURCE], metrics="coverage").explain("coverage", 0)
    assert found.tokens == SUMMARY.split()
    assert found.longest == [5, 5, 5, 5, 5, 1, 0, 1]
    assert [(order.matched, order.predicted) for order in found.orders] == [(7, 8)]


def test_long_texts_of_one_token_take_no_time():
    many = "the " * 10_000
    assert (
        nlgauge.score([many], sources=[many + "x"], metrics="coverage(exhaustive=True)")["coverage"][
            "density"
        ]
        == 10_000
    )


def test_parameters_outside_their_domain():
    with pytest.raises(ParameterError, match=r"tokenizer.*'punctuated'.*'google'"):
        Coverage(tokenizer="google")


def test_summeval_as_the_card_says():
    """Not the published numbers: which tokens they were made from is unknown."""
    assert summeval_taus("coverage", "coverage") == [-0.1471, 0.1912, 0.0517, -0.0735]
