"""Which systems can be told apart: all pairs at once, letters and ranks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_cases import printed, refused
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import nlgauge
from nlgauge.errors import ResultError, UnknownNameError
from nlgauge.results.ranks import all_pairs
from nlgauge.stats.letters import rank_ranges

WORDS = "abcdefgh"
UNITS = 30


@pytest.fixture(scope="module")
def result() -> nlgauge.Result:
    rng = np.random.default_rng(1)
    references = [" ".join(rng.choice(list(WORDS), 10)) for _ in range(60)]

    def spoiled(share: float) -> list[str]:
        return [
            " ".join(word if rng.random() > share else "x" for word in text.split()) for text in references
        ]

    systems = {"good": spoiled(0.05), "also good": spoiled(0.06), "bad": spoiled(0.6)}
    return nlgauge.score(
        {**systems, "copy": systems["good"]},
        references,
        references,
        metrics=["bleu", "wer", "novelty", "self_bleu"],
    )


def normal(size, units=UNITS):
    """The value of the normal distribution that is as rare as this one of Student's, by quantiles of both."""
    return stats.norm.isf(stats.t.sf(size * ((units - 1) / units) ** 0.5, units - 1))


def naive(scores, drawn):
    """max-T as it is defined, pair by pair and resample by resample."""
    count, resamples = drawn.shape
    pairs = [(i, j) for i in range(count) for j in range(i)]
    size = {}
    for i, j in pairs:
        differences = [drawn[i, b] - drawn[j, b] for b in range(resamples)]
        mean = sum(differences) / resamples
        spread = (sum((d - mean) ** 2 for d in differences) / resamples) ** 0.5
        size[i, j] = (
            normal(abs(scores[i] - scores[j]) / spread),
            [abs(d - mean) / spread for d in differences],
        )
    largest = [max(size[pair][1][b] for pair in pairs) for b in range(resamples)]
    return {
        pair: (1 + sum(one >= size[pair][0] * (1 - 1e-9) for one in largest)) / (resamples + 1)
        for pair in pairs
    }


@given(
    arrays(np.float64, (4, 12), elements=st.integers(-50, 50).map(float)),
    arrays(np.float64, 4, elements=st.integers(-90, 90).map(float)),
)
def test_all_pairs_are_what_the_definition_gives(drawn, scores):
    drawn = drawn + np.outer([0.1, 0.27, 0.5, 0.77], np.sin(np.arange(12)))  # no two systems are the same
    p = all_pairs(scores, drawn, UNITS)
    for (i, j), expected in naive(scores, drawn).items():
        assert p[i, j] == p[j, i] == pytest.approx(expected)


def test_a_system_is_not_different_from_its_copy(result):
    row = result.ranks()["bleu"]
    assert row.p[0, 3] == row.p_max_t[0, 3] == 1
    assert row.letters == ("a", "a", "b", "a")
    assert row.ranks == ((1, 3), (1, 3), (4, 4), (1, 3))


def test_lower_is_better_where_the_output_says_so(result):
    row = result.ranks()["wer"]
    assert row.letters == ("a", "a", "b", "a")
    assert row.better("good", "bad", 0.05)
    assert not row.better("bad", "good", 0.05)
    assert not row.better("good", "also good", 0.05)


def test_an_output_without_direction_has_no_ranks(result):
    row = result.ranks()["novelty"]
    assert row.letters == row.ranks == (None,) * 4
    assert row.p_max_t[0, 2] < 0.05
    assert not row.better("good", "bad", 0.05)


def test_a_metric_of_the_whole_corpus_says_why_it_has_none(result):
    row = result.ranks()["self_bleu"]
    assert row.letters == (None,) * 4
    assert row.reason == "not computed from per-segment statistics, so pairs cannot be tested together"


def test_many_pairs_can_be_told_apart():
    rng = np.random.default_rng(2)
    scores = np.arange(17.0)
    p = all_pairs(scores, scores[:, None] + 0.1 * rng.standard_normal((17, 300)), UNITS)
    assert p[np.triu_indices(17, 1)].max() == 1 / 301


def test_equal_systems_are_seldom_called_different():
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(200):
        means = rng.standard_normal((6, 50))
        counts = rng.multinomial(50, np.full(50, 1 / 50), 200)
        p = all_pairs(means.mean(axis=1), (counts @ means.T / 50).T, 50)
        found += bool((p[np.triu_indices(6, 1)] <= 0.05).any())
    assert found <= 24  # 5 % of 200 are 10


@pytest.mark.parametrize("unknown", [np.nan, np.inf])
def test_what_is_not_known_is_not_a_claim(unknown):
    scores = np.array([1.0, 2.0, unknown])
    p = all_pairs(
        scores, np.vstack([np.sin(np.arange(9.0)), 2 + np.cos(np.arange(9.0)), np.full(9, unknown)]), UNITS
    )
    assert np.isnan(p[0, 2])
    assert np.isnan(p[2, 1])
    assert 0 < p[0, 1] < 1


def test_a_constant_difference_is_beyond_chance():
    drawn = np.sin(np.arange(40.0))
    p = all_pairs(np.array([0.0, 1.0, 0.5]), np.vstack([drawn, drawn + 1, np.cos(np.arange(40.0))]), UNITS)
    assert p[0, 1] == 1 / 41


def test_rank_ranges_count_those_before_and_behind():
    p = np.array([[1, 0.01, 0.01], [0.01, 1, 0.5], [0.01, 0.5, 1]])
    assert rank_ranges(np.array([3.0, 2.0, 1.0]), p) == [(1, 1), (2, 3), (2, 3)]
    assert rank_ranges(np.array([3.0, np.nan, 1.0]), p) == [(1, 1), None, (2, 2)]


def test_one_system_has_no_ranks():
    with pytest.raises(ResultError, match="ranks need two systems, this result has 'system' alone"):
        nlgauge.score(["a"], ["a"], metrics=["wer"]).ranks()


def test_the_page_shows_letters_and_ranks(result):
    shown = result.ranks().to_text(width=120)
    assert "a (1-3)" in shown
    assert "b (4)" in shown
    assert "neither direction of this output is better" in shown
    assert result.ranks().records()[2] | {"score": 0} == {
        "metric": "bleu", "output": "bleu", "system": "bad", "score": 0, "letters": "b", "best_rank": 4, "worst_rank": 4, "missing": 0, "reason": "",
    }  # fmt: skip


def test_the_command_shows_them(result, tmp_path):
    directory = str(result.save(tmp_path / "r"))
    assert "a (1-3)" in printed("compare", directory, "--ranks")
    assert json.loads(printed("compare", directory, "--ranks", "--json"))["ranks"][0]["letters"] == "a"
    assert "omit --baseline and the systems" in refused("compare", directory, "good", "--ranks")


def test_a_metric_is_found_by_every_name_that_a_comparison_takes(result) -> None:
    ranks, compared = result.ranks(resamples=20), result.compare("good", "bad", resamples=20)
    for name in ("bleu", "sacrebleu", "bleu.bleu", ("sacrebleu", "bleu")):
        assert ranks[name] is ranks["bleu"] and compared[name] is compared["bleu"]
    for rows in (ranks, compared):
        for name in ("rouge", "bleu.rouge1", ("bleu", "rouge1")):
            with pytest.raises(UnknownNameError, match="there are bleu, wer, novelty, self_bleu"):
                rows[name]


def test_few_segments_never_tell_systems_apart():
    """Five swapped segments have no p below 2 ** -4, though a sample of swaps may give a smaller share."""
    number = nlgauge.metric_from(lambda prediction, reference: float(prediction), name="number")
    systems = {"A": ["1", "2", "3", "4", "5"], "B": ["2", "3", "4", "5", "7"], "C": ["9", "8", "9", "9", "9"]}
    result = nlgauge.score(systems, ["x"] * 5, metrics=number)
    for seed in range(40):
        (ranked,) = result.ranks(seed=seed).rows
        off_diagonal = ~np.eye(3, dtype=bool)
        assert np.nanmin(ranked.p_max_t[off_diagonal]) >= 2**-4
        assert set(ranked.letters) == {"a"}
