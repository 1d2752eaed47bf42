"""COSMIC's estimators on data whose information is known, the released estimator against the released
package, and the metric on texts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from marks import thorough

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.estimators import knife_released
from nlgauge.estimators.gaussian import (
    Pointwise,
    fold_of_rows,
    gaussian,
    gaussian_information,
    shrunk_covariance,
    standardized,
)
from nlgauge.estimators.knife import (
    TOLERANCE,
    KnifeSettings,
    _followed,
    _log_mixture,
    _Trained,
    _Values,
    cross_fitted,
    still_gaining,
)
from nlgauge.estimators.knife_starts import ridge
from nlgauge.features import RunOptions, Work
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.metrics._shared.mutual_information import Estimator, digests
from nlgauge.metrics.cosmic import Cosmic

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

TEST_PARAMETERS = {"components": 1, "seeds": 2}
CHANGED_PARAMETERS = {"components": 2, "estimator": "gaussian", "covariance": "full", "compat": "cosmic"}

STANDARD_NORMAL_ENTROPY = 1.4189385332
# If the closed forms are right already, training adds nothing.
HARDLY_TRAINED = KnifeSettings(rounds=1, stages=1)
Pair = tuple[np.ndarray, np.ndarray]


def _gaussian(count: int, d: int, correlation: float, seed: int = 0) -> Pair:
    rng = np.random.default_rng(seed)
    given = rng.standard_normal((count, d))
    return correlation * given + np.sqrt(1 - correlation**2) * rng.standard_normal((count, d)), given


def _mixed(
    target: np.ndarray,
    given: np.ndarray,
    seed: int = 1,
    seeds: int = 1,
    settings: KnifeSettings = HARDLY_TRAINED,
) -> Pointwise:
    return cross_fitted(
        target, given, fold_of_rows(np.arange(len(target)), 5, seed, seeds), None, settings, seed
    )


def _plain(target: np.ndarray, given: np.ndarray, seed: int = 1) -> Pointwise:
    return gaussian(target, given, None, fold_of_rows(np.arange(len(target)), 5, seed, 1))


def _information(found: Pointwise) -> float:
    return float((found.entropy - found.conditional).mean())


@pytest.mark.parametrize(
    ("count", "d", "correlation"),
    [(1000, 4, 0.8), *thorough((2000, 4, 0.8), (2000, 4, 0.99), (3000, 8, 0.5))],
)
def test_gaussians_with_known_information(count: int, d: int, correlation: float) -> None:
    target, given = _gaussian(count, d, correlation)
    truth = -d / 2 * np.log(1 - correlation**2)
    found = _mixed(target, given)
    assert _information(found) == pytest.approx(truth, rel=0.15)
    assert found.entropy.mean() == pytest.approx(d * STANDARD_NORMAL_ENTROPY, abs=0.2)
    assert found.conditional.mean() == pytest.approx(d * STANDARD_NORMAL_ENTROPY - truth, abs=0.15 * truth)
    assert _information(_plain(target, given)) == pytest.approx(truth, rel=0.1)
    assert gaussian_information(target, given) == pytest.approx(truth, rel=0.1)


def test_entropies_are_those_of_the_data_not_of_the_standardized() -> None:
    target, given = _gaussian(500, 4, 0.8)
    truth = 4 * (STANDARD_NORMAL_ENTROPY + np.log(0.05))
    assert _mixed(0.05 * target, given).entropy.mean() == pytest.approx(truth, abs=0.2)
    assert _plain(0.05 * target, given).entropy.mean() == pytest.approx(truth, abs=0.2)


def test_mixture_with_known_information() -> None:
    """Both sides are near one of two points, the same for both; the truth is summed over a grid."""
    rng = np.random.default_rng(0)
    center = rng.choice([-1.0, 1.0], size=(1500, 1))
    target, given = (
        center + 0.4 * rng.standard_normal((1500, 1)),
        -2 * center + 1.2 * rng.standard_normal((1500, 1)),
    )
    t, s = np.linspace(-4, 4, 801)[:, None], np.linspace(-9, 9, 901)[None, :]

    def normal(x: np.ndarray, mean: float, deviation: float) -> np.ndarray:
        return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / deviation / np.sqrt(2 * np.pi)

    joint = (normal(t, 1, 0.4) * normal(s, -2, 1.2) + normal(t, -1, 0.4) * normal(s, 2, 1.2)) / 2
    of_t, of_s = joint.sum(axis=1, keepdims=True) * 0.02, joint.sum(axis=0, keepdims=True) * 0.01
    truth = float((joint * np.log(joint / (of_t * of_s))).sum() * 0.0002)
    assert joint.sum() * 0.0002 == pytest.approx(1, abs=1e-6)
    assert _information(_mixed(target, given)) == pytest.approx(truth, rel=0.1)
    assert abs(_information(_plain(target, given)) - truth) > 0.02  # one Gaussian is another shape


def _clusters(count: int, d: int, clusters: int, separation: float, seed: int = 5) -> Pair:
    """Pairs of which both sides are near a center of the same number, far from the others: the
    information is log(clusters).
    """
    rng = np.random.default_rng(seed)
    number, centers = rng.integers(clusters, size=count), separation * rng.standard_normal((2, clusters, d))
    target, given = (center[number] + rng.standard_normal((count, d)) for center in centers)
    return target, given


@pytest.mark.parametrize(
    ("count", "d", "clusters"), [(500, 16, 2), *thorough((2000, 3, 2), (500, 16, 8), (500, 64, 2))]
)
def test_clusters_with_known_information(count: int, d: int, clusters: int) -> None:
    """Both entropies must be right: ten steps of expectation maximization left 0.5 nats too much in h(T),
    which counted as information.
    """
    target, given = _clusters(count, d, clusters, 8 if d == 3 else 6)
    found = _mixed(target, given)
    assert _information(found) == pytest.approx(np.log(clusters), rel=0.1)
    assert found.modes.mean() == pytest.approx(clusters, abs=clusters)
    assert (found.held_out[..., 0] - found.plain).mean() < 0.05 * np.log(
        clusters
    )  # plain expectation maximization does no better
    shuffled = np.random.default_rng(1).permutation(given)
    assert abs(_information(_mixed(target, shuffled))) < 0.02


def test_correlated_residuals_are_seen_without_full_covariances() -> None:
    rng = np.random.default_rng(1)
    signal, noise = rng.standard_normal((2, 4, 4))
    given = rng.standard_normal((1000, 4))
    target = given @ signal + rng.standard_normal((1000, 4)) @ noise
    truth = 0.5 * (
        np.linalg.slogdet(signal.T @ signal + noise.T @ noise)[1] - np.linalg.slogdet(noise.T @ noise)[1]
    )
    assert _information(_mixed(target, given)) == pytest.approx(truth, rel=0.1)


def test_shortfall_tells_what_few_rows_cost() -> None:
    """64 dimensions need more than 500 pairs: the estimate misses half, and says so."""
    target, given = _gaussian(500, 64, 0.5)
    found = _mixed(target, given)
    assert _information(found) < 0.6 * -32 * np.log(0.75)
    assert found.shortfall().mean() > 0.3 * _information(found)
    easy = _mixed(*_gaussian(500, 4, 0.9))
    assert abs(easy.shortfall().mean()) < 0.02 * _information(easy)


def test_a_stage_counts_by_what_the_one_before_gained() -> None:
    """So that no stage is added or left out by a last bit: at the tolerance another stage counts nothing."""
    assert still_gaining(np.array([TOLERANCE * (1 + 1e-9)]))[0] < 1e-8
    old, new = (_Values(*np.full((3, 4), value)) for value in (2.0, 1.0))
    followed = _followed(_Trained(old, 3.0, 0.03), [old, new], 1, 2.0, 1e-6, 1)
    np.testing.assert_allclose(followed.values.held_out, 2.0, atol=1e-5)
    assert followed.rounds == pytest.approx(3.0, abs=1e-5)


def test_information_that_no_line_shows() -> None:
    rng = np.random.default_rng(0)
    given = rng.standard_normal((500, 2))
    target = np.abs(given) + 0.1 * rng.standard_normal((500, 2))
    assert _information(_plain(target, given)) < 0.05
    assert _information(_mixed(target, given, settings=KnifeSettings())) > 1.3


def test_shift_and_scale_change_nothing() -> None:
    target, given = _gaussian(400, 3, 0.7)
    scales = np.array([0.05, 1.0, 20.0])
    for estimate in (_mixed, _plain):
        expected = _information(estimate(target, given))
        assert _information(estimate(0.05 * target, 10 * given + 3)) == pytest.approx(expected, abs=1e-3)
        assert _information(estimate(scales * target + 100, given - 7)) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("components", [None, *thorough(4, 9)])
def test_correlated_dimensions_are_turned_to_their_axes(components: int | None) -> None:
    """Modes have no correlations of their own; where all components are kept the dimensions themselves
    would not do.
    """
    rng = np.random.default_rng(0)
    mixing = np.array([[1.0, 0.9, 0.8, 0.7], [0, 0.5, 0.4, 0.3], [0, 0, 0.4, 0.2], [0, 0, 0, 0.3]])
    given = rng.standard_normal((1000, 4)) @ mixing
    target = 0.8 * given + 0.6 * rng.standard_normal((1000, 4)) @ mixing
    entropy = 4 * STANDARD_NORMAL_ENTROPY + np.log(np.linalg.det(mixing))
    found = cross_fitted(target, given, fold_of_rows(np.arange(1000), 5, 1, 1), components, HARDLY_TRAINED, 1)
    assert found.entropy.mean() == pytest.approx(entropy, abs=0.1)
    assert _information(found) == pytest.approx(-2 * np.log(0.36), rel=0.1)


def _texts_as_vectors(count: int, d: int = 32) -> Pair:
    """Unit vectors of related pairs; the given ones recur, as short summaries do."""
    rng, scale = np.random.default_rng(0), np.arange(1, d + 1) ** -0.5
    given = (scale * rng.standard_normal((count, d)))[rng.integers(0, count // 3, count)]
    sides = np.tanh(given + 0.5 * scale * rng.standard_normal((count, d))), given
    target, given = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
    return target, given


def _shaken(values: np.ndarray, seed: int) -> np.ndarray:
    """Each coordinate a millionth more or less; equal rows stay equal."""
    rows, inverse = np.unique(values, axis=0, return_inverse=True)
    return (rows * (1 + 1e-6 * np.random.default_rng(seed).standard_normal(rows.shape)))[inverse.reshape(-1)]


@pytest.mark.parametrize("kind", ["knife", "gaussian"])
@pytest.mark.parametrize(("count", "components"), [(12, None), (12, 4), (100, None), *thorough((400, None))])
def test_a_millionth_changes_nothing_that_is_seen(count: int, components: int | None, kind: str) -> None:
    target, given = _texts_as_vectors(count)
    estimate = Estimator(kind, components=components, seeds=2 if count < 400 else 1)
    for one, other in ((target, given), (given, target)):
        before, after = (
            estimate(*sides, np.arange(count), count, 1)
            for sides in ((one, other), (_shaken(one, 1), _shaken(other, 2)))
        )
        assert before.width == after.width
        for name in ("entropy", "conditional", "rounds", "gained", "learnt", "held_out"):
            np.testing.assert_allclose(getattr(after, name), getattr(before, name), rtol=0, atol=1e-3)


def test_a_linear_map_of_few_rows_does_not_hang_on_rounding() -> None:
    """Two rows are equal: along their difference, which is rounding, anything would do as a slope."""
    rng = np.random.default_rng(0)
    target, given = rng.standard_normal((6, 2)), rng.standard_normal((6, 8))
    given[1] = given[0]
    shaken = given * (1 + 1e-6 * rng.standard_normal(given.shape))
    before, after = (ridge(target[:4], side[:4], target[4:], given[4:]) for side in (given, shaken))
    np.testing.assert_allclose(after, before, atol=1e-3)


KERNELS: dict[str, dict[str, str]] = {
    "plain": {"ATEN_CPU_CAPABILITY": "default"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "OMP_NUM_THREADS": "2"},
    "sse": {"DNNL_MAX_CPU_ISA": "SSE41", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX"},
}


@pytest.mark.thorough
def test_other_kernels_give_the_same_numbers(tmp_path: Path) -> None:
    """Processors sum in other orders, so that the last bits of matrix products differ; here by libraries
    that are told to use other instructions.
    """
    script = """
import sys, numpy
from nlgauge.metrics._shared.mutual_information import Estimator
data = numpy.load(sys.argv[1])
found = [Estimator(seeds=1)(data[f"target{n}"], data[f"given{n}"], numpy.arange(n), n, 1) for n in (12, 100, 200)]
numpy.save(sys.argv[2], numpy.concatenate([values.ravel() for one in found for values in (one.entropy, one.conditional, one.learnt, one.rounds)]))
"""
    data = {
        f"{side}{count}": values
        for count in (12, 100, 200)
        for side, values in zip(("target", "given"), _texts_as_vectors(count), strict=True)
    }
    np.savez(tmp_path / "data.npz", **data)
    found = {}
    for name, kernels in {"own": {}, **KERNELS}.items():
        arguments = [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            script,
            str(tmp_path / "data.npz"),
            str(tmp_path / f"{name}.npy"),
        ]
        subprocess.run(arguments, check=True, env={**os.environ, "OMP_NUM_THREADS": "1", **kernels})
        found[name] = np.load(tmp_path / f"{name}.npy")
    for name in KERNELS:
        np.testing.assert_allclose(found[name], found["own"], rtol=0, atol=1e-3)
    assert any((found[name] != found["own"]).any() for name in KERNELS)  # else nothing was told to anybody


@pytest.mark.parametrize("kind", ["knife", "gaussian"])
def test_the_order_of_rows_changes_no_bit(kind: str) -> None:
    target, given = _texts_as_vectors(60)
    target[7], given[7] = target[3], given[3]
    keys = np.column_stack([np.arange(60) // 2 * 7919 % 30, np.random.default_rng(1).permutation(60)])
    keys[7] = keys[3]
    order = np.random.default_rng(2).permutation(60)
    straight, permuted = (
        Estimator(kind, seeds=2)(target[rows], given[rows], keys[rows], 60, 1)
        for rows in (np.arange(60), order)
    )
    for name in ("entropy", "conditional", "fold"):
        np.testing.assert_array_equal(getattr(straight, name)[:, order], getattr(permuted, name))
        np.testing.assert_array_equal(getattr(straight, name)[:, 3], getattr(straight, name)[:, 7])


def test_signs_of_axes_do_not_hang_on_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    values = _texts_as_vectors(50)[0]
    expected, eigh = standardized(values, 4)[0], np.linalg.eigh
    monkeypatch.setattr(
        np.linalg,
        "eigh",
        lambda matrix: (eigh(matrix)[0], eigh(matrix)[1] * np.where(np.arange(len(matrix)) % 2, -1, 1)),
    )
    np.testing.assert_array_equal(standardized(values, 4)[0], expected)


def test_independent_and_shuffled_pairs_have_about_none() -> None:
    target, given = _gaussian(1000, 4, 0.8)
    shuffled = np.random.default_rng(5).permutation(given)
    assert abs(_information(_mixed(target, shuffled))) < 0.05
    assert abs(_information(_plain(target, shuffled))) < 0.05
    rng = np.random.default_rng(6)
    modes = rng.choice([-3.0, 0.0, 3.0], size=(500, 2)) + 0.3 * rng.standard_normal((500, 2))
    assert (
        -0.3 < _information(_mixed(modes, given[:500])) < 0.05
    )  # clusters that the other side knows nothing of


def test_pairs_are_not_remembered() -> None:
    target, given = _gaussian(200, 32, 0.0)
    assert (
        _information(_mixed(target, given)) < 0.5
    )  # fitted and valued on the same rows the spec's authors saw 33.6
    assert _information(_plain(target, given)) < 0.5
    assert gaussian_information(target, given) < 0.5  # 2.84 without shrinkage


def test_a_row_is_valued_by_densities_that_saw_nothing_of_its_fold() -> None:
    target, given = _gaussian(100, 2, 0.8)
    fold = fold_of_rows(np.arange(100), 5, 1, 1)
    held_out = np.flatnonzero(fold[0] == 0)
    swapped, others = given.copy(), held_out[10:]
    swapped[held_out[:10]] = given[held_out[:10]][::-1]
    for estimate in (
        lambda s: cross_fitted(target, s, fold, None, KnifeSettings(rounds=1), 1),
        lambda s: gaussian(target, s, None, fold),
    ):
        before, after = estimate(given), estimate(swapped)
        np.testing.assert_allclose(before.conditional[0, others], after.conditional[0, others], atol=1e-5)
        assert np.abs(before.conditional[0] - after.conditional[0])[fold[0] != 0].max() > 1e-4


def test_correlations_that_all_modes_share_need_no_covariance_of_each() -> None:
    rng = np.random.default_rng(0)
    given = rng.standard_normal((800, 2)) * [1, 3]  # so that the axes of the sum are not those of the noise
    noise = rng.multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]], 800)
    truth = 0.5 * np.log(np.linalg.det([[2, 0.95], [0.95, 10]]) / (1 - 0.95**2))
    for full in (False, True):
        assert _information(
            _mixed(given + noise, given, settings=HARDLY_TRAINED._replace(modes=1, full=full))
        ) == pytest.approx(truth, rel=0.1)


def test_density_of_the_spec() -> None:
    values, lower = (
        torch.tensor([[1.0, 2.0]]),
        torch.tensor([[[5.0, 7.0], [0.3, 5.0]]]),
    )  # on and above the diagonal it is not read
    arguments = torch.zeros(1, 1, 2), torch.full((1, 1, 2), 0.5), torch.zeros(1, 1)
    assert float(_log_mixture(torch, values, *arguments, lower)) == pytest.approx(-9.3868734169, abs=1e-5)
    assert float(_log_mixture(torch, values, *arguments)) == pytest.approx(
        -0.5 * np.e * 5 + 1 - np.log(2 * np.pi), abs=1e-5
    )


def test_mixture_integrates_to_one() -> None:
    grid = torch.linspace(-30, 30, 6001)[:, None]
    means, scales, logits = (
        torch.tensor([[[-2.0], [3.0]]]),
        torch.tensor([[[0.7], [-1.0]]]),
        torch.tensor([[0.3, -0.4]]),
    )
    assert float(_log_mixture(torch, grid, means, scales, logits).exp().sum() * 0.01) == pytest.approx(
        1.0, abs=1e-4
    )
    assert float(
        knife_released._log_mixture(torch, grid, means, scales, logits).exp().sum() * 0.01
    ) == pytest.approx(1.0, abs=1e-4)


def test_shrinkage_as_defined() -> None:
    """Ledoit and Wolf (2004), lemma by lemma: b is how far single rows lie from S, d how far S lies from
    the identity's multiple.
    """
    values = np.random.default_rng(0).standard_normal((30, 5)) @ np.diag([1.0, 2.0, 1.0, 3.0, 1.0])
    values -= values.mean(axis=0)
    n, p = values.shape
    sample = sum(np.outer(row, row) for row in values) / n
    m = np.trace(sample) / p
    d = np.linalg.norm(sample - m * np.eye(p)) ** 2 / p
    b = min(d, sum(np.linalg.norm(np.outer(row, row) - sample) ** 2 / p for row in values) / n**2)
    assert 0.05 < b / d < 0.95
    np.testing.assert_allclose(
        shrunk_covariance(values), b / d * m * np.eye(p) + (d - b) / d * sample, rtol=1e-12
    )
    np.testing.assert_array_equal(
        shrunk_covariance(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])), np.eye(2)
    )


def test_components_are_those_of_most_variance_and_idle_dimensions_are_left_out() -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal((500, 3)) * [1.0, 5.0, 3.0]
    found, volume, spread = standardized(np.column_stack([values, np.full(500, 2.0)]), 2)
    assert found.shape == (500, 2)
    np.testing.assert_allclose(spread, [5, 3], rtol=0.1)
    assert abs(np.corrcoef(found[:, 0], values[:, 1])[0, 1]) > 0.99
    assert volume == pytest.approx(np.log(15), abs=0.1)
    assert standardized(np.column_stack([values, np.full(500, 2.0)]), None)[0].shape == (500, 3)
    rounding = 1e-6 * rng.standard_normal((500, 1))
    for idle in (
        rounding,
        values[:, :1] + rounding,
    ):  # a dimension that is rounding alone, and one that is another's twin but for rounding
        assert (
            standardized(np.column_stack([values, idle]), None)[0].shape
            == standardized(np.column_stack([values, idle]), 4)[0].shape
            == (500, 3)
        )


def test_rows_of_a_group_are_never_on_both_sides() -> None:
    groups = np.repeat(np.arange(20), 3)
    folds = fold_of_rows(groups, 5, 1, 2)
    assert all(len(set(fold[groups == group])) == 1 for fold in folds for group in range(20))
    assert [len(set(fold.tolist())) for fold in folds] == [5, 5]
    assert (folds[0] != folds[1]).any()


def test_a_seeds_value_does_not_depend_on_the_seeds_beside_it() -> None:
    target, given = _gaussian(200, 2, 0.5)
    several, alone = (_mixed(target, given, seeds=seeds) for seeds in (3, 1))
    np.testing.assert_allclose(several.entropy[0], alone.entropy[0], atol=1e-3)
    np.testing.assert_allclose(several.conditional[0], alone.conditional[0], atol=1e-3)
    assert np.abs(several.entropy[1] - alone.entropy[0]).max() > 1e-3


def test_seed_decides_and_global_state_is_left_alone() -> None:
    target, given = _gaussian(150, 2, 0.5)
    before = torch.random.get_rng_state(), np.random.get_state()[1].copy()
    quick, slow = KnifeSettings(rounds=1), knife_released.ReleasedSettings(epochs=2)
    for found in (
        [_mixed(target, given, seed, 1, quick) for seed in (3, 3, 4)],
        [_plain(target, given, seed) for seed in (3, 3, 4)],
        [knife_released.released(target, given, slow, seed, 1) for seed in (3, 3, 4)],
    ):
        assert _information(found[0]) == _information(found[1]) != _information(found[2])
    fold = fold_of_rows(np.arange(150), 5, 1, 1)
    assert _information(cross_fitted(target, given, fold, None, quick, 3)) != _information(
        cross_fitted(target, given, fold, None, quick, 4)
    )
    assert torch.equal(before[0], torch.random.get_rng_state())
    assert (before[1] == np.random.get_state()[1]).all()


def test_convergence_is_reported() -> None:
    target, given = _gaussian(300, 2, 0.8)
    bent = np.abs(given) + 0.1 * np.random.default_rng(1).standard_normal(given.shape)
    settings = KnifeSettings(stages=1), KnifeSettings(stages=1), KnifeSettings()
    whole, short, long = (
        _mixed(*pair, seeds=2, settings=one)
        for pair, one in zip(((target, given), (bent, given), (bent, given)), settings, strict=True)
    )
    assert (
        whole.rounds[:, :, 1].mean() < 1 and whole.gained.max() < 0.1
    )  # the best linear map is right for Gaussians
    assert (short.rounds[:, :, 1] > 5).all() and short.gained[:, :, 1].max() > 0.1
    assert (long.rounds[:, :, 1] < 35).all() and long.gained.max() < 0.1
    assert whole.rounds.shape == whole.learnt.shape == whole.held_out.shape == (2, 5, 2)
    for found in (whole, _plain(target, given)):
        assert found.held_out[0, 1, 0] == pytest.approx(found.entropy[0, found.fold[0] == 1].mean())
        assert found.held_out[0, 2, 1] == pytest.approx(found.conditional[0, found.fold[0] == 2].mean())
    assert (whole.held_out - whole.learnt)[:, :, 1].mean() > 0  # what was not learnt from fares worse


def test_pairs_of_densities_that_still_gained_count_in_part() -> None:
    np.testing.assert_allclose(still_gaining(np.array([0.0, 0.02, 0.03, 0.04, 3.0])), [0, 0, 0.5, 1, 1])


# Of the released package (icannos/cosmic c2c2db0): torch.manual_seed(7), then
# KNIFEEstimator(KNIFEArgs(batch_size=32), 3, 3).eval(given, target) in float32 with torch 2.13; information,
# entropy, conditional entropy. At the sizes of the spec (2000, 4) it gave 1.2109, 5.6540, 4.4431.
@pytest.mark.parametrize(
    ("shift", "golden"), [(0, (0.325810, 4.258103, 3.932293)), (3, (4.509991, 8.542194, 4.032203))]
)
def test_the_released_estimator_with_its_dependence_on_shift(
    shift: float, golden: tuple[float, float, float]
) -> None:
    target, given = _gaussian(150, 3, 0.8)
    found = knife_released.released(target + shift, given + shift, knife_released.ReleasedSettings(), 7, 1)
    assert (_information(found), found.entropy.mean(), found.conditional.mean()) == pytest.approx(
        golden, abs=2e-3
    )


def test_the_released_estimator_step_by_step() -> None:
    """The same three epochs with torch's own layers and optimizer, from the same start."""
    target, given = (values.astype(np.float32) for values in _gaussian(70, 4, 0.8))
    settings, t, s = (
        knife_released.ReleasedSettings(modes=2, epochs=3),
        torch.from_numpy(target),
        torch.from_numpy(given),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        centers, scales = 0.01 * torch.randn(32, 4), torch.nn.Parameter(0.01 * torch.randn(32, 4))
        weights = torch.nn.Parameter(torch.ones(32))

        def network(outputs: int) -> torch.nn.Module:
            hidden = [
                layer
                for _ in range(2)
                for layer in (torch.nn.LayerNorm(4), torch.nn.Linear(4, 4), torch.nn.ReLU())
            ]
            return torch.nn.Sequential(*hidden, torch.nn.Linear(4, outputs))

        networks = [network(outputs) for outputs in (8, 8, 2)]

    def surprise(
        values: torch.Tensor, means: torch.Tensor, scale: torch.Tensor, weight: torch.Tensor
    ) -> torch.Tensor:
        modes = torch.distributions.Independent(
            torch.distributions.Normal(means, torch.exp(-torch.tanh(scale))), 1
        )
        return -torch.distributions.MixtureSameFamily(
            torch.distributions.Categorical(logits=weight), modes
        ).log_prob(values)

    def both(rows: slice) -> tuple[torch.Tensor, torch.Tensor]:
        means, scale, weight = (network(s[rows]) for network in networks)
        return surprise(t[rows], centers, scales, weights), surprise(
            t[rows], means.reshape(-1, 2, 4), scale.reshape(-1, 2, 4), weight
        )

    optimizer = torch.optim.SGD(
        [scales, weights, *(p for network in networks for p in network.parameters())], lr=0.01
    )
    for _ in range(3):
        for first in (0, 32, 64):
            optimizer.zero_grad()
            sum(part.mean() for part in both(slice(first, first + 32))).backward()
            optimizer.step()
    entropy, conditional = (part.detach().numpy() for part in both(slice(None)))
    found = knife_released.released(target, given, settings, 11, 1)
    np.testing.assert_allclose(found.entropy[0], entropy, atol=1e-4)
    np.testing.assert_allclose(found.conditional[0], conditional, atol=1e-4)


def _texts(count: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    words = ["cat", "mat", "sat", "on", "the", "dog", "ran", "far", "big", "red"]
    sources = [" ".join(rng.choice(words, 12)) for _ in range(count)]
    return [" ".join(source.split()[:5]) for source in sources], sources


@pytest.fixture
def encoder(tiny_models: dict[str, Path]) -> str:
    return str(tiny_models["encoder"])


@pytest.mark.filterwarnings("ignore:cosmic.*likely")
@pytest.mark.parametrize("estimator", [pytest.param("knife", marks=pytest.mark.thorough), "gaussian"])
def test_summaries_of_the_sources_tell_more_than_those_of_others(encoder: str, estimator: str) -> None:
    _, sources = _texts(300)
    summaries = [" ".join(source.split()[:8]) for source in sources]
    metric = Cosmic(encoder, components=4, estimator=estimator)
    with pytest.warns(UserWarning, match="300 pairs"):
        result = nlgauge.score(
            {"own": summaries, "others": summaries[1:] + summaries[:1]}, sources=sources, metrics=metric
        )
    own, others = (result[system][str(metric)] for system in ("own", "others"))
    assert own["score"] > 0.25 > 0.1 > others["score"]
    assert own["reverse"] > 0.25 > 0.1 > others["reverse"]
    assert own["score"] == pytest.approx(own["source_entropy"] - own["source_entropy_given_summary"])
    assert own["reverse"] == pytest.approx(own["summary_entropy"] - own["summary_entropy_given_source"])
    assert own["normalized"] == pytest.approx(1 - np.exp(-2 * own["score"] / 4))
    assert own["source_entropy"] == pytest.approx(
        others["source_entropy"], abs=1e-9 if estimator == "knife" else 0.1
    )
    assert (own["scored_pairs"], own["unconverged"]) == (300, 0)
    expected = max(1.5 * abs(own["shortfall"]), own["entropy_excess"], (own["dispersion"] - 1) / 2) / max(
        own["score"], 0.5
    )
    assert (
        own["likely_error"] == pytest.approx(expected)
        if estimator == "knife"
        else np.isnan(own["likely_error"])
    )
    assert 0 < own["seed_deviation"] < 0.2
    assert own["seed_deviation"] == pytest.approx(
        result._tables["own", str(metric)].statistics["cosmic"][:, :3].mean(axis=0).std(ddof=1)
    )
    interval = result.intervals(resamples=100)["own"][str(metric)]["score"]
    assert interval.low < interval.score < interval.high
    assert result.compare("own", "others", resamples=100)[str(metric)].p < 0.05


pytest_few = pytest.mark.filterwarnings("ignore:cosmic")


@pytest.mark.thorough
@pytest_few
def test_enough_pairs_give_no_warning(encoder: str) -> None:
    summaries, sources = _texts(1000)
    metric = Cosmic(encoder, components=1, estimator="gaussian", seeds=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(nlgauge.score(summaries, sources=sources, metrics=metric)["cosmic"]["seed_deviation"])


@pytest_few
def test_the_released_direction_is_the_other_one(encoder: str) -> None:
    summaries, sources = _texts(20)
    metric = Cosmic(encoder, seeds=1, compat="cosmic")
    found = nlgauge.score(summaries, sources=sources, metrics=metric)["cosmic"]
    swapped = nlgauge.score(sources, sources=summaries, metrics=metric)["cosmic"]
    assert found["score"] == pytest.approx(found["summary_entropy"] - found["summary_entropy_given_source"])
    assert found["reverse"] == pytest.approx(found["source_entropy"] - found["source_entropy_given_summary"])
    assert found["score"] == pytest.approx(swapped["reverse"], abs=1e-3)
    assert found["source_entropy"] == pytest.approx(swapped["summary_entropy"], abs=1e-3)
    assert np.isnan(found["unconverged"])
    longer = nlgauge.score(
        summaries, sources=sources, metrics=Cosmic(encoder, seeds=1, compat="cosmic", unit=False)
    )["cosmic"]
    assert longer["summary_entropy"] > found["summary_entropy"] + 1  # vectors as long as the model makes them


@pytest_few
def test_one_direction_alone_is_the_same_number(encoder: str) -> None:
    summaries, sources = _texts(60)
    both, one = (
        nlgauge.score(summaries, sources=sources, metrics=Cosmic(encoder, reverse=reverse))["cosmic"]
        for reverse in (True, False)
    )
    assert "reverse" not in one and "summary_entropy" not in one
    assert {name: both[name] for name in one} == one


@pytest_few
def test_the_seed_is_in_the_signature_and_a_system_is_alone(encoder: str) -> None:
    summaries, sources = _texts(60)
    metric = Cosmic(encoder, components=2, modes=1, reverse=False)
    one, other = (
        nlgauge.score({"own": summaries}, sources=sources, metrics=metric, seed=seed) for seed in (1, 2)
    )
    assert one["cosmic"]["score"] != other["cosmic"]["score"]
    assert one.signatures[str(metric)] != other.signatures[str(metric)]
    both = one.add(predictions={"others": sources})
    assert both["own"][str(metric)] == one[str(metric)]


@pytest_few
def test_empty_summaries_tell_nothing_and_count(encoder: str) -> None:
    summaries, sources = _texts(60)
    metric = Cosmic(encoder, components=2)
    found = nlgauge.score(["", *summaries[1:]], sources=sources, metrics=metric)
    assert found["cosmic"]["scored_pairs"] == 59
    assert found["cosmic"]["score"] * 60 / 59 == pytest.approx(
        found["cosmic"]["source_entropy"] - found["cosmic"]["source_entropy_given_summary"]
    )
    for compat in (None, "cosmic"):
        nothing = nlgauge.score(
            [""] * 60, sources=sources, metrics=Cosmic(encoder, components=2, compat=compat)
        )
        (label,) = nothing.labels
        assert np.isnan(nothing[label]["score"]) and np.isnan(nothing[label]["normalized"])
        assert "densities" in nothing.reasons()["system", label, "cosmic"]


@pytest_few
@pytest.mark.parametrize("estimator", ["knife", "gaussian"])
def test_normalized_follows_the_score_of_a_half_empty_system(encoder: str, estimator: str) -> None:
    summaries, sources = _texts(120)
    metric = Cosmic(encoder, components=2, estimator=estimator, reverse=False)
    half = nlgauge.score(
        [text if i % 2 else "" for i, text in enumerate(summaries)], sources=sources, metrics=metric
    )
    (label,) = half.labels
    assert half[label]["score"] > 0.02
    assert half[label]["score"] == pytest.approx(
        (half[label]["source_entropy"] - half[label]["source_entropy_given_summary"]) / 2
    )
    assert half[label]["normalized"] == pytest.approx(1 - np.exp(-2 * half[label]["score"] / 2))


@pytest_few
def test_neither_order_nor_company_nor_batches_change_a_bit(encoder: str) -> None:
    summaries, sources = _texts(30)
    summaries[4], sources[4] = summaries[9], sources[9]
    metric, order = Cosmic(encoder, components=2, seeds=2), np.random.default_rng(1).permutation(30)
    alone = nlgauge.score({"own": summaries}, sources=sources, metrics=metric, batch_size=3)
    systems, metrics = (
        {"before": sources, "own": summaries},
        [metric, f"embedding_similarity(model={encoder!r})"],
    )
    together = nlgauge.score(systems, sources, sources, metrics=metrics)
    permuted = nlgauge.score(
        {"own": [summaries[i] for i in order]}, sources=[sources[i] for i in order], metrics=metric
    )
    straight, others, moved = (
        result._tables["own", str(metric)].statistics["cosmic"] for result in (alone, together, permuted)
    )
    np.testing.assert_array_equal(straight, others)
    np.testing.assert_array_equal(straight[order], moved)


@pytest_few
def test_every_array_with_a_row_for_each_pair_is_checked_when_a_file_is_read() -> None:
    target, given = _texts_as_vectors(12)
    fit = Cosmic("none", estimator="gaussian").fit()
    part = {
        "source": target,
        "summary": given,
        "keys": np.arange(12),
        "truncated": np.zeros(12),
        "filled": np.ones(12, bool),
        "tokens": np.ones((12, 2)),
    }
    fitted = fit.combine([part], RunOptions())
    assert {name for name in fitted if "_fit_" not in name} < set(fit.layout(12))


def test_texts_are_known_by_what_they_say() -> None:
    assert digests(["", "a"]).tolist() == [0xE4A6A0577479B2B4, 0x40F89E395B66422F]  # printf a | b2sum -l 64
    assert len(set(digests(["", "a", "b", " a", "\ud800"]).tolist())) == 5


def test_a_vector_alone_is_that_of_a_batch_but_for_rounding(encoder: str) -> None:
    texts = [*_texts(20)[1], "cat", ""]
    alone, batched = (
        TextEmbedding(encoder, alone=alone).compute(texts, Work(RunOptions())).vectors.values
        for alone in (True, False)
    )
    np.testing.assert_allclose(alone, batched, atol=1e-6)
    for i in (0, 20, 21):
        np.testing.assert_array_equal(
            TextEmbedding(encoder, alone=True)
            .compute(texts[i : i + 1], Work(RunOptions()))
            .vectors.values[0],
            alone[i],
        )


@pytest_few
def test_one_source_alone_cannot_be_split(encoder: str) -> None:
    summaries, _ = _texts(20)
    for estimator in ("knife", "gaussian"):
        found = nlgauge.score(
            summaries, sources=["the cat sat"] * 20, metrics=Cosmic(encoder, estimator=estimator)
        )
        assert np.isnan(next(iter(found.values()))["score"])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"seeds": 0}, "seeds.*1.*0"),
        ({"folds": 1}, "folds.*2"),
        ({"estimator": "kraskov"}, "'knife' or 'gaussian', got 'kraskov'"),
        ({"covariance": "full"}, "covariance.*'diagonal'.*16"),
        ({"covariance": "full", "components": 17}, "at most 16"),
        ({"compat": "paper"}, "None or 'cosmic'"),
    ],
)
def test_parameters_outside_their_domain_are_refused(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Cosmic(**parameters)
