"""Which systems can be told apart: all pairs at once, letters and ranks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_cases import printed, refused

import nlgauge
from nlgauge.errors import ResultError, UnknownNameError

WORDS = "abcdefgh"


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


def test_one_system_has_no_ranks():
    with pytest.raises(ResultError, match=r"systems.*'system'"):
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
            with pytest.raises(UnknownNameError, match=r"wer.*self_bleu"):
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
