"""Finding metrics: names, aliases, parameters, printed forms, suggestions, registration."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from messages import mentions

import nlgauge
import nlgauge.metrics
from nlgauge.corpus import Corpus
from nlgauge.errors import MetricError, ParameterError, UnknownMetricError
from nlgauge.features import Features
from nlgauge.metric import REGISTERED, SPELLINGS, CorpusMetric, Output, register, registry
from nlgauge.metric.registry import find, make, metric_classes, parse
from nlgauge.metrics.bleu import Bleu
from nlgauge.metrics.chrf import Chrf
from nlgauge.metrics.rouge import Rouge


def test_every_module_of_a_metric_registers_it_and_has_a_card():
    """A module with a card beside it is a metric; a card without a module, or a metric without a card, is
    a mistake.
    """
    place = Path(nlgauge.metrics.__file__).parent
    cards = {path.stem for path in place.glob("*.md")}
    assert cards == set(metric_classes())
    assert len(cards) >= 57
    assert all(metric_classes()[name].__module__ == f"nlgauge.metrics.{name}" for name in cards)


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
        ("rouge1", Rouge(("rouge1",))),
        ("rougeL", Rouge(("rougeL",))),
        ("rouge-l", Rouge(("rougeL",))),
        ("ROUGE-2(stem=True)", Rouge(("rouge2",), stem=True)),
        ("rouge.rouge1", Rouge(("rouge1",))),
        ("rouge.rougeLsum", Rouge(("rougeLsum",))),
        ("rouge(rouge_types=rouge1)", Rouge(("rouge1",))),
        ("rouge(rouge_types=[rouge1, rougeL], stem=True)", Rouge(("rouge1", "rougeL"), stem=True)),
        ("bleu4", Bleu()),
        ("bert_score", find("bertscore")()),
        ("bleu(tokenizer=13a, smooth_method=add-k)", Bleu(tokenizer="13a", smooth_method="add-k")),
        ("bertscore(model=./dir/bert-base_v1.0)", find("bertscore")(model="./dir/bert-base_v1.0")),
        ("bertscore(model= org/name:tag , layer=3)", find("bertscore")(model="org/name:tag", layer=3)),
        (
            "yes_no(question='a=b, c-d=(e)', model=gpt-4o)",
            find("yes_no")(question="a=b, c-d=(e)", model="gpt-4o"),
        ),
    ],
)
def test_parse(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleo", "'bleo' ... 'bleu' or 'bleurt'"),
        ("rogue", "'rogue' ... 'rouge'"),
        ("zzzzzz", "metric ... 'zzzzzz'; `nlgauge list`"),
        ("", "metric ... ''"),
        ("groundedness", "metric ... 'groundedness'; faithfulness checks"),
        ("relevancy", "answer_relevance ... g_eval(criterion=relevance)"),
        ("spice", "cider and meteor"),
        ("bleu.rouge1", "metric ... 'bleu.rouge1'"),
    ],
)
def test_unknown_names_get_the_nearest(text, message):
    with pytest.raises(UnknownMetricError) as caught:
        parse(text)
    assert mentions(str(caught.value), message)
    assert isinstance(caught.value, LookupError)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chrf(word_orders=2)", "chrf ... 'word_orders' ... 'word_order'"),
        ("wer(zzz=2)", "wer ... 'zzz'"),
        ("chrf(2)", "cannot read 'chrf(2)'; write name(parameter=value, ...)"),
        ("chrf(word_order=2", "cannot read 'chrf(word_order=2'"),
        ("chrf(word_order=)", "cannot read"),
        ("chrf(**x)", "cannot read"),
        ("chrf(word_order=1+1)", "word_order ... '1+1'"),
        ("bertscore(model=my dir)", "quotes ... text"),
        ("chrf(word_order=__import__('os').getpid())", "cannot read"),
        ("chrf(word_order=2) + bleu", "cannot read"),
        ("chrf(word_order=2)(beta=3)", "cannot read"),
        ("chrf(word_order=-1)", "word_order ... 0 to 100 ... -1"),
    ],
)
def test_what_cannot_be_read_or_is_out_of_its_domain(text, message):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert mentions(str(caught.value), message)


@pytest.mark.parametrize(
    "text",
    [
        "bleu(max_order=two)",
        "chrf(beta=two)",
        "bleu(smooth_value=much)",
        "chrf(beta=None)",
        "wer(lowercase=no)",
        "wer(lowercase=false)",
    ],
)
def test_values_of_a_wrong_type_are_parameter_errors(text):
    with pytest.raises(ParameterError):
        parse(text)


def test_make_takes_lists_as_json_has_them():
    assert make("rouge", {"rouge_types": ["rouge1"]}) == Rouge(("rouge1",))
    with pytest.raises(ParameterError, match=r"bleu.*'max_oder'.*'max_order'"):
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
        ("distinct(tokenize=13a)", "distinct(tokenizer='13a')"),
        ("distinct(tokenize='13a')", "distinct(tokenizer='13a')"),
    ],
)
def test_other_spellings_are_taken_and_our_own_is_printed(theirs, ours):
    assert str(parse(theirs)) == ours


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bleu(tokenize=intl, tokenizer=intl)",
            "tokenize ... tokenizer",
        ),
        (
            "bleu(tok=intl, tokenize=intl)",
            "tok ... parameter",
        ),
        ("ter(case_sensitive=True, lowercase=False)", "case_sensitive ... parameter"),
        ("ter(case_sensitive=1)", "case_sensitive ... True or False ... 1"),
        ("ter(case_sensitive=None)", "case_sensitive ... True or False ... None"),
        ("wer(tokenize=13)", "wer ... 'tokenize'"),
        ("bleu(tokenize=3)", "bleu: tokenizer must be"),
    ],
)
def test_a_parameter_is_given_once_and_in_its_domain(text, message):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert mentions(str(caught.value), message)


def test_one_word_for_one_thing():
    """No metric's own parameter has a name that is another one's spelling."""
    for name, metric in metric_classes().items():
        own = {f.name for f in fields(metric)}
        assert not own & set(SPELLINGS), name
        assert {
            target.removeprefix("not ")
            for other, target in metric.spellings.items()
            if other not in SPELLINGS
        } <= own, name


@dataclass(frozen=True)
class Length(CorpusMetric):
    name: ClassVar[str] = "length"
    aliases: ClassVar[dict[str, Any]] = {"size": {}}

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"length": (Output("length", True),)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        return {"length": float(len(corpus))}


def test_a_registered_metric_is_found_by_name_and_alias(registered):
    register(Length)
    assert parse("length") == parse("size") == Length()
    assert "length" in metric_classes()
    register(Length)


def test_a_name_or_alias_that_is_taken_is_refused(registered):
    register(Length)
    for name, aliases in (
        ("length", {}),
        ("bleu", {}),
        ("other", {"size": {}}),
        ("other", {"chrf": {}}),
        ("sacrebleu", {}),
    ):
        another = dataclass(frozen=True)(type("Another", (Length,), {"name": name, "aliases": aliases}))
        with pytest.raises(ParameterError, match=r"already.*another metric"):
            register(another)
    assert metric_classes()["bleu"] is Bleu
    assert parse("size") == Length()


def test_a_metric_is_found_by_its_name_without_importing_all_of_them():
    code = """
        import sys
        from nlgauge.metric.registry import find, parse
        assert parse("bleu") == find("Bleu")()
        print("nlgauge.metrics.bleu" in sys.modules, "nlgauge.metrics.meteor" in sys.modules)
        print(find("sacrebleu").name, "nlgauge.metrics.meteor" in sys.modules)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    ).stdout
    assert found == "True False\nbleu True\n"


def plug_in(load: Callable[[], object]) -> SimpleNamespace:
    return SimpleNamespace(
        name="theirs",
        value="their_metrics.words",
        module="their_metrics.words",
        dist=SimpleNamespace(name="their-metrics"),
        load=load,
    )


def test_entry_points_of_other_packages_are_loaded(registered, monkeypatch):
    monkeypatch.setattr(
        metadata,
        "entry_points",
        lambda group: [plug_in(lambda: register(Length))] if group == "nlgauge.metrics" else [],
    )
    registry._load_all.cache_clear()
    assert "length" in metric_classes()


def test_a_plug_in_that_cannot_be_imported_is_named_and_left_out(registered, monkeypatch):
    def fails() -> None:
        REGISTERED.classes["half"] = Length
        raise ModuleNotFoundError("No module named 'not_installed'")

    monkeypatch.setattr(
        metadata, "entry_points", lambda group: [plug_in(fails), plug_in(lambda: register(Length))]
    )
    registry._load_all.cache_clear()
    with pytest.warns(
        UserWarning,
        match=r"'theirs' \(their_metrics.words.*ModuleNotFoundError: No",
    ) as caught:
        assert {"length", "bleu"} <= set(metric_classes())
    assert "half" not in metric_classes()
    assert len(caught) == 1
    assert nlgauge.score(["a"], ["a"], metrics="bleu")["bleu"]["score"] == 0


def test_a_script_that_takes_a_name_of_ours_is_told_so_at_once():
    """In a process of its own: here all of ours are loaded already."""
    code = """
        from dataclasses import dataclass
        import nlgauge
        @dataclass(frozen=True)
        class Mine(nlgauge.CorpusMetric):
            name = "sacrebleu"
            def outputs(self): return {}
            def whole(self, corpus, system, features): return {"score": 1.0}
        try:
            nlgauge.register(Mine)
        except nlgauge.NlgaugeError as error:
            print(error)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    ).stdout
    assert mentions(found, "'sacrebleu' ... another name")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"name": "mine"}, "Mine.*outputs"),
        ({"name": "mine", "outputs": Length.outputs}, "Mine must define whole"),
        ({"outputs": Length.outputs, "whole": Length.whole}, "Mine must have a name"),
        ({"name": "mine", "outputs": Length.outputs, "whole": Length.whole}, "Mine must be a dataclass"),
    ],
)
def test_a_class_that_lacks_something_is_told_what(members, message):
    mine = type("Mine", (CorpusMetric,), members)
    for call in (lambda: register(mine), lambda: nlgauge.score(["a"], metrics=mine())):
        with pytest.raises(MetricError, match=message):
            call()


@pytest.mark.parametrize("given", [Length(), dict, len, "bleu"])
def test_what_is_not_a_class_of_metrics_is_not_registered(given):
    with pytest.raises(
        MetricError,
        match=(r"metrics.*nlgauge\.Metric or nlgauge\.CorpusMetric"),
    ):
        register(given)


@pytest.mark.parametrize("metrics", [Length, [Length]])
def test_a_class_in_the_place_of_a_metric_is_told_how_to_become_one(metrics):
    with pytest.raises(ParameterError, match=r"Metric.*Length\(\)"):
        nlgauge.score(["a"], metrics=metrics)


def test_an_installed_package_that_fails_is_named_and_the_one_beside_it_works(tmp_path):
    """Two packages as they lie in an environment, with metadata and entry points: one fails to import,
    one has the metric of docs/about/add-a-metric.md.
    """
    example = re.findall(
        r"^```python\n(.*?)^```$",
        (Path(__file__).parents[2] / "docs" / "about" / "add-a-metric.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )[0]
    for package, code in (
        ("broken_metrics", "import some_module_that_is_not_installed\n"),
        ("good_metrics", example),
    ):
        about = tmp_path / f"{package}-1.0.dist-info"
        (tmp_path / package).mkdir()
        about.mkdir()
        (tmp_path / package / "__init__.py").write_text("")
        (tmp_path / package / "first_word.py").write_text(code, "utf-8")
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: 1.0\n"
        )
        (about / "entry_points.txt").write_text(f"[nlgauge.metrics]\n{package} = {package}.first_word\n")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        "PYTHONUTF8": "1",
    }

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        arguments = [sys.executable, *command]
        return subprocess.run(
            arguments,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    scored = run(
        "-c", "import nlgauge; print(dict(nlgauge.score(['a b'], ['a c'], metrics=['first_word', 'wer'])))"
    )
    assert "'first_word': 1.0" in scored.stdout and "'wer': 0.5" in scored.stdout
    listed = run("-m", "nlgauge", "list")
    assert "first_word" in listed.stdout and "bleu" in listed.stdout
    for done in (scored, listed):
        said = " ".join(done.stderr.split())
        assert "'broken_metrics' (broken_metrics.first_word of broken-metrics): ModuleNotFoundError" in said
        assert "Traceback" not in done.stderr
    assert "first_word.md" in " ".join(run("-m", "nlgauge", "card", "first_word").stderr.split())
