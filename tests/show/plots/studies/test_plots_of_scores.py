"""bins, sweep, calibration, landscape, topk, stress, hierarchy and power draw the numbers that they are
given, in the order that they promise.
"""

import dataclasses
import itertools

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from nlgauge import plots
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import Findings, Judgments, top_systems
from nlgauge.meta.diagnostics.convert import agreement_curve
from nlgauge.meta.diagnostics.curves import binned
from nlgauge.meta.diagnostics.power import mcnemar_power, williams_power
from nlgauge.meta.diagnostics.stress import stress as stress_test
from nlgauge.meta.papers.cosmic import InformationGraph
from nlgauge.show.plots.results.distributions import auc, quality_groups
from tests.show.plots.drawn import check_readable, lines, words
from tests.show.plots.studies.test_plots_of_agreement import shown_ticks
from tests.show.plots.test_every_plot import graph, judged

NAN = float("nan")


def test_auc_by_counting():
    rng = np.random.default_rng(0)
    for _ in range(20):
        good, bad = rng.integers(0, 6, 7), rng.integers(0, 5, 9)
        wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in itertools.product(good, bad)]
        assert auc(good, bad) == pytest.approx(np.mean(wins))
    assert np.isnan(auc([], [1.0]))


def test_bins_have_medians_counts_and_auc():
    axes = plots.distributions({"good": [3, 4, 5, NAN], "bad": [1, 2, 3.5, 2]}, metric="m")
    ax = axes
    assert shown_ticks(ax.yaxis) == ["good\nn = 3", f"bad\nn = 4, AUC {auc([3, 4, 5], [1, 2, 3.5, 2]):.3f}"]
    assert lines(ax, "median good")[0].tolist() == [[4, 0], [4, 0.5]]
    assert lines(ax, "median bad")[0].tolist() == [[2, -1], [2, -0.5]]
    peaks = [line[np.argmax(line[:, 1]), 0] for line in lines(ax, "_density")]
    assert peaks[0] == pytest.approx(4, abs=0.3)
    assert peaks[1] == pytest.approx(2, abs=0.3)


def test_bins_of_constants_of_nothing_and_of_one_group():
    axes = plots.distributions({"same": [1.0, 1.0], "empty": [NAN]}, metric="m")
    assert "AUC n/a" in " ".join(words(axes))
    check_readable(axes)
    check_readable(plots.distributions({"one": [1.0, 2.0]}))
    with pytest.raises(InputError, match=r"distributions.*group"):
        plots.distributions({})


def test_quality_groups_are_by_the_human_scores():
    given = Judgments.from_arrays(
        [[1, 2, 3], [4, 5, NAN]], {"ter": [[6, 5, 4], [3, 2, 1]]}, higher_is_better={"ter": False}
    )
    found = quality_groups(given, "ter", edges=[3, 5])
    assert {name: values.tolist() for name, values in found.items()} == {
        "human from 5": [-2],
        "human 3 to 5": [-4, -3],
        "human below 3": [-6, -5],
    }
    thirds = quality_groups(judged(), "a$b$")
    assert [len(values) for values in thirds.values()] == [32, 32, 32]
    with pytest.raises(ParameterError, match="ascending order"):
        quality_groups(given, "ter", edges=[5, 3])
    with pytest.raises(InputError, match="no output has both"):
        quality_groups(Judgments.from_arrays([[NAN]], {"m": [[1]]}), "m")


def test_sweep_has_one_line_per_metric_with_its_band():
    given = (("a", 2, 0.4), ("a", 1, 0.3), ("b", 1, NAN), ("b", 2, 0.1))
    rows = [{"metric": name, "t": t, "value": v, "low": v - 0.1, "high": v + 0.2} for name, t, v in given]
    axes = plots.sweep(Findings(rows), "t")
    ax = axes
    assert lines(ax, "a")[0].tolist() == [[1, 0.3], [2, 0.4]]
    assert lines(ax, "b")[0][1].tolist() == [2, 0.1]
    band = next(found for found in ax.collections if found.get_label() == "band a").get_paths()[0].vertices
    assert {(x, round(y, 9)) for x, y in band} == {(1, 0.2), (1, 0.5), (2, 0.3), (2, 0.6)}
    assert {"a", "b", "t"} <= set(words(axes))


def test_sweep_refuses_several_rows_for_one_value_and_other_kinds():
    rows = [{"metric": "a", "t": 1, "value": 0.4}] * 2
    with pytest.raises(InputError, match=r"'t'.*a has several"):
        plots.sweep(Findings(rows), "t")
    with pytest.raises(InputError, match="2 values of 'level'"):
        plots.sweep(Findings([{**rows[0], "level": level} for level in "xy"]), "t")
    assert plots.sweep(Findings(rows[:1]), "t", log=True).get_xscale() == "log"


def test_sweep_tells_many_lines_apart():
    rows = [{"metric": f"metric {i}", "t": t, "value": 0.5 + 0.001 * i} for i in range(30) for t in (1, 2)]
    axes = plots.sweep(Findings(rows), "t")
    check_readable(axes)
    drawn = [line for line in axes.get_lines() if line.get_label().startswith("metric")]
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in drawn[:24]}) == 24
    names = [text for text in axes.texts if text.get_text().startswith("metric")]
    assert [text.get_text() for text in sorted(names, key=lambda text: text.get_window_extent().y0)] == [
        f"metric {i}" for i in range(30)
    ]


def test_calibration_has_bins_curve_and_differences():
    given = judged(systems=14)
    axes = plots.calibration(given, "Ünïcode", resamples=50, accuracies=[0.6, 0.99])
    ax = axes
    x, y = given.metrics["Ünïcode"].mean(axis=1), given.human().mean(axis=1)
    i, j = np.triu_indices(14, 1)
    delta, agrees = np.abs(x[i] - x[j]), ((x[i] - x[j]) * (y[i] - y[j]) > 0).astype(float)
    places = binned(delta, 10)
    points = next(found for found in ax.collections if found.get_label() == "bins").get_offsets()
    assert np.asarray(points) == pytest.approx(
        np.array([[of[places == k].mean() for of in (delta, agrees)] for k in range(10)])
    )
    curve = agreement_curve(given, "Ünïcode", resamples=50)
    (line,) = lines(ax, "curve")
    assert line[:, 1] == pytest.approx([curve.accuracy(d) for d in line[:, 0]])
    assert lines(ax, "0.6")[0][1].tolist() == [pytest.approx(curve.delta(0.6)), 0.6]
    said = " ".join(words(axes))
    assert f"60% agree from {curve.delta(0.6):.3g}" in said
    assert "99%: above the ceiling" in said
    band = next(found for found in ax.collections if found.get_label() == "band").get_paths()[0].vertices
    low, high = curve.accuracy_interval(float(line[60, 0]))
    assert sorted({round(v, 9) for x, v in band if abs(x - line[60, 0]) < 1e-12}) == pytest.approx(
        [low, high]
    )


def test_calibration_of_too_few_systems():
    given = Judgments.from_arrays([[1, 2], [3, 4]], {"m": [[1, 2], [3, 4]]})
    axes = plots.calibration(given, "m", resamples=10)
    assert "80%: n/a, too few pairs" in " ".join(words(axes))
    assert lines(axes, "curve") == []
    check_readable(axes)


def test_landscape_is_from_the_worst_to_the_best_with_unjudged_systems_first():
    humans = np.array([[5.0, 5], [NAN, NAN], [1, 1], [3, 3]])
    scores = np.array([[0.9, 0.7], [0.1, 0.0], [0.3, NAN], [NAN, NAN]])
    given = Judgments.from_arrays(humans, {"m": scores}, systems=["best", "made bad", "worst", "unscored"])
    axes = plots.landscape(given, "m", extremes={"empty": 0.0, "copy": 0.01})
    ax = axes
    assert shown_ticks(ax.xaxis) == ["made bad", "worst", "unscored", "best"]
    assert lines(ax, "best")[0].tolist() == [[3, pytest.approx(0.8)]]
    assert lines(ax, "worst")[0].tolist() == [[1, 0.3]]
    assert [line[:, 1].tolist() for line in lines(ax, "middle half")][-1] == pytest.approx(
        np.quantile([0.9, 0.7], [0.25, 0.75]).tolist()
    )
    assert lines(ax, "judged")[0][0, 0] == 0.5
    assert [line[0, 1] for line in lines(ax, "extreme")] == [0.0, 0.01]
    assert {"empty", "copy", "n/a"} <= set(words(axes))
    check_readable(axes)


def test_landscape_is_not_turned_and_needs_scores_of_segments():
    given = Judgments.from_arrays(
        [[1, 2], [3, 4]], {"ter": [[0.5, 0.7], [0.1, 0.3]]}, higher_is_better={"ter": False}
    )
    axes = plots.landscape(given, "ter")
    assert "ter (lower is better)" in " ".join(words(axes)).replace("\n", " ")
    assert lines(axes, given.systems[0])[0][0, 1] == pytest.approx(0.6)
    with pytest.raises(InputError, match="whole systems"):
        plots.landscape(dataclasses.replace(given, system_scores={"bleu": np.ones(2)}), "bleu")


def test_topk_has_a_line_per_metric():
    found = top_systems(judged())
    axes = plots.topk(found)
    for name in judged().labels:
        rows = found.where(metric=name)
        assert lines(axes, name)[0].tolist() == [[row["k"], row["value"]] for row in rows]
        assert name in words(axes)
    one = plots.topk(found.where(metric="a$b$"))
    assert one.get_title(loc="left") == "a$b$"
    check_readable(one)


def test_stress_has_the_shares_with_ties_apart():
    found = stress_test(
        ["bleu", "chrf"],
        ["the cat sat on the mat", "a dog is not here"],
        ["the cat sat on a mat", "a dog is here"],
        seed=1,
    )
    axes = plots.stress(found)
    assert [ax.get_title(loc="left") for ax in axes] == found.made["metrics"].split(", ")
    for ax in axes:
        rows = found.where(metric=ax.get_title(loc="left")).rows
        assert shown_ticks(axes[0].yaxis) == [f"{row['phenomenon']}, {row['severity']}" for row in rows]
        for place, row in enumerate(rows):
            if row["n"]:
                bars = [
                    patch
                    for patch in ax.patches
                    if patch.get_y() < place < patch.get_y() + patch.get_height()
                ]
                assert [bar.get_width() for bar in bars] == pytest.approx(
                    [row["wins"] / row["n"], row["ties"] / row["n"], row["losses"] / row["n"]]
                )
                assert [bool(bar.get_hatch()) for bar in bars] == [False, True, False]
                assert [row["low"], place] in [line[0].tolist() for line in lines(ax, "interval")]
    assert {"detected", "tied", "preferred the worse text"} <= set(words(axes))


def test_stress_bars_follow_each_other():
    rows = [
        {"metric": "a", "phenomenon": "x", "wins": 5, "detected": 0.5, "tied": 0.3, "low": 0.2, "high": 0.8}
    ]
    ax = plots.stress(Findings(rows))
    assert [bar.get_x() for bar in ax.patches] == pytest.approx([0, 0.5, 0.8])
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([0.5, 0.3, 0.2])
    assert lines(ax, "interval")[0].tolist() == [[0.2, 0], [0.8, 0]]


def test_stress_of_unknown_shares():
    rows = [
        {"metric": m, "phenomenon": p, "detected": d, "tied": d}
        for m, p, d in (("a", "x", NAN), ("b", "y", 0.25))
    ]
    axes = plots.stress(Findings(rows))
    assert words(axes).count("n/a") == 3
    check_readable(axes)


def test_information_graph_has_the_strongest_edges_and_both_averages():
    given = graph(5)
    axes = plots.information_graph(given, quantile=0.7)
    ax = axes
    strongest = [
        edge
        for edge in given.edges()
        if edge.information >= np.quantile([e.information for e in given.edges()], 0.7)
    ]
    arrows = [text for text in ax.texts if not text.get_text()]
    places = {line.get_label(): tuple(line.get_xydata()[0]) for line in ax.get_lines()}
    # The stronger direction of each pair of systems; without deviation over seeds every line is an arrow.
    pairs = {frozenset(edge[:2]): edge for edge in reversed(strongest)}
    assert len(arrows) == len(pairs)
    assert {(tuple(arrow.xyann), tuple(arrow.xy)) for arrow in arrows} == {
        (places[edge.predicting], places[edge.predicted]) for edge in pairs.values()
    }
    assert f"{len(pairs)} strongest pairs of systems, {len(pairs)} with a direction" in words(axes)
    assert {arrow.arrow_patch.get_arrowstyle().__class__.__name__ for arrow in arrows} == {"CurveFilledB"}
    unsure = plots.information_graph(given._replace(seed_deviation=np.full((5, 5), 9.0)), quantile=0.7)
    assert f"{len(pairs)} strongest pairs of systems, 0 with a direction" in words(unsure)
    lines = [text for text in unsure.texts if not text.get_text()]
    assert {line.arrow_patch.get_arrowstyle().__class__.__name__ for line in lines} == {"Curve"}
    nodes = {line.get_label(): line for line in ax.get_lines()}
    best = max(given.outgoing, key=given.outgoing.get)
    assert places[best] == pytest.approx((0, 1))
    scale = axes.figure.axes[1]._colorbar.mappable
    for name, node in nodes.items():
        assert node.get_markerfacecolor() == pytest.approx(scale.to_rgba(given.outgoing[name]))
        assert node.get_markeredgecolor() == pytest.approx(scale.to_rgba(given.incoming[name]))


def test_information_graph_of_two_systems_and_of_unknown_information():
    both = np.array([[NAN, 0.5], [0.2, NAN]])
    check_readable(plots.information_graph(InformationGraph(("a", "b"), both, both), quantile=0.0))
    unknown = np.array([[NAN, 0.5, NAN], [0.5, NAN, NAN], [NAN, NAN, NAN]])
    check_readable(plots.information_graph(InformationGraph(("a", "b", "c"), unknown, unknown)))


def test_power_has_a_line_per_difference_and_the_target():
    rows = [row for r2 in (0.5, 0.6) for row in williams_power(0.8, r2, 0.7, [10, 20], resamples=200)]
    found = Findings(rows, williams_power(0.8, 0.5, 0.7, 10, resamples=10).made, "Power of Williams' test")
    axes = plots.power(found, target=0.9)
    ax = axes
    assert lines(ax, "r2 0.5")[0].tolist() == [[row["n"], row["power"]] for row in rows[:2]]
    assert lines(ax, "r2 0.6")[0].tolist() == [[row["n"], row["power"]] for row in rows[2:]]
    assert lines(ax, "target")[0][:, 1].tolist() == [0.9, 0.9]
    band = next(one for one in ax.collections if one.get_label() == "band r2 0.5").get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(
        min(1, max(row["power"] + 2 * row["standard_error"] for row in rows[:2]))
    )
    assert {"r2 0.5", "r2 0.6", "number of systems", "power at alpha 0.05"} <= set(words(axes))


def test_power_of_accuracies_is_over_items():
    axes = plots.power(mcnemar_power(0.9, 0.8, 0.8, [50, 100, 200]))
    assert "number of items" in words(axes)
    check_readable(axes)
