"""Decisions by a metric against loops that read like the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.decisions import best_threshold, detect, rerank, three_way, weighted_f
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.resampling import bootstrap

NAN = math.nan
value = st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN])


def cells(systems, inputs):
    return st.lists(st.lists(value, min_size=inputs, max_size=inputs), min_size=systems, max_size=systems)


tables = st.tuples(st.integers(1, 4), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(cells(*shape), cells(*shape))
)


def judgments_of(table):
    human, metric = table
    return Judgments.from_arrays(
        {"human": human}, {"m": (-np.array(metric)).tolist()}, higher_is_better={"m": False}
    )


def f_of(right, kept, wanted, beta=1.0):
    return (1 + beta**2) * right / (kept + beta**2 * wanted) if wanted else NAN


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.booleans()), min_size=1, max_size=10),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_the_best_threshold_by_trying_all(rows, beta):
    scores, wanted = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    found = best_threshold(scores, wanted, beta)
    if not wanted.any():
        assert math.isnan(found)
        return
    tried = {
        one: f_of((wanted & (scores >= one)).sum(), (scores >= one).sum(), wanted.sum(), beta)
        for one in sorted(set(scores.tolist()))
    }
    assert tried[found] == pytest.approx(max(tried.values()))
    assert all(f < tried[found] - 1e-12 for one, f in tried.items() if one > found)


@given(tables)
def test_detection_by_loops(table):
    human, metric = (np.array(side) for side in table)
    if np.isnan(human).all():
        return
    row = detect(judgments_of(table), resamples=5)[0]
    cut = np.nanmax(human)
    known = [
        (s, n)
        for s in range(len(human))
        for n in range(human.shape[1])
        if not math.isnan(human[s, n] + metric[s, n])
    ]
    right = kept = wanted = 0
    for fold in np.array_split(np.random.default_rng(12345).permutation(human.shape[1]), 2):
        others = [cell for cell in known if cell[1] not in fold]
        threshold = best_threshold(
            np.array([metric[cell] for cell in others]),
            np.array([human[cell] >= cut for cell in others], dtype=bool),
        )
        for cell in known:
            if cell[1] in fold:
                right += human[cell] >= cut and metric[cell] >= threshold
                kept += metric[cell] >= threshold
                wanted += human[cell] >= cut
    assert row["f"] == pytest.approx(f_of(right, kept, wanted), nan_ok=True)
    assert row["precision"] == pytest.approx(right / kept if kept else NAN, nan_ok=True)
    assert row["recall"] == pytest.approx(right / wanted if wanted else NAN, nan_ok=True)
    assert row["floor"] == pytest.approx(f_of(wanted, len(known), wanted), nan_ok=True)
    assert (row["n"], row["n_good"], row["n_undefined"]) == (len(known), wanted, human.size - len(known))


def test_thresholds_are_on_the_scale_of_the_metric():
    errors = Judgments.from_arrays(
        {"h": [[1.0, 0.0, 1.0, 0.0]]}, {"errors": [[2.0, 9.0, 2.0, 9.0]]}, higher_is_better={"errors": False}
    )
    row = detect(errors, folds=4)[0]
    assert row["thresholds"] == [2.0] * 4
    assert row["f"] == 1.0


def test_detection_intervals_are_explicit_draws():
    rng = np.random.default_rng(0)
    human = rng.integers(0, 3, (3, 20)).astype(float)
    metric = human + rng.normal(size=(3, 20))
    row = detect(Judgments.from_arrays({"h": human}, {"m": metric}), resamples=200, seed=3)[0]
    thresholds = dict(zip((0, 1), row["thresholds"], strict=True))
    folds = np.array_split(np.random.default_rng(3).permutation(20), 2)
    cut = np.array([thresholds[int(n in folds[1])] for n in range(20)])
    drawn = []
    for counts in bootstrap(3, 20, "inputs", 200, 3).inputs:
        places = np.repeat(np.arange(20), counts.astype(int))
        good, kept = human[:, places] >= 2, metric[:, places] >= cut[places]
        drawn.append(f_of((good & kept).sum(), kept.sum(), good.sum()))
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert row["floor"] < row["f"]


@given(tables)
def test_reranking_by_loops(table):
    human, metric = (np.array(side) for side in table)
    row = rerank(judgments_of(table), resamples=3)[0]
    hits, chances, chosen, means, tops = [], [], [], [], []
    for n in range(human.shape[1]):
        known = [s for s in range(len(human)) if not math.isnan(human[s, n] + metric[s, n])]
        if len(known) < 2:
            continue
        top = max(metric[s, n] for s in known)
        best = max(human[s, n] for s in known)
        ours = [s for s in known if metric[s, n] == top]
        hits.append(np.mean([human[s, n] == best for s in ours]))
        chances.append(np.mean([human[s, n] == best for s in known]))
        chosen.append(np.mean([human[s, n] for s in ours]))
        means.append(np.mean([human[s, n] for s in known]))
        tops.append(best)
    assert row["value"] == pytest.approx(np.mean(hits) if hits else NAN, nan_ok=True)
    assert row["floor"] == pytest.approx(np.mean(chances) if hits else NAN, nan_ok=True)
    room = sum(tops) - sum(means)
    assert row["gained"] == pytest.approx(
        (sum(chosen) - sum(means)) / room if room > 1e-12 else NAN, nan_ok=True
    )
    assert row["n"] + row["n_undefined"] == human.shape[1]


@given(tables)
def test_three_way_by_loops(table):
    human, metric = (np.array(side) for side in table)
    row = three_way(judgments_of(table), resamples=40)[0]
    known = ~np.isnan(human + metric)
    systems = [s for s in range(len(human)) if known[s].any()]
    counts = bootstrap(*human.shape, "inputs", 40, 12345).inputs

    def verdict(values, s, t):
        means = [
            [
                (c * np.where(known[k], values[k], 0)).sum() / (c * known[k]).sum()
                if (c * known[k]).sum()
                else NAN
                for k in (s, t)
            ]
            for c in counts
        ]
        better = np.mean([a - b > 1e-9 for a, b in means])
        worse = np.mean([b - a > 1e-9 for a, b in means])
        return "better" if better > 0.95 else "worse" if worse > 0.95 else "none"

    pairs = [(verdict(human, s, t), verdict(metric, s, t)) for s in systems for t in systems if s != t]
    f = 0.0
    for kind in ("better", "worse", "none"):
        true, given_, right = (
            sum(a == kind for a, _ in pairs),
            sum(b == kind for _, b in pairs),
            sum(a == b == kind for a, b in pairs),
        )
        f += true * (2 * right / (true + given_) if true + given_ else 0)
    assert row["f"] == pytest.approx(f / len(pairs) if pairs else NAN, nan_ok=True)
    if pairs:
        assert row["agreed"] == pytest.approx(np.mean([a == b for a, b in pairs]))
        assert row["reversed"] == pytest.approx(np.mean([{a, b} == {"better", "worse"} for a, b in pairs]))
        assert row["agreed"] + row["reversed"] + row["missed"] + row["overclaimed"] == pytest.approx(1.0)
    assert row["n_pairs"] == len(pairs) / 2


def test_the_order_of_systems_does_not_matter():
    rng = np.random.default_rng(4)
    human = np.arange(5)[:, None] / 3 + rng.normal(size=(5, 40))
    judgments = Judgments.from_arrays({"h": human}, {"m": human + rng.normal(size=(5, 40))})
    turned = judgments.only(systems=judgments.systems[::-1])
    assert three_way(judgments)[0] == three_way(turned)[0]
    assert three_way(judgments)[0]["f"] > three_way(judgments)[0]["floor"]


def test_systems_of_different_groups_are_not_compared():
    rng = np.random.default_rng(4)
    human = np.arange(4)[:, None] / 3 + rng.normal(size=(4, 60))
    human[2:, :30] = human[:2, 30:] = NAN
    judgments = Judgments.from_arrays(
        {"h": human}, {"m": human + rng.normal(size=(4, 60))}, groups=["a"] * 30 + ["b"] * 30
    )
    row = three_way(judgments)[0]
    assert row["n_pairs"] == 2
    assert row["agreed"] + row["reversed"] + row["missed"] + row["overclaimed"] == pytest.approx(1.0)


def test_weighted_f():
    # Computed by hand: F = 2/3, 0, 4/5 of classes with 2, 1, 2 members.
    counts = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]])
    assert weighted_f(counts) == pytest.approx((2 * 2 / 3 + 2 * 4 / 5) / 5)
    assert math.isnan(weighted_f(np.zeros((3, 3))))


def test_bad_input():
    judgments = Judgments.from_arrays({"h": [[1.0, 2.0], [2.0, 1.0]]}, {"m": [[1.0, 2.0], [2.0, 1.0]]})
    with pytest.raises(ParameterError, match="folds"):
        detect(judgments, folds=3)
    with pytest.raises(ParameterError, match="beta"):
        detect(judgments, beta=0)
    with pytest.raises(ParameterError, match="confidence"):
        three_way(judgments, confidence=0.5)
    with pytest.raises(ParameterError, match="resamples"):
        rerank(judgments, resamples=0)
    with pytest.raises(InputError, match="'h' has no scores"):
        detect(Judgments.from_arrays({"h": [[NAN, NAN]]}, {"m": [[1.0, 2.0]]}))
    assert math.isnan(detect(judgments, good=9.0)[0]["f"])
