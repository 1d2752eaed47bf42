"""The plots of meta-evaluation in the place of an axes: the same marks, and what is seen in words."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from nlgauge import plots
from nlgauge.meta import Findings, Judgments, compare, correlate, top_systems, williams_power
from nlgauge.show.plots import meta as figures
from tests.show.plots.drawn import check_readable, words

RNG = np.random.default_rng(0)
QUALITY = RNG.normal(size=(8, 1))
JUDGED = Judgments.from_arrays(
    {"adequacy": QUALITY + RNG.normal(size=(8, 12))},
    {f"m_{i}$": QUALITY * i + RNG.normal(size=(8, 12)) for i in range(3)},
)
SWEPT = Findings(
    [
        {"metric": name, "k": k, "value": k / 10, "low": k / 10 - 0.1, "high": k / 10 + 0.1}
        for name in "ab"
        for k in (1, 2, 3)
    ]
)
STRESSED = Findings(
    [
        {"metric": "a_$", "phenomenon": kind, "detected": 0.5, "tied": 0.2, "low": 0.4, "high": 0.6}
        for kind in ("negation", "number")
    ]
)

# The name, what is given, and options.
GIVEN = {
    "scatter": ((JUDGED, "m_1$"), {"resamples": 20}),
    "winmatrix": ((compare(JUDGED, resamples=20),), {}),
    "pareto": (
        (correlate(JUDGED, "system", "kendall", resamples=20), {f"m_{i}$": 2.0**i for i in range(3)}),
        {},
    ),
    "calibration": ((JUDGED, "m_1$"), {"resamples": 20}),
    "landscape": ((JUDGED, "m_1$"), {"extremes": {"empty": 0.0}}),
    "topk": ((top_systems(JUDGED),), {}),
    "stress": ((STRESSED,), {}),
    "power": ((williams_power(r1=0.7, r2=0.6, r12=0.8, n=[8, 16], resamples=20),), {}),
    "sweep": ((SWEPT, "k"), {}),
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_plot_is_that_of_meta_evaluation(name: str) -> None:
    given, options = GIVEN[name]
    axes = getattr(plots, name)(*given, **options)
    figure = np.atleast_1d(axes).flat[0].figure.figure
    assert words(figure) == words(getattr(figures, name)(*given, **options))
    check_readable(figure)
    assert plots.alt(axes).endswith(".")


@pytest.mark.parametrize("name", GIVEN)
def test_it_takes_the_place_of_an_axes(name: str) -> None:
    given, options = GIVEN[name]
    whole = Figure(figsize=(14, 6), layout="constrained")
    left, right = whole.subplots(1, 2)
    right.set_title("mine")
    axes = getattr(plots, name)(*given, ax=left, **options)
    assert "mine" in words(whole)
    assert len(words(whole)) > len(words(getattr(figures, name)(*given, **options))) / 2
    assert np.atleast_1d(axes).flat[0].get_position().x1 <= 1


def test_an_axes_without_a_grid_may_be_replaced_too() -> None:
    whole = Figure(figsize=(6, 4))
    axes = plots.sweep(SWEPT, "k", ax=whole.add_axes((0.1, 0.1, 0.8, 0.8)))
    assert [line.get_ydata().tolist() for line in axes.get_lines() if line.get_label() == "a"] == [
        [0.1, 0.2, 0.3]
    ]
