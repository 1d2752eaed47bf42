"""COSMIC's estimator on data whose information is known, and the metric on texts."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge.knife import Settings, _log_mixture, cross_fitted, gaussian_information
from nlgauge.metrics.cosmic import Cosmic

torch = pytest.importorskip("torch")


CHANGED_PARAMETERS = {"components": 2}
PLAIN = Settings()


def _gaussian(count: int, d: int, correlation: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    given = rng.standard_normal((count, d))
    return correlation * given + np.sqrt(1 - correlation**2) * rng.standard_normal((count, d)), given


def _information(target: np.ndarray, given: np.ndarray, seed: int = 1, settings: Settings = PLAIN) -> float:
    found = cross_fitted(target, given, np.arange(len(target)), None, settings, seed)
    return float((found.entropy - found.conditional).mean())


@pytest.mark.parametrize(("count", "d", "correlation"), [(2000, 4, 0.8), (2000, 4, 0.99), (3000, 8, 0.5)])
def test_gaussians_with_known_information(count: int, d: int, correlation: float) -> None:
    target, given = _gaussian(count, d, correlation)
    truth = -d / 2 * np.log(1 - correlation**2)
    assert _information(target, given) == pytest.approx(truth, rel=0.15)
    assert gaussian_information(target, given) == pytest.approx(truth, rel=0.1)


def test_entropy_of_the_target() -> None:
    target, given = _gaussian(2000, 4, 0.8)
    found = cross_fitted(3 * target, given, np.arange(2000), None, Settings(), 1)
    assert found.entropy.mean() == pytest.approx(4 * (1.4189385332 + np.log(3)), abs=0.15)


def test_information_that_no_line_shows() -> None:
    rng = np.random.default_rng(0)
    given = rng.standard_normal((3000, 2))
    target = np.abs(given) + 0.1 * rng.standard_normal((3000, 2))
    assert gaussian_information(target, given) < 0.05
    assert _information(target, given) > 1.5


def test_shift_and_scale_change_nothing() -> None:
    target, given = _gaussian(600, 3, 0.7)
    expected = _information(target, given)
    assert _information(0.05 * target, 10 * given + 3) == pytest.approx(expected, abs=1e-4)
    assert _information(target + 100, given - 7) == pytest.approx(expected, abs=1e-3)


def test_independent_and_shuffled_pairs_have_about_none() -> None:
    target, given = _gaussian(2000, 4, 0.8)
    assert abs(_information(target, np.random.default_rng(5).permutation(given))) < 0.05
    memorable = _gaussian(200, 32, 0.0)
    assert _information(*memorable) < 0.5  # the released estimator gives 33.6 here: it remembers the pairs


def test_density_of_the_spec() -> None:
    values = torch.tensor([[1.0, 2.0]])
    found = _log_mixture(torch, values, torch.zeros(1, 1, 2), torch.full((1, 1, 2), 0.5), torch.zeros(1, 1))
    # Without the off-diagonal term of the spec's vector: -(e * (1 + 4)) / 2 + 1 - log(2 pi)
    assert float(found) == pytest.approx(-0.5 * np.e * 5 + 1 - np.log(2 * np.pi), abs=1e-5)


def test_mixture_integrates_to_one() -> None:
    grid = torch.linspace(-30, 30, 6001)[:, None]
    means, scales, logits = torch.tensor([[[-2.0], [3.0]]]), torch.tensor([[[0.7], [-1.0]]]), torch.tensor([[0.3, -0.4]])
    density = _log_mixture(torch, grid, means, scales, logits).exp()
    assert float(density.sum() * 0.01) == pytest.approx(1.0, abs=1e-4)


def test_rows_of_a_group_are_never_on_both_sides() -> None:
    target, given = _gaussian(60, 2, 0.5)
    groups = np.repeat(np.arange(20), 3)
    fold = cross_fitted(target, given, groups, None, Settings(epochs=1), 1).fold
    assert all(len(set(fold[groups == group])) == 1 for group in range(20))
    assert len(set(fold.tolist())) == 5


def test_seed_decides_and_global_state_is_left_alone() -> None:
    target, given = _gaussian(150, 2, 0.5)
    before = torch.random.get_rng_state(), np.random.get_state()[1].copy()
    quick = Settings(epochs=5)
    assert _information(target, given, 3, quick) == _information(target, given, 3, quick) != _information(target, given, 4, quick)
    assert torch.equal(before[0], torch.random.get_rng_state())
    assert (before[1] == np.random.get_state()[1]).all()


def _texts(count: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    words = ["cat", "mat", "sat", "on", "the", "dog", "ran", "far", "big", "red"]
    sources = [" ".join(rng.choice(words, 12)) for _ in range(count)]
    return [" ".join(source.split()[:5]) for source in sources], sources


def test_summaries_of_the_sources_tell_more_than_those_of_others(tiny_models: dict[str, Path]) -> None:
    summaries, sources = _texts(300)
    metric = Cosmic(str(tiny_models["encoder"]), components=4)
    with pytest.warns(UserWarning, match="300 pairs"):
        result = nlgauge.score({"own": summaries, "others": summaries[1:] + summaries[:1]}, sources=sources, metrics=metric)
    own, others = (result[system][str(metric)] for system in ("own", "others"))
    assert own["score"] > 0.3 > 0.2 > others["score"]
    assert own["score"] == pytest.approx(own["source_entropy"] - own["conditional_entropy"])
    assert own["scored_pairs"] == 300


def test_pointwise_values_make_intervals_and_tests(tiny_models: dict[str, Path]) -> None:
    summaries, sources = _texts(120)
    metric = Cosmic(str(tiny_models["encoder"]), components=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = nlgauge.score({"own": summaries, "others": summaries[1:] + summaries[:1]}, sources=sources, metrics=metric)
    interval = result.intervals()["own"][str(metric)]["score"]
    assert interval.low < interval.score < interval.high
    assert result.compare("own", "others")[str(metric)].p < 0.05


def test_the_seed_is_in_the_signature(tiny_models: dict[str, Path]) -> None:
    summaries, sources = _texts(12)
    metric = Cosmic(str(tiny_models["encoder"]), components=1, folds=2, modes=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (nlgauge.score(summaries, sources=sources, metrics=metric, seed=seed) for seed in (1, 2))
    assert one["cosmic"]["score"] != other["cosmic"]["score"]
    assert one.signatures[str(metric)] != other.signatures[str(metric)]


def test_adding_a_system_changes_no_other(tiny_models: dict[str, Path]) -> None:
    summaries, sources = _texts(60)
    metric = Cosmic(str(tiny_models["encoder"]), components=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = nlgauge.score({"own": summaries}, sources=sources, metrics=metric)
        both = alone.add(predictions={"others": sources})
    assert both["own"][str(metric)] == alone[str(metric)]


def test_empty_summaries_tell_nothing_and_count(tiny_models: dict[str, Path]) -> None:
    summaries, sources = _texts(60)
    metric = Cosmic(str(tiny_models["encoder"]), components=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = nlgauge.score(["", *summaries[1:]], sources=sources, metrics=metric)
        nothing = nlgauge.score([""] * 60, sources=sources, metrics=metric)
    assert found["cosmic"]["scored_pairs"] == 59
    assert found.segments("records")[0][str(metric)] != found.segments("records")[1][str(metric)]
    assert np.isnan(nothing["cosmic"]["score"])
    assert "densities" in nothing.reasons()["system", str(metric), "cosmic"]
