"""Finding metrics: names, aliases, parameters, printed forms, suggestions, registration."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pytest

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.errors import ParameterError, UnknownMetricError
from nlgauge.features import Features
from nlgauge.metric import REGISTERED, SPELLINGS, Arrays, Metric, Output, View, WholeMetric, register, registry
from nlgauge.metric.definition import check_statistics
from nlgauge.metric.mean import MeanMetric
from nlgauge.metric.registry import find, make, metric_classes, parse
from nlgauge.metrics.bleu import Bleu
from nlgauge.metrics.chrf import Chrf
from nlgauge.metrics.rouge import Rouge

# Every metric that was ever released: one that is not found any more breaks saved results and people's scripts.
NAMES = """
accuracy ari aun baryscore bertscore blanc bleu cder cer character chrf cider coleman_liau compression compression_ratio cosmic coverage
density depthscore distinct eed embedding_similarity estime exact_match f1 flesch_kincaid flesch_reading_ease frechet gleu gunning_fog
infolm js_divergence levenshtein mattr mauve mer meteor nist novelty perplexity precision recall repetitiveness ribes rouge rouge155 sari
self_bleu sentence_bleu shannon smog squad ter vendi wer wil wip
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_every_metric_is_registered_under_its_name(name):
    assert metric_classes()[name].name == name
    assert metric_classes()[name].__module__.startswith("nlgauge.metrics.")


def test_names_are_in_alphabetical_order():
    assert list(metric_classes()) == sorted(metric_classes())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bleu", Bleu()),
        (" BLEU ", Bleu()),
        ("sacrebleu", Bleu()),
        ("bleu()", Bleu()),
        ("chrf++", Chrf(word_order=2)),
        ("chrf++(beta=3)", Chrf(word_order=2, beta=3)),
        ("chrf(word_order=2, lowercase=True)", Chrf(word_order=2, lowercase=True)),
        ("bleu(tokenizer=intl)", Bleu(tokenizer="intl")),
        ("bleu(tokenizer='intl', smooth_method='add-k')", Bleu(tokenizer="intl", smooth_method="add-k")),
        ("bleu(smooth_method=floor, smooth_value=0.25)", Bleu(smooth_method="floor", smooth_value=0.25)),
        ("bleu(tokenizer=None)", Bleu()),
        ("rouge(rouge_types=['rouge1'])", Rouge(("rouge1",))),
        ("rouge(rouge_types=('rouge1', 'rougeL'))", Rouge(("rouge1", "rougeL"))),
        ("exact-match", find("exact_match")()),
        ("em(lowercase=True)", find("exact_match")(lowercase=True)),
        ("distinct-n", find("distinct")()),
    ],
)
def test_parse(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleo", "there is no metric 'bleo'; did you mean 'bleu'"),
        ("rogue", "there is no metric 'rogue'; did you mean 'rouge'"),
        ("zzzzzz", "there is no metric 'zzzzzz'; `nlgauge list` shows all."),
        ("", "there is no metric ''"),
    ],
)
def test_unknown_names_get_the_nearest(text, message):
    with pytest.raises(UnknownMetricError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert isinstance(caught.value, LookupError)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chrf(word_orders=2)", "chrf has no parameter 'word_orders'; did you mean 'word_order'"),
        ("wer(zzz=2)", "wer has no parameter 'zzz'; it takes lowercase."),
        ("chrf(2)", "cannot read 'chrf(2)'; write name(parameter=value, ...)"),
        ("chrf(word_order=2", "cannot read 'chrf(word_order=2'"),
        ("chrf(word_order=)", "cannot read"),
        ("chrf(**x)", "cannot read"),
        ("chrf(word_order=1+1)", "cannot read"),
        ("chrf(word_order=__import__('os').getpid())", "cannot read"),
        ("chrf(word_order=2) + bleu", "cannot read"),
        ("chrf(word_order=2)(beta=3)", "cannot read"),
        ("chrf(word_order=-1)", "chrf: word_order must be a whole number from 0 to 100, got -1."),
    ],
)
def test_what_cannot_be_read_or_is_out_of_its_domain(text, message):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["bleu(max_order=two)", "chrf(beta=two)", "bleu(smooth_value=much)", "chrf(beta=None)", "wer(lowercase=no)", "wer(lowercase=false)"]
)
def test_values_of_a_wrong_type_are_parameter_errors(text):
    with pytest.raises(ParameterError):
        parse(text)


def test_make_takes_lists_as_json_has_them():
    assert make("rouge", {"rouge_types": ["rouge1"]}) == Rouge(("rouge1",))
    with pytest.raises(ParameterError, match="bleu has no parameter 'max_oder'; did you mean 'max_order'"):
        make("bleu", {"max_oder": 2})


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("bleu(tokenize=intl)", "bleu(tokenizer='intl')"),
        ("bleu(tok=char, lc=True)", "bleu(tokenizer='char', lowercase=True)"),
        ("bleu(max_ngram_order=2)", "bleu(max_order=2)"),
        ("em(ignore_case=True)", "exact_match(lowercase=True)"),
        ("wer(case_sensitive=False)", "wer(lowercase=True)"),
        ("ter(case_sensitive=True)", "ter(lowercase=False)"),
        ("ter(case_sensitive=False)", "ter"),
        ("rouge(use_stemmer=True)", "rouge(stem=True)"),
        ("rouge(rouge_keys=['rouge1'])", "rouge(rouge_types=('rouge1',))"),
        ("chrf++(n_word_order=3)", "chrf(word_order=3)"),
        ("distinct(tokenize=13a)", None),
        ("distinct(tokenize='13a')", "distinct(tokenizer='13a')"),
    ],
)
def test_other_spellings_are_taken_and_our_own_is_printed(theirs, ours):
    if ours is None:
        with pytest.raises(ParameterError, match="cannot read"):
            parse(theirs)
    else:
        assert str(parse(theirs)) == ours


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleu(tokenize=intl, tokenizer=intl)", "bleu: tokenize and tokenizer are one parameter; give it once, as tokenizer."),
        ("bleu(tok=intl, tokenize=intl)", "bleu: tok and tokenize are one parameter; give it once, as tokenizer."),
        ("ter(case_sensitive=True, lowercase=False)", "ter: case_sensitive and lowercase are one parameter"),
        ("ter(case_sensitive=1)", "ter: case_sensitive must be True or False, got 1."),
        ("ter(case_sensitive=None)", "ter: case_sensitive must be True or False, got None."),
        ("wer(tokenize=13)", "wer has no parameter 'tokenize'; it takes lowercase."),
        ("bleu(tokenize=3)", "bleu: tokenizer must be"),
    ],
)
def test_a_parameter_is_given_once_and_in_its_domain(text, message):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_one_word_for_one_thing():
    """No metric's own parameter has a name that is another one's spelling."""
    for name, metric in metric_classes().items():
        own = {f.name for f in fields(metric)}
        assert not own & set(SPELLINGS), name
        assert {target.removeprefix("not ") for other, target in metric.spellings.items() if other not in SPELLINGS} <= own, name


@dataclass(frozen=True)
class Length(WholeMetric):
    name: ClassVar[str] = "length"
    aliases: ClassVar[dict[str, Any]] = {"size": {}}

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"length": (Output("length", True),)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        return {"length": 1.0}


def test_a_registered_metric_is_found_by_name_and_alias(registered):
    register(Length)
    assert parse("length") == parse("size") == Length()
    assert "length" in metric_classes()
    register(Length)


def test_a_name_or_alias_that_is_taken_is_refused(registered):
    register(Length)
    for name, aliases in (("length", {}), ("bleu", {}), ("other", {"size": {}}), ("other", {"chrf": {}}), ("sacrebleu", {})):
        another = dataclass(frozen=True)(type("Another", (Length,), {"name": name, "aliases": aliases}))
        with pytest.raises(ParameterError, match="is registered already; choose another name"):
            register(another)
    assert metric_classes()["bleu"] is Bleu
    assert parse("size") == Length()


def test_a_script_that_takes_a_name_of_ours_is_told_so_at_once():
    program = """
from dataclasses import dataclass
from typing import ClassVar
import nlgauge

@dataclass(frozen=True)
class Mine(nlgauge.WholeMetric):
    name: ClassVar[str] = "bleu"
    def outputs(self): return {"bleu": (nlgauge.Output("bleu", True),)}
    def whole(self, corpus, system, features): return {"bleu": 1.0}

try:
    nlgauge.register(Mine)
except nlgauge.NlgaugeError as error:
    print(error)
print(nlgauge.score(["a b c d"], ["a b c d"], metrics="bleu")["bleu"]["score"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    message, score = done.stdout.splitlines()
    assert message == "a metric named 'bleu' is registered already; choose another name."
    assert float(score) == pytest.approx(100)


class Complete(Metric):
    name: ClassVar[str] = "complete"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"complete": (Output("complete", True),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"complete": np.ones((len(view), 1))}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"complete": statistics[..., 0]}


class Means(MeanMetric):
    name: ClassVar[str] = "means"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"means": (Output("means", True),)}


def value(base: type, **attributes: Any) -> Any:
    return dataclass(frozen=True)(type("Mine", (base,), attributes))


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (Complete, "cannot register Complete: it must be a frozen dataclass; write @dataclass(frozen=True) above the class and below @register."),
        (dataclass(type("Loose", (Complete,), {})), "cannot register Loose: it must be a frozen dataclass"),
        (value(Metric, name="x"), "a Metric must define outputs, statistics, score; outputs and statistics and score are missing."),
        (value(Complete, score=Metric.score), "a Metric must define outputs, statistics, score; score is missing."),
        (value(Means), "a MeanMetric must define outputs, values; values is missing."),
        (value(Length, whole=WholeMetric.whole), "a WholeMetric must define outputs, whole; whole is missing."),
        (value(Complete, name=""), "its name is ''"),
        (value(Complete, name="My-Metric"), "its name is 'My-Metric'"),
        (value(WholeMetric), "its name is None"),
        (str, "it must be a class made from nlgauge.Metric or nlgauge.WholeMetric"),
        ("bleu", "cannot register 'bleu'"),
    ],
    ids=str,
)
def test_a_class_that_lacks_something_is_told_what(registered, metric, message):
    before = dict(REGISTERED.classes)
    with pytest.raises(ParameterError) as caught:
        register(metric)
    assert message in str(caught.value)
    assert before == REGISTERED.classes
    register(value(Complete))


@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        ({"score": np.ones((2, 1))}, "complete: statistics() gave the parts score, outputs() has complete."),
        ({}, "complete: statistics() gave the parts none, outputs() has complete."),
        ({"complete": np.ones((3, 1))}, "complete: statistics() gave an array of shape (3, 1) for 'complete'; it must have 2 rows and two axes."),
        ({"complete": np.ones(2)}, "complete: statistics() gave an array of shape (2,) for 'complete'"),
    ],
    ids=["part", "none", "rows", "axes"],
)
def test_statistics_of_a_wrong_part_or_shape_say_so(statistics, message):
    metric = value(Complete)()
    check_statistics(metric, {"complete": np.ones((2, 1))}, 2)
    with pytest.raises(ParameterError) as caught:
        check_statistics(metric, statistics, 2)
    assert message in str(caught.value)


class Entry:
    """An entry point of somebody else's package."""

    dist = None

    def __init__(self, name: str, load: Callable[[], object]) -> None:
        self.name, self.value, self.load = name, f"{name}.metrics", load


@pytest.fixture
def plug_ins(registered: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def install(*entries: Entry) -> None:
        monkeypatch.setattr(registry, "entry_points", lambda group: list(entries) if group == "nlgauge.metrics" else [])
        registry._load_all.cache_clear()

    yield install
    monkeypatch.undo()
    registry._load_all.cache_clear()


def test_entry_points_of_other_packages_are_loaded(plug_ins):
    plug_ins(Entry("theirs", lambda: register(Length)))
    assert "length" in metric_classes()


def test_plug_ins_that_cannot_be_imported_are_named_and_left_out(plug_ins):
    def halfway() -> None:
        register(value(Complete))
        raise ModuleNotFoundError("No module named 'nowhere'")

    plug_ins(Entry("broken", halfway), Entry("works", lambda: register(Length)), Entry("quits", lambda: sys.exit(3)))
    with pytest.warns(UserWarning) as caught:
        assert parse("bleu") == Bleu()
    (warning,) = caught
    assert "'broken' (broken.metrics, unknown package): ModuleNotFoundError: No module named 'nowhere'" in str(warning.message)
    assert "'quits' (quits.metrics, unknown package): SystemExit: 3" in str(warning.message)
    assert "length" in metric_classes() and "complete" not in metric_classes()
    assert len(metric_classes()) > 50
