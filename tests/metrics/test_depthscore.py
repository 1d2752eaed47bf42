"""DepthScore against a slow oracle of the authors' procedure on a tiny random BERT, and the properties
that theirs lacks.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import SENTENCES

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.depthscore import DepthScore, _depth

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# Texts without a token that the tiny model knows.
NOT_BEST_WHEN_EQUAL = {"right to left", "emoji", "not a character"}
TEST_PARAMETERS = {"directions": 300}
CHANGED_PARAMETERS = {"layer": 1, "lowest": 0.5, "compat": "official"}
PREDICTIONS = [prediction for prediction, _ in SENTENCES]
REFERENCES = [references[0] for _, references in SENTENCES]


@cache
def loaded(place: Path) -> tuple[Any, Any]:
    return transformers.AutoTokenizer.from_pretrained(place), transformers.AutoModel.from_pretrained(
        place
    ).eval()


def vectors(place: Path, text: str, layer: int) -> np.ndarray:
    tokenizer, model = loaded(place)
    with torch.no_grad():
        states = model(
            **tokenizer(text, return_tensors="pt", truncation=True), output_hidden_states=True
        ).hidden_states[layer][0]
    return (states / states.norm(dim=-1, keepdim=True)).double().numpy()


def sphere(generator: Any, count: int, d: int) -> np.ndarray:
    drawn = generator.multivariate_normal(np.zeros(d), np.identity(d), size=count)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def official_depth(points: np.ndarray, directions: np.ndarray) -> np.ndarray:
    depths = np.zeros(len(points))
    for u in directions:
        order = sorted(range(len(points)), key=lambda i: points[i] @ u)
        for rank, i in enumerate(order, 1):
            depths[i] += min(rank / len(points), 1 - rank / len(points))
    return depths / len(directions)


def official(
    reference: np.ndarray,
    prediction: np.ndarray,
    count: int,
    p: float = 5,
    levels: int = 5,
    lowest: float = 0.3,
) -> float:
    """Depths by the first directions of seed 0 for either text, regions by the next ones, and no absolute
    value.
    """
    generator = np.random.RandomState(0)
    first = sphere(generator, count, reference.shape[1])
    depths = [official_depth(points, first) for points in (reference, prediction)]
    second = sphere(generator, count, reference.shape[1])
    total = 0.0
    for level in np.linspace(int(lowest * 100), 100, levels):
        sides = [
            (points[depth >= np.percentile(depth, level)] @ second.T).max(axis=0)
            for points, depth in zip((reference, prediction), depths, strict=True)
        ]
        total += max((sides[0] - sides[1]) ** p)
    return (total / levels) ** (1 / p) if total >= 0 else float("nan")


def scored(metric: DepthScore, predictions: list[str], references: list[str], **options: Any) -> list[float]:
    return [
        row[str(metric)]
        for row in rows_by_label(nlgauge.score(predictions, references, metrics=metric, **options))
    ]


@pytest.mark.parametrize(("p", "levels", "lowest"), [(5, 5, 0.3), (2, 3, 0.0), (3, 1, 0.5)])
def test_compat_equals_the_official_procedure(
    tiny_models: dict[str, Path], p: float, levels: int, lowest: float
) -> None:
    place = tiny_models["encoder"]
    metric = DepthScore(str(place), 1, p, levels, lowest, 60, "official")
    expected = [
        official(vectors(place, r, 1), vectors(place, h, 1), 60, p, levels, lowest)
        for h, r in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    np.testing.assert_allclose(scored(metric, PREDICTIONS, REFERENCES), expected, atol=1e-6)


@given(st.integers(2, 9), st.integers(0, 1000))
def test_depth_is_the_mean_over_directions_of_the_lesser_side(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, directions = rng.standard_normal((count, 4)), rng.standard_normal((30, 4))
    np.testing.assert_allclose(_depth(points @ directions.T), official_depth(points, directions))


def test_the_middle_of_a_cloud_is_deepest() -> None:
    rng = np.random.default_rng(0)
    points = np.vstack([rng.standard_normal((20, 3)), np.zeros(3)])
    assert _depth(points @ rng.standard_normal((3, 500))).argmax() == 20


def test_the_default_is_symmetric_and_never_less_than_the_official_formula_on_its_directions(
    tiny_models: dict[str, Path],
) -> None:
    place = str(tiny_models["encoder"])
    plain, theirs = (
        DepthScore(place, 1, directions=300),
        DepthScore(place, 1, directions=300, compat="official"),
    )
    forward, backward = scored(plain, PREDICTIONS, REFERENCES), scored(plain, REFERENCES, PREDICTIONS)
    np.testing.assert_allclose(forward, backward, atol=1e-6)
    assert (
        np.abs(
            np.subtract(scored(theirs, PREDICTIONS, REFERENCES), scored(theirs, REFERENCES, PREDICTIONS))
        ).max()
        > 0.01
    )
    for seed in range(20):
        supports = np.random.default_rng(seed).standard_normal((2, 5, 30))
        assert (
            plain._distance(supports.__getitem__, 0, 1)
            >= theirs._distance(supports.__getitem__, 0, 1) - 1e-12
        )


def test_the_seed_draws_the_directions_and_is_signed_but_not_with_compat(
    tiny_models: dict[str, Path],
) -> None:
    place = str(tiny_models["encoder"])
    for compat, differs in ((None, True), ("official", False)):
        metric = DepthScore(place, 1, directions=50, compat=compat)
        one, other = (nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric, seed=seed) for seed in (1, 2))
        assert (one["depthscore"]["score"] != other["depthscore"]["score"]) is differs
        assert (one.signatures != other.signatures) is differs


def test_a_shift_of_all_tokens_is_found_in_full() -> None:
    rng = np.random.default_rng(1)
    points = rng.standard_normal((9, 2))
    angles = np.linspace(0, 2 * np.pi, 2000, endpoint=False)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    metric = DepthScore("x", 1)
    supports = [
        metric._supports(cloud, directions, directions) for cloud in (points, points + np.array([3.0, 4.0]))
    ]
    assert metric._distance(lambda i: supports[i], 0, 1) == pytest.approx(5, abs=1e-4)


def test_where_the_official_formula_has_no_value_it_is_nan_with_a_reason(
    tiny_models: dict[str, Path],
) -> None:
    metric = DepthScore("x", 1, compat="official")
    inner, outer = np.zeros((5, 7)), np.ones((5, 7))
    assert np.isnan(metric._distance([inner, outer].__getitem__, 0, 1))
    assert metric._distance([inner, outer].__getitem__, 1, 0) == pytest.approx(1)
    assert DepthScore("x", 1)._distance([inner, outer].__getitem__, 0, 1) == pytest.approx(1)
    row = np.array([[0.0, 0.0, 0.0], [0.5, 1.0, 0.0]])
    assert np.isnan(metric.score("depthscore", row)["depthscore"]).tolist() == [True, False]
    assert metric.score("depthscore", row.sum(axis=0))["depthscore"] == 0.5


def test_empty_text_is_far_from_others_and_equal_to_itself(tiny_models: dict[str, Path]) -> None:
    found = scored(
        DepthScore(str(tiny_models["encoder"]), 2, directions=300), ["", "", "the cat"], ["the cat", "", ""]
    )
    assert found[1] == 0
    assert found[0] == pytest.approx(found[2], abs=1e-6)
    assert found[0] > 0.1


def test_truncation_is_counted(tiny_models: dict[str, Path]) -> None:
    metric = DepthScore(str(tiny_models["encoder"]), 1, directions=10)
    assert (
        nlgauge.score(["cat " * 150, "the cat"], ["the cat", "the cat"], metrics=metric)["depthscore"][
            "truncated"
        ]
        == 1
    )


def test_the_layer_is_the_papers_unless_the_model_is_a_small_one() -> None:
    assert (DepthScore()._layer, DepthScore("minilm")._layer, DepthScore("minilm", 3)._layer) == (9, 6, 3)


@pytest.mark.parametrize(
    "bad",
    [
        {"model": ""},
        {"layer": -1},
        {"p": 0.5},
        {"levels": 0},
        {"lowest": 1.5},
        {"directions": 0},
        {"compat": "x"},
    ],
    ids=str,
)
def test_parameters_outside_their_domain(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"depthscore: {next(iter(bad))} must be"):
        DepthScore(**bad)  # type: ignore[arg-type]
