"""Which segments to label next: the allocation against all others, the probabilities, and that estimates
stay right.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import estimate, segments_to_label
from nlgauge.meta.labeling.selection import allocation

NOTHING = np.full((2, 100), np.nan)


def scores(seed: int, segments: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Two metrics, of which the second has the other sign, and human scores that they predict badly where
    they are low.
    """
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=segments) + 0.5 * rng.normal(size=(2, segments))
    metrics = np.array([latent, -latent]) + 0.3 * rng.normal(size=(2, 2, segments))
    return latent + np.where(latent < -0.5, 2.0, 0.2) * rng.normal(size=(2, segments)), metrics


def test_of_strata_that_gain_as_much_the_one_with_fewer_labels_for_its_size_is_first() -> None:
    assert allocation(np.array([50, 100]), np.array([2.0, 1.0]), np.array([0, 0]), 21).tolist() == [10, 11]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_no_other_allocation_has_a_smaller_variance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, deviations = rng.integers(3, 9, 3), rng.uniform(0.1, 3.0, 3)
    before = rng.integers(0, 3, 3)
    count = (
        int(rng.integers(6, sizes.sum() - before.sum() + 1))
        if sizes.sum() - before.sum() >= 6
        else int(sizes.sum() - before.sum())
    )
    total = allocation(sizes, deviations, before, count)

    def variance(labels: np.ndarray) -> float:
        return float((sizes**2 * deviations**2 * (1 / labels - 1 / sizes)).sum())

    assert total.sum() == before.sum() + count
    assert (total >= np.maximum(before, 2)).all()
    possible = (
        np.array(one)
        for one in product(*(range(max(low, 2), high + 1) for low, high in zip(before, sizes, strict=True)))
    )
    assert variance(total) == pytest.approx(
        min(variance(one) for one in possible if one.sum() == total.sum())
    )


def test_without_labels_every_segment_is_as_probable() -> None:
    _, metrics = scores(0)
    found = segments_to_label(NOTHING, 30, metrics, segments=[f"s{number}" for number in range(100)])
    assert sum(found.column("proposed")) == 30
    assert set(found.column("probability")) == {0.3}
    assert found[7]["segment"] == "s7"
    assert found.made["strata"] == 5
    assert np.bincount(found.column("stratum")).tolist() == [0, 20, 20, 20, 20, 20]


def test_strata_follow_the_metrics_whatever_their_sign() -> None:
    _, metrics = scores(1)
    found = segments_to_label(NOTHING, 30, metrics)
    predicted = (metrics[0] - metrics[1]).mean(axis=0)
    assert abs(np.corrcoef(found.column("stratum"), predicted)[0, 1]) > 0.9
    apart = segments_to_label(NOTHING, 30, metrics, of="differences")
    gap = np.abs((metrics[0] - metrics[1])[0] - (metrics[0] - metrics[1])[1])
    assert np.corrcoef(apart.column("stratum"), gap)[0, 1] > 0.8


def test_labels_go_where_predictions_are_bad() -> None:
    human, metrics = scores(2)
    labeled = np.isin(np.arange(100), np.random.default_rng(0).choice(100, 30, replace=False))
    found = segments_to_label(np.where(labeled, human, np.nan), 20, metrics)
    chances = np.array(found.column("probability"))
    low, high = (
        chances[np.argsort(metrics[0].mean(axis=0))[:20]].mean(),
        chances[np.argsort(metrics[0].mean(axis=0))[-20:]].mean(),
    )
    assert low > 1.5 * high
    assert not any(row["proposed"] and row["labeled"] for row in found)
    together = np.array([row["proposed"] or row["labeled"] for row in found])
    assert together.sum() == 50
    # Labeled ones, each counted as often as it stands for others, are all of them.
    assert (1 / chances[together]).sum() == pytest.approx(100)


def test_the_same_seed_proposes_the_same_segments() -> None:
    human, metrics = scores(3)
    partly = np.where(np.arange(100) < 20, human, np.nan)
    first, again, other = (
        segments_to_label(partly, 10, metrics, seed=seed).column("proposed") for seed in (1, 1, 2)
    )
    assert first == again != other


def test_estimates_from_proposed_segments_are_right() -> None:
    """Drawn at random, then proposed: no bias beyond four standard errors, and intervals that hold as
    often as they say.
    """
    human, metrics = scores(4, segments=150)
    rng = np.random.default_rng(5)
    errors, hits, resamples = [], 0, 200
    for _ in range(resamples):
        labeled = np.isin(np.arange(150), rng.choice(150, 20, replace=False))
        proposal = segments_to_label(
            np.where(labeled, human, np.nan), 30, metrics, seed=int(rng.integers(2**32))
        )
        labeled |= np.array(proposal.column("proposed"))
        partly = np.where(labeled, human, np.nan)
        row = estimate(
            partly,
            metrics,
            generalize_to="none",
            probabilities=proposal.column("probability"),
            seed=int(rng.integers(2**32)),
        )[0]
        errors.append(row["estimate"] - human[0].mean())
        hits += row["low"] <= human[0].mean() <= row["high"]
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(resamples)
    assert hits >= stats.binom.ppf(1e-4, resamples, 0.94)


def test_segments_without_outputs_are_not_proposed() -> None:
    _, metrics = scores(6)
    metrics[:, :, 90:] = np.nan
    found = segments_to_label(NOTHING, 90, metrics)
    assert found.column("proposed") == [True] * 90 + [False] * 10
    assert np.isnan(found[95]["probability"])
    assert found[95]["stratum"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "number of segments.*1 to 100"),
        ({"count": 101}, "from 1 to 100"),
        ({"strata": 0}, "strata must be"),
        ({"of": "ranks"}, "of must be"),
        ({"segments": ["a"]}, "segments has 1 names"),
        ({"metrics": {}}, "at least one metric"),
    ],
)
def test_what_cannot_be_is_refused(options: dict, message: str) -> None:
    _, metrics = scores(0)
    with pytest.raises((InputError, ParameterError), match=message):
        segments_to_label(**{"judgments": NOTHING, "metrics": metrics, "count": 10, **options})


def test_segments_must_be_labeled_as_a_whole() -> None:
    human, metrics = scores(0)
    partly = np.where(np.arange(200).reshape(2, 100) < 10, human, np.nan)
    with pytest.raises(InputError, match=r"10 segments.*systems"):
        segments_to_label(partly, 10, metrics)


def test_what_all_systems_share_matters_for_means_alone() -> None:
    """Segments that are good or bad for all systems alike say nothing of differences."""
    rng = np.random.default_rng(7)
    metric = np.sort(rng.normal(size=100)) + 0.01 * rng.normal(size=(2, 100))
    shared = np.where(np.arange(100) < 40, 3.0, 0.1) * rng.normal(size=100)
    human = np.where(np.arange(100) % 2 == 0, shared + 0.1 * rng.normal(size=(2, 100)), np.nan)
    chances = np.array(segments_to_label(human, 20, metric).column("probability"))
    assert chances[:35].min() > 1.2 * chances[45:].max()
    apart = segments_to_label(human, 20, metric, of="differences").column("probability")
    assert max(apart) < 1.5 * min(apart)
