"""Cards agree with the code, their examples run, and filters find what cards say."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from itertools import product
from pathlib import Path

import pytest
from marks import thorough

import nlgauge
from nlgauge.errors import NlgaugeError, ParameterError, UnknownMetricError
from nlgauge.metric import REGISTERED, CorpusMetric
from nlgauge.metric.card import (
    HEADINGS,
    ApplTasks,
    Card,
    Categories,
    QualityDims,
    card,
    list_metrics,
)
from nlgauge.metric.registry import metric_classes
from nlgauge.models.registry import held
from nlgauge.models.weights.catalog import catalog
from nlgauge.models.weights.store import location

OURS = {name: metric for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.")}
# Their examples give a real model long prompts, those of other judges short ones.
LONG_PROMPTS = ("gemba", "g_eval")

# Every row of the thesis' Tables A.2 and A.3: technique, tasks, trained, unsupervised. Its N-gram technique
# is Overlap.
THESIS = {
    **dict.fromkeys(
        ("gunning_fog", "flesch_reading_ease", "flesch_kincaid", "coleman_liau"),
        ({"Grammar"}, {"SUM"}, False, True),
    ),
    **dict.fromkeys(("accuracy", "precision", "recall", "f1"), ({"Overlap"}, {"MT"}, False, True)),
    "mer": ({"Overlap"}, {"SR"}, False, True),
    **dict.fromkeys(
        ("abstractness", "repetitiveness", "coverage", "density", "compression"),
        ({"Overlap"}, {"SUM"}, False, True),
    ),
    "bleu": ({"Overlap"}, {"MT", "IC", "DG", "QG", "RG"}, False, True),
    **dict.fromkeys(("nist", "orange", "ter", "character", "sacrebleu"), ({"Overlap"}, {"MT"}, False, True)),
    "rouge": ({"Overlap"}, {"MT"}, False, True),
    "wer": ({"Overlap"}, {"MT", "SR"}, False, True),
    # METEOR++ has a row of its own there, for MT, and is meteor(copy_words=...) here.
    "meteor": ({"Overlap"}, {"MT", "IC", "DG"}, False, True),
    "cider": ({"Overlap"}, {"IC"}, False, True),
    "chrf": ({"Overlap"}, {"MT", "IC", "SUM"}, False, True),
    "wmd": ({"Embedding", "Distance"}, {"IC", "SUM"}, False, True),
    "sms": ({"Embedding", "Distance"}, {"IC", "SR", "SUM"}, False, True),
    "moverscore": ({"Embedding"}, {"MT", "SUM", "D2T", "IC"}, True, True),
    "eed": ({"Distance"}, {"MT"}, False, True),
    "comet": ({"Embedding"}, {"MT"}, True, False),
    "factcc": ({"Embedding"}, {"SUM"}, True, False),
    "bleurt": ({"Embedding"}, {"MT", "D2T"}, True, False),
    "nubia": ({"Embedding"}, {"MT", "IC"}, True, False),
    "bertscore": ({"Embedding"}, {"MT", "IC"}, True, True),
    "bartscore": ({"Embedding"}, {"MT", "SUM", "D2T"}, True, True),
    "perplexity": ({"Embedding"}, {"SR"}, True, True),
    # The table gives PRISM the tasks and models of MAUVE, the row below it; it is a metric of translations.
    "prism": ({"Embedding"}, {"MT"}, True, True),
    "mauve": ({"Embedding", "Distance"}, {"TC"}, True, True),
}


def section(found: Card, heading: str) -> str:
    parts = re.split(r"^## (.*)$", found.text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def test_every_metric_has_a_card_and_every_card_a_metric() -> None:
    written = {path.stem for path in Path(nlgauge.__file__).parent.joinpath("metrics").glob("*.md")}
    assert written == set(OURS)


@pytest.mark.parametrize("name", OURS)
def test_headings_stand_in_order_with_something_under_each(name: str) -> None:
    found = card(name)
    assert tuple(re.findall(r"^#+ (.*)$", found.text, flags=re.MULTILINE)) == HEADINGS
    assert all(len(section(found, heading).strip()) > 40 for heading in HEADINGS)


@pytest.mark.parametrize("name", OURS)
def test_fields_are_filled(name: str) -> None:
    found = card(name)
    assert found.name == name
    assert found.title
    assert "https://" in found.paper
    assert str(found.year) in found.paper
    assert found.license.startswith("Apache-2.0")
    assert found.categories and found.tasks
    # Word vectors are weights, but no metric is called trained for them: the thesis calls WMD untrained.
    assert found.trained == (bool(found.default_model) and catalog()[found.default_model].kind != "vectors")
    assert not found.default_model or catalog()[found.default_model].license in found.license
    assert found.languages == "any" or all(re.fullmatch("[a-z]{2,3}", code) for code in found.languages)
    assert found.languages == (metric_classes()[name].languages or "any")


@pytest.mark.parametrize("name", OURS)
def test_parameters_are_those_of_the_code(name: str) -> None:
    rows = re.findall(
        r"^\| `(.*?)` \| `(.*?)` \| (.+?) \|$", section(card(name), "Parameters"), flags=re.MULTILINE
    )
    # In the order of a call: parameters that can be given by name only are the last.
    parameters = sorted(fields(OURS[name]), key=lambda field: field.kw_only)
    assert [(parameter, ast.literal_eval(default)) for parameter, default, _ in rows] == [
        (field.name, field.default) for field in parameters
    ]


@pytest.mark.parametrize("name", OURS)
def test_bounds_and_direction_that_the_card_tells_are_those_of_the_code(name: str) -> None:
    reading = " ".join(section(card(name), "How to read the number").split())
    output = next(iter(OURS[name]().outputs().values()))[0]
    # What is said first is said of the first output.
    pattern = (
        r"(higher) is (?:better|easier|more|less redundant)|(lower) is better|(neither) (?:direction|end) is"
        r" better"
    )
    first = re.search(pattern, reading, re.IGNORECASE)
    assert first is not None
    assert {"higher": True, "lower": False, "neither": None}[
        next(filter(None, first.groups())).lower()
    ] is output.higher_is_better
    if math.isfinite(output.low) and math.isfinite(output.high):
        assert re.search(rf"{output.low:g} (to|and) {output.high:g}", reading)


@pytest.mark.parametrize("name", [name for name, metric in OURS.items() if issubclass(metric, CorpusMetric)])
def test_the_card_says_how_often_the_metric_is_recomputed(name: str) -> None:
    assert f"at most {OURS[name].resamples} of them" in " ".join(section(card(name), "How").split())


@pytest.mark.parametrize("name", OURS)
def test_the_card_names_every_output(name: str) -> None:
    for output in (output for outputs in OURS[name]().outputs().values() for output in outputs):
        # A family of outputs is named by its first: precision1 ..., rougeX_precision.
        written = re.sub(r"\d$", "1", re.sub(r"^rouge(\d|L|Lsum)_", "rougeX_", output.name))
        assert f"`{written}`" in card(name).text


@pytest.mark.parametrize("name", [name for name in OURS if card(name).default_model])
def test_the_card_of_a_model_says_what_it_costs(name: str) -> None:
    assert re.search("^- Cost: ", section(card(name), "How"), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def loaded_models() -> Iterator[None]:
    """Load the model of several examples once."""
    with held():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("loaded_models")
@pytest.mark.parametrize(
    "name", [*thorough(*LONG_PROMPTS), *(name for name in OURS if name not in LONG_PROMPTS)]
)
def test_example_runs(name: str) -> None:
    (body,) = re.findall(r"```python\n(.*?)```", section(card(name), "Example"), flags=re.DOTALL)
    default = card(name).default_model
    for model in re.findall(r'model="(\w+)"', body) or ([default] if default else []):
        pytest.importorskip("torch")
        if location(model) is None:
            pytest.skip(f"the model {model} is not in the cache; run: nlgauge models get {model}")
    example = doctest.DocTestParser().get_doctest(body, {}, f"{name}.md", None, None)
    assert example.examples and example.examples[-1].want
    output: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(example, out=output.append).failed
    assert not failed, "".join(output)


@pytest.mark.parametrize("name", ["meteor", "squad"])
def test_a_printed_example_can_be_copied_from_a_narrow_terminal(name: str) -> None:
    environment = {**os.environ, "COLUMNS": "40", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "nlgauge", "card", name],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    (body,) = re.findall(r"```python\n(.*?)```", section(card(name), "Example"), flags=re.DOTALL)
    assert max(map(len, body.splitlines())) > 40
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    first = printed.index(body.splitlines()[0])
    assert printed[first : first + len(body.splitlines())] == body.splitlines()


@pytest.mark.parametrize("name", ["ari", "coleman_liau"])
def test_cards_explain_nothing_that_the_metric_does_not_use(name: str) -> None:
    assert "yllable" not in card(name).text.replace("instead of syllables", "")


@pytest.mark.parametrize("name", OURS)
def test_the_thesis_is_named_where_it_is_spoken_of(name: str) -> None:
    words = " ".join(card(name).text.split())
    assert not re.search(r"\bthesis\b", words.partition("NLG-Metricverse thesis")[0])


def test_every_row_of_the_thesis_is_here() -> None:
    assert set(THESIS) <= {*metric_classes(), *REGISTERED.aliases}


@pytest.mark.parametrize("name", sorted(THESIS))
def test_taxonomy_follows_the_thesis(name: str) -> None:
    categories, tasks, trained, unsupervised = THESIS[name]
    found = card(name)
    assert {category.name for category in found.categories} == categories
    assert {ApplTasks[task] for task in tasks} <= set(found.tasks)
    assert (found.trained, found.unsupervised) == (trained, unsupervised)


def test_an_alias_has_the_card_of_its_metric() -> None:
    assert card("chrF++") is card("chrf")
    assert card("sacrebleu").name == card("bleu").name == "bleu"
    with pytest.raises(UnknownMetricError, match="did you mean 'bleu'"):
        card("blue")


# --- formulas and citations

TEX_COMMANDS = set(
    """
    alpha arccos bar begin beta boldsymbol cap cdot cos delta dots ell end exp frac gamma ge hat in lambda langle
    le left log lVert mathbf mathcal mathrm max mid min mu neq nu odot omega operatorname parallel pi qquad quad rangle rho
    right rVert setminus sigma sqrt sum tau text theta tilde to top varepsilon
    """.split()
)


def check_tex(tex: str) -> None:
    """Raise AssertionError unless braces, delimiters and environments are closed and all commands are known."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", tex):
        depth += 1 if brace == "{" else -1
        assert depth >= 0, tex
    assert depth == 0, tex
    commands = re.findall(r"\\([A-Za-z]+|.)", tex, flags=re.DOTALL)
    assert {command for command in commands if command.isalpha()} <= TEX_COMMANDS
    assert {command for command in commands if not command.isalpha()} <= set("\\,;# {}")
    assert commands.count("left") == commands.count("right")
    begun, ended = (re.findall(rf"\\{end}{{(\w+)}}", tex) for end in ("begin", "end"))
    assert sorted(begun) == sorted(ended) and set(begun) <= {"aligned", "cases"}
    assert "$" not in tex and "%" not in tex


@pytest.mark.parametrize("name", OURS)
def test_the_formula_parses_and_its_symbols_are_explained(name: str) -> None:
    found = card(name)
    assert re.search(r"=|\\in|\\cos", found.formula)
    check_tex(found.formula)
    assert found.where.startswith("where ") and found.where.endswith(".") and "\n" not in found.where
    assert found.where.count("$") % 2 == 0
    symbols = re.findall(r"\$(.+?)\$", found.where)
    for symbol in symbols:
        check_tex(symbol)


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{1}{2",
        r"x}{",
        r"\left( x",
        r"\begin{cases} x",
        r"\fraq{1}{2}",
        r"a \! b",
        "5 %",
        r"\begin{array} \end{array}",
    ],
)
def test_tex_that_does_not_parse_is_noticed(tex: str) -> None:
    with pytest.raises(AssertionError):
        check_tex(tex)


@pytest.mark.parametrize("name", OURS)
def test_the_citation_is_bibtex(name: str) -> None:
    found = card(name)
    entry = re.fullmatch(r"@misc\{(\w+),\n((?:  \w+ = \{.+\},\n)+)\}", found.citation)
    assert entry is not None and entry[1] == f"{name}{found.year}"
    values = dict(re.findall(r"  (\w+) = \{(.+)\},\n", entry[2]))
    assert list(values) == ["title", "author", "howpublished", "year", "url"]
    assert values["year"] == str(found.year)
    assert all(value.count("{") == value.count("}") for value in values.values())
    title = values["title"].strip("{}").replace(r"\&", "&")
    assert f": {title}, {values['howpublished']}" in found.paper
    authors = values["author"].split(" and ")
    assert all(author in found.paper.partition(":")[0] or author == "others" for author in authors)


# --- filters


def test_list_is_the_registry() -> None:
    assert list_metrics() == list(metric_classes())
    assert {"bleu", "bertscore"} <= set(list_metrics())


@pytest.mark.parametrize(
    ("kind", "argument", "attribute"),
    [
        (Categories, "category", "categories"),
        (ApplTasks, "appl_task", "tasks"),
        (QualityDims, "quality_dim", "qualities"),
    ],
)
def test_filters_find_what_cards_say(kind: type, argument: str, attribute: str) -> None:
    for name, member in kind.__members__.items():
        expected = [metric for metric in OURS if member in getattr(card(metric), attribute)]
        for spelling in (member, name, name.lower(), name.upper()):
            assert list_metrics(**{argument: spelling}) == expected
    both = list(kind)[:2]
    assert set(list_metrics(**{argument: both})) == {
        metric for one in both for metric in list_metrics(**{argument: one})
    }
    assert list_metrics(**{argument: []}) == []


def test_every_condition_must_hold() -> None:
    for trained, unsupervised, references, source in product([True, False, None], repeat=4):
        expected = [
            name
            for name, metric in OURS.items()
            if trained in (None, card(name).trained)
            and unsupervised in (None, card(name).unsupervised)
            and references in (None, metric.takes != "alone")
            and source in (None, metric.source)
        ]
        assert (
            list_metrics(
                trained=trained, unsupervised=unsupervised, needs_references=references, needs_source=source
            )
            == expected
        )
    assert {"distinct", "smog"} <= set(list_metrics(needs_references=False, needs_source=False))
    assert {"cer", "exact_match", "mer", "wer"} <= set(
        list_metrics(category="n-gram", appl_task="speech recognition")
    )


@pytest.mark.parametrize("given", ["Nonsense", "generation", 3, Categories.Overlap])
def test_a_wrong_name_lists_the_right_ones(given: object) -> None:
    with pytest.raises(ParameterError, match=r"DocumentSummarization.*SUM"):
        list_metrics(appl_task=given)


def test_figure_3_5() -> None:
    from nlgauge.compat.nlgmetricverse import NLGMetricverse

    assert NLGMetricverse.list_metrics() == list_metrics()
    for task, some, none in (
        (ApplTasks.DataToText, "baryscore", "bertscore"),
        (ApplTasks.MachineTranslation, "bertscore", "cosmic"),
    ):
        found = NLGMetricverse.filter_metrics(category=Categories.Embedding, appl_task=task)
        assert some in found and none not in found
    assert isinstance(
        NLGMetricverse.filter_metrics(trained=True, unsupervised=True, quality_dim=QualityDims.Factuality),
        list,
    )


# --- other people's cards

MODULE = """
from dataclasses import dataclass
from typing import ClassVar
from nlgauge.metric import CorpusMetric, Output, register

@register
@dataclass(frozen=True)
class Mine(CorpusMetric):
    name: ClassVar[str] = "{name}"

    def outputs(self):
        return {{"{name}": (Output("{name}", True),)}}

    def whole(self, corpus, system, features):
        return {{"{name}": 1.0}}
"""
FRONT = """title = "Mine"
paper = "Somebody, 2020, https://example.org"
year = 2020
categories = ["Grammar"]
tasks = ["D2T"]
qualities = []
trained = false
unsupervised = true
languages = ["en"]
license = "MIT"
default_model = ""
"""
BODY = "".join(f"## {heading}\n\nwords\n\n" for heading in HEADINGS)


def write_metric(directory: Path, name: str, text: str | None) -> None:
    module = directory / f"{name}_module.py"
    module.write_text(MODULE.format(name=name), encoding="utf-8")
    if text is not None:
        (directory / f"{name}.md").write_text(text, encoding="utf-8")
    found = importlib.util.spec_from_file_location(module.stem, module)
    assert found is not None and found.loader is not None
    sys.modules[module.stem] = importlib.util.module_from_spec(found)
    found.loader.exec_module(sys.modules[module.stem])


@pytest.mark.usefixtures("registered")
def test_a_card_lies_beside_its_module(tmp_path: Path) -> None:
    write_metric(tmp_path, "mine", f"+++\n{FRONT.replace('D2T', 'DataToText')}+++\n\n{BODY}")
    assert card("mine").categories == (Categories.Grammar,)
    assert card("mine").citation == ""  # the paper has no title
    assert list_metrics(category="Grammar", appl_task="d2t") == ["mine"]


@pytest.mark.usefixtures("registered")
def test_a_metric_without_a_card_can_be_listed_and_filtered_by_its_code(tmp_path: Path) -> None:
    write_metric(tmp_path, "bare", None)
    assert "bare" in list_metrics()
    assert "bare" in list_metrics(needs_references=False)
    assert "bare" not in list_metrics(trained=False)
    with pytest.raises(NlgaugeError, match=r"bare.*bare\.md"):
        card("bare")


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("front", "body", "message"),
    [
        (FRONT + "bounds = [0, 1]\n", BODY, "unknown field 'bounds'"),
        (FRONT + 'name = "x"\n', BODY, "unknown field 'name'"),
        (FRONT.replace("year = 2020\n", ""), BODY, "year"),
        (FRONT.replace("2020\n", '"2020"\n'), BODY, "year"),
        (FRONT.replace("Grammar", "Magic"), BODY, "Magic"),
        (FRONT + "oops", BODY, "header"),
        (FRONT, BODY.replace("## How\n", "## Why\n"), "What.*How"),
        (FRONT, BODY + "## More\n", "headings.*How"),
        (FRONT, "".join(f"## {heading}\n\nwords\n\n" for heading in reversed(HEADINGS)), "headings.*How"),
    ],
)
def test_a_wrong_card_says_what_is_wrong(tmp_path: Path, front: str, body: str, message: str) -> None:
    write_metric(tmp_path, "wrong", f"+++\n{front.replace('D2T', 'DataToText')}+++\n\n{body}")
    with pytest.raises(NlgaugeError, match=message):
        card("wrong")


@pytest.mark.usefixtures("registered")
def test_a_card_begins_with_front_matter(tmp_path: Path) -> None:
    write_metric(tmp_path, "headless", BODY)
    with pytest.raises(NlgaugeError, match="two lines of"):
        card("headless")


def test_cards_are_read_when_asked_for() -> None:
    program = """
import sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" and str(arguments[0]).endswith(".md") else None)
import nlgauge.metric.card
nlgauge.metric.card.list_metrics(needs_references=True)
before = len(opened)
nlgauge.metric.card.card("bleu")
print(before, len(opened))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1"]
