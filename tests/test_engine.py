"""The engine: each distinct key of a feature once a chunk, rows in their places, fits on the whole, sources and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array, Ragged
from nlgauge.errors import InputError
from nlgauge.features import Feature, Features, RunOptions, Work
from nlgauge.metric import Arrays, Fit, Metric, Output, Takes, View
from nlgauge.metric.registry import make
from nlgauge.run.executors import Serial

CALLS: list[tuple[Feature, list[Any]]] = []


@pytest.fixture(autouse=True)
def calls():
    CALLS.clear()
    return CALLS


@dataclass(frozen=True)
class Lengths(Feature):
    """The length of a text, or of all texts of a tuple, written down each time it is computed."""

    times: int = 1

    def compute(self, keys: list[Any], work: Work) -> Ragged:
        CALLS.append((self, list(keys)))
        return Ragged.of([[self.times * len("".join(key))] for key in keys])


@dataclass(frozen=True)
class LengthRatio(Metric):
    """The prediction's length over the reference's, pooled."""

    times: int = 1
    label: str = ""

    name: ClassVar[str] = "length_ratio"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"ratio": (Output("ratio", True, 0),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        lengths, predictions, references = view.get(Lengths(self.times), view.predictions, view.reference)
        return {"ratio": np.column_stack([lengths.values[predictions], lengths.values[references]]).astype(np.float64)}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"ratio": statistics[..., 0] / np.maximum(statistics[..., 1], 1)}


@dataclass(frozen=True)
class SourceShare(Metric):
    """Pairs of source and prediction as keys, without references."""

    name: ClassVar[str] = "source_share"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"share": (Output("share", True, 0),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        together, places = view.get(Lengths(), Ragged.of(np.column_stack([view.source, view.predictions]).tolist()))
        return {"share": np.column_stack([together.values[places], np.ones(len(view))]).astype(np.float64)}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"share": statistics[..., 0] / statistics[..., 1]}


@dataclass(frozen=True)
class MeanLength(Fit):
    over: ClassVar = "references"

    def partial(self, view: View) -> Arrays:
        return {"lengths": np.array([len(view.text(i)) for i in view.reference])}

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        return {"lengths": np.concatenate([part["lengths"] for part in partials])}


@dataclass(frozen=True)
class OwnMean(Fit):
    over: ClassVar = "system"

    def partial(self, view: View) -> Arrays:
        return {"lengths": np.array([len(view.text(i)) for i in view.predictions])}

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        return {"lengths": np.concatenate([part["lengths"] for part in partials])}


@dataclass(frozen=True)
class Fitted(LengthRatio):
    """Writes down what it was fitted on, and for a fit on the system each row's own place."""

    own: bool = False

    name: ClassVar[str] = "fitted"
    takes: ClassVar[Takes] = "alone"

    def fit(self) -> Fit:
        return OwnMean() if self.own else MeanLength()

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        lengths = np.array([len(view.text(i)) for i in view.predictions], dtype=np.float64)
        if self.own:
            assert (fitted["lengths"][view.positions] == lengths).all()
        return {"ratio": np.column_stack([lengths, np.full(len(lengths), fitted["lengths"].sum())])}


def distinct_keys(feature: Feature) -> list[Any]:
    return [key for called, keys in CALLS if called == feature for key in keys]


def test_many_metrics_and_systems_compute_each_distinct_key_once():
    systems = {name: ["same", f"{name} says", "shared words"] for name in "ABCDEFGH"}
    metrics = [LengthRatio(label=label) for label in ("one", "two", "three")]
    result = nlgauge.score(systems, [["same", "ref"], ["ref"], ["shared words", "same"]], metrics=metrics)
    keys = distinct_keys(Lengths())
    assert sorted(keys) == sorted({"same", "ref", "shared words", *(f"{name} says" for name in "ABCDEFGH")})
    assert len(CALLS) == 1
    assert result["C"]["length_ratio(label='one')"]["score"] == pytest.approx((4 + 6 + 12) / (3 + 3 + 4))


def test_each_chunk_computes_its_own_keys_once(monkeypatch):
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: [np.array([0, 1]), np.array([2])])
    nlgauge.score({"A": ["p", "p", "p"], "B": ["p", "q", "p"]}, ["r", "r", "r"], metrics=[LengthRatio(), LengthRatio(label="again")])
    assert [sorted(keys) for _, keys in CALLS] == [["p", "q", "r"], ["p", "r"]]


def test_features_are_told_apart_by_value():
    nlgauge.score(["pp"], ["r"], metrics=[LengthRatio(), LengthRatio(2)])
    assert [(feature.times, sorted(keys)) for feature, keys in CALLS] == [(1, ["pp", "r"]), (2, ["pp", "r"])]


def test_tuples_of_texts_are_keys_and_a_source_under_all_systems_is_one():
    systems = {"A": ["same", "x"], "B": ["same", "y"]}
    nlgauge.score(systems, None, ["source", "source"], metrics=SourceShare())
    assert sorted(distinct_keys(Lengths())) == [("source", "same"), ("source", "x"), ("source", "y")]


def test_only_missing_keys_are_computed_later():
    corpus = Corpus.read(["a", "b", "c"])
    features = Features(corpus.texts, RunOptions())
    first = features.get(Lengths(), np.array([0, 1, 0]))
    second = features.get(Lengths(), np.array([2, 0]), np.array([1]))
    assert [keys for _, keys in CALLS] == [["a", "b"], ["c"]]
    assert first[1].tolist() == [0, 1, 0]
    assert [places.tolist() for places in second[1:]] == [[2, 0], [1]]
    assert features.get(Lengths(), np.empty(0, dtype=np.int64))[1].tolist() == []
    assert len(CALLS) == 2


def test_a_small_feature_stays_with_the_texts_over_chunks_and_runs():
    @dataclass(frozen=True)
    class Kept(Lengths):
        kept: ClassVar[bool] = True

    corpus = Corpus.read(["a", "b", "c"])
    for ids in ([0, 1], [1, 2], [2, 0]):
        column, places = Features(corpus.texts, RunOptions()).get(Kept(), np.array(ids))
        assert column.values[places].tolist() == [1, 1]
    assert [keys for _, keys in CALLS] == [["a", "b"], ["c"]]
    Features(Corpus.read(["a"]).texts, RunOptions()).get(Kept(), np.array([0]))
    assert [keys for _, keys in CALLS] == [["a", "b"], ["c"], ["a"]]


def test_no_keys_at_all_still_give_a_column():
    features = Features(Corpus.read(["a"]).texts, RunOptions())
    column, places = features.get(Lengths(), np.empty(0, dtype=np.int64))
    assert (len(column), places.tolist()) == (0, [])


def test_equal_rows_are_scored_once_and_returned_in_their_places():
    seen: list[int] = []

    @dataclass(frozen=True)
    class Counting(LengthRatio):
        def statistics(self, view: View, fitted: Arrays) -> Arrays:
            seen.append(len(view))
            return super().statistics(view, fitted)

    result = nlgauge.score({"A": ["aa", "b", "aa"], "B": ["aa", "cccc", "b"]}, ["r", "r", "r"], metrics=Counting())
    assert seen == [3]
    assert [row["length_ratio"] for row in result.segments("records")] == [2, 1, 2, 2, 4, 1]


def test_a_fit_sees_every_reference_once_a_segment_and_never_once_a_system(monkeypatch):
    references = [["r", "rr"], ["r"], ["rrr"]]
    one = nlgauge.score(["a", "b", "c"], references, metrics=Fitted())
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: [np.array([0]), np.array([1, 2])])
    two = nlgauge.score({"A": ["a", "b", "c"], "B": ["d", "e", "f"]}, references, metrics=Fitted())
    for result in (one, two):
        (arrays,) = result.job.fits.values()
        assert arrays["lengths"].tolist() == [1, 2, 1, 3]


def test_a_fit_on_a_system_is_one_for_each_system_with_rows_in_their_places(monkeypatch):
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: [np.array([0]), np.array([1, 2])])
    result = nlgauge.score({"A": [["a", "aa"], ["b"], ["ccc"]], "B": ["dd", "e", "f"]}, metrics=Fitted(own=True))
    assert {system: arrays["lengths"].tolist() for (_, system), arrays in result.job.fits.items()} == {"A": [1, 2, 1, 3], "B": [2, 1, 1]}


def test_several_predictions_and_references_make_all_pairs():
    result = nlgauge.score([["a", "aaa"], ["b"]], [["rr"], ["r", "rrrr"]], metrics=LengthRatio())
    assert [row["length_ratio"] for row in result.segments("records")] == [1.5, 1]


@pytest.mark.parametrize(
    ("references", "sources", "message"),
    [
        (None, ["s", "s"], "length_ratio needs references, none were given."),
        ([["r"], []], ["s", "s"], "length_ratio needs a reference for every segment; segment 'two' has none."),
        (["r", "r"], None, "source_share needs sources, none were given; pass sources=[...] (on the command line -s FILE)."),
    ],
)
def test_what_a_metric_needs_is_checked_before_anything_is_computed(references, sources, message):
    with pytest.raises(InputError) as caught:
        nlgauge.score(["p", "p"], references, sources, ids=["one", "two"], metrics=[LengthRatio(), SourceShare()])
    assert str(caught.value) == message
    assert not CALLS


def test_costs_name_metrics_and_features():
    result = nlgauge.score(["a b"], ["a"], metrics=["bleu", "wer", LengthRatio()])
    assert set(result.costs.metrics) == {"bleu", "wer", "length_ratio"}
    assert {name.partition("(")[0] for name in result.costs.features} == {"Tokens", "Lengths", "ClippedMatches", "EditCounts"}
    assert all(seconds >= 0 for seconds in (*result.costs.metrics.values(), *result.costs.features.values()))


@pytest.mark.parametrize("metric", ["cider", "nist"])
def test_contributions_to_a_fit_are_merged_on_the_way(metric, monkeypatch):
    """More chunks than are kept: the fit is that of one chunk, bit for bit."""
    texts = [f"the cat number {i % 7} sat on mat {i % 5} again" for i in range(40)]
    whole = nlgauge.score(texts, texts[::-1], metrics=metric)
    calls = []
    fit = type(make(metric).fit())
    merge = fit.merge
    monkeypatch.setattr(fit, "merge", lambda self, partials: calls.append(len(partials)) or merge(self, partials))
    split = nlgauge.score(texts, texts[::-1], metrics=metric, executor=Serial(characters=1))
    assert calls == [16, 16, 10]
    assert split[metric] == whole[metric]
    for name, array in whole.job.fits[metric, ""].items():
        np.testing.assert_array_equal(split.job.fits[metric, ""][name], array)
