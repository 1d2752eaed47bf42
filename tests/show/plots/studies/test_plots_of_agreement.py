"""heatmap, scatter, forest, pareto and winmatrix draw the numbers that they are given, in the order that
they promise.
"""

import dataclasses
import itertools

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from scipy.cluster.hierarchy import average, leaves_list, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from nlgauge import plots
from nlgauge.errors import InputError
from nlgauge.meta import Findings, Judgments, compare, correlate, replicate
from nlgauge.meta.diagnostics.costs import frontier
from nlgauge.show.page_data.agreement import agreement
from tests.show.plots.drawn import check_readable, lines, words
from tests.show.plots.test_every_plot import judged

NAN = float("nan")


def shown_ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def square(names, values):
    rows = [
        {"metric": names[i], "other": names[j], "value": values[i][j]}
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    return Findings([{**row, "level": "system", "coefficient": "pearson"} for row in rows])


def test_heatmap_has_the_values_in_the_order_of_average_linkage():
    names = list("abcde")
    r = np.corrcoef(np.random.default_rng(3).normal(size=(5, 9)))
    axes = plots.heatmap(square(names, r))
    tree, ax = axes
    distance = squareform(1 - r, checks=False)
    joins = optimal_leaf_ordering(average(distance), distance)
    order = leaves_list(joins)
    assert shown_ticks(ax.yaxis) == shown_ticks(ax.xaxis) == [names[i] for i in order]
    assert np.asarray(ax.images[0].get_array()) == pytest.approx(r[np.ix_(order, order)])
    assert [text.get_text() for text in ax.texts[:2]] == [
        "1.00",
        f"{r[order[0], order[1]]:.2f}".replace("0.", "."),
    ]
    heights = sorted(max(line.get_ydata()) for line in tree.get_lines())
    assert heights == pytest.approx(joins[:, 2])
    assert "Pearson between metrics, system level" in " ".join(words(axes)).replace("\n", " ")


def test_heatmap_has_the_tree_of_the_report():
    columns = np.random.default_rng(1).normal(size=(5, 3, 9))
    columns[4] = -columns[0]
    report = agreement([{"column": i, "up": True} for i in range(5)], columns)
    tree, below = plots.heatmap(square("abcde", report["spearman"]))
    assert shown_ticks(below.xaxis) == ["abcde"[i] for i in report["order"]]
    heights = sorted(max(line.get_ydata()) for line in tree.get_lines())
    assert heights == pytest.approx([far for _, _, far in report["tree"]], abs=2e-3)
    assert heights[-1] > 1


def test_heatmap_keeps_metrics_that_prefer_opposite_texts_apart():
    r = [[1, 0.1, -0.9], [0.1, 1, 0.2], [-0.9, 0.2, 1]]
    ax = plots.heatmap(square("abc", r))[1]
    ticks = shown_ticks(ax.xaxis)
    assert abs(ticks.index("a") - ticks.index("c")) == 2
    assert "-.90" in [text.get_text() for text in ax.texts]


def test_heatmap_of_unknown_values():
    axes = plots.heatmap(square("ab", [[1, NAN], [NAN, 1]]))
    assert [text.get_text() for text in axes[1].texts] == ["1.00", "n/a", "n/a", "1.00"]
    check_readable(axes)


def test_scatter_has_means_crosses_and_the_coefficient():
    given = judged()
    axes = plots.scatter(given, "a$b$", resamples=200, seed=1)
    ax = axes
    x, y = given.metrics["a$b$"].mean(axis=1), given.human().mean(axis=1)
    (points,) = lines(ax, "systems")
    assert points == pytest.approx(np.column_stack([x, y]))
    assert set(given.systems) <= set(words(axes))
    across, up = (np.array(found.get_segments()) for found in ax.collections[:2])
    assert across[:, 0, 1] == pytest.approx(y)
    assert up[:, 0, 0] == pytest.approx(x)
    assert ((across[:, 0, 0] < x) & (x < across[:, 1, 0])).all()
    assert ((up[:, 0, 1] < y) & (y < up[:, 1, 1])).all()
    error = given.metrics["a$b$"].std(axis=1) / np.sqrt(12)
    assert (across[:, 1, 0] - across[:, 0, 0]) / 2 == pytest.approx(1.96 * error, rel=0.35)
    row = correlate(
        given, "system", "kendall", metrics="a$b$", interval="systems", resamples=200, seed=1
    ).rows[0]
    assert f"Kendall {row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]" in words(axes)


def test_scatter_line_is_that_of_least_squares_within_its_band():
    given = judged()
    ax = plots.scatter(given, "a$b$", resamples=500)
    (line,) = lines(ax, "line")
    x, y = given.metrics["a$b$"].mean(axis=1), given.human().mean(axis=1)
    assert line[:, 1] == pytest.approx(np.polyval(np.polyfit(x, y, 1), line[:, 0]))
    band = next(found for found in ax.collections if found.get_label() == "band").get_paths()[0].vertices
    rng = np.random.default_rng(0)
    resamples = [places for places in rng.integers(8, size=(2000, 8)) if len(set(places)) > 1]
    for at in (line[10, 0], line[25, 0], line[45, 0]):
        low, high = np.quantile(
            [np.polyval(np.polyfit(x[places], y[places], 1), at) for places in resamples], [0.025, 0.975]
        )
        here = band[np.abs(band[:, 0] - at) < 1e-12][:, 1]
        assert (here.min(), here.max()) == pytest.approx((low, high), abs=0.2 * (high - low))


def test_scatter_turns_metrics_and_leaves_out_what_is_unknown():
    values = np.array([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0], [NAN, NAN]])
    given = Judgments.from_arrays(
        [[1, 2], [3, 4], [5, 6], [7, 8]], {"ter": values}, higher_is_better={"ter": False}
    )
    axes = plots.scatter(given, "ter", resamples=20)
    assert lines(axes, "systems")[0].tolist() == [[-3, 1.5], [-2, 3.5], [-1, 5.5]]
    assert "ter (lower is better; negated)" in words(axes)
    assert given.systems[3] not in words(axes)


def test_scatter_of_system_scores_and_of_constants():
    given = dataclasses.replace(judged(2), system_scores={"bleu": np.arange(8.0)})
    assert lines(plots.scatter(given, "bleu", resamples=20), "systems")[0][:, 0].tolist() == list(range(8))
    constant = Judgments.from_arrays([[1, 2], [3, 4]], {"same": np.ones((2, 2))})
    axes = plots.scatter(constant, "same", resamples=20)
    assert "Kendall n/a [n/a, n/a]" in words(axes)
    assert lines(axes, "line") == []


def test_scatter_refuses_groups():
    given = dataclasses.replace(judged(), groups=tuple("ab" * 6))
    with pytest.raises(InputError, match="one group"):
        plots.scatter(given, "a$b$")


def test_forest_has_intervals_best_first_and_one_panel_per_level():
    found = correlate(judged(), coefficient="kendall", resamples=30)
    axes = plots.forest(found)
    assert [ax.get_title(loc="left") for ax in axes] == ["system", "input", "global"]
    first = sorted(found.where(level="system"), key=lambda row: -row["value"])
    assert shown_ticks(axes[0].yaxis) == [row["metric"] for row in first]
    for ax in axes:
        for place, row in enumerate(first):
            own = found.where(level=ax.get_title(loc="left"), metric=row["metric"])[0]
            assert lines(ax, row["metric"])[0].tolist() == [[own["value"], place]]
            assert [own["low"], place] in [line[0].tolist() for line in lines(ax, "interval")]
            assert [own["high"], place] in [line[1].tolist() for line in lines(ax, "interval")]
        assert ax.get_ylim() == (4.5, -0.5)


def test_forest_of_many_panels():
    given = judged(3)
    given = dataclasses.replace(given, humans={"fluency": given.human(), "adequacy": given.human() ** 2})
    axes = plots.forest(correlate(given, coefficient=["kendall", "acc_eq"], resamples=10))
    seen = [ax.get_title(loc="left") for ax in axes if ax.get_visible()]
    assert len(seen) == len(set(seen)) == 12
    assert "fluency, system, kendall" in [title.replace("\n", " ") for title in seen]
    check_readable(axes)


def test_forest_has_ceilings_and_floors():
    rows = [
        {"metric": name, "value": 0.5, "low": 0.4, "high": 0.6, "ceiling": 0.8, "floor": floor}
        for name, floor in (("a", 0.2), ("b", 0.3))
    ]
    axes = plots.forest(Findings(rows))
    ax = axes
    assert lines(ax, "ceiling")[0][:, 0].tolist() == [0.8, 0.8]
    assert sorted(line[0, 0] for line in lines(ax, "floor")) == [0.2, 0.3]
    assert {"ceiling", "floor"} <= set(words(axes))


def test_forest_of_unknown_values_and_of_one_metric():
    rows = [
        {"metric": name, "value": value, "low": NAN, "high": NAN}
        for name, value in (("unknown", NAN), ("known", 0.5))
    ]
    axes = plots.forest(Findings(rows))
    assert shown_ticks(axes.yaxis) == ["known", "unknown"]
    assert "n/a" in words(axes)
    assert "ceiling" not in words(axes)
    check_readable(axes)
    check_readable(plots.forest(Findings(rows[1:])))


def test_the_frontier_is_what_nothing_beats():
    rng = np.random.default_rng(0)
    for _ in range(50):
        times, values = rng.integers(1, 6, 8).astype(float), rng.integers(0, 5, 8).astype(float)
        kept = frontier(times, values)
        for i in range(8):
            beaten = any(
                (times[j] <= times[i] and values[j] >= values[i])
                and (times[j], values[j]) != (times[i], values[i])
                for j in range(8)
            )
            assert ((times[i], values[i]) in {(times[k], values[k]) for k in kept}) == (not beaten)


def test_pareto_has_costs_values_and_the_frontier():
    rows = [
        {"metric": m, "level": "system", "value": v, "low": v - 0.1, "high": v + 0.1}
        for m, v in (("a", 0.3), ("b", 0.6), ("c", 0.5), ("d", NAN))
    ]
    axes = plots.pareto(Findings(rows), {"a": 0.1, "b": 10, "c": 100, "d": 1})
    ax = axes
    assert ax.get_xscale() == "log"
    assert [lines(ax, name)[0].tolist() for name in "abc"] == [[[0.1, 0.3]], [[10, 0.6]], [[100, 0.5]]]
    assert lines(ax, "frontier")[0].tolist() == [[0.1, 0.3], [10, 0.6], [100, 0.6]]
    assert [found.get_segments()[0].tolist() for found in ax.collections] == [
        [[x, pytest.approx(v - 0.1)], [x, pytest.approx(v + 0.1)]]
        for x, v in ((0.1, 0.3), (10, 0.6), (100, 0.5))
    ]
    filled = {
        line.get_label(): line.get_markerfacecolor() != "white"
        for line in ax.get_lines()
        if line.get_label() in "abc"
    }
    assert filled == {"a": True, "b": True, "c": False}
    assert any("without a value: d" in word for word in words(axes))
    assert {"0.1", "1", "10", "100"} <= set(words(axes))
    check_readable(axes)


def test_pareto_of_several_rows_is_their_mean_without_intervals():
    rows = [
        {"metric": "a", "level": level, "value": v, "low": v - 0.1, "high": v + 0.1}
        for level, v in (("system", 0.8), ("input", 0.4))
    ]
    axes = plots.pareto(Findings(rows), {"a": 1.0})
    assert lines(axes, "a")[0].tolist() == [[1.0, pytest.approx(0.6)]]
    assert not axes.collections
    assert "mean of 2 values" in words(axes)


def test_pareto_refuses_a_cost_of_nothing():
    rows = Findings([{"metric": "a", "value": 1.0}, {"metric": "b", "value": 1.0}])
    with pytest.raises(InputError, match=r"above 0.*0 for b"):
        plots.pareto(rows, {"a": 1, "b": 0})
    assert "(cost not known: b)" in plots.pareto(rows, {"a": 1}).get_xlabel()


def test_winmatrix_is_a_triangle_best_first_with_clusters():
    given = judged(metrics=4, systems=12)
    compared = compare(given, resamples=100)
    axes = plots.winmatrix(compared)
    ax = axes
    ranked = compared.clusters()
    names = ranked.column("metric")
    assert shown_ticks(ax.yaxis) == [f"{row['metric']} {row['value']:.2f}" for row in ranked]
    assert shown_ticks(ax.xaxis) == names[:-1]
    p = {frozenset((row["metric"], row["other"])): row["p_adjusted"] for row in compared}
    cells = {(patch.get_x() + 0.5, patch.get_y() + 0.5) for patch in ax.patches}
    assert cells == {(j, i) for i in range(4) for j in range(i)}
    for text in ax.texts[:6]:
        j, i = text.get_position()
        value = p[frozenset((names[i], names[j]))]
        assert text.get_text() == (
            "<.001" if value < 0.001 else f"{value:.{3 if value < 0.1 else 2}f}".replace("0.", ".")
        )
    assert len(lines(ax, "cluster")) == len(set(ranked.column("cluster")))
    assert "claims of new systems" in " ".join(words(axes)).replace("\n", " ")


def test_winmatrix_hatches_what_is_reversed():
    given = judged(metrics=3, systems=12)
    compared = compare(given, resamples=50)
    held_out = replicate(given, splits=2, resamples=50)
    (first, *_) = compared.rows
    rows = [
        {
            **row,
            "reversed": 2 if (row["metric"], row["other"]) == (first["metric"], first["other"]) else 0,
            "kept": 1,
        }
        for row in held_out
    ]
    axes = plots.winmatrix(compared, dataclasses.replace(held_out, rows=rows))
    names = compared.clusters().column("metric")
    hatched = [
        (names[round(p.get_y() + 0.5)], names[round(p.get_x() + 0.5)]) for p in axes.patches if p.get_hatch()
    ]
    assert [set(pair) for pair in hatched] == [{first["metric"], first["other"]}]
    assert "reversed on held-out systems" in words(axes)
    check_readable(axes)


def test_winmatrix_of_unknown_values():
    given = judged(metrics=2)
    given = dataclasses.replace(given, metrics={**given.metrics, "same": np.ones((8, 12))})
    axes = plots.winmatrix(compare(given, resamples=50))
    assert "n/a" in words(axes)
    check_readable(axes)
