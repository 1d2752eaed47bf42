"""cost: seconds beside agreement, and the frontier."""

from __future__ import annotations

import math

import pytest

from nlgauge.errors import InputError
from nlgauge.meta import Findings, benchmarks, cost, seconds_per_thousand

ROWS = [
    {"metric": metric, "level": level, "human": "q", "value": value, "low": value - 0.1, "high": value + 0.1}
    for metric, values in {"a": (0.2, 0.4), "b": (0.5, 0.7), "c": (0.1, math.nan)}.items()
    for level, value in zip(("system", "global"), values, strict=True)
]
SECONDS = {"a": 2.0, "b": 3.0, "c": 1.0, "unused": 9.0}


def test_several_rows_of_a_metric_have_their_mean_and_no_interval() -> None:
    found = cost(Findings(ROWS, {"seed": 5}), SECONDS)
    assert found.column("metric") == ["c", "a", "b"]
    assert found.column("seconds_per_1000") == [1.0, 2.0, 3.0]
    assert found.column("value")[1:] == pytest.approx([0.3, 0.6])
    assert math.isnan(found[0]["value"])
    assert all(math.isnan(row["low"]) and row["n_values"] == 2 for row in found)
    assert found.column("frontier") == [False, True, True]
    assert found[0]["human"] == "q"
    assert "level" not in found.names
    assert (found.made["analysis"], found.made["seed"]) == ("cost", 5)


def test_one_row_of_a_metric_keeps_its_interval() -> None:
    found = cost(Findings(ROWS).where(level="system"), SECONDS)
    assert [(row["metric"], round(row["low"], 1), row["level"], row["frontier"]) for row in found] == [
        ("c", 0.0, "system", True),
        ("a", 0.1, "system", True),
        ("b", 0.4, "system", True),
    ]


@pytest.mark.parametrize("seconds", [{"a": 2, "b": 1}, {"a": 2, "b": 1, "c": math.nan}])
def test_a_metric_whose_seconds_are_not_known_keeps_its_row(seconds: dict[str, float]) -> None:
    found = cost(Findings(ROWS).where(level="system"), seconds)
    assert [(row["metric"], row["value"], row["frontier"]) for row in found] == [
        ("b", 0.5, True),
        ("a", 0.2, False),
        ("c", 0.1, None),
    ]
    assert math.isnan(found[2]["seconds_per_1000"])
    assert found.notes[0].startswith("The cost of c is not known")
    assert not cost(Findings(ROWS), SECONDS).notes
    assert cost(Findings(ROWS), {}).column("frontier") == [None] * 3
    with pytest.raises(InputError, match=r"above 0.*0 for c"):
        cost(Findings(ROWS), {"a": 1, "b": 1, "c": 0})


def test_a_plot_names_the_metrics_whose_cost_is_not_known() -> None:
    pytest.importorskip("matplotlib")
    from nlgauge import plots

    ax = plots.pareto(cost(Findings(ROWS).where(level="system"), {"a": 2, "b": 1}))
    assert "(cost not known: c)" in ax.get_xlabel()
    assert not {text.get_text() for text in ax.texts} & {"c"}
    with pytest.raises(InputError, match="none is known"):
        plots.pareto(cost(Findings(ROWS), {}))


def test_seconds_of_a_benchmark_are_of_its_texts() -> None:
    (result,) = benchmarks.load("sample").score("chrf", "rouge").values()
    seconds = seconds_per_thousand(result)
    assert seconds["chrf"] == pytest.approx(result.costs.alone("chrf") * 1000 / 96)
    assert seconds["rouge"] == seconds["rouge.rouge2"] > 0
    assert seconds_per_thousand(result, result) == pytest.approx(seconds)
    assert seconds_per_thousand() == {}


def test_a_plot_needs_seconds() -> None:
    pytest.importorskip("matplotlib")
    from nlgauge import plots

    with pytest.raises(InputError, match="pareto needs the seconds"):
        plots.pareto(Findings(ROWS))
    assert cost(Findings(ROWS), SECONDS).plot().get_title(loc="left") == "Agreement and cost"


def test_co2_takes_the_place_of_seconds() -> None:
    grams = {"a": 5.0, "b": 0.5, "c": 7.0}
    found = cost(Findings(ROWS).where(level="system"), SECONDS, grams)
    assert found.column("metric") == ["b", "a", "c"]
    assert found.column("co2_grams_per_1000") == [0.5, 5.0, 7.0]
    assert found.column("seconds_per_1000") == [3.0, 2.0, 1.0]
    assert found.column("frontier") == [True, False, False]
    lacking = cost(Findings(ROWS).where(level="system"), SECONDS, {"a": 1.0, "b": 2.0})
    assert (lacking.column("metric"), lacking.column("frontier")) == (["a", "b", "c"], [True, True, None])


def test_a_plot_of_co2_needs_seconds_too() -> None:
    pytest.importorskip("matplotlib")
    from nlgauge import plots

    found = Findings(ROWS).where(level="system")
    grams = {"a": 5.0, "b": 0.5, "c": 7.0}
    assert plots.pareto(found, SECONDS, grams).get_xlabel() == "grams of CO2-equivalents per 1,000 texts"
    with pytest.raises(InputError, match="pareto needs the seconds"):
        plots.pareto(cost(found, SECONDS), co2=grams)
