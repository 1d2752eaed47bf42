"""What the studies in studies/ rest on: work that is taken up where it stopped, and correlations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from studies.study import columns, interval, resumable, system_level, table, text_level

RNG = np.random.default_rng(1)
METRIC = RNG.normal(size=(6, 9))
HUMAN = METRIC + RNG.normal(size=(6, 9))


def test_what_was_done_is_not_done_again(tmp_path: Path) -> None:
    done: list[str] = []

    def compute(one: str) -> int:
        done.append(one)
        if one == "c":
            raise KeyboardInterrupt
        return ord(one)

    path = tmp_path / "work" / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        resumable(path, "metric", "abcd", compute)
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"id": "c", "val')  # stopped while it wrote
    assert resumable(path, "metric", "abcd", ord) == {"a": 97, "b": 98, "c": 99, "d": 100}
    assert resumable(path, "metric", "da", compute) == {"d": 100, "a": 97}
    assert done == ["a", "b", "c"]
    assert len([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]) == 5
    with pytest.raises(SystemExit, match="holds another run"):
        resumable(path, "another metric", "a", compute)


def test_levels() -> None:
    assert system_level(METRIC, HUMAN, "kendall") == pytest.approx(kendalltau(METRIC.mean(axis=1), HUMAN.mean(axis=1)).statistic)
    by_text = [pearsonr(METRIC[:, i], HUMAN[:, i]).statistic for i in range(9)]
    assert text_level(METRIC, HUMAN, "pearson") == pytest.approx(np.mean(by_text))


def test_what_is_missing_or_constant_is_left_out() -> None:
    metric, human = METRIC.copy(), HUMAN.copy()
    metric[2, 0] = np.nan
    human[:, 1] = 3.0
    by_text = [pearsonr(np.delete(METRIC[:, 0], 2), np.delete(HUMAN[:, 0], 2)).statistic]
    by_text += [pearsonr(METRIC[:, i], HUMAN[:, i]).statistic for i in range(2, 9)]
    assert text_level(metric, human, "pearson") == pytest.approx(np.mean(by_text))


def test_interval_holds_the_value_and_is_the_same_each_time() -> None:
    low, high = interval(METRIC, HUMAN, text_level, "pearson", 200)
    assert low < text_level(METRIC, HUMAN, "pearson") < high
    assert (low, high) == interval(METRIC, HUMAN, text_level, "pearson", 200)


def test_columns_and_table() -> None:
    values = {"s1": {"A": {"x": 1.0}, "B": {"x": 2.0}}, "s2": {"A": {"x": 3.0}}}
    np.testing.assert_array_equal(columns(values, ["A", "B"], "x"), [[1, 3], [2, np.nan]])
    assert table(["a", "b"], [["x", 0.5]]) == "| a | b |\n| --- | --- |\n| x | 0.5000 |"
