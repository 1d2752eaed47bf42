"""The engine: each distinct key of a feature once a chunk, rows in their places, fits on the whole,
sources and checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import mentions
from segment_rows import rows_by_label

import nlgauge
from nlgauge import features as features_module
from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.engine import chunk as chunk_module
from nlgauge.engine.executors import Serial
from nlgauge.errors import InputError, MetricError
from nlgauge.features import Feature, Features, RowFeature, RunOptions, Work
from nlgauge.metric import Arrays, CorpusMetric, Fit, Metric, Output, Takes, View
from nlgauge.metric.registry import make
from nlgauge.metrics.bertscore import BertScore

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
        return {
            "ratio": np.column_stack([lengths.values[predictions], lengths.values[references]]).astype(
                np.float64
            )
        }

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
        together, places = view.get(
            Lengths(), Ragged.of(np.column_stack([view.source, view.predictions]).tolist())
        )
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


def test_each_chunk_computes_its_own_keys_once():
    systems, metrics = (
        {"A": ["p", "p", "p"], "B": ["p", "q", "p"]},
        [LengthRatio(), LengthRatio(label="again")],
    )
    nlgauge.score(systems, ["r", "r", "r"], metrics=metrics, executor=Serial(characters=6))
    assert [sorted(keys) for _, keys in CALLS] == [["p", "q", "r"], ["p", "r"]]


def test_features_are_told_apart_by_value():
    nlgauge.score(["pp"], ["r"], metrics=[LengthRatio(), LengthRatio(2)])
    assert [(feature.times, sorted(keys)) for feature, keys in CALLS] == [(1, ["pp", "r"]), (2, ["pp", "r"])]


def test_tuples_of_texts_are_keys_and_a_source_under_all_systems_is_one():
    systems = {"A": ["same", "x"], "B": ["same", "y"]}
    nlgauge.score(systems, None, ["source", "source"], metrics=SourceShare())
    assert sorted(distinct_keys(Lengths())) == [("source", "same"), ("source", "x"), ("source", "y")]


@pytest.mark.parametrize("characters", [1, 9, 1000])
def test_every_segment_has_its_own_source_and_references_in_any_chunk(characters):
    @dataclass(frozen=True)
    class Together(SourceShare):
        """The lengths of source and references, all of them."""

        name: ClassVar[str] = "together"
        takes: ClassVar[Takes] = "joint"

        def statistics(self, view: View, fitted: Arrays) -> Arrays:
            lengths = [
                len(view.text(s)) + 100 * sum(len(view.text(r)) for r in group)
                for s, group in zip(view.source, view.references, strict=True)
            ]
            return {"share": np.column_stack([lengths, np.ones(len(view))])}

    systems, references = (
        {"A": ["p", "p", "p", "q"], "B": [["p", "q"], ["p"], ["r"], ["p"]]},
        [["r"], ["rr", "r"], ["r"], ["rrrr"]],
    )
    metrics = [SourceShare(), Together(), LengthRatio()]
    result = nlgauge.score(
        systems, references, ["s", "ss", "sss", "ssss"], metrics=metrics, executor=Serial(characters)
    )
    for system in systems:
        rows = [row for row in rows_by_label(result) if row["system"] == system]
        assert [row["source_share"] for row in rows] == [2, 3, 4, 5]
        assert [row["together"] for row in rows] == [101, 302, 103, 404]
        assert [row["length_ratio"] for row in rows] == [1, 1, 1, 0.25]


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

    result = nlgauge.score(
        {"A": ["aa", "b", "aa"], "B": ["aa", "cccc", "b"]}, ["r", "r", "r"], metrics=Counting()
    )
    assert seen == [3]
    assert [row["length_ratio"] for row in rows_by_label(result)] == [2, 1, 2, 2, 4, 1]


@given(
    st.lists(
        st.lists(st.integers(0, 3) | st.sampled_from([2**40, 2**41]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    ),
    st.integers(1, 3),
)
def test_distinct_rows_are_those_of_numpy_in_its_order(rows, width):
    columns = np.array(rows)[:, :width]
    first, places = chunk_module._first_and_places(list(columns.T))
    distinct, inverse = np.unique(columns, axis=0, return_inverse=True)
    assert columns[np.arange(len(rows)) if first is None else first].tolist() == distinct.tolist()
    assert places.tolist() == inverse.reshape(-1).tolist()


@given(st.lists(st.lists(st.integers(0, 6), max_size=8), min_size=1, max_size=4))
def test_new_keys_come_in_the_order_in_which_they_are_asked_for(asked):
    texts = Corpus.read([*"abcdefg"]).texts
    computed = []

    @dataclass(frozen=True)
    class Letters(Feature):
        def compute(self, keys: list[Any], work: Work) -> Ragged:
            computed.extend(keys)
            return Ragged.single(np.array([ord(key) for key in keys]))

    features = Features(texts, RunOptions())
    for ids in asked:
        column, first, second = features.get(
            Letters(), np.array(ids[:4], dtype=np.int64), np.array(ids[4:], dtype=np.int64)
        )
        assert [chr(*column[row]) for row in [*first, *second]] == [texts[i] for i in ids]
    assert computed == list(dict.fromkeys(texts[i] for ids in asked for i in ids))


def test_a_fit_sees_every_reference_once_per_segment_and_never_once_per_system():
    references = [["r", "rr"], ["r"], ["rrr"]]
    one = nlgauge.score(["a", "b", "c"], references, metrics=Fitted())
    two = nlgauge.score(
        {"A": ["a", "b", "c"], "B": ["d", "e", "f"]},
        references,
        metrics=Fitted(),
        executor=Serial(characters=1),
    )
    for result in (one, two):
        (arrays,) = result._job.fits.values()
        assert arrays["lengths"].tolist() == [1, 2, 1, 3]


def test_a_fit_on_a_system_is_one_for_each_system_with_rows_in_their_places():
    systems = {"A": [["a", "aa"], ["b"], ["ccc"]], "B": ["dd", "e", "f"]}
    result = nlgauge.score(systems, metrics=Fitted(own=True), executor=Serial(characters=5))
    assert len(result.corpus.chunks(5)) == 3
    assert {system: arrays["lengths"].tolist() for (_, system), arrays in result._job.fits.items()} == {
        "A": [1, 2, 1, 3],
        "B": [2, 1, 1],
    }


def test_a_fit_on_a_system_sees_the_source_of_each_prediction():
    @dataclass(frozen=True)
    class Sourced(OwnMean):
        def partial(self, view: View) -> Arrays:
            return {
                "lengths": np.array(
                    [
                        len(view.text(p)) + 10 * len(view.text(s))
                        for p, s in zip(view.predictions, view.source, strict=True)
                    ]
                )
            }

    @dataclass(frozen=True)
    class FittedOnBoth(Fitted):
        def fit(self) -> Fit:
            return Sourced()

    result = nlgauge.score({"A": [["p", "ppp"], ["pp"]]}, None, ["s", "ss"], metrics=FittedOnBoth())
    assert [arrays["lengths"].tolist() for arrays in result._job.fits.values()] == [[11, 13, 22]]


def test_metrics_with_and_without_the_source_get_rows_of_their_own():
    for metrics in ([LongestWord(), SourceShare()], [SourceShare(), LongestWord()]):
        result = nlgauge.score(["p", "p"], None, ["s", "sss"], metrics=metrics)
        assert [row["source_share"] for row in rows_by_label(result)] == [2, 4]
        assert [row["longest_word"] for row in rows_by_label(result)] == [1, 1]


def test_several_predictions_and_references_make_all_pairs():
    result = nlgauge.score([["a", "aaa"], ["b"]], [["rr"], ["r", "rrrr"]], metrics=LengthRatio())
    assert [row["length_ratio"] for row in rows_by_label(result)] == [1.5, 1]


@pytest.mark.parametrize(
    ("references", "sources", "message"),
    [
        (None, ["s", "s"], "length_ratio ... references"),
        (
            [["r"], []],
            ["s", "s"],
            "length_ratio ... reference ... segment 'two'",
        ),
        (
            ["r", "r"],
            None,
            "source_share ... sources=[...]",
        ),
    ],
)
def test_what_a_metric_needs_is_checked_before_anything_is_computed(references, sources, message):
    with pytest.raises(InputError) as caught:
        nlgauge.score(
            ["p", "p"], references, sources, ids=["one", "two"], metrics=[LengthRatio(), SourceShare()]
        )
    assert mentions(str(caught.value), message)
    assert not CALLS


@dataclass(frozen=True)
class PairPositions(Fitted):
    """A "pair" metric fitted on a system: each row must find its own prediction in the fit."""

    name: ClassVar[str] = "pair_positions"
    takes: ClassVar[Takes] = "pair"


def test_positions_of_pairs_number_predictions_not_pairs():
    seen: list[list[int]] = []

    @dataclass(frozen=True)
    class Noted(PairPositions):
        def statistics(self, view: View, fitted: Arrays) -> Arrays:
            seen.append(view.positions.tolist())
            return super().statistics(view, fitted)

    references = [["r", "rr"], ["r", "rr"]]
    nlgauge.score(["a", "bb"], references, metrics=Noted(own=True))
    assert seen == [[0, 0, 1, 1]]
    seen.clear()
    nlgauge.score([["a", "ccc"], ["bb"]], references, metrics=Noted(own=True), executor=Serial(characters=1))
    assert seen == [[0, 0, 1, 1], [2, 2]]


def test_equal_metrics_under_two_labels_are_fitted_once():
    combined: list[int] = []

    @dataclass(frozen=True)
    class Counted(MeanLength):
        def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
            combined.append(len(partials))
            return super().combine(partials, options)

    @dataclass(frozen=True)
    class Counting(Fitted):
        def fit(self) -> Fit:
            return Counted()

    specs = [{"path": Counting(), "resulting_name": name} for name in ("one", "two")]
    result = nlgauge.score(["a", "bb"], ["r", "rrr"], metrics=specs)
    assert combined == [1]
    assert result["one"] == result["two"]
    assert result._job.fits["one", ""] is result._job.fits["two", ""]
    result.add({"path": Counting(), "resulting_name": "three"})
    assert combined == [1]


@pytest.fixture(scope="module")
def own_models(tiny_models) -> list[nlgauge.Model]:
    """Two encoders of the caller under the same default name, whose tokenizers number the pieces
    differently.
    """
    import transformers

    found = []
    for kind, step in (("encoder", 1), ("other encoder", -1)):
        tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_models[kind])
        pieces = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
        vocabulary = {piece: i for i, piece in enumerate([*pieces[:5], *pieces[5:][::step]])}
        found.append(
            nlgauge.Model(
                transformers.AutoModel.from_pretrained(tiny_models[kind]).eval(),
                transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=128),
            )
        )
    return found


OWN_TEXTS = ["the cat sat on the mat", "a dog", "sing on"], ["the cat sat", "the dogs on mats", "sit on it"]


def test_two_own_models_of_one_name_have_their_own_fits(own_models):
    specs = [
        {"path": BertScore(model, layer=2, idf=True), "resulting_name": f"number {i}"}
        for i, model in enumerate(own_models)
    ]
    beside = nlgauge.score(*OWN_TEXTS, metrics=specs)
    fits = [beside._job.fits[f"number {i}", ""] for i in range(2)]
    assert fits[0].keys() == fits[1].keys()
    assert any(fits[0][name].tolist() != fits[1][name].tolist() for name in fits[0])
    for spec in specs:
        label = spec["resulting_name"]
        assert beside[label]["score"] == pytest.approx(
            nlgauge.score(*OWN_TEXTS, metrics=spec)[label]["score"], abs=1e-6
        )


def test_an_own_model_added_later_is_fitted_anew(own_models):
    specs = [
        {"path": BertScore(model, layer=2, idf=True), "resulting_name": f"number {i}"}
        for i, model in enumerate(own_models)
    ]
    added = nlgauge.score(*OWN_TEXTS, metrics=specs[0]).add(specs[1])
    alone = nlgauge.score(*OWN_TEXTS, metrics=specs[1])
    assert added["number 1"]["score"] == pytest.approx(alone["number 1"]["score"], abs=1e-6)
    for name, values in alone._job.fits["number 1", ""].items():
        np.testing.assert_array_equal(added._job.fits["number 1", ""][name], values)


@dataclass(frozen=True)
class Words(Feature):
    """The words of a text, as texts."""

    derives_texts: ClassVar[bool] = True

    def compute(self, keys: list[Any], work: Work) -> list[list[str]]:
        return [key.split() for key in keys]


@dataclass(frozen=True)
class LongestWord(Metric):
    """The longest word of a prediction, by way of features of the words."""

    name: ClassVar[str] = "longest_word"
    takes: ClassVar[Takes] = "alone"
    lengths: ClassVar[Feature] = Lengths()

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"longest": (Output("longest", True, 0),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        words, places = view.get(Words(), view.predictions)
        own = words.take(places)
        lengths, rows = view.get(self.lengths, own.values)
        longest = np.zeros(len(view))
        np.maximum.at(longest, own.owners, lengths.values[rows].astype(np.float64))
        return {"longest": np.column_stack([longest, np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"longest": statistics[..., 0] / statistics[..., 1]}


def test_texts_that_features_derive_are_not_put_among_the_callers():
    corpus = Corpus.read(["a bb ccc", "bb", "dddd a"])
    before = list(corpus.texts.strings)
    result = nlgauge.Scorer(LongestWord()).score_corpus(corpus, None, RunOptions())
    assert [row["longest_word"] for row in rows_by_label(result)] == [3, 2, 4]
    assert corpus.texts.strings == before == result.corpus.texts.strings
    assert (
        len(distinct_keys(Lengths())) == len(set(distinct_keys(Lengths()))) == 4
    )  # "bb" is a given text and a derived one


def test_a_text_that_is_given_later_is_not_taken_for_a_derived_one():
    given = Corpus.read(["a b", "c"]).texts
    features = Features(given, RunOptions())
    derived = features.texts.intern("a")
    given.intern("b"), given.intern("a")
    assert [features.texts[features.texts.intern(text)] for text in ("b", "a", "c", "a b")] == [
        "b",
        "a",
        "c",
        "a b",
    ]
    assert features.texts.intern("a") == derived


@dataclass(frozen=True)
class KeptLengths(Lengths):
    kept: ClassVar[bool] = True


@dataclass(frozen=True)
class LongestKept(LongestWord):
    name: ClassVar[str] = "longest_kept"
    lengths: ClassVar[Feature] = KeptLengths()


@pytest.mark.parametrize("executor", [Serial(), Serial(characters=1)], ids=["one chunk", "three chunks"])
def test_kept_features_over_their_limit_go_and_numbers_stay(executor, monkeypatch):
    def scored() -> tuple[Corpus, list[float]]:
        corpus = Corpus.read(["a bb ccc", "bb", "dddd a"])
        result = nlgauge.Scorer(LongestKept(), executor=executor).score_corpus(corpus, None, RunOptions())
        return corpus, [row["longest_kept"] for row in rows_by_label(result)]

    corpus, roomy = scored()
    assert KeptLengths() in corpus.texts.kept
    monkeypatch.setattr(features_module, "KEPT_BYTES", 8)
    corpus, tight = scored()
    assert KeptLengths() not in corpus.texts.kept
    assert roomy == tight == [3, 2, 4]


def test_a_kept_feature_over_its_limit_is_still_computed_once_per_chunk(monkeypatch):
    monkeypatch.setattr(features_module, "KEPT_BYTES", 8)
    features = Features(Corpus.read(["a", "b", "c"]).texts, RunOptions())
    for ids in ([0, 1], [1, 2], [2, 0]):
        column, places = features.get(KeptLengths(), np.array(ids))
        assert column.values[places].tolist() == [1, 1]
    assert [keys for _, keys in CALLS] == [["a", "b"], ["c"]]


def broken(**methods: Any) -> Metric:
    """LengthRatio with other methods."""
    return dataclass(frozen=True)(type("Broken", (LengthRatio,), {"name": "broken", **methods}))()


def of_rows(change: Callable[[Array], Any]) -> Callable[..., Any]:
    """`statistics` that change what LengthRatio gives."""
    return lambda self, view, fitted: {"ratio": change(LengthRatio.statistics(self, view, fitted)["ratio"])}


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            broken(statistics=of_rows(lambda rows: np.vstack([rows, rows[:1]]))),
            r"2 rows.*shape.*\(3, 2\)",
        ),
        (
            broken(statistics=of_rows(lambda rows: rows[1:])),
            r"2 rows.*shape.*\(1, 2\)",
        ),
        (
            broken(statistics=of_rows(lambda rows: rows[:, 0])),
            r"2 rows.*shape.*\(2,\)",
        ),
        (
            broken(statistics=of_rows(lambda rows: [["long"], ["short"]])),
            r"statistics of 'ratio'.*numbers.*\[\['long'\]",
        ),
        (
            broken(statistics=of_rows(lambda rows: [[1.0], [1.0, 2.0]])),
            "statistics of 'ratio'.*numbers",
        ),
        (
            broken(statistics=lambda self, view, fitted: {"other": np.ones((2, 2))}),
            r"parts \['ratio'\].*\['other'\]",
        ),
        (broken(statistics=lambda self, view, fitted: {}), r"parts \['ratio'\].*\[\]"),
        (
            broken(statistics=lambda self, view, fitted: np.ones((2, 2))),
            r"parts \['ratio'\].*ndarray",
        ),
        (
            broken(score=lambda self, part, rows: {"other": rows[..., 0]}),
            r"score\(\) of 'ratio'.*\['ratio'\].*\{'other'",
        ),
        (
            broken(score=lambda self, part, rows: {"ratio": rows}),
            r"score\(\) of 'ratio'.*\['ratio'\].*shape \(2,\).*\(2, 2\)",
        ),
        (
            broken(score=lambda self, part, rows: {"ratio": 1.0}),
            r"score\(\) of 'ratio'.*\['ratio'\].*shape \(2,\)",
        ),
        (
            broken(score=lambda self, part, rows: rows[..., 0]),
            r"score\(\) of 'ratio'.*dictionary.*\['ratio'\].*array",
        ),
        (
            broken(score=lambda self, part, rows: None),
            r"score\(\) of 'ratio'.*dictionary.*\['ratio'\].*None",
        ),
        (
            broken(outputs=lambda self: None),
            r"outputs\(\).*dictionary.*None",
        ),
        (
            broken(outputs=lambda self: {"ratio": Output("ratio", True)}),
            r"outputs\(\).*dictionary",
        ),
        (
            broken(outputs=lambda self: {"ratio": ()}),
            r"outputs\(\).*dictionary",
        ),
        (
            broken(outputs=lambda self: {"ratio": ("ratio",)}),
            r"outputs\(\).*Output.*\['ratio'\]",
        ),
        (broken(outputs=lambda self: {}), r"outputs\(\).*Output.*\{\}"),
        (
            broken(outputs=lambda self: {"a": (Output("x", True),), "b": (Output("x", True),)}),
            r"outputs\(\).*names.*\['x'",
        ),
        (broken(takes="both"), r"takes.*'pair', 'joint', 'alone'.*'both'"),
    ],
)
def test_a_metric_that_breaks_its_contract_is_named(metric, message):
    if "score" in message:
        for rule in ("best", "mean"):
            with pytest.raises(MetricError, match=r"^broken: score\(\) of 'ratio'"):
                nlgauge.score(["pp", "p"], [["r", "s"], ["rr"]], metrics=metric, reduce_fn=rule)
    with pytest.raises(MetricError, match=f"^broken: .*{message}"):
        rows_by_label(nlgauge.score(["pp", "p"], ["r", "rr"], metrics=metric))
    with pytest.raises(MetricError, match=f"^broken: .*{message}"):
        rows_by_label(
            nlgauge.score(["pp", "p"], ["r", "rr"], metrics={"path": metric, "resulting_name": "mine"})
        )


@pytest.mark.parametrize("found", [{"other": 1.0}, {}, {"size": 1.0, "more": 2.0}, 1.0])
def test_a_corpus_metric_that_gives_other_outputs_is_named(found):
    @dataclass(frozen=True)
    class Broken(CorpusMetric):
        name: ClassVar[str] = "broken"

        def outputs(self) -> dict[str, tuple[Output, ...]]:
            return {"size": (Output("size", True, 0),)}

        def whole(self, corpus: Corpus, system: str, features: Features) -> Any:
            return found

    with pytest.raises(MetricError, match=r"^broken: whole\(\).*\['size'\]"):
        nlgauge.score(["a"], metrics=Broken())


class Clock:
    """A clock that stands still but where a test lets time pass."""

    now = 0.0

    def spend(self, seconds: float) -> None:
        self.now += seconds


CLOCK = Clock()


@pytest.fixture
def clock(monkeypatch) -> Iterator[Clock]:
    for module in (features_module, chunk_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: CLOCK.now))
    return CLOCK


@dataclass(frozen=True)
class Inner(Feature):
    """A feature that takes 100 seconds per call."""

    def compute(self, keys: list[Any], work: Work) -> Ragged:
        CLOCK.spend(100)
        return Ragged.of([[len(key)] for key in keys])


@dataclass(frozen=True)
class Outer(Feature):
    """A feature that takes 10 seconds of its own, and those of another feature."""

    def compute(self, keys: list[Any], work: Work) -> Ragged:
        CLOCK.spend(4)
        found = work.get(Inner(), keys)
        CLOCK.spend(6)
        return found


@dataclass(frozen=True)
class OfRows(RowFeature):
    """A feature of rows that takes 1000 seconds."""

    def compute(self, view: View) -> Array:
        CLOCK.spend(1000)
        return np.ones(len(view))


@dataclass(frozen=True)
class SlowFit(MeanLength):
    """A fit that takes 0.1 seconds per chunk and 0.01 to combine, and a feature."""

    def partial(self, view: View) -> Arrays:
        CLOCK.spend(0.1)
        view.get(Outer(), view.reference)
        return super().partial(view)

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        CLOCK.spend(0.01)
        return super().combine(partials, options)


@dataclass(frozen=True)
class Slow(Fitted):
    """A metric that takes one second per chunk, and features."""

    name: ClassVar[str] = "slow"

    def fit(self) -> Fit:
        return SlowFit()

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        CLOCK.spend(1)
        view.rows(OfRows())
        view.get(Outer(), view.predictions)
        return super().statistics(view, fitted)


@dataclass(frozen=True)
class SlowWhole(CorpusMetric):
    """A corpus metric that takes 0.5 seconds per system, and a feature."""

    name: ClassVar[str] = "slow_whole"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"size": (Output("size", True, 0),)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        CLOCK.spend(0.5)
        features.get(Outer(), corpus.predictions[system].values)
        return {"size": 1.0}


def test_seconds_are_charged_once_and_those_of_features_to_features_alone(clock):
    before = clock.now
    metrics = [Slow(), {"path": Slow(), "resulting_name": "again"}, SlowWhole()]
    result = nlgauge.score({"A": ["a", "b"], "B": ["a", "c"]}, ["r", "s"], metrics=metrics)
    assert result.costs.metrics == pytest.approx({"slow": 1, "again": 1.11, "slow_whole": 1})
    # Outer: once for the references of the fit, once for all predictions.
    assert result.costs.features == pytest.approx({"Outer()": 20, "Inner()": 200, "OfRows()": 1000})
    assert clock.now - before == pytest.approx(
        sum(result.costs.metrics.values()) + sum(result.costs.features.values())
    )


def test_what_a_metric_would_have_cost_alone_counts_all_that_it_reads(clock, tmp_path):
    result = nlgauge.score(
        {"A": ["a", "b"], "B": ["a", "c"]}, ["r", "s"], metrics=[Slow(), "wer", SlowWhole()]
    )
    costs = result.costs
    assert costs.reads["slow"] == ["Inner()", "OfRows()", "Outer()"]
    assert costs.reads["slow_whole"] == ["Inner()", "Outer()"]
    assert not {"Inner()", "Outer()"} & set(costs.reads["wer"])
    assert costs.alone("slow") == pytest.approx(
        costs.metrics["slow"] + sum(costs.features[name] for name in costs.reads["slow"])
    )
    added = nlgauge.score(["a", "b"], ["r", "s"], metrics="wer").add("bleu")
    assert added.save(tmp_path / "r").is_dir()
    assert (
        nlgauge.load(tmp_path / "r").costs.reads
        == added.costs.reads
        == {label: added.costs.reads[label] for label in ("wer", "bleu")}
    )


def test_seconds_of_several_chunks_and_of_what_is_added_are_summed(clock):
    before = clock.now
    result = nlgauge.score(["a", "b"], ["r", "s"], metrics=Slow(), executor=Serial(characters=1))
    assert result.costs.metrics == pytest.approx({"slow": 2 * 1.1 + 0.01})
    assert result.costs.features == pytest.approx({"Outer()": 40, "Inner()": 400, "OfRows()": 2000})
    added = result.add(SlowWhole())
    assert added.costs.metrics == pytest.approx({"slow": 2.21, "slow_whole": 0.5})
    assert added.costs.features["Inner()"] == pytest.approx(500)
    assert clock.now - before == pytest.approx(
        sum(added.costs.metrics.values()) + sum(added.costs.features.values())
    )


def test_costs_name_metrics_and_features():
    result = nlgauge.score(["a b"], ["a"], metrics=["bleu", "wer", LengthRatio()])
    assert set(result.costs.metrics) == {"bleu", "wer", "length_ratio"}
    assert {name.partition("(")[0] for name in result.costs.features} == {
        "Tokens",
        "Lengths",
        "ClippedMatches",
        "EditCounts",
    }


@pytest.mark.parametrize("metric", ["cider", "nist"])
def test_contributions_to_a_fit_are_merged_on_the_way(metric, monkeypatch):
    """More chunks than are kept: the fit is that of one chunk, bit for bit."""
    texts = [f"the cat number {i % 7} sat on mat {i % 5} again" for i in range(40)]
    whole = nlgauge.score(texts, texts[::-1], metrics=metric)
    calls = []
    fit = type(make(metric).fit())
    merge = fit.merge
    monkeypatch.setattr(
        fit, "merge", lambda self, partials: calls.append(len(partials)) or merge(self, partials)
    )
    split = nlgauge.score(texts, texts[::-1], metrics=metric, executor=Serial(characters=1))
    assert calls == [16, 16, 10]
    assert split[metric] == whole[metric]
    for name, array in whole._job.fits[metric, ""].items():
        np.testing.assert_array_equal(split._job.fits[metric, ""][name], array)


def test_a_scorer_takes_no_metrics_that_another_thread_prepared():
    class Shared(nlgauge.Scorer):
        """Whatever it prepares, another thread has put something else in its place at once."""

        @property
        def _prepared(self):
            return None, {}

        @_prepared.setter
        def _prepared(self, found):
            pass

    assert Shared(["exact_match"])(["a"], ["a"])["exact_match"]["score"] == 1
