"""BaryScore against a slow oracle of the authors' procedure on a tiny random BERT, entropic plans against
POT, and our own start.
"""

from __future__ import annotations

import io
import sys
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from segment_rows import rows_by_label
from strategies import SENTENCES

import nlgauge
from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.estimators import transport
from nlgauge.explanations import Transport
from nlgauge.features import RunOptions, Work
from nlgauge.features.encoders import barycenter as features
from nlgauge.metrics.baryscore import BaryScore
from nlgauge.show.pages.explanations import render

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
ot = pytest.importorskip("ot")

# Texts without a token that the tiny model knows.
NOT_BEST_WHEN_EQUAL = {"right to left", "emoji", "not a character"}
TEST_PARAMETERS = {"layers": 2}
CHANGED_PARAMETERS = {"layers": 1, "sinkhorn": (0.5, 1), "compat": "official"}
PREDICTIONS = [prediction for prediction, _ in SENTENCES]
REFERENCES = [references[0] for _, references in SENTENCES]
SINKHORN = (10, 1, 5, 0.1, 0.5, 0.01)


@cache
def loaded(place: Path) -> tuple[Any, Any]:
    return (
        transformers.AutoTokenizer.from_pretrained(place),
        transformers.AutoModel.from_pretrained(place).eval(),
    )


def layers_of(place: Path, text: str, last: int) -> np.ndarray:
    """(layers, pieces, d) unit vectors, one text at a time."""
    tokenizer, model = loaded(place)
    with torch.no_grad():
        states = model(
            **tokenizer(text, return_tensors="pt", truncation=True), output_hidden_states=True
        ).hidden_states
    found = torch.stack([states[i][0] for i in range(len(states) - last, len(states))])
    return (found / found.norm(dim=-1, keepdim=True)).double().numpy()


def official(layers_of_prediction: np.ndarray, layers_of_reference: np.ndarray) -> list[float]:
    """The exact and the regularized costs as the authors' program computes them."""
    found = []
    for layers in (layers_of_reference, layers_of_prediction):
        weights = np.full(layers.shape[1], 1 / layers.shape[1])
        support = np.zeros(layers.shape[1:])
        for _ in range(1000):
            plans = [ot.emd(weights, weights, ot.dist(support, layer)) for layer in layers]
            moved = np.mean(
                [plan @ layer / weights[:, None] for plan, layer in zip(plans, layers, strict=True)], axis=0
            )
            distance = ((moved - support) ** 2).sum()
            support = moved
            if distance <= 1e-7:
                break
        found.append(support)
    cost = ot.dist(*found)
    sides = [np.full(size, 1 / size) for size in cost.shape]
    return [
        float(ot.emd2(*sides, cost)),
        *(float(ot.bregman.sinkhorn2(*sides, cost, reg, numItermax=10_000, warn=False)) for reg in SINKHORN),
    ]


def scored(metric: BaryScore, predictions: list[str], references: list[str]) -> np.ndarray:
    rows = rows_by_label(nlgauge.score(predictions, references, metrics=metric, batch_size=1))
    return np.array(
        [
            [
                value
                for name, value in row.items()
                if not name.endswith(("segment", "system", "truncated", "unknown_tokens"))
            ]
            for row in rows
        ]
    )


def test_compat_equals_the_official_procedure(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tiny_models["masked"]
    read: list[np.ndarray] = []
    plain = features.barycenter
    monkeypatch.setattr(
        features, "barycenter", lambda measures, start: read.append(measures) or plain(measures, start)
    )
    layers = {}
    for text in dict.fromkeys((*PREDICTIONS, *REFERENCES)):
        features.LayerBarycenter(str(place), 2, "zero").compute([text], Work(RunOptions()))
        layers[text] = read[-1]
        np.testing.assert_allclose(layers[text], layers_of(place, text, 2), atol=1e-5)
    ours = scored(BaryScore(str(place), 2, SINKHORN, "official"), PREDICTIONS, REFERENCES)
    # The procedure on our own states: started at zero, their last bits decide which barycenter is found.
    expected = [
        official(layers[prediction], layers[reference])
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_the_default_differs_from_it_in_the_start_alone(tiny_models: dict[str, Path]) -> None:
    place = tiny_models["masked"]
    ours = scored(BaryScore(str(place), 2), PREDICTIONS, REFERENCES)[:, 0]
    for value, prediction, reference in zip(ours, PREDICTIONS, REFERENCES, strict=True):
        points = []
        for text in (reference, prediction):
            layers = layers_of(place, text, 2)
            weights = np.full(layers.shape[1], 1 / layers.shape[1])
            points.append(
                ot.lp.free_support_barycenter(
                    list(layers), [weights] * 2, layers.mean(axis=0), numItermax=1000
                )
            )
        sides = [np.full(len(side), 1 / len(side)) for side in points]
        assert value == pytest.approx(ot.emd2(*sides, ot.dist(*points)), abs=1e-6)


def test_the_start_at_the_mean_finds_the_best_barycenter_where_layers_are_alike_and_that_at_zero_may_not() -> (
    None
):
    found = {"mean": [], "zero": [], "best": []}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        layers = rng.standard_normal((4, 5)) + 0.5 * rng.standard_normal((3, 4, 5))
        for start, first in (("mean", layers.mean(axis=0)), ("zero", np.zeros((4, 5)))):
            points = transport.barycenter(layers, first)
            found[start].append(
                sum(
                    float((transport.exact_plan(cost) * cost).sum())
                    for cost in (ot.dist(points, layer) for layer in layers)
                )
            )
        orders = [list(order) for order in permutations(range(4))]
        matched = [
            np.stack([layers[0], layers[1][one], layers[2][other]]) for one in orders for other in orders
        ]
        found["best"].append(
            min(float(((layers - layers.mean(axis=0)) ** 2).sum()) / 4 for layers in matched)
        )
    np.testing.assert_allclose(found["mean"], found["best"])
    assert sum(found["zero"]) > sum(found["best"]) + 0.05


@given(st.integers(1, 6), st.integers(0, 10_000))
def test_exact_plan_is_the_best_of_all_permutations(size: int, seed: int) -> None:
    cost = np.random.default_rng(seed).random((size, size))
    best = min(sum(cost[i, j] for i, j in enumerate(order)) for order in permutations(range(size))) / size
    assert (transport.exact_plan(cost) * cost).sum() == pytest.approx(best)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([10, 1, 0.3]), st.integers(0, 10_000))
def test_entropic_plan_is_what_sinkhorns_iterations_tend_to(
    rows: int, columns: int, regularization: float, seed: int
) -> None:
    cost = np.random.default_rng(seed).random((rows, columns)) * 2
    theirs = ot.bregman.sinkhorn(
        *transport.uniform(cost),
        cost,
        regularization,
        method="sinkhorn_log",
        numItermax=100_000,
        stopThr=1e-12,
    )
    np.testing.assert_allclose(transport.entropic_plan(cost, regularization), theirs, atol=1e-8)


@pytest.mark.parametrize("regularization", [0.1, 0.02, 0.001])
def test_entropic_plan_of_nearly_a_permutation(regularization: float) -> None:
    rng = np.random.default_rng(1)
    points = rng.standard_normal((12, 30))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    other = points + 0.05 * rng.standard_normal(points.shape)
    cost = ot.dist(points, other)
    plan = transport.entropic_plan(cost, regularization)
    assert plan is not None
    np.testing.assert_allclose([plan.sum(axis=0), plan.sum(axis=1)], 1 / 12, atol=1e-9)
    # At the optimum, cost plus regularization times the logarithm of the plan is a sum of a row's and a
    # column's potential.
    level = cost + regularization * np.log(np.maximum(plan, 1e-300))
    mixed = level - level.mean(axis=0) - level.mean(axis=1, keepdims=True) + level.mean()
    assert np.abs(mixed[plan > 1e-290]).max() < 1e-6 or regularization < 0.01
    exact = float((transport.exact_plan(cost) * cost).sum())
    assert exact - 1e-9 <= (plan * cost).sum() <= exact + regularization * np.log(12)


def test_costs_fall_to_the_exact_one_with_the_regularization(tiny_models: dict[str, Path]) -> None:
    metric = BaryScore(str(tiny_models["encoder"]), 2, (10, 1, 0.1, 0.001))
    found = nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric)["baryscore"]
    values = [found[f"sinkhorn_{value:g}"] for value in metric.sinkhorn]
    assert values == sorted(values, reverse=True)
    assert found["score"] <= values[-1] < found["score"] + 0.003


def test_empty_text_is_far_from_others_and_equal_to_itself(tiny_models: dict[str, Path]) -> None:
    found = scored(
        BaryScore(str(tiny_models["encoder"]), 2), ["", "", "the cat", "  "], ["the cat", "", "", "the cat"]
    )[:, 0]
    assert found[1] == pytest.approx(0, abs=1e-12)
    assert found[0] == pytest.approx(found[2], abs=1e-6) == pytest.approx(found[3], abs=1e-6)
    assert found[0] > 0.1


def test_truncation_is_counted(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["cat " * 150, "the cat"], ["the cat", "the cat"], metrics=BaryScore(str(tiny_models["encoder"]), 1)
    )
    assert result["baryscore"]["truncated"] == 1


def test_explanation_is_the_plan_that_was_scored(tiny_models: dict[str, Path]) -> None:
    metric = BaryScore(str(tiny_models["encoder"]), 2)
    result = nlgauge.score(["the cat sat"], ["a cat on mat"], metrics=metric)
    (shown,) = result.explain("baryscore", 0)
    assert isinstance(shown, Transport)
    assert shown.prediction == ["[CLS]", "the", "cat", "sat", "[SEP]"]
    assert shown.plan.shape == shown.cost.shape == (5, 6)
    assert (shown.plan * shown.cost).sum() == pytest.approx(result["baryscore"]["score"])
    console = Console(width=400, record=True, file=io.StringIO())
    console.print(render(shown))
    text = console.export_text()
    assert f"sum to {result['baryscore']['score']:.4f}" in text
    (line,) = [line for line in text.split("\n") if line.startswith("mass")]
    assert sum(float(value) for value in line.split()[1:]) == pytest.approx(1, abs=0.01)


def test_points_of_the_official_start_are_no_tokens_to_show(tiny_models: dict[str, Path]) -> None:
    metric = BaryScore(str(tiny_models["encoder"]), 2, compat="official")
    assert nlgauge.score(["the cat"], ["a cat"], metrics=metric).explain("baryscore", 0) == []


def test_without_pot_the_extra_is_named(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(MissingExtraError, match=r'pip install "nlgauge\[ot\]"'):
        nlgauge.score(["a"], ["b"], metrics=BaryScore(str(tiny_models["encoder"]), 1))


def test_layers_beyond_the_model_are_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=r"layers.*1 to 2"):
        nlgauge.score(["a"], ["b"], metrics=BaryScore(str(tiny_models["encoder"])))


@pytest.mark.parametrize(
    "bad",
    [
        {"model": ""},
        {"layers": 0},
        {"sinkhorn": (0,)},
        {"sinkhorn": 1},
        {"sinkhorn": (1, 1.0)},
        {"compat": "x"},
    ],
    ids=str,
)
def test_parameters_outside_their_domain(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"baryscore: {next(iter(bad))} must be"):
        BaryScore(**bad)  # type: ignore[arg-type]
