"""A/A studies: a gate on identical halves fails as often as its level says."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from cli_cases import enter, printed, refused, write
from number_cases import NUMBER

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.results.gate import Change, Margin, Rule
from nlgauge.results.plans.aa import _sides, aa_study

DROPS = [Change.read("number drops by 0.1")]


def answers(segments: int, repeats: int, seed: int, noise: float = 0.5) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1, segments)
    return [
        [repr(float(value)) for value in row]
        for row in level[:, None] + rng.normal(0, noise, (segments, repeats))
    ]


def scored(predictions: list) -> nlgauge.Result:
    return nlgauge.score({"A": predictions}, metrics=NUMBER, show_progress=False)


def test_halves_have_equally_many_repeats_of_each_segment():
    offsets = np.array([0, 4, 6, 9])
    firsts = set()
    for seed in range(20):
        first, second = _sides(offsets, np.random.default_rng(seed))
        assert not (first & second).any()
        for start, stop in pairwise(offsets.tolist()):
            assert first[start:stop].sum() == second[start:stop].sum() == (stop - start) // 2
        firsts.add(tuple(first.tolist()))
    assert len(firsts) > 5


def test_identical_halves_seldom_fail_and_thresholds_do():
    study = aa_study([scored(answers(100, 4, 1))], None, DROPS, divisions=40, resamples=200)
    (row,) = study.rows
    assert sum(row.counts.values()) == 40
    assert row.share("failed")[0] <= 0.1
    assert (study.system, study.answers) == ("A", 2)
    # Halves of two answers differ by a standard deviation of 0.5 * sqrt(2 / 2) / sqrt(100).
    assert row.moves == pytest.approx(1.96 * 0.05, rel=0.15)
    assert row.fails == pytest.approx(0.023, abs=0.02)
    assert row.safe == pytest.approx(2.33 * 0.05, rel=0.2)
    assert "identical runs" in " ".join(str(study).split())


def test_a_margin_below_the_noise_is_inconclusive():
    result = scored(answers(40, 2, 2))
    rule = Rule(margins=(Margin(0.05),))
    (narrow,) = aa_study([result], "A", [Change.read("number drops")], rule, divisions=10, resamples=200).rows
    assert narrow.counts["inconclusive"] >= 6
    assert narrow.fails == 0.5


def test_several_results_of_a_system_are_its_repeats():
    runs = answers(60, 2, 3)
    together = scored(runs)
    apart = [scored([row[number] for row in runs]) for number in range(2)]
    options = {"divisions": 5, "resamples": 100, "seed": 4}
    assert (
        aa_study(apart, None, DROPS, **options).record()
        == aa_study([together], None, DROPS, **options).record()
    )


def test_segments_with_one_prediction_are_left_out():
    runs = answers(50, 2, 5)
    result = scored([*runs, ["1000.0"], ["-1000.0"]])
    options = {"divisions": 3, "resamples": 100}
    assert aa_study([result], None, DROPS, **options).rows[0].moves < 1


def test_a_system_without_repeats_is_refused():
    with pytest.raises(ParameterError, match="one prediction per segment"):
        aa_study([scored([row[0] for row in answers(30, 1, 6)])])
    several = nlgauge.score({"A": ["1"], "B": ["2"]}, metrics=NUMBER, show_progress=False)
    with pytest.raises(ParameterError, match="several systems"):
        aa_study([several])


def test_the_command(tmp_path, monkeypatch):
    enter(tmp_path, monkeypatch)
    references = [f"the cat number {number} sat on the mat" for number in range(30)]
    for day, step in (("monday", 3), ("tuesday", 4)):
        texts = [text.replace("cat", "dog") if i % step == 0 else text for i, text in enumerate(references)]
        write(f"{day}.txt", "".join(f"{text}\n" for text in texts))
        write("ref.txt", "".join(f"{text}\n" for text in references))
        printed("score", "-q", "-m", "chrf", "-r", "ref.txt", f"A={day}.txt", "-o", day)
    found = json.loads(printed("check", "--aa", "monday", "tuesday", "--resamples", "50", "--json"))
    assert found["divisions"] == 100
    assert found["conditions"][0]["condition"] == "chrf worsens"
    assert "require --aa" in refused("check", "monday", "tuesday", "--fail-under", "chrf=1")
    assert "after --aa" in refused("check", "--aa", "monday")
