"""What every metric of the registry must keep, whoever wrote it: `nlgauge.testing`, property by property.

A metric's own test file may say, for this contract:
    TEST_PARAMETERS      parameters that the tiny random model needs, beside those of SMALL
    MODEL_KIND           the kind of tiny model (a file of tests/tiny) where the default model names none: "encoder" unless said
    CHANGED_PARAMETERS   another valid value for each parameter where none can be guessed from its default (strings, None, tuples)
    TOLERANCE            what numbers of a tiny model may differ by over batches, if not 1e-5
    OTHER_MODELS         the kinds of tiny models for parameters that name further ones
    JUDGED               True where a model judges the prediction, so that one that equals its reference need not be best
    NOT_BEST_WHEN_EQUAL  the names of ODD texts that do not get the best score although prediction and reference are equal
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from marks import thorough
from strategies import WORDS, corpora

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.engine.cache import CACHED
from nlgauge.engine.cache.identity import identity_of
from nlgauge.engine.executors.processes import Processes
from nlgauge.errors import NlgaugeError
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric, CorpusMetric, Metric
from nlgauge.metric.registry import metric_classes
from nlgauge.metrics._shared.judged import Judged
from nlgauge.models.registry import held
from nlgauge.testing import CHECKS, ODD, Terms, of_numbers, of_texts
from nlgauge.testing.comparing import fitted_on_a_system, rows_of, scored
from nlgauge.testing.of_texts import require_bounds
from nlgauge.testing.of_values import has_model, other_values
from nlgauge.testing.texts import sample

# A metric may warn that it was given little; arithmetic may not.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

Build = Callable[[str], AnyMetric]
NAMES = list(metric_classes())
STRINGS = [name for name, metric in metric_classes().items() if not has_model(metric)]
SLOW_IF_MODEL = [
    name if name in STRINGS else pytest.param(name, marks=pytest.mark.slow) for name in metric_classes()
]
COSTLY = [
    pytest.param(name, marks=pytest.mark.slow)
    for name, metric in metric_classes().items()
    if issubclass(metric, Metric) and has_model(metric) and not issubclass(metric, Judged)
]
# What keeps a run on a tiny model valid and short, wherever a metric has such a parameter: the models have
# two layers.
SMALL = {"layer": 2, "folds": 2, "modes": 1}
# To a causal language model white space is text like any other: how well it expects it is what these measure.
CHARACTERS_COUNT = {"perplexity", "shannon"}
METRIC_TESTS = Path(__file__).parents[1] / "metrics"


def family(name: str) -> str:
    """Return the class in metrics/_shared that a metric has its code from, or its own name."""
    base = metric_classes()[name].__mro__[1]
    return base.__qualname__ if base.__module__.startswith("nlgauge.metrics._shared.") else name


# One metric of each family.
FAMILIES = set({family(name): name for name in reversed(NAMES)}.values())


# What batches, chunks, order and company do to numbers is decided by the code of a family: the other metrics of
# it are checked by `make test-thorough`.
CHECKS_OF_FAMILIES = {check for check in vars(of_numbers).values() if check in CHECKS} - {
    of_numbers.check_explanations_have_the_statistics_of_the_rows
}
# So are batches of one text; odd texts among others are checked with every metric.
CHECKS_OF_MODEL_FAMILIES = CHECKS_OF_FAMILIES | {of_texts.check_an_odd_text_alone_is_scored}


def contract() -> Iterator[Any]:
    """Pair every check with every metric."""
    for check in CHECKS:
        for name in NAMES:
            marks = [pytest.mark.slow] if name not in STRINGS else []
            of_families = CHECKS_OF_FAMILIES if name in STRINGS else CHECKS_OF_MODEL_FAMILIES
            if name not in FAMILIES and check in of_families:
                marks.append(pytest.mark.thorough)
            yield pytest.param(check, name, id=f"{check.__name__}-{name}", marks=marks)


@pytest.fixture(scope="module", autouse=True)
def loaded_models() -> Iterator[None]:
    """Load each tiny model once."""
    with held():
        yield


@cache
def own_test_file(name: str) -> dict[str, Any]:
    return vars(import_module(f"test_{name}"))


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
        parameters = {
            **{key: value for key, value in SMALL.items() if key in names},
            **said(name, "TEST_PARAMETERS", {}),
        }
        if name not in STRINGS:
            kinds = {weights(name): model_kind(name), **said(name, "OTHER_MODELS", {})}
            parameters |= {
                parameter: str(request.getfixturevalue("tiny_models")[kind])
                for parameter, kind in kinds.items()
            }
        return metric(**parameters)

    return made


@pytest.fixture(scope="session")
def terms(request: pytest.FixtureRequest) -> Callable[[str], Terms]:
    """The terms of a name's contract."""

    @cache
    def found(name: str) -> Terms:
        names = [f.name for f in fields(metric_classes()[name])]
        changes = {"empty": "missing", "precision": "bfloat16"}
        shared = {parameter: value for parameter, value in changes.items() if parameter in names}
        values = {**shared, **said(name, "CHANGED_PARAMETERS", {})}
        if name not in STRINGS:
            kinds = {weights(name): model_kind(name), **said(name, "OTHER_MODELS", {})}
            values |= {
                parameter: str(request.getfixturevalue("tiny_models")[f"other {kind}"])
                for parameter, kind in kinds.items()
            }
        not_best = frozenset(said(name, "NOT_BEST_WHEN_EQUAL", ()))
        return Terms(
            name in STRINGS, not_best, values, said(name, "TOLERANCE", 1e-5), said(name, "JUDGED", False)
        )

    return found


def weights(name: str) -> str:
    """The parameter that names the metric's weights."""
    return "vectors" if "vectors" in (f.name for f in fields(metric_classes()[name])) else "model"


def model_kind(name: str) -> str:
    from nlgauge.models.weights.catalog import catalog

    default = catalog().get(getattr(metric_classes()[name](), weights(name)))
    return str(said(name, "MODEL_KIND", "encoder" if default is None else default.kind))


@pytest.mark.parametrize(("check", "name"), list(contract()))
def test_every_metric_keeps_the_contract(check, name, build, terms):
    check(build(name), terms(name))


@pytest.mark.parametrize("name", SLOW_IF_MODEL)
def test_every_parameter_has_another_value_to_be_checked_with(name, build, terms):
    metric = build(name)
    known = other_values(metric, terms(name).other_values)
    for parameter in fields(metric):
        assert parameter.name in known, (
            f"tests/metrics/test_{name}.py must give another {parameter.name} in CHANGED_PARAMETERS"
        )
        assert replace(metric, **{parameter.name: known[parameter.name]}) != metric


@pytest.mark.parametrize("name", COSTLY)
def test_the_cache_gives_the_bits_that_were_computed(name, build, statistics_file):
    metric, (predictions, references, sources) = build(name), sample()
    runs = [
        nlgauge.score(predictions, references, sources, metrics=metric, cache=cache)
        for cache in (False, True, True)
    ]
    rows = runs[2].costs.used.get(CACHED, 0)
    assert rows == (
        0 if fitted_on_a_system(metric) else runs[1].costs.used.get(CACHED, 0) + len(distinct_rows(metric))
    )
    statistics = [
        [values.tobytes() for table in run._tables.values() for values in table.statistics.values()]
        for run in runs
    ]
    assert statistics[0] == statistics[1] == statistics[2]


def distinct_rows(metric):
    """What a metric is asked about in the sample."""
    predictions, references, sources = sample()
    given = zip(predictions, references, sources if metric.source else [None] * len(sources), strict=True)
    if metric.takes == "joint":
        return list(given)
    return {(p, r, s) for p, own, s in given for r in (own if metric.takes == "pair" else [None])}


@pytest.mark.parametrize("name", COSTLY)
def test_every_parameter_is_part_of_what_the_cache_looks_for(name, build, terms):
    metric = build(name)
    known = {"": identity_of(metric, {}, "en", RunOptions())}
    for parameter, value in other_values(metric, terms(name).other_values).items():
        with suppress(NlgaugeError):  # where no other value is allowed beside the others
            known[parameter] = identity_of(replace(metric, **{parameter: value}), {}, "en", RunOptions())
    assert None not in known.values()
    assert len({identity.digest for identity in known.values()}) == len(known) > len(fields(metric)) // 2


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_test_file_that_speaks_of_texts_there_are(name):
    assert (METRIC_TESTS / f"test_{name}.py").is_file()
    assert set(said(name, "NOT_BEST_WHEN_EQUAL", ())) <= set(ODD)


@pytest.mark.parametrize("name", SLOW_IF_MODEL)
def test_signatures_end_with_our_version(name, build):
    assert build(name).signature(Corpus.read(["a"], ["a"], ["a"])).endswith(f"nlgauge:{version('nlgauge')}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in STRINGS and name not in CHARACTERS_COUNT]
)
def test_predictions_that_cannot_be_seen_score_as_empty_ones(name, build):
    metric, text = build(name), "The cat sat on the mat."
    if isinstance(metric, CorpusMetric):
        pytest.skip("it compares sets of texts")
    unseen = ["", " ", "\n\t", "\u200b", " \ufeff\n"]
    rows = rows_of(scored(metric, *([[*unseen, text]] + [[text] * (len(unseen) + 1)] * 2)))
    firsts = [outputs[0] for outputs in metric.outputs().values() if outputs[0].higher_is_better is not None]
    assert firsts
    for output in firsts:
        values = [row[output.name] for row in rows[: len(unseen)]]
        assert values == pytest.approx([values[0]] * len(unseen), abs=1e-6, nan_ok=True), output.name


# A model goes to a worker as its path, whatever its kind, and each worker imports torch, which takes long.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "workers"), [("strings", "2"), ("encoder", "1"), *thorough(("all", "2"))]
)
def test_processes_give_the_same_numbers(metrics, workers, build, monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", workers)
    of_kinds = {model_kind(name): name for name in reversed(NAMES) if name not in STRINGS}
    names = {"strings": STRINGS, "encoder": [of_kinds["encoder"]], "all": [*STRINGS, *of_kinds.values()]}
    metrics = [build(name) for name in names[metrics]]
    predictions, references, sources = sample(1)
    texts = {"A": predictions, "B": sample(2)[0]}, references, sources
    serial, parallel = (
        nlgauge.score(*texts, metrics=metrics, executor=executor)
        for executor in (None, Processes(characters=700))
    )
    assert len(serial.corpus.chunks(700)) > 2
    assert parallel._tables.keys() == serial._tables.keys()
    for (system, label), table in serial._tables.items():
        other = parallel._tables[system, label]
        # A model may have other numbers of threads, so that its last bits differ, of which training makes
        # more.
        tolerance = (
            0
            if table.metric.name in STRINGS
            else 1e-3
            if fitted_on_a_system(table.metric)
            else said(table.metric.name, "TOLERANCE", 1e-5)
        )
        for part, statistics in table.statistics.items():
            np.testing.assert_allclose(
                other.statistics[part], statistics, rtol=tolerance, atol=tolerance, err_msg=label
            )
        np.testing.assert_allclose(
            list(other.scores().values()),
            list(table.scores().values()),
            rtol=tolerance,
            atol=tolerance,
            err_msg=label,
        )


@pytest.mark.parametrize(
    "name", [name if name in FAMILIES else pytest.param(name, marks=pytest.mark.thorough) for name in STRINGS]
)
@given(corpora(max_segments=3))
def test_bounds_hold_on_any_text(name, build, corpus):
    metric = build(name)
    require_bounds(
        metric,
        nlgauge.score(*corpus, ["the cat. sat", "", "on a mat"][: len(corpus[0])], metrics=metric),
        Terms(),
    )


@pytest.mark.parametrize("name", STRINGS)
def test_ten_thousand_tokens_are_scored(name, build):
    text = " ".join(WORDS[i * i % len(WORDS)] for i in range(10_000))
    metric = build(name)
    require_bounds(
        metric,
        nlgauge.score([text, "the cat"], [text[7:], "the cat"], [text[7:], "the cat"], metrics=metric),
        Terms(),
    )
