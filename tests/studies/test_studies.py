"""The studies in studies/ on tiny models: their tables, that nothing is computed twice, and their
correlations.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from nlgauge.meta.benchmarks import load
from nlgauge.metric import Arrays, Metric, View
from nlgauge.metrics.infolm import InfoLM
from studies import data, infolm
from studies.__main__ import main
from studies.study import columns, interval, system_level, table, text_level

RNG = np.random.default_rng(1)
METRIC = RNG.normal(size=(6, 9))
HUMAN = METRIC + RNG.normal(size=(6, 9))


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's sample in place of every benchmark."""
    monkeypatch.setattr(data, "load", lambda name: load("sample"))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The predictions that InfoLM computed rows of."""
    found: list[str] = []
    monkeypatch.setattr(InfoLM, "statistics", _noted(InfoLM.statistics, found))
    return found


def _noted(
    compute: Callable[[Metric, View, Arrays], Arrays], found: list[str]
) -> Callable[[Metric, View, Arrays], Arrays]:
    def statistics(metric: Metric, view: View, fitted: Arrays) -> Arrays:
        found.extend(view.text(text) for text in view.predictions)
        return compute(metric, view, fitted)

    return statistics


def test_infolm(
    sample: None,
    read: list[str],
    statistics_file: Path,
    tiny_models: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where a system lacks a segment: it does in WebNLG 2020."""
    rows = data.segments("webnlg2020_en", 3)
    del next(iter(rows.values()))["baseline"]
    monkeypatch.setattr(data, "segments", lambda name, count: rows)
    monkeypatch.setattr(infolm, "TEMPERATURES", (1.0,))
    monkeypatch.setattr(infolm, "DIMENSIONS", {"webnlg2020_en": ("fluency",)})
    chosen = infolm.metrics
    monkeypatch.setattr(
        infolm, "metrics", lambda model: [spec for spec in chosen(model) if "minilm" not in spec]
    )
    first = infolm.report("webnlg2020_en", str(tiny_models["causal"]), 3, lower=True)
    computed = len(read)
    assert computed and all(text == text.lower() for text in read)
    assert infolm.report("webnlg2020_en", str(tiny_models["causal"]), 3, lower=True) == first
    assert len(read) == computed
    names = [line.partition(" | ")[0][2:] for line in first.splitlines()[4:]]
    assert names == [
        *(f"infolm {measure}, T = 1.0" for measure in infolm.MEASURES),
        "chrf",
        "rouge1",
        "rouge2",
        "rougeL",
    ]


@pytest.mark.parametrize("name", ["infolm", "hidden_labels"])
def test_command_line_calls_every_study(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = import_module(f"studies.{name}")
    taken = set(signature(module.report).parameters)
    monkeypatch.setattr(module, "report", lambda **given: f"called: {set(given) == taken}")
    monkeypatch.setattr("sys.argv", ["studies", name])
    main()
    assert capsys.readouterr().out == "called: True\n"


def test_levels() -> None:
    assert system_level(METRIC, HUMAN, "kendall") == pytest.approx(
        kendalltau(METRIC.mean(axis=1), HUMAN.mean(axis=1)).statistic
    )
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
