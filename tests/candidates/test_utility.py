"""Utilities of all pairs have the bits of a reward of each pair, whichever way computes them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts
from twins import needs_native

import nlgauge
from nlgauge._core.backend import NATIVE, using
from nlgauge._core.ragged import Ragged
from nlgauge.candidates import utility
from nlgauge.candidates.utility import Input, Utility
from nlgauge.features import Feature, Work
from nlgauge.metric import Metric, Output

# One metric of each kind of kernel, with every kind of token, and metrics without a compiled form.
METRICS: list[tuple[str, str | None]] = [
    ("chrf", None),
    ("chrf(word_order=2, lowercase=True)", None),
    ("chrf(whitespace=True, eps_smoothing=True)", None),
    ("bleu", None),
    ("bleu(tokenizer='char')", None),
    ("sentence_bleu", None),
    ("gleu", None),
    ("f1", None),
    ("rouge(stem=True)", "rouge2"),
    ("rouge", "rougeL_recall"),
    ("rouge", "rougeLsum"),
    ("wer", None),
    ("cer", None),
    ("wil", None),
    ("levenshtein", None),
    ("ter", None),
    ("exact_match", None),
    ("eed", None),
]
NAMES = [f"{metric} {output or ''}".strip() for metric, output in METRICS]


def by_reward(metric: Any, output: str | None, candidates: list[str], references: list[str]) -> np.ndarray:
    """The utilities as rewards of all pairs in one list."""
    reward = nlgauge.reward(metric, output=output)
    pairs = [(candidate, reference) for candidate in candidates for reference in references]
    rewards = reward([candidate for candidate, _ in pairs], [reference for _, reference in pairs])
    return np.array(rewards).reshape(len(candidates), len(references))


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kernels", [pytest.param("native", marks=needs_native), "python"])
@pytest.mark.parametrize(("metric", "output"), METRICS, ids=NAMES)
@given(
    candidates=st.lists(texts(), min_size=1, max_size=6),
    references=st.none() | st.lists(texts(), min_size=1, max_size=4),
)
def test_utilities_are_rewards(kernels, metric, output, candidates, references):
    with using(kernels):
        found = nlgauge.utilities(candidates, metric, references, output=output)
        expected = by_reward(metric, output, candidates, candidates if references is None else references)
    assert_same(found, expected)


def sampled(count: int, seed: int = 1) -> list[str]:
    """Texts for one input: variants of a sentence, some of them equal, some empty, some of other letters."""
    rng = random.Random(seed)
    base = "the old ferry to the island stops for two weeks , and a boat takes over".split()
    others = ["Ferry", "straße", "naß", "猫", "🙂", "boat", "the", "the", "1,000.5", ".", "two\u0301"]
    found = []
    for _ in range(count):
        words = list(base)
        for _ in range(rng.randrange(12)):
            words[rng.randrange(len(words))] = rng.choice(others)
        found.append(" ".join(words[: rng.randrange(len(words) + 1)]))
    return found


@needs_native
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("count", [1, 70])
@pytest.mark.parametrize(("metric", "output"), METRICS[:15], ids=NAMES[:15])
def test_many_candidates(metric, output, count):
    candidates, references = sampled(count), sampled(count + 3, seed=2)[::-1]
    for others in (None, references):
        assert_same(
            nlgauge.utilities(candidates, metric, others, output=output),
            by_reward(metric, output, candidates, others or candidates),
        )


@needs_native
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", ["chrf(word_order=2)", "bleu"])
def test_instructions_of_the_processor_change_nothing(metric, monkeypatch):
    candidates = sampled(200)
    expected = by_reward(metric, None, candidates, candidates)
    for simd in ("", "popcnt", "baseline"):
        monkeypatch.setenv("NLGAUGE_SIMD", simd)
        assert_same(nlgauge.utilities(candidates, metric), expected)


def _kernels(metric: str, output: str | None) -> str:
    program = Utility(nlgauge.reward(metric, output=output)).program
    return "" if program is None else " ".join(counts.kernel for counts in program.counts)


@needs_native
@pytest.mark.parametrize(("metric", "output"), METRICS[:15], ids=NAMES[:15])
def test_compiled_metrics_have_no_need_of_pairs(metric, output):
    program = Utility(nlgauge.reward(metric, output=output)).program
    assert program is not None
    if "char" in metric and "bleu" in metric:  # the tokens are sacreBLEU's
        assert program.native is None
        assert program.reads_ngrams
    else:
        assert program.native.utilities(["a b", "a"], np.arange(2), np.arange(2), 0.0, 1.0, 0.0).shape == (
            2,
            2,
        )


@pytest.mark.parametrize(("metric", "output"), METRICS[15:], ids=NAMES[15:])
def test_rewards_score_the_pairs_of_other_metrics(metric, output):
    program = Utility(nlgauge.reward(metric, output=output)).program
    assert program is None or (program.native is None and not program.reads_ngrams)


def test_kernels_that_an_output_does_not_need_are_not_run():
    kernels = {output: _kernels("rouge", output) for output in ("rouge1", "rougeL", "rougeLsum_precision")}
    assert kernels == {
        "rouge1": "clipped_matches",
        "rougeL": "common_subsequence",
        "rougeLsum_precision": "union_subsequence",
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kernels", [pytest.param("native", marks=needs_native), "python"])
@pytest.mark.parametrize(("metric", "output"), METRICS, ids=NAMES)
def test_expected_utilities_are_sums_in_the_order_of_the_references(metric, output, kernels):
    candidates, references = sampled(9), [*sampled(6, seed=3), "", *sampled(3, seed=3)]
    weights = np.random.default_rng(1).random(len(references))
    weights /= weights.sum()
    with using(kernels):
        matrix = nlgauge.utilities(candidates, metric, references, output=output)
        own = Utility(nlgauge.reward(metric, output=output))
        (found,) = own.expected([Input(candidates, references, weights)])
    expected = []
    for row in matrix.tolist():
        total = 0.0
        for weight, value in zip(weights.tolist(), row, strict=True):
            total += weight * value
        expected.append(total)
    assert found.tolist() == expected


@needs_native
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("metric", "output"), METRICS[:15], ids=NAMES[:15])
def test_threads_change_nothing(metric, output):
    candidates = sampled(90)
    own = Utility(nlgauge.reward(metric, output=output))
    given_input = Input(candidates, candidates, np.full(90, 1 / 90))
    results = []
    try:
        for threads in (1, 2):
            NATIVE.set_threads(threads, worthwhile=1)
            results.append((own.matrices([given_input])[0], own.expected([given_input])[0]))
    finally:
        NATIVE.set_threads(1)
    (first, first_sums), (second, second_sums) = results
    assert_same(second, first)
    assert_same(second_sums, first_sums)


@pytest.mark.parametrize("kernels", [pytest.param("native", marks=needs_native), "python"])
@pytest.mark.parametrize("metric", ["bleu", "chrf", "gleu", "bleu(tokenizer='char')"])
def test_aggregation_averages_counts(kernels, metric):
    """Of one reference, or of equal references, the mean is the reference."""
    candidates = ["a b c d e", "a b c", "a b x d", "b"]
    own = Utility(nlgauge.reward(metric))
    with using(kernels):
        for references in (["a b c d"], ["a b c d"] * 4):
            weights = np.full(len(references), 1 / len(references))
            found = own.aggregated(Input(candidates, references, weights))
            assert found.tolist() == nlgauge.utilities(candidates, metric, ["a b c d"])[:, 0].tolist()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge(rouge_types='rouge2')", "bleu(tokenizer='char')"])
@needs_native
def test_aggregation_is_the_same_with_both_kinds_of_kernels(metric):
    candidates, references = sampled(20), sampled(30, seed=4)
    own = Utility(nlgauge.reward(metric))
    weights = np.random.default_rng(2).random(30)
    results = []
    for kernels in ("native", "python"):
        with using(kernels):
            results.append(own.aggregated(Input(candidates, references, weights / weights.sum())))
    assert_same(*results)


COMPUTED: list[str] = []


@dataclass(frozen=True)
class _Size(Feature):
    """Sizes of texts, as a model might compute them."""

    def compute(self, keys: list[str], work: Work) -> Ragged:
        COMPUTED.extend(keys)
        return Ragged.single(np.array([float(len(key)) for key in keys]))


@dataclass(frozen=True)
class _SizeRatio(Metric):
    name: ClassVar[str] = "size_ratio"

    def outputs(self):
        return {"size_ratio": (Output("size_ratio", False, 0),)}

    def statistics(self, view, fitted):
        column, predictions, references = view.get(_Size(), view.predictions, view.reference)
        return {"size_ratio": np.abs(column.values[predictions] - column.values[references])[:, None]}

    def score(self, part, statistics):
        return {"size_ratio": np.where(statistics[..., 0] == 3, np.nan, statistics[..., 0])}


def test_a_feature_of_each_different_text_is_computed_once():
    COMPUTED.clear()
    inputs = [[f"{'x' * size}{k}" for size in range(60, 100)] + ["x", "x"] for k in range(3)]
    chosen = nlgauge.mbr(inputs, _SizeRatio())
    assert sum(len(text) for group in inputs for text in group) * 42 > 2 * 200_000  # several chunks
    assert len(COMPUTED) == len(set(COMPUTED)) == 3 * 40 + 1
    for texts_of_input, each in zip(inputs, chosen, strict=True):
        expected = by_reward(_SizeRatio(), None, texts_of_input, texts_of_input)
        assert np.isnan(expected).any()
        assert each.expected == pytest.approx(np.nansum(expected, axis=1) / 42, abs=1e-12)


def test_inputs_are_scored_in_batches(monkeypatch):
    monkeypatch.setattr(utility, "_PAIRS_TOGETHER", 20)
    inputs = [["a b", "a c", "d"], ["x"], ["a", "b", "c", "d", "e"], ["y z", "y"]]
    expected = [nlgauge.mbr(candidates, "ter") for candidates in inputs]
    assert nlgauge.mbr(inputs, "ter") == expected
    with using("python"):
        assert nlgauge.mbr(inputs[2], "chrf") == nlgauge.mbr(inputs, "chrf")[2]


def test_lines_that_rouge_reads_one_by_one():
    candidates = ["a b\nc d", "c d\na b", "a b c d"]
    found = nlgauge.utilities(candidates, "rouge", output="rougeLsum")
    assert_same(found, by_reward("rouge", "rougeLsum", candidates, candidates))
    assert found[0, 1] > nlgauge.utilities(candidates, "rouge", output="rougeL")[0, 1]
