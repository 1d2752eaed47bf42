"""Figures of the COSMIC paper, and the tree of metrics."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from nlgauge import plots
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import fano_floor
from nlgauge.meta.papers.cosmic import InformationGraph, RankedSystem
from nlgauge.metric.card import card, list_metrics
from tests.show.plots.drawn import check_readable, lines, words

SYSTEMS = [RankedSystem(f"sys_{i}$", 5.0 - i, 4.5 - i, 5.5 - i, 0.1, 50, 100) for i in range(4)]


def test_by_model_groups_systems_and_marks_the_best():
    groups = {"sys_0$": "cnn", "sys_1$": "xsum", "sys_2$": "cnn", "sys_3$": "xsum"}
    ax = plots.by_model(SYSTEMS, groups, {"sys_0$": 1e8, "sys_2$": 1e10})
    check_readable(ax.figure)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "sys_0$ (cnn)",
        "sys_2$ (cnn)",
        "sys_1$ (xsum)",
        "sys_3$ (xsum)",
    ]
    assert lines(ax, "sys_2$")[0].tolist() == [[3.0, 1.0]]
    assert [line[:, 0].tolist() for line in lines(ax, "interval")] == [
        [4.5, 5.5],
        [2.5, 3.5],
        [3.5, 4.5],
        [1.5, 2.5],
    ]
    assert lines(ax, "best")[0][0][0] == 5.0
    sizes = [bar.get_width() for bar in ax.patches]
    assert sizes[0] < sizes[1] == 5.0
    assert "the most by sys_0$" in plots.alt(ax)
    assert [label.get_text() for label in plots.by_model({"a": 1.0, "b": math.nan}).get_yticklabels()] == [
        "a",
        "b",
    ]
    with pytest.raises(InputError, match="by_model needs"):
        plots.by_model({})


def test_an_information_graph_names_the_systems():
    information = np.random.default_rng(0).gamma(2, 0.5, (5, 5))
    np.fill_diagonal(information, np.nan)
    axes = plots.information_graph(InformationGraph(tuple("ABCDE"), information, np.zeros((5, 5))))
    assert {line.get_label() for line in axes.get_lines()} == set("ABCDE")
    assert f"A {np.nanmean(information[0]):.2f}" in plots.alt(axes)


def test_error_bound_has_a_line_for_each_number_of_classes_and_the_systems_on_them():
    ax = plots.error_bound({"A_$": 1.0, "B": 0.3, "C": math.nan}, (2, 10))
    check_readable(ax.figure)
    line = lines(ax, "10 classes")[0]
    assert line[:, 1] == pytest.approx([fano_floor(nats, 10) for nats in line[:, 0]])
    assert (np.diff(line[:, 1]) <= 1e-12).all()
    assert lines(ax, "_systems 2")[0] == pytest.approx(
        np.array([[1.0, fano_floor(1.0, 2)], [0.3, fano_floor(0.3, 2)]])
    )
    assert {"A_$", "B"} <= set(words(ax.figure))
    check_readable(plots.error_bound().figure)
    with pytest.raises(ParameterError, match=r"classes.*2"):
        plots.error_bound(classes=[1])


def test_an_embedding_map_has_the_two_widest_directions():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(300, 5)) * [9, 4, 1, 0.5, 0.1]
    ax = plots.embedding_map({"source": wide[:200], "s_$": wide[200:]})
    check_readable(ax.figure)
    drawn = np.concatenate([lines(ax, "source")[0], lines(ax, "s_$")[0]])
    assert len(drawn) == 300
    _, spread, _ = np.linalg.svd(wide - wide.mean(axis=0), full_matrices=False)
    assert np.linalg.norm(drawn, axis=0) == pytest.approx(spread[:2])
    again = plots.embedding_map({"source": wide[:200], "s_$": wide[200:]}, most=50)
    assert len(lines(again, "source")[0]) == 50
    for bad in ({}, {"a": np.zeros((4, 2)), "b": np.zeros((4, 3))}, {"a": np.zeros((2, 5))}):
        with pytest.raises(InputError, match="embedding_map needs"):
            plots.embedding_map(bad)


@pytest.mark.parametrize("by", ["category", "task", "quality"])
def test_the_tree_has_every_metric_under_each_of_its_branches(by: str):
    ax = plots.taxonomy(by=by)
    check_readable(ax.figure)
    named = [
        name for text in ax.texts if text.get_label() == "names" for name in text.get_text().split(",  ")
    ]
    field = {"category": "categories", "task": "tasks", "quality": "qualities"}[by]
    cards = [card(name) for name in list_metrics()]
    assert sorted(named) == sorted(
        one.name for one in cards for _ in dict.fromkeys(value.value for value in getattr(one, field))
    )
    branches = {value.value for one in cards for value in getattr(one, field)}
    assert branches <= {text.get_text() for text in ax.texts}
    with pytest.raises(InputError, match=r"category.*task"):
        plots.taxonomy(by="x")
    with pytest.raises(InputError, match=r"taxonomy.*card"):
        plots.taxonomy([])


@pytest.mark.parametrize(
    ("by", "branch", "condition"),
    [
        ("context", "context-dependent", {"needs_source": True}),
        ("context", "context-free", {"needs_source": False}),
        ("references", "reference-based", {"needs_references": True}),
        ("references", "reference-free", {"needs_references": False}),
        ("training", "trained", {"trained": True}),
        ("training", "untrained", {"trained": False}),
        ("supervision", "supervised", {"unsupervised": False}),
        ("supervision", "unsupervised", {"unsupervised": True}),
    ],
)
def test_the_criteria_of_the_tree_are_the_filters_of_the_list(
    by: str, branch: str, condition: dict[str, bool]
):
    assert f"{branch} {len(list_metrics(**condition))}" in plots.alt(plots.taxonomy(by=by))
