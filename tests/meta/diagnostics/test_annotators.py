"""The table of annotators' agreement: its coefficients, intervals and reasons."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.annotators import agreement, mean_cohen, pairwise_kendall
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.agreement import fleiss, intraclass, krippendorff
from nlgauge.stats.two_raters import cohen

NAN = math.nan


def rated():
    rng = np.random.default_rng(0)
    values = np.clip(np.round(3 + rng.normal(size=(4, 15, 1)) + 0.7 * rng.normal(size=(4, 15, 3))), 1, 5)
    values[rng.random(values.shape) < 0.1] = NAN
    return values


def test_means_of_pairs_by_scipy():
    units = rated().reshape(-1, 3).T
    pairs = [(a, b) for a, b in itertools.combinations(units, 2)]
    known = [~np.isnan(a + b) for a, b in pairs]
    taus = [stats.kendalltau(a[here], b[here]).statistic for (a, b), here in zip(pairs, known, strict=True)]
    assert pairwise_kendall(rated()) == pytest.approx(np.mean(taus))
    assert mean_cohen(rated(), "linear") == pytest.approx(
        np.mean([cohen(a, b, "linear", [1, 2, 3, 4, 5]) for a, b in pairs])
    )


def test_coefficients_of_each_scale():
    values = rated()
    names = {
        scale: agreement(values, scale, resamples=0).column("coefficient")
        for scale in ("nominal", "ordinal", "interval", "ratio")
    }
    assert names == {
        "nominal": ["krippendorff", "cohen", "fleiss"],
        "ordinal": ["krippendorff", "cohen_linear", "cohen_quadratic", "kendall"],
        "interval": ["krippendorff", "kendall", "icc_single", "icc_mean"],
        "ratio": ["krippendorff", "kendall", "icc_single", "icc_mean"],
    }
    found = {row["coefficient"]: row for row in agreement(values, "interval", resamples=0)}
    assert found["krippendorff"]["value"] == krippendorff(values)
    assert (found["icc_single"]["value"], found["icc_mean"]["value"]) == intraclass(values)[:2]
    assert agreement(values, "nominal", resamples=0)[2]["value"] == fleiss(values)
    assert math.isnan(found["kendall"]["low"])


def test_intervals_draw_segments_with_all_their_systems():
    values = rated()
    row = agreement(values, "interval", resamples=50, seed=7)[0]
    rng = np.random.default_rng(7)
    drawn = [krippendorff(values[:, rng.integers(15, size=15)]) for _ in range(50)]
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert row["low"] < row["value"] < row["high"]
    assert row["n"] == ((~np.isnan(values)).sum(axis=-1) >= 2).sum()


def test_judgments_and_several_dimensions():
    judgments = Judgments(
        ("a", "b", "c", "d"), tuple(range(15)), ratings={"fluency": rated(), "adequacy": rated()[..., :2]}
    )
    found = agreement(judgments, resamples=0)
    assert list(dict.fromkeys(found.column("dimension"))) == ["fluency", "adequacy"]
    assert set(found.where(dimension="adequacy").column("annotators")) == {2}
    with pytest.raises(InputError, match="annotators"):
        agreement(Judgments.from_arrays({"h": [[1.0]]}, {"m": [[1.0]]}))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[1.0], [2.0]], "one annotator"),
        ([[1.0, NAN], [NAN, 2.0]], "no unit has the ratings"),
        ([[1.0, 1.0], [1.0, 1.0]], "all ratings are alike"),
    ],
)
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_nan_has_a_reason(values, reason, scale):
    for row in agreement(values, scale, resamples=3):
        assert math.isnan(row["value"])
        assert reason in row["reason"]
        assert row["n_undefined"] == 3


def test_bad_input():
    with pytest.raises(ParameterError, match="scale"):
        agreement([[1, 2]], "nominals")
    with pytest.raises(ParameterError, match="resamples"):
        agreement([[1, 2]], resamples=-1)
    with pytest.raises(InputError, match="numbers"):
        agreement([["a", "b"]])
    with pytest.raises(InputError, match="annotators as last"):
        agreement([1, 2])
