"""Finding metrics: names, aliases, parameters, printed forms, suggestions, registration."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, ClassVar

import pytest

from nlgauge.errors import ParameterError, UnknownMetricError
from nlgauge.metric import SPELLINGS, CorpusMetric, Output, register, registry
from nlgauge.metric.registry import find, make, metric_classes, parse
from nlgauge.metrics.bleu import Bleu
from nlgauge.metrics.chrf import Chrf
from nlgauge.metrics.rouge import Rouge


@pytest.mark.parametrize("name", ["bleu", "chrf", "rouge", "wer", "cer", "exact_match", "distinct", "bertscore", "shannon", "cosmic"])
def test_the_metrics_of_this_version_are_registered(name):
    if find_spec(f"nlgauge.metrics.{name}") is None:
        pytest.skip(f"nlgauge.metrics.{name} is not written yet")
    assert metric_classes()[name].name == name


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
        ("bleo", "there is no metric 'bleo' (did you mean 'bleu'?)"),
        ("rogue", "there is no metric 'rogue' (did you mean 'rouge'"),
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
        ("chrf(word_orders=2)", "chrf has no parameter 'word_orders' (did you mean 'word_order'"),
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
    with pytest.raises(ParameterError, match=r"bleu has no parameter 'max_oder' \(did you mean 'max_order'\?\)"):
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
class Length(CorpusMetric):
    name: ClassVar[str] = "length"
    aliases: ClassVar[dict[str, Any]] = {"size": {}}

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"length": (Output("length", True),)}


def test_a_registered_metric_is_found_by_name_and_alias(registered):
    register(Length)
    assert parse("length") == parse("size") == Length()
    assert "length" in metric_classes()
    register(Length)


def test_a_name_or_alias_that_is_taken_is_refused(registered):
    register(Length)
    for name, aliases in (("length", {}), ("bleu", {}), ("other", {"size": {}}), ("other", {"chrf": {}}), ("sacrebleu", {})):
        another = dataclass(frozen=True)(type("Another", (CorpusMetric,), {"name": name, "aliases": aliases}))
        with pytest.raises(ParameterError, match="is registered already; choose another name"):
            register(another)
    assert metric_classes()["bleu"] is Bleu
    assert parse("size") == Length()


def test_entry_points_of_other_packages_are_loaded(registered, monkeypatch):
    class Entry:
        def load(self) -> None:
            register(Length)

    monkeypatch.setattr(registry, "entry_points", lambda group: [Entry()] if group == "nlgauge.metrics" else [])
    registry._load_all.cache_clear()
    assert "length" in metric_classes()
