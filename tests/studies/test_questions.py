"""Answers to three questions: the statistics of the study on data whose answer is known."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from human_judgments import path_of

from nlgauge.meta import Judgments
from studies import questions
from studies.questions import Set, Verdict, shared, verdicts, weights


def made(name: str, seed: int) -> Set:
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(6, 40))
    scores = {"good": human + rng.normal(size=human.shape), "bad": rng.normal(size=human.shape)}
    scores |= {"down": -human + 2 * rng.normal(size=human.shape), "flat": np.ones(human.shape)}
    judged = Judgments.from_arrays(human, scores, higher_is_better={"down": False, "bad": None})
    return Set(name, judged, "input", "kendall")


def test_metrics_without_a_direction_or_spread_take_no_part():
    assert shared([made("one", 1), made("two", 2)]) == ["good", "down"]


def test_the_combination_weighs_the_better_metric_more_and_is_better_on_a_held_out_set():
    training, held_out = [made("one", 1), made("two", 2)], made("three", 3)
    found = weights(training, ["good", "down"])
    assert found[0] > found[1] > 0
    values = np.tensordot(found, np.stack([held_out.standard(name) for name in ("good", "down")]), 1)
    delta, low, high = held_out.difference(values, held_out.standard("good"))
    assert low < delta < high
    assert delta == pytest.approx(held_out.agreement(values) - held_out.agreement(held_out.standard("good")))
    assert delta > 0


def test_a_gain_is_clear_only_if_its_interval_excludes_0():
    assert "better;" in questions._mean_gain("a", "b", np.array([0.1, 0.2, 0.15]))
    assert "no clear difference; better on 1 of 3 sets" in questions._mean_gain(
        "a", "b", np.array([0.1, -0.2, -0.05])
    )
    assert "worse;" in questions._mean_gain("a", "b", np.array([-0.1, -0.2, -0.15]))


def test_verdicts_have_both_orders_and_the_longer_output(tmp_path: Path):
    sides = {"output_1": "one", "output_2": "one two"}
    pairs, given = [], []
    for name, label, shown, swapped in (("a", 2, "1", "2"), ("b", 1, "1", "1")):
        better, worse = (f"output_{number}" for number in (label, 3 - label))
        of = {
            side: {"system": system, "text": sides[system]}
            for side, system in (("better", better), ("worse", worse))
        }
        pairs.append({"segment": name, **of, "meta": {"label": label}})
        both = {"J.Vanilla": shown, "J.Vanilla|swapped": swapped, "J.Once": "1"}
        given.append({"segment": name, "verdicts": both})
    for name, records in (("llmbar", pairs), ("llmbar.peer_metrics", given)):
        text = "\n".join(map(json.dumps, records))
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert verdicts(tmp_path) == {"J.Vanilla": [Verdict(2, "1", "2", 2), Verdict(1, "1", "1", 2)]}
    row = questions.drift(tmp_path)[2]
    # Of the two pairs one is contradicted, and there the first output shown won in both orders.
    assert row.startswith(
        "| J | 2 | 75.0% | 50.0% [9.5, 90.5] | 100.0% [20.7, 100.0] | 50.0% | 100.0% | -50.0 ["
    )


@pytest.mark.parametrize(
    ("subset", "expected"),
    [("Natural", {"GPT-4": 95.5, "ChatGPT": 81.5}), ("Adversarial", {"GPT-4": 81.0, "ChatGPT": 27.0})],
)
def test_judges_of_llmbar_are_right_as_often_as_published(
    subset: str, expected: dict[str, float], tmp_path: Path
):
    """The notes of the benchmark: accuracy with the prompt Vanilla, both orders of each pair."""
    (tmp_path / "llmbar.jsonl.gz").write_bytes(path_of("llmbar").read_bytes())
    lines = gzip.decompress(path_of("llmbar.peer_metrics").read_bytes()).decode().splitlines(keepends=True)
    chosen = [line for line in lines if json.loads(line)["segment"].startswith(f"{subset}")]
    (tmp_path / "llmbar.peer_metrics.jsonl.gz").write_bytes(gzip.compress("".join(chosen).encode()))
    found = verdicts(tmp_path)
    for judge, share in expected.items():
        replies = [
            (reply, one.right) for one in found[f"{judge}.Vanilla"] for reply in (one.shown, one.swapped)
        ]
        right = sum(reply == str(label) for reply, label in replies)
        assert round(100 * right / len(replies), 1) == share
