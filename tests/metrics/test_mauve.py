"""MAUVE: histograms against mauve-text, the codebook against plain definitions, and the metric on texts.

The golden values were made with mauve-text 0.4.0: `get_divergence_curve_for_multinomials` with the package's
25 weights, the trapezoidal areas of its two orders, and `get_fronter_integral`; smoothed ones of the counts
plus 1/2.
"""

from __future__ import annotations

import math
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.estimators.codebook import Codebook, fit_codebook
from nlgauge.metrics.mauve import Mauve, frontier_integral, mauve_from_histograms

CHANGED_PARAMETERS = {"features": "embedding", "buckets": 3}
GOLDEN = [
    # p, q, mauve, frontier integral, both smoothed, mauve with scaling 2
    (
        [5, 5, 0],
        [3, 3, 6],
        0.27811372536724027,
        0.3068528194400547,
        0.515234227730919,
        0.19170278848514868,
        0.7081886582753363,
    ),
    (
        [1, 1, 1, 1],
        [7, 1, 1, 1],
        0.6604427525786429,
        0.14144708293691655,
        0.7932019498104099,
        0.09835180963247658,
        0.9136058596378773,
    ),
    (
        [3, 0],
        [0, 4],
        0.0040720962619612555,
        1.0,
        0.10384813851250302,
        0.4685466913421815,
        0.16724536689815506,
    ),
    (
        [12, 7, 0, 3, 9],
        [10, 9, 1, 4, 5],
        0.9594824667098583,
        0.03509035505601079,
        0.9848498142317246,
        0.021381581329714506,
        0.9922847856766432,
    ),
    (
        [1, 30, 2, 0, 0, 8],
        [0, 2, 9, 9, 1, 7],
        0.09569386236636152,
        0.48710291318353904,
        0.1725487144361749,
        0.38708745340316864,
        0.511865961070839,
    ),
]
counts = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any)


@pytest.mark.parametrize(("p", "q", "plain", "integral", "star", "integral_star", "scaled"), GOLDEN)
def test_histograms_equal_mauve_text(p, q, plain, integral, star, integral_star, scaled):
    found = (
        mauve_from_histograms(p, q),
        frontier_integral(p, q),
        mauve_from_histograms(p, q, 5, 0.5),
        frontier_integral(p, q, 0.5),
    )
    assert found == pytest.approx((plain, integral, star, integral_star), abs=1e-10)
    assert mauve_from_histograms(p, q, 2) == pytest.approx(scaled, abs=1e-10)


@pytest.mark.parametrize("p", [[5, 5], [1, 2, 3, 4], [7], [0.1] * 10], ids=str)
def test_equal_histograms_have_all_of_it(p):
    """mauve-text gives 0.75 for two equal buckets, because it sorts points that tie."""
    assert mauve_from_histograms(p, p) == pytest.approx(1, abs=1e-12)
    assert frontier_integral(p, p) == 0


@given(st.data())
def test_bounds_symmetry_and_scale(data):
    p = data.draw(counts)
    q = data.draw(st.lists(st.integers(0, 9), min_size=len(p), max_size=len(p)).filter(any))
    value, integral = mauve_from_histograms(p, q), frontier_integral(p, q)
    assert -1e-12 <= value <= 1 + 1e-12
    assert 0 <= integral <= 1 + 1e-12
    assert mauve_from_histograms(q, p) == pytest.approx(value)
    assert mauve_from_histograms([3 * n for n in p], q) == pytest.approx(value)
    assert (integral < 1e-12) == (np.array(p) * sum(q) == np.array(q) * sum(p)).all()


@given(st.floats(0.05, 0.9), st.floats(-1e-6, 1e-6))
def test_frontier_integral_is_exact_where_shares_are_close(share, difference):
    """To second order it is the sum over buckets of d^2 / (6 p), with d the difference."""
    expected = sum(difference**2 / p for p in (share, 1 - share)) / 6
    assert frontier_integral(
        [share, 1 - share], [share + difference, 1 - share - difference]
    ) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("p", "q"), [([1], [1, 2]), ([0, 0], [1, 1]), ([-1, 2], [1, 1]), ([[1]], [[1]])])
def test_histograms_must_be_some(p, q):
    with pytest.raises(ParameterError, match="histograms must be vectors"):
        mauve_from_histograms(p, q)


def best_clusters(points: np.ndarray, weights: np.ndarray, buckets: int) -> float:
    """The least weighted sum of squares of all ways to sort points into buckets."""
    found = math.inf
    for labels in product(range(buckets), repeat=len(points)):
        total = 0.0
        for bucket in set(labels):
            chosen = np.array(labels) == bucket
            center = weights[chosen] @ points[chosen] / weights[chosen].sum()
            total += float(weights[chosen] @ ((points[chosen] - center) ** 2).sum(axis=1))
        found = min(found, total)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_k_means_finds_the_best_of_all_clusterings(seed):
    rng = np.random.default_rng(seed)
    points, weights = rng.standard_normal((8, 3)), rng.integers(1, 5, 8).astype(float)
    codebook = fit_codebook(points, weights, 3, variance=1.0, restarts=10)
    found = codebook.buckets(points)
    total = float(
        weights @ (((points - codebook.mean) @ codebook.axes - codebook.centers[found]) ** 2).sum(axis=1)
    )
    assert total == pytest.approx(best_clusters(points, weights, 3))


@pytest.mark.parametrize("variance", [0.5, 0.9, 0.99])
def test_axes_explain_the_variance_and_no_fewer_would(variance):
    rng = np.random.default_rng(1)
    vectors, weights = (
        rng.standard_normal((40, 6)) * [5, 3, 2, 1, 0.5, 0.1],
        rng.integers(1, 4, 40).astype(float),
    )
    codebook = fit_codebook(vectors, weights, 2, variance)
    repeated = np.repeat(vectors, weights.astype(int), axis=0)
    centered = repeated - repeated.mean(axis=0)
    shares = np.cumsum(np.linalg.svd(centered, compute_uv=False) ** 2) / (centered**2).sum()
    assert codebook.axes.shape[1] == int(np.argmax(shares >= variance)) + 1
    projected = centered @ codebook.axes
    assert (projected**2).sum() / (centered**2).sum() == pytest.approx(shares[codebook.axes.shape[1] - 1])


def test_weights_are_repetitions_and_buckets_no_more_than_points():
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((6, 3))
    codebook = fit_codebook(vectors, np.array([1.0, 2, 1, 1, 3, 1]), 50)
    assert len(codebook.centers) == 6
    assert codebook.counts(np.vstack([vectors, vectors[:2]])).tolist().count(2) == 2
    same = fit_codebook(np.ones((4, 3)), np.ones(4), 3)
    assert same.counts(np.ones((4, 3))).tolist() == [4]


def test_counts_given_a_codebook():
    codebook = Codebook(np.array([1.0, 1.0]), np.eye(2), np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]]))
    assert codebook.counts(np.array([[1.1, 1.0], [6.0, 2.0], [5.0, 1.0]])).tolist() == [1, 2, 0]


# --- texts


def texts(words: list[str], count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, 6)) for _ in range(count)]


def scored(metric: Mauve, predictions: list[str], references: list[str], **options: object) -> nlgauge.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nlgauge.score(predictions, references, metrics=metric, **options)  # type: ignore[arg-type]


def test_the_same_source_scores_high_another_low(tiny_models: dict[str, Path]) -> None:
    animals, numbers = ["the", "cat", "sat", "on", "mat"], ["It", "costs", "$1,234.56", "more", "20%"]
    metric = Mauve(str(tiny_models["causal"]), buckets=12)
    references = texts(animals, 80, 0)
    same = scored(metric, texts(animals, 80, 1), references)[str(metric)]
    other = scored(metric, texts(numbers, 80, 1), references)[str(metric)]
    assert same["mauve"] > 0.8 > 0.4 > other["mauve"]
    assert same["frontier_integral"] < 0.1 < 0.2 < other["frontier_integral"]
    assert other["mauve"] < other["mauve_star"]
    assert same["buckets"] == 12


def test_features_are_the_last_states_of_each_text_alone(tiny_models: dict[str, Path]) -> None:
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    from nlgauge.features import RunOptions, Work
    from nlgauge.features.language_models.last_token import LastState

    place = tiny_models["causal"]
    tokenizer, model = (
        transformers.AutoTokenizer.from_pretrained(place),
        transformers.AutoModel.from_pretrained(place).eval(),
    )
    given_texts = ["The cat is sitting on the mat.", "a", "", "Never again, he said. " * 40]
    found = LastState(str(place), 20).compute(given_texts, Work(RunOptions()))
    for i, text in enumerate(given_texts):
        ids = tokenizer(text).input_ids[:20] or [0]
        with torch.no_grad():
            state = model(input_ids=torch.tensor([ids])).last_hidden_state[0, -1].double().numpy()
        np.testing.assert_allclose(found.vectors[i][0], state / np.linalg.norm(state), atol=1e-5)
    assert found.truncated.values.tolist() == [0, 0, 0, 1]
    exactly = len(tokenizer(given_texts[0]).input_ids)
    for most, cut in ((exactly - 1, 1), (exactly, 0), (exactly + 1, 0)):
        assert LastState(str(place), most).compute(
            given_texts[:1], Work(RunOptions())
        ).truncated.values.tolist() == [cut]


def test_empty_texts_count(tiny_models: dict[str, Path]) -> None:
    metric = Mauve(str(tiny_models["causal"]), buckets=2)
    references = texts(["the", "cat"], 10, 0)
    full, half = (
        scored(metric, predictions, references)[str(metric)]["mauve"]
        for predictions in (references, [*references[:5], *[""] * 5])
    )
    assert full == pytest.approx(1)
    assert half < 0.9


def test_buckets_follow_the_smaller_side_and_embeddings_do_too(tiny_models: dict[str, Path]) -> None:
    predictions, references = (
        texts(["the", "cat", "a", "dog"], 50, 0),
        texts(["the", "cat", "on", "mat"], 50, 1),
    )
    assert scored(Mauve(str(tiny_models["causal"])), predictions, references)["mauve"]["buckets"] == 5
    embedded = scored(Mauve(str(tiny_models["encoder"]), "embedding"), predictions, references)["mauve"]
    assert 0 < embedded["mauve"] < 1


def test_the_seed_is_signed_and_few_texts_are_warned_of(tiny_models: dict[str, Path]) -> None:
    metric = Mauve(str(tiny_models["causal"]))
    with pytest.warns(UserWarning, match=r"mauve.* 3 texts"):
        one = nlgauge.score(["a", "b", "c"], ["a", "d", "e"], metrics=metric, seed=1)
    assert one.signatures != scored(metric, ["a", "b", "c"], ["a", "d", "e"], seed=2).signatures


def test_truncation_is_counted(tiny_models: dict[str, Path]) -> None:
    metric = Mauve(str(tiny_models["causal"]), max_tokens=10)
    assert scored(metric, ["cat " * 50, "a"], ["cat " * 50, "b"])["mauve"]["truncated"] == 2


@pytest.mark.parametrize(
    "bad", [{"model": ""}, {"features": "tfidf"}, {"buckets": 1}, {"scaling": 0}, {"max_tokens": 0}], ids=str
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"mauve: {next(iter(bad))} must be"):
        Mauve(**bad)
