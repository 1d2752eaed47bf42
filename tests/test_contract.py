"""What every metric of the registry must keep, whoever wrote it.

A metric's own test file may say, for this contract:
    TEST_PARAMETERS      parameters that the tiny random model needs, beside those of SMALL
    MODEL_KIND           the kind of tiny model ("encoder", "masked", "causal") where the default model names none: "encoder" unless said
    CHANGED_PARAMETERS   another valid value for each parameter where none can be guessed from its default (strings, None, tuples)
    NOT_BEST_WHEN_EQUAL  the names of ODD texts that do not get the best score although prediction and reference are equal
"""

from __future__ import annotations

import copy
import math
import random
import runpy
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import SENTENCES, WORDS, corpora

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.metric import AnyMetric, Metric, Output, first_output
from nlgauge.metric.registry import metric_classes, parse
from nlgauge.results.result import Result

# A metric may warn that it was given little; arithmetic may not.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

Build = Callable[[str], AnyMetric]
NAMES = list(metric_classes())
STRINGS = [name for name, metric in metric_classes().items() if not any(f.name == "model" for f in fields(metric))]
ADDITIVE = [name for name, metric in metric_classes().items() if issubclass(metric, Metric)]
# What keeps a run on a tiny model valid and short, wherever a metric has such a parameter: the models have two layers.
SMALL = {"layer": 2, "folds": 2, "modes": 1}
METRIC_TESTS = Path(__file__).parent / "metrics"

ODD = {
    "empty": "",
    "only spaces": " \t\u3000 ",
    "newline": "\n",
    "one token": "cat",
    "one letter": "a",
    "repeated token": "the " * 50,
    "long": " ".join(WORDS[i * i % len(WORDS)] for i in range(2000)),
    "right to left": "القطة جلست على السجادة \u200fשלום עולם",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 👍🏽",
    "combining marks": "Z̷̢̛a̸̧̛l̶g̴o e\u0301\u0301\u0301",
    "leading mark": "\u0301a",
    "mixed scripts": "Hello мир 世界 नमस्ते สวัสดี 123",
    "only punctuation": "?!... -- ;;",
    "zero": "a\x00b \x00",
    "not a character": "\ufffe \U0010ffff",
}


@cache
def own_test_file(name: str) -> dict[str, Any]:
    path = METRIC_TESTS / f"test_{name}.py"
    return runpy.run_path(str(path)) if path.exists() else {}


def said(name: str, attribute: str, otherwise: Any = None) -> Any:
    """What a metric's own test file says for this contract."""
    return own_test_file(name).get(attribute, otherwise)


@pytest.fixture(scope="session")
def build(request: pytest.FixtureRequest) -> Build:
    """The metric of a name, with a tiny random model where it needs one."""
    for name in STRINGS:
        own_test_file(name)  # now: Hypothesis forbids the decorators in it while one of its own tests runs

    @cache
    def made(name: str) -> AnyMetric:
        metric = metric_classes()[name]
        names = [f.name for f in fields(metric)]
        parameters = {**{key: value for key, value in SMALL.items() if key in names}, **said(name, "TEST_PARAMETERS", {})}
        if "model" in names:
            parameters["model"] = str(request.getfixturevalue("tiny_models")[model_kind(name)])
        return metric(**parameters)

    return made


def model_kind(name: str) -> str:
    from nlgauge.models.catalogue import CATALOGUE

    default = CATALOGUE.get(metric_classes()[name]().model)
    return str(said(name, "MODEL_KIND", "encoder" if default is None else default.kind))


def sample(seed: int, segments: int = 12) -> tuple[list[str], list[list[str]], list[str]]:
    """Predictions, one to three references each, and sources, some of them empty or repeated."""
    rng = random.Random(seed)
    predictions, references, sources = [], [], []
    for i in range(segments):
        prediction, group = SENTENCES[rng.randrange(len(SENTENCES))]
        words = prediction.split()
        rng.shuffle(words)
        predictions.append(prediction if i % 3 else " ".join(words[: rng.randrange(1, 9)]))
        references.append([rng.choice([*group, "The cat sat on the mat."]) for _ in range(rng.randrange(1, 4))])
        sources.append(" ".join(rng.choice(WORDS) for _ in range(6)) + ". " + rng.choice(group))
    return predictions, references, sources


PREDICTIONS, REFERENCES, SOURCES = sample(1)
OTHERS = sample(2)[0]


def run(metric: AnyMetric, predictions: Any, references: Any, sources: Any, **options: Any) -> Result:
    return nlgauge.score(predictions, references, sources, metrics=metric, **options)


def rows(result: Result, system: str | None = None) -> list[dict[str, float]]:
    """The segment scores alone, of one system."""
    wanted = result.systems[0] if system is None else system
    return [
        {key: value for key, value in row.items() if key not in ("segment", "system")}
        for row in result.segments("records")
        if row["system"] == wanted
    ]


def scores(result: Result, system: str | None = None) -> dict[str, float]:
    wanted = result.systems[0] if system is None else system
    return result.tables[wanted, result.labels[0]].scores()


def assert_same(metric: AnyMetric, ours: Any, theirs: Any, exact: bool = True, threads: bool = False) -> None:
    """Equal bit for bit for strings (or to 1e-12 where sums were made in another order), to 1e-5 for models, whose last bits hang on batches.

    What is trained on a model's vectors is given the same bits whatever the batches, and equal to 1e-12; to 1e-3 where the model had other `threads`.
    """
    if isinstance(ours, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(metric, one, other, exact, threads)
        return
    assert ours.keys() == theirs.keys()
    values = [np.array(list(side.values()), dtype=np.float64) for side in (ours, theirs)]
    if metric.name in STRINGS and exact:
        np.testing.assert_array_equal(*values)
    else:
        tolerance = 1e-12 if metric.name in STRINGS else 1e-5
        if fitted_on_a_system(metric):
            tolerance = 1e-3 if threads else 1e-12
        np.testing.assert_allclose(*values, rtol=tolerance, atol=tolerance)


def fitted(metric: AnyMetric) -> bool:
    return isinstance(metric, Metric) and metric.fit() is not None


def fitted_on_a_system(metric: AnyMetric) -> bool:
    fit = metric.fit() if isinstance(metric, Metric) else None
    return fit is not None and fit.over == "system"


def outputs(metric: AnyMetric) -> list[Output]:
    return [output for part in metric.outputs().values() for output in part]


def best(output: Output) -> float:
    return output.high if output.higher_is_better else output.low


def better(output: Output, one: float, other: float) -> bool:
    return one > other if output.higher_is_better else one < other


def assert_in_bounds(metric: AnyMetric, values: dict[str, float]) -> None:
    rounding = 1e-9 if metric.name in STRINGS else 1e-5
    for output in outputs(metric):
        if not math.isnan(values[output.name]):
            assert output.low - rounding <= values[output.name] <= output.high + rounding, (metric, output)


@pytest.mark.parametrize("name", ADDITIVE)
def test_a_segment_alone_scores_as_among_others(name, build):
    metric = build(name)
    if fitted(metric):
        pytest.skip("its scores are given the fit, which one segment alone would change")
    together = rows(run(metric, PREDICTIONS, REFERENCES, SOURCES))
    alone = [rows(run(metric, [p], [r], [s]))[0] for p, r, s in zip(PREDICTIONS, REFERENCES, SOURCES, strict=True)]
    assert_same(metric, together, alone)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_segments_does_not_matter(name, build):
    metric = build(name)
    order = np.random.default_rng(3).permutation(len(PREDICTIONS))
    straight = run(metric, PREDICTIONS, REFERENCES, SOURCES)
    permuted = run(metric, *([column[i] for i in order] for column in (PREDICTIONS, REFERENCES, SOURCES)))
    assert_same(metric, [rows(straight)[i] for i in order], rows(permuted))
    assert_same(metric, scores(straight), scores(permuted), exact=False)


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("name", NAMES)
def test_split_and_merge_is_the_whole(name, size, build, monkeypatch):
    metric = build(name)
    systems = {"A": PREDICTIONS, "B": OTHERS}
    whole = run(metric, systems, REFERENCES, SOURCES)
    pieces = [np.arange(len(PREDICTIONS))[i : i + size] for i in range(0, len(PREDICTIONS), size)]
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: pieces)
    split = run(metric, systems, REFERENCES, SOURCES)
    for key, table in whole.tables.items():
        for part, statistics in table.statistics.items():
            assert_same(metric, dict(enumerate(statistics.ravel())), dict(enumerate(split.tables[key].statistics[part].ravel())))
        assert_same(metric, scores(whole, key[0]), scores(split, key[0]))


@pytest.mark.parametrize("name", NAMES)
def test_the_batch_size_does_not_matter(name, build):
    metric = build(name)
    results = [run(metric, PREDICTIONS, REFERENCES, SOURCES, batch_size=size) for size in (None, 1, 7)]
    for other in results[1:]:
        assert_same(metric, rows(results[0]), rows(other))
        assert_same(metric, scores(results[0]), scores(other))


def test_processes_give_the_same_numbers(build, monkeypatch):
    metrics = [build(name) for name in NAMES]
    systems = {"A": PREDICTIONS, "B": OTHERS}
    serial = nlgauge.score(systems, REFERENCES, SOURCES, metrics=metrics)
    monkeypatch.setenv("NLGAUGE_THREADS", "2")
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: np.array_split(np.arange(len(self)), 3))
    parallel = nlgauge.score(systems, REFERENCES, SOURCES, metrics=metrics, run_concurrent=True)
    assert parallel.tables.keys() == serial.tables.keys()
    for key, table in serial.tables.items():
        for part, statistics in table.statistics.items():
            assert_same(
                table.metric, dict(enumerate(statistics.ravel())), dict(enumerate(parallel.tables[key].statistics[part].ravel())), threads=True
            )
        assert_same(table.metric, table.scores(), parallel.tables[key].scores(), threads=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_system_scores_the_same_in_any_company(name, build):
    metric = build(name)
    alone = run(metric, PREDICTIONS, REFERENCES, SOURCES)
    several = run(metric, {"B": OTHERS, "A": PREDICTIONS, "twin": PREDICTIONS}, REFERENCES, SOURCES)
    for system in ("A", "twin"):
        assert_same(metric, rows(alone), rows(several, system))
        assert_same(metric, scores(alone), scores(several, system))
    assert scores(several, "A") == pytest.approx(scores(several, "twin"), abs=0, rel=0, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_one_reference_is_one_reference_however_it_is_given(name, build):
    metric = build(name)
    plain = run(metric, PREDICTIONS, [group[0] for group in REFERENCES], SOURCES)
    listed = run(metric, [[prediction] for prediction in PREDICTIONS], [group[:1] for group in REFERENCES], SOURCES)
    twice = run(metric, PREDICTIONS, [group[:1] * 2 for group in REFERENCES], SOURCES)
    for other in (listed, *([] if fitted(metric) else [twice])):
        assert_same(metric, rows(plain), rows(other))
        assert_same(metric, scores(plain), scores(other))


@pytest.mark.parametrize("name", STRINGS)
@given(corpora(max_segments=3))
def test_bounds_hold_on_any_text(name, build, corpus):
    metric = build(name)
    result = run(metric, *corpus, SOURCES[: len(corpus[0])])
    assert_in_bounds(metric, scores(result))
    for row in result.tables[result.systems[0], result.labels[0]].segments().items():
        output = next(output for output in outputs(metric) if output.name == row[0])
        assert ((row[1] >= output.low - 1e-9) & (row[1] <= output.high + 1e-9) | np.isnan(row[1])).all()


@pytest.mark.parametrize("name", NAMES)
def test_odd_input_never_crashes_and_stays_in_bounds(name, build):
    metric = build(name)
    texts = [*ODD.values(), PREDICTIONS[1]]
    pairs = [(a, b) for a, b in product(texts, texts) if name in STRINGS or a == b or PREDICTIONS[1] in (a, b)]
    result = run(metric, [a for a, _ in pairs], [b for _, b in pairs], [b for _, b in pairs])
    assert_in_bounds(metric, scores(result))
    by_name = result.tables[result.systems[0], result.labels[0]].segments()
    for i in range(len(pairs) if by_name else 0):
        assert_in_bounds(metric, {output: float(values[i]) for output, values in by_name.items()})
    assert len(result.corpus) == len(pairs)


@pytest.mark.parametrize("name", STRINGS)
def test_ten_thousand_tokens_are_scored(name, build):
    text = " ".join(WORDS[i * i % len(WORDS)] for i in range(10_000))
    metric = build(name)
    assert_in_bounds(metric, scores(run(metric, [text, "the cat"], [text[7:], "the cat"], [text[7:], "the cat"])))


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", NAMES)
def test_an_odd_text_alone_never_crashes(name, kind, build):
    metric = build(name)
    result = run(metric, [ODD[kind]], [[ODD[kind], PREDICTIONS[1]]], [ODD[kind]])
    assert_in_bounds(metric, scores(result))


@pytest.mark.parametrize("name", NAMES)
def test_equal_texts_get_the_best_score(name, build):
    metric = build(name)
    if metric.takes == "alone":
        pytest.skip("it does not look at references")
    texts = [
        "The cat sat on the mat, and then it slept.",
        *(reference for _, group in SENTENCES for reference in group if len(reference.split()) > 3),
    ]
    output = first_output(metric)
    if math.isinf(best(output)):
        pytest.skip("there is no best score")
    result = run(metric, texts, texts, texts)
    assert scores(result)["score"] == pytest.approx(best(output), abs=1e-5)
    if isinstance(metric, Metric):
        assert [next(iter(row.values())) for row in rows(result)] == pytest.approx([best(output)] * len(texts), abs=1e-5)


@pytest.mark.parametrize("name", ADDITIVE)
def test_equal_odd_texts_get_the_best_score_but_where_the_metrics_tests_say_otherwise(name, build):
    metric = build(name)
    if metric.takes == "alone":
        pytest.skip("it does not look at references")
    texts = list(ODD.values())
    found = rows(run(metric, texts, texts, texts))
    short = {kind for kind, row in zip(ODD, found, strict=True) if next(iter(row.values())) != pytest.approx(best(first_output(metric)), abs=1e-5)}
    assert short == set(said(name, "NOT_BEST_WHEN_EQUAL", set()))


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_prediction_never_gets_the_best_score(name, build):
    metric = build(name)
    text = "The cat sat on the mat."
    nothing, same = (scores(run(metric, [prediction], [text], [text])) for prediction in ("", text))
    for part in metric.outputs().values():
        if part[0].higher_is_better is not None:
            value = nothing[part[0].name]
            assert math.isnan(value) or not math.isclose(value, best(part[0]), abs_tol=1e-6)
            assert math.isnan(value) or math.isnan(same[part[0].name]) or not better(part[0], value, same[part[0].name])


@pytest.mark.parametrize("name", NAMES)
def test_the_same_call_gives_the_same_numbers_and_touches_no_random_state(name, build):
    metric = build(name)
    torch = sys.modules.get("torch")
    before = random.getstate(), np.random.get_state(), None if torch is None else torch.get_rng_state()
    results = [run(metric, {"A": PREDICTIONS, "B": OTHERS}, REFERENCES, SOURCES) for _ in range(2)]
    intervals = [result.intervals(resamples=20) for result in results]
    compared = [result.compare(resamples=20).records() for result in results]
    for system in ("A", "B"):
        np.testing.assert_array_equal(*(list(scores(result, system).values()) for result in results))
        np.testing.assert_equal(*(rows(result, system) for result in results))
    np.testing.assert_equal(*intervals)
    np.testing.assert_equal(*compared)
    assert random.getstate() == before[0]
    np.testing.assert_equal(np.random.get_state(), before[1])
    assert torch is None or before[2] is None or torch.equal(torch.get_rng_state(), before[2])


@pytest.mark.parametrize("name", NAMES)
def test_the_callers_lists_are_untouched(name, build):
    given_texts = {"A": list(PREDICTIONS), "B": list(OTHERS)}, copy.deepcopy(REFERENCES), list(SOURCES)
    before = copy.deepcopy(given_texts)
    run(build(name), *given_texts)
    assert given_texts == before


@pytest.mark.parametrize("name", ADDITIVE)
def test_the_corpus_score_is_the_score_of_the_sum_of_rows(name, build):
    metric = build(name)
    weights = np.arange(1.0, len(PREDICTIONS) + 1)
    result = run(metric, PREDICTIONS, REFERENCES, SOURCES)
    weighted = run(metric, PREDICTIONS, REFERENCES, SOURCES, weights=weights)
    (table,) = result.tables.values()
    found, found_weighted = {}, {}
    for part, statistics in table.statistics.items():
        assert statistics.shape[0] == len(PREDICTIONS)
        assert statistics.dtype == np.float64
        found.update({key: float(value) for key, value in metric.score(part, sum(statistics)).items()})
        found_weighted.update({key: float(value) for key, value in metric.score(part, sum(statistics * weights[:, None])).items()})
    assert {key: value for key, value in scores(result).items() if key != "score"} == pytest.approx(found, abs=1e-9, nan_ok=True)
    assert {key: value for key, value in scores(weighted).items() if key != "score"} == pytest.approx(found_weighted, abs=1e-9, nan_ok=True)
    assert scores(result)["score"] == pytest.approx(found[first_output(metric).name], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", ADDITIVE)
def test_scores_work_over_the_last_axis(name, build):
    """One row, all rows and a block of resamples are the same arithmetic."""
    metric = build(name)
    (table,) = run(metric, PREDICTIONS, REFERENCES, SOURCES).tables.values()
    for part, statistics in table.statistics.items():
        block = metric.score(part, np.stack([statistics, 2 * statistics]))
        every = metric.score(part, statistics)
        assert list(every) == [output.name for output in metric.outputs()[part]]
        for output, values in every.items():
            assert block[output].shape == (2, len(statistics))
            np.testing.assert_array_equal(block[output][0], values)
            np.testing.assert_array_equal([metric.score(part, row)[output] for row in statistics], values)


@pytest.mark.parametrize("name", ADDITIVE)
def test_an_explanations_statistics_are_the_rows(name, build):
    metric = build(name)
    one = run(metric, PREDICTIONS, [group[0] for group in REFERENCES], SOURCES)
    many = run(metric, PREDICTIONS, REFERENCES, SOURCES)
    for result, parts in ((one, list(metric.outputs())), (many, list(metric.outputs())[:1])):
        (table,) = result.tables.values()
        for i in range(0, len(PREDICTIONS), 4):
            for explanation in result.explain(result.labels[0], i):
                for part in set(parts) & explanation.statistics.keys():
                    ours, theirs = explanation.statistics[part], table.statistics[part][i]
                    assert_same(metric, dict(enumerate(ours)), dict(enumerate(theirs)))


def changed(metric: AnyMetric, parameter: str, request: pytest.FixtureRequest) -> AnyMetric:
    """The metric with another value of one parameter."""
    value, known = getattr(metric, parameter), said(metric.name, "CHANGED_PARAMETERS", {})
    if parameter in known:
        return replace(metric, **{parameter: known[parameter]})
    if parameter == "model":
        return replace(metric, model=str(request.getfixturevalue("tiny_models")[f"other {model_kind(metric.name)}"]))
    if isinstance(value, bool):
        return replace(metric, **{parameter: not value})
    if isinstance(value, int | float):
        return replace(metric, **{parameter: value + 1})
    pytest.fail(f"tests/metrics/test_{metric.name}.py must give another {parameter} than {value!r} in CHANGED_PARAMETERS")


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_as_printed_parses_back(name, build, request):
    metric = build(name)
    assert parse(str(metric)) == metric
    assert hash(parse(str(metric))) == hash(metric)
    for parameter in fields(metric):
        other = changed(metric, parameter.name, request)
        assert parse(str(other)) == other != metric
        assert str(other) != str(metric)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_that_changes_a_number_is_in_the_signature(name, build, request):
    metric = build(name)
    corpus = Corpus.read(PREDICTIONS, REFERENCES, SOURCES)
    signature = metric.signature(corpus)
    assert "\n" not in signature
    assert signature.endswith(f"nlgauge:{version('nlgauge')}")
    for parameter in fields(metric):
        other = changed(metric, parameter.name, request)
        if other.signature(corpus) == signature:
            ours, theirs = (run(one, PREDICTIONS, REFERENCES, SOURCES) for one in (metric, other))
            assert scores(ours) == scores(theirs), parameter.name
            assert [list(row.values()) for row in rows(ours)] == [list(row.values()) for row in rows(theirs)], parameter.name


@pytest.mark.parametrize("name", NAMES)
def test_outputs_have_unique_names_and_bounds(name, build):
    metric = build(name)
    names = [output.name for output in outputs(metric)]
    assert len(set(names)) == len(names) > 0
    assert "score" not in names or names[0] == "score"
    assert all(output.low < output.high for output in outputs(metric))
    assert list(scores(run(metric, PREDICTIONS, REFERENCES, SOURCES))) == ["score", *(n for n in names if n != "score")]


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_is_a_frozen_value_with_a_test_file(name, build):
    metric = build(name)
    assert (METRIC_TESTS / f"test_{name}.py").is_file()
    assert copy.deepcopy(metric) == metric
    for field in fields(metric):
        with pytest.raises(AttributeError):
            setattr(metric, field.name, None)
