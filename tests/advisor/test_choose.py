"""`nlgauge.choose`: the cases of docs/results/choosing.md, names that are accepted, refusals, and how an advice is shown."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nlgauge
from nlgauge.advisor import Advice, settings
from nlgauge.errors import ParameterError
from nlgauge.metric.card import ApplTasks, QualityDims

CASES = json.loads((Path(__file__).parents[1] / "data" / "choose_cases.json").read_text("utf-8"))


def metrics(advice: Advice) -> list[str]:
    return [advised.metric for advised in advice.recommendations]


def first_matches(pattern: str, advice: Advice) -> bool:
    return any(re.fullmatch(pattern, label) for label in metrics(advice)[:1])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_answers_are_those_that_the_page_on_choosing_supports(case):
    """`source` of a case quotes the sentence of docs/results/choosing.md."""
    assert case["source"]
    advice = nlgauge.choose(**case["question"])
    labels, indicators = metrics(advice), [indicator.metric for indicator in advice.indicators]
    assert advice.verdict in case.get("verdict", ["good", "fair", "weak", "none"])
    assert first_matches(case.get("first_any", ".*"), advice) or "first_any" not in case
    for pattern in case.get("includes", ()):
        assert any(re.fullmatch(pattern, label) for label in labels), pattern
    for pattern in case.get("excludes", ()):
        assert not any(re.fullmatch(pattern, label) for label in labels), pattern
    for pattern in case.get("indicators", ()):
        assert any(re.fullmatch(pattern, label) for label in indicators), pattern
    assert set(case.get("never_alone", ())) <= set(advice.never_alone)
    for words in case.get("unknown", ()):
        assert any(words in item for item in advice.unknown), words


def test_the_first_metric_is_the_one_that_the_page_names_first_in_five_of_seven_cases():
    """Reported, not required: the evidence does not separate these metrics."""
    strict = {
        case["name"]: first_matches(case["strict_first"], nlgauge.choose(**case["question"]))
        for case in CASES
        if "strict_first" in case
    }
    assert [name for name, agrees in strict.items() if not agrees] == ["10 data-to-text", "12 dialogue"]
    assert len(strict) == 7


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("MT", "translation"),
        ("machine translation", "translation"),
        ("SUM", "summarization"),
        ("Summarisation", "summarization"),
        ("document_summarisation", "summarization"),
        ("D2T", "data-to-text"),
        ("Data To Text", "data-to-text"),
        ("dialog", "dialogue"),
        ("RG", "dialogue"),
        ("story generation", "stories"),
        ("asr", "speech"),
        ("ImageCaptioning", "captioning"),
        ("QA", "question-answering"),
        ("text-simplification", "simplification"),
    ],
)
def test_tasks_have_aliases(name, task):
    assert nlgauge.choose(name).question.task == task


def test_the_names_of_the_taxonomy_are_accepted():
    for name in ApplTasks.__members__:
        assert nlgauge.choose(name).question.task in settings.TASKS
    for name in QualityDims.__members__:
        assert nlgauge.choose("MT", want=name).question.want in settings.QUALITIES


def test_aliases_stand_for_values():
    values = {*settings.TASKS, *settings.INPUTS, *settings.QUALITIES, *settings.LEVELS}
    assert set(settings.ALIASES.values()) <= values
    assert {re.sub(r"\W", "", value) for value in values}.isdisjoint(settings.ALIASES)


def test_other_values_have_several_forms():
    asked = nlgauge.choose("MT", "eng-US", "source, Refs", "factuality", "system").question
    assert (asked.lang, asked.have) == ("en", ("references", "source"))
    assert (asked.want, asked.level) == ("consistency", "systems")
    for nothing in ("", "none", ()):
        assert nlgauge.choose("MT", have=nothing).question.have == ()


@pytest.mark.parametrize(
    ("options", "listed"),
    [
        ({"task": "poetry"}, settings.TASKS),
        ({"task": "translatoin"}, ("did you mean 'translation'", *settings.TASKS)),
        ({"task": None}, settings.TASKS),
        ({"have": ["images"]}, settings.INPUTS),
        ({"want": "beauty"}, settings.QUALITIES),
        ({"level": "documents"}, settings.LEVELS),
        ({"lang": "xx"}, ("'xx'", "de, dv, dz")),
        ({"lang": "german"}, ("did you mean 'de'",)),
        ({"budget": -1}, ("-1",)),
        ({"budget": float("nan")}, ("nan",)),
        ({"budget": "cheap"}, ("'cheap'",)),
        ({"labels": 2.5}, ("2.5",)),
        ({"labels": True}, ("True",)),
    ],
)
def test_an_unknown_value_is_an_error_that_lists_the_values(options, listed):
    with pytest.raises(ParameterError) as caught:
        nlgauge.choose(**{"task": "translation", **options})
    assert all(word in str(caught.value) for word in listed)


@pytest.mark.parametrize("task", ["captioning", "question-answering", "simplification", "other"])
def test_tasks_without_a_benchmark_are_refused(task):
    advice = nlgauge.choose(task)
    assert (advice.verdict, advice.recommendations, advice.never_alone) == ("none", (), ())
    assert "tasks with evidence" in advice.unknown[0] and "translation" in advice.unknown[0]


def test_stories_are_refused_on_every_quality_because_length_is_not_beaten():
    for want in ("overall", "content", "coherence", "engagement"):
        advice = nlgauge.choose("stories", want=want)
        assert advice.verdict == "none" and not advice.recommendations
        assert any("number of words" in item for item in advice.unknown)


def test_nothing_is_recommended_that_the_user_cannot_compute():
    for have in ((), ("source",), ("references",)):
        for want in settings.QUALITIES:
            for advised in nlgauge.choose("summarization", have=have, want=want).recommendations:
                metric = nlgauge.card(settings.metric_name(advised.metric))
                assert "references" in have or advised.metric == "js_divergence" or metric.name == "cosmic"


def test_metrics_that_take_sentences_for_words_are_left_out():
    """Words of Japanese have no spaces between them; those of Thai are split by no metric."""
    dialogue = [metrics(nlgauge.choose("dialogue", lang)) for lang in ("de", "ja", "th")]
    assert dialogue == [["chrf", "rouge.rouge1", "mer"], ["chrf", "rouge.rouge1"], ["chrf"]]
    japanese = nlgauge.choose("translation", "ja")
    assert any("ter, wer" in item for item in japanese.unknown)
    assert "only 1 of 8 benchmarks has texts in 'de'" in nlgauge.choose("translation", "de").unknown


def test_the_budget_is_a_limit():
    dear, cheap = (nlgauge.choose("translation", budget=budget) for budget in (60, 1))
    assert max(advised.seconds_per_1000 for advised in dear.recommendations) > 1
    assert max(advised.seconds_per_1000 for advised in cheap.recommendations) <= 1


def test_the_next_step_depends_on_the_labels():
    steps = [nlgauge.choose("translation", labels=labels).next for labels in (0, 60, 100)]
    assert [step.partition(":")[0] for step in steps] == [
        "label 100 texts and run",
        "label 40 more texts and run",
        "run on your labels",
    ]


def test_an_advice_is_a_page():
    advice = nlgauge.choose("translation")
    text = advice.to_text(width=200)
    for words in (
        "Best available; agreement with people is modest",
        "1.",
        "not separated by the evidence from 1",
        "2 is significantly better than",
        "Never alone: bleu",
        "Limits of this evidence",
        "Next: label 100 texts",
    ):
        assert words in text
    assert all(label.split("(")[0] in text for label in metrics(advice))
    assert max(map(len, str(advice).splitlines())) <= 80
    assert "<table" in advice._repr_html_() and "| metric |" in advice.to_markdown()
    assert "\\toprule" in advice.to_latex()
    assert "No recommendation" in str(nlgauge.choose("captioning"))
    consistency = str(nlgauge.choose("summarization", have="source", want="consistency"))
    assert "measures copying" in consistency
    fluency = str(nlgauge.choose("summarization", want="fluency"))
    assert "not tested against each other" in " ".join(fluency.split())


def test_an_advice_is_written_to_files(tmp_path):
    advice = nlgauge.choose("summarization", have="references,source", want="consistency")
    path = tmp_path / "advice.json"
    assert advice.to_json(path) == path.read_text("utf-8")
    record = json.loads(path.read_text("utf-8"))
    assert record == advice.record()
    assert list(record) == [
        *("question", "verdict", "recommendations", "indicators", "never_alone", "unknown", "next")
    ]
    assert record["question"]["have"] == ["references", "source"]
    assert record["indicators"][0]["measures"] == "copying"
    row = record["recommendations"][0]["evidence"][0]
    assert {"benchmark", "dimension", "coefficient", "value", "low", "high", "gain"} <= set(row)
    rows = list(csv.DictReader(io.StringIO(advice.to_csv())))
    assert len(rows) == sum(len(advised.evidence) for advised in advice.recommendations)
    assert float(rows[0]["value"]) == row["value"]


def test_an_answer_loads_little():
    """Counted in modules, because seconds depend on the machine."""
    code = (
        "import sys; before = set(sys.modules); import nlgauge; nlgauge.choose('translation').to_json();"
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    roots = {module.partition(".")[0] for module in modules}
    assert roots.isdisjoint({"numpy", "msgspec", "rich", "regex", "asyncio", "email"})
    assert len([module for module in modules if module.startswith("nlgauge")]) <= 15
    assert len(modules) <= 140
