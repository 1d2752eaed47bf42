"""A plain function as a metric: `nlgauge.metric_from(f)`, in every place where a metric can be."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import pickle

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import InputError, MetricError, ParameterError
from nlgauge.testing import check_metric

PREDICTIONS = ["the cat sat", "a dog", "he ran home", "it rains"]
REFERENCES = [["the cat slept", "the cat sat"], ["my dog"], ["he ran"], ["it snows", "it pours", "rain"]]


def overlap(prediction, reference):
    return len(set(prediction.split()) & set(reference.split())) / len(set(reference.split()))


def length_ratio(predictions, references):
    return [len(p) / len(r) for p, r in zip(predictions, references, strict=True)]


def measured(metric, predictions=PREDICTIONS, references=REFERENCES, **options):
    return nlgauge.score(predictions, references, metrics=metric, **options)


def test_the_score_is_the_mean_of_the_best_references():
    result = measured(nlgauge.metric_from(overlap))
    expected = [
        max(overlap(p, r) for r in references) for p, references in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    assert [row["overlap"] for row in rows_by_label(result)] == expected
    assert result["overlap"]["score"] == pytest.approx(np.mean(expected), rel=1e-15)


def test_the_reference_that_is_best_depends_on_the_direction_and_may_be_averaged():
    lowest = rows_by_label(measured(nlgauge.metric_from(overlap, higher_is_better=False)))
    assert [row["overlap"] for row in lowest] == [
        min(overlap(p, r) for r in rs) for p, rs in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    mean = rows_by_label(measured(nlgauge.metric_from(overlap), reduce_fn="mean"))
    assert [row["overlap"] for row in mean] == [
        pytest.approx(np.mean([overlap(p, r) for r in rs]))
        for p, rs in zip(PREDICTIONS, REFERENCES, strict=True)
    ]


def test_intervals_comparisons_saving_and_adding(tmp_path):
    metric = nlgauge.metric_from(overlap, low=0, high=1)
    systems = {"A": PREDICTIONS * 10, "B": ["the", "dog", "he", "it"] * 10}
    result = nlgauge.score(systems, REFERENCES * 10, metrics=[metric, "wer"])
    assert result.intervals()["A"]["overlap"]["score"].low < result["A"]["overlap"]["score"]
    assert result.compare("A", "B")["overlap"].gain == pytest.approx(
        result["B"]["overlap"]["score"] - result["A"]["overlap"]["score"]
    )
    assert result.compare("A", "B")["overlap"].p < 0.05
    loaded = nlgauge.load(result.save(tmp_path / "result"))
    assert loaded["A"]["overlap"] == result["A"]["overlap"]
    assert [row["overlap"] for row in rows_by_label(loaded)] == [
        row["overlap"] for row in rows_by_label(result)
    ]
    assert (
        nlgauge.score(systems, REFERENCES * 10, metrics="wer").add(metric)["B"]["overlap"]
        == result["B"]["overlap"]
    )


def test_as_a_decorator_with_and_without_options():
    @nlgauge.metric_from
    def one(prediction, reference):
        return 1.0

    @nlgauge.metric_from(name="length", needs=None, higher_is_better=None, low=0)
    def two(prediction):
        return len(prediction)

    assert measured(one)["one"] == {"score": 1.0, "one": 1.0}
    assert measured(two, references=None)["length"]["score"] == np.mean(list(map(len, PREDICTIONS)))
    (output,) = two.outputs()["length"]
    assert (output.higher_is_better, output.low, output.high) == (None, 0, math.inf)
    assert two("abc") == 3
    assert str(two) == two.name == "length"


@pytest.mark.parametrize("needs", [("references", "sources"), ["sources", "references"]])
def test_what_the_function_needs_comes_in_one_order(needs):
    seen = []
    metric = nlgauge.metric_from(lambda *texts: seen.append(texts) or 0, name="listen", needs=needs)
    nlgauge.score(["p", "q"], ["r", "s"], ["t", "u"], metrics=metric)
    assert seen == [("p", "r", "t"), ("q", "s", "u")]
    assert metric == nlgauge.metric_from(metric.function, name="listen", needs=("references", "sources"))


def test_sources_alone():
    metric = nlgauge.metric_from(
        lambda prediction, source: prediction == source, name="copied", needs="sources"
    )
    assert nlgauge.score(["p", "q"], sources=["p", "u"], metrics=metric)["copied"]["score"] == 0.5
    with pytest.raises(InputError, match="copied needs sources"):
        nlgauge.score(["p"], metrics=metric)
    with pytest.raises(InputError, match="overlap needs references"):
        nlgauge.score(["p"], metrics=nlgauge.metric_from(overlap))


def test_several_outputs_each_with_its_direction():
    def parts(prediction, reference):
        return {"length": len(prediction), "overlap": overlap(prediction, reference)}

    metric = nlgauge.metric_from(parts, outputs=("overlap", nlgauge.Output("length", None, 0)))
    result = measured(metric)
    assert list(result["parts"]) == ["score", "overlap", "length"]
    assert (
        result["parts"]["score"]
        == result["parts"]["overlap"]
        == measured(nlgauge.metric_from(overlap))["overlap"]["score"]
    )
    assert [output.higher_is_better for output in metric.outputs()["parts"]] == [True, None]
    with pytest.raises(
        MetricError,
        match=(r"segment 0.*outputs=\('length', 'overlap'"),
    ):
        measured(nlgauge.metric_from(parts))
    with pytest.raises(MetricError, match=r"overlap.*dictionary"):
        measured(nlgauge.metric_from(overlap, outputs=("a", "b")))


@pytest.mark.parametrize("missing", [None, math.nan, np.float32("nan")])
def test_a_segment_without_a_value_is_left_out_and_counted(missing):
    metric = nlgauge.metric_from(lambda p, r: missing if p == "a dog" else 1, name="some")
    result = measured(metric)
    assert result["some"]["score"] == 1
    assert math.isnan(rows_by_label(result)[1]["some"])
    assert result.undefined() == {("system", "some", "some"): 1}
    nothing = measured(nlgauge.metric_from(lambda p, r: missing, name="nothing"))
    assert math.isnan(nothing["nothing"]["score"])
    assert nothing.reasons() == {("system", "nothing", "nothing"): "nothing returned no number"}


def test_in_batches():
    pairs = rows_by_label(measured(nlgauge.metric_from(length_ratio, batch=True)))
    assert [row["length_ratio"] for row in pairs] == [
        max(len(p) / len(r) for r in rs) for p, rs in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    columns = nlgauge.metric_from(
        lambda ps: {"a": np.arange(len(ps)), "b": [None] * len(ps)},
        name="two",
        needs=None,
        outputs=("a", "b"),
        batch=True,
    )
    rows = rows_by_label(measured(columns, references=None))
    assert [row["two"] for row in rows] == [0, 1, 2, 3]
    assert all(math.isnan(row["two.b"]) for row in rows)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [1, 2],
            r"\[1, 2\].*batch.*4",
        ),
        (1.0, "1.0.*batch.*4"),
        ("1234", "f.*'1234'.*batch"),
        ({"f": 1}, r"f.*\{'f': 1\}.*batch"),
        (
            [1, 2, "x", 4],
            ("segment 2.*'x'.*None.*'he ran home'"),
        ),
    ],
)
def test_what_a_batch_must_give(given, message):
    with pytest.raises(MetricError, match=message):
        measured(nlgauge.metric_from(lambda texts: given, name="f", needs=None, batch=True), references=None)


def test_an_error_of_the_function_names_the_segment_and_the_function():
    def fails(prediction, reference):
        if prediction == "bad":
            raise KeyError("oops")
        return 1.0

    metric = nlgauge.metric_from(fails)
    with pytest.raises(
        MetricError, match=r"^segment 'third': fails raised KeyError: 'oops' \(texts: 'bad', 'r'\)\.$"
    ) as caught:
        measured(metric, ["a", "a", "bad"], [["p", "q"], ["q"], ["r", "s"]], ids=["first", "second", "third"])
    assert isinstance(caught.value.__cause__.__cause__, KeyError)
    with pytest.raises(MetricError, match=r"^segment 1 of 'B': fails raised"):
        measured(metric, {"A": ["a", "a"], "B": ["a", "bad"]}, ["x", "y"])
    with pytest.raises(MetricError, match=r"^segment 1: fails raised"):
        measured(metric, [["a", "b"], ["c", "bad"]], [["x", "y"], ["y"]])
    with pytest.raises(MetricError, match=r"KeyError.*2.*'oops'"):
        measured(
            nlgauge.metric_from(lambda ps, rs: list(map(fails, ps, rs)), name="fails", batch=True),
            ["a", "bad"],
            ["x", "y"],
        )


@pytest.mark.parametrize("given", ["0.5", b"1", [1], math.inf, 10**400, object()])
def test_what_is_not_a_number_is_refused(given):
    with pytest.raises(MetricError, match=r"segment 0.*None"):
        measured(nlgauge.metric_from(lambda p, r: given, name="f"))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((lambda p, r: 1,), {}, "'<lambda>'.*nlgauge.metric_from"),
        ((functools.partial(overlap, reference="x"),), {"needs": None}, "name.*''"),
        ((overlap,), {"name": "two words"}, "name.*'two words'"),
        ((overlap,), {"name": "bleu"}, "name 'bleu'"),
        ((overlap,), {"name": "sacreBLEU"}, "name 'sacrebleu'"),
        (
            (overlap,),
            {"needs": "reference"},
            "'references', 'sources'.*None.*'reference'",
        ),
        (
            (overlap,),
            {"needs": None},
            (r"overlap\(prediction.*'reference'.*needs="),
        ),
        ((overlap,), {"needs": ("references", "sources")}, "positional.*needs="),
        ((overlap,), {"outputs": ("a", "a")}, "outputs.*names"),
        ((overlap,), {"outputs": ()}, "outputs.*names"),
        ((overlap,), {"outputs": ("a", "score")}, "'score'"),
        ((overlap,), {"low": 1, "high": 0}, "low.*1 and 0"),
        (("bleu",), {}, "nlgauge.metric_from.*'bleu'"),
    ],
)
def test_what_cannot_be_a_metric_is_told_so_at_once(arguments, options, message):
    with pytest.raises(ParameterError, match=message):
        nlgauge.metric_from(*arguments, **options)


@pytest.mark.parametrize("metrics", [overlap, [overlap]])
def test_a_function_itself_is_told_how_to_become_a_metric(metrics):
    with pytest.raises(ParameterError, match=r"nlgauge\.metric_from\(f\).*function"):
        measured(metrics)


def test_a_compiled_function_whose_version_the_signature_names():
    from rapidfuzz import fuzz

    metric = nlgauge.metric_from(fuzz.ratio, high=100, low=0)
    result = measured(metric, ["abc"], ["abd"])
    assert result["ratio"]["score"] == fuzz.ratio("abc", "abd")
    assert "metric:ratio|function:rapidfuzz.fuzz" in result.signatures["ratio"]
    assert "|rapidfuzz:" in result.signatures["ratio"]


def test_it_keeps_the_contract_of_metrics_and_is_a_value():
    def same(prediction, reference):
        return float(prediction == reference)

    check_metric(nlgauge.metric_from(same, low=0, high=1))
    check_metric(
        nlgauge.metric_from(lambda ps, rs: list(map(same, ps, rs)), name="same", low=0, high=1, batch=True)
    )
    metric = nlgauge.metric_from(overlap)
    assert (
        metric == nlgauge.metric_from(overlap) == copy.deepcopy(metric) == pickle.loads(pickle.dumps(metric))
    )
    assert metric != nlgauge.metric_from(overlap, low=0)


def test_functions_stay_in_this_process():
    """Other processes could not find them."""
    assert (
        measured(nlgauge.metric_from(overlap), run_concurrent=True)["overlap"]
        == measured(nlgauge.metric_from(overlap))["overlap"]
    )


def test_the_signature_is_the_functions():
    assert "needs" in inspect.signature(nlgauge.metric_from).parameters
