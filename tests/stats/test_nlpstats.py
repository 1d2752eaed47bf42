"""nlpstats as oracle: the same correlations, and with the same draws and swaps the same replicates,
intervals and p-values.
"""

import numpy as np
import pytest

from nlgauge.meta import Judgments, compare, correlate
from nlgauge.stats.levels import Scores
from nlgauge.stats.measures import measure
from nlgauge.stats.permutation.linear import null_differences
from nlgauge.stats.permutation.swaps import drawn_swaps
from nlgauge.stats.resampling import bootstrap

nlpstats = pytest.importorskip(
    "nlpstats.correlations", reason="nlpstats is not installed (dependency group `alone`)"
)

LEVELS = ("system", "input", "global")
COEFFICIENTS = ("pearson", "spearman", "kendall")
DRAWS = 30
ROUNDING = 1e-9


def scores(seed, rounded=False, missing=False, systems=7, inputs=9):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, inputs)) + rng.normal(size=(systems, 1))
    x, y, z = (quality + rng.normal(size=quality.shape) for _ in range(3))
    if rounded:
        x, y, z = x.round(), y.round(), z.round()
    if missing:
        gone = rng.random(x.shape) < 0.15
        x, y, z = (np.where(gone, np.nan, one) for one in (x, y, z))
    return x, y, z


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("rounded", "missing"), [(False, False), (True, False), (False, True), (True, True)])
def test_correlations(level, coefficient, rounded, missing):
    for seed in range(5):
        x, _, z = scores(seed, rounded, missing)
        expected = nlpstats.correlate(x, z, level, coefficient)
        assert measure(coefficient).value(level, Scores(x, z)).value == pytest.approx(expected, abs=ROUNDING)


def drawn_by(resamples):
    """A resampling method for nlpstats that takes our draws one after the other."""
    rows = iter(range(len(resamples)))

    def taken(matrices, paired_inputs):
        at = next(rows)
        cells = np.ix_(
            *(
                np.repeat(np.arange(counts.shape[1]), counts[at].astype(int))
                for counts in (resamples.systems, resamples.inputs)
            )
        )
        return [matrix[cells] for matrix in matrices]

    return taken


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("over", ["systems", "inputs", "both"])
@pytest.mark.parametrize("rounded", [False, True])
def test_bootstrap_with_the_same_draws(level, coefficient, over, rounded):
    x, _, z = scores(3, rounded)
    resamples = bootstrap(*z.shape, over, DRAWS, seed=11)
    expected = nlpstats.bootstrap(x, z, level, coefficient, drawn_by(resamples), n_resamples=DRAWS)
    replicates = measure(coefficient).replicates(level, Scores(x, z), resamples)
    np.testing.assert_allclose(replicates[~np.isnan(replicates)], expected.samples, atol=ROUNDING)
    row = correlate(
        Judgments.from_arrays(z, {"x": x}), level, coefficient, interval=over, resamples=DRAWS, seed=11
    )[0]
    assert (row["low"], row["high"]) == pytest.approx((expected.lower, expected.upper), abs=ROUNDING)


def on_one_scale(level, *metrics):
    """Metrics that cells and what their level sees alike bring to one scale: nlpstats standardizes cells,
    nlgauge what the coefficient is of.
    """
    if level == "input":
        return [(x - x.mean(axis=0)) / np.where(x.std(axis=0) > 0, x.std(axis=0), 1) for x in metrics]
    if level == "global":
        return metrics
    means = [x.mean(axis=1, keepdims=True) for x in metrics]
    return [(m - m.mean()) / m.std() + (x - m) / (x - m).std() for x, m in zip(metrics, means, strict=True)]


def swapped_by(swaps, shape):
    """A permutation method for nlpstats that makes our swaps one after the other."""
    signs = iter(np.broadcast_to(swaps.of_cells(), (DRAWS, *shape)))

    def taken(x, y):
        kept = next(signs) > 0
        return np.where(kept, x, y), np.where(kept, y, x)

    return taken


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize(
    ("level", "rounded"),
    [("system", False), ("input", False), ("input", True), ("global", False), ("global", True)],
)
@pytest.mark.parametrize("swap", ["systems", "inputs", "rows-xor-cols", "cells"])
def test_permutation_with_the_same_swaps(level, coefficient, swap, rounded):
    # Not rounded at system level: nlpstats lets the rounding of its standardized scores order means that are
    # equal.
    x, y, z = scores(4, rounded)
    x, y = on_one_scale(level, x, y)
    swaps = drawn_swaps(swap, *z.shape, DRAWS, seed=12)
    expected = nlpstats.permutation_test(
        x, y, z, level, coefficient, swapped_by(swaps, z.shape), n_resamples=DRAWS
    )
    found = null_differences(np.stack([x, y]), z, level, measure(coefficient), swaps)[:, 0]
    np.testing.assert_allclose(found, expected.samples, atol=1e-7)
    row = compare(
        Judgments.from_arrays(z, {"x": x, "y": y}), level, coefficient, swap=swap, resamples=DRAWS, seed=12
    )[0]
    # nlpstats gives b / B, and does not count draws that equal the observed difference but for rounding.
    extreme = np.sum(np.abs(expected.samples) >= abs(row["delta"]) - ROUNDING)
    assert row["p"] == pytest.approx((1 + extreme) / (1 + DRAWS))
    assert expected.pvalue <= extreme / DRAWS


def test_a_row_xor_a_column_is_what_nlpstats_swaps():
    """Its own PERM-BOTH swaps rows, then columns of what came out: with the same coins, our rows-xor-cols."""
    x, y, _ = scores(5)
    np.random.seed(6)
    expected = nlpstats.permute(x, y, "both")
    np.random.seed(6)
    rows, columns = np.random.rand(len(x), 1) > 0.5, np.random.rand(1, x.shape[1]) > 0.5
    kept = (1 - 2 * rows.astype(int)) * (1 - 2 * columns.astype(int)) > 0
    np.testing.assert_array_equal(expected, [np.where(kept, x, y), np.where(kept, y, x)])


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("level", ["system", "global"])
def test_formulas(level, coefficient):
    x, y, z = scores(7)
    judgments = Judgments.from_arrays(z, {"x": x, "y": y})
    row = correlate(judgments, level, coefficient, interval="fisher")[0]
    expected = nlpstats.fisher(x, z, level, coefficient)
    assert (row["low"], row["high"]) == pytest.approx((expected.lower, expected.upper), abs=ROUNDING)
    # All three correlations are positive here, so that taking absolute values, as nlpstats does, changes
    # nothing.
    found = compare(judgments, level, coefficient, test="williams")[0]["p"]
    assert found == pytest.approx(nlpstats.williams_test(x, y, z, level, coefficient).pvalue, abs=ROUNDING)
