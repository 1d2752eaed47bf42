"""The prompt "errors": a judge lists errors, which become a score and marks in the text."""

from __future__ import annotations

import math

import pytest
from judge_cases import answering

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import ErrorSpans
from nlgauge.meta.error_spans.of_metrics import metric_spans
from nlgauge.metric.registry import parse
from nlgauge.metrics._shared.error_spans import Error, JsonErrors
from nlgauge.metrics.judge import FileJudge

TEXT = "The cat sat on the read mat, and the cat slept."
ONE = '[{"words": "read", "severity": "minor", "category": "spelling"}]'
READ = [
    ("[]", []),
    ("[]\n", []),
    (ONE, [("minor", "spelling", "read")]),
    (f"```json\n{ONE}\n```", [("minor", "spelling", "read")]),
    (f"Here are the errors:\n\n{ONE}\n\nI hope that this helps [1].", [("minor", "spelling", "read")]),
    (f"{ONE}\n{ONE}", [("minor", "spelling", "read")]),
    (f'{{"errors": {ONE}}}', [("minor", "spelling", "read")]),
    ('[{"text": "cat", "severity": "MAJOR"}]', [("major", "", "cat")]),
    ('[{"span": "cat", "severity": " Critical ", "type": "Style"}]', [("critical", "Style", "cat")]),
    ('[{"words": null, "severity": "major", "category": "omission"}]', [("major", "omission", "")]),
    (
        '[{"words": "\\ud83d\\ude00 [x]", "severity": "minor", "why": {"a": [1]}}]',
        [("minor", "", "\U0001f600 [x]")],
    ),
]
# Replies without a score: a part of a list would look like a better text.
UNREAD = [
    "",
    "The text is perfect.",
    "no errors",
    "null",
    "0",
    "{}",
    '{"severity": "major", "words": "cat"}',
    ONE[:-1],
    ONE[:-2] + ",]",
    ONE.replace('"minor"', '"grave"'),
    ONE.replace('"minor"', "3"),
    ONE.replace('"minor"', "null"),
    ONE.replace('"read"', '["read"]'),
    ONE.replace('"', "'"),
    ONE.replace("read", "x" * 3000),
    f"{ONE}, or [] if you are kind",
    "[" * 5000,
    '[{"a":' * 2000,
    "[{" * 200_000,
    "[} " * 1000 + ONE,
    "[1, 2]",
    '["read"]',
]


@pytest.mark.parametrize(("reply", "errors"), READ)
def test_lists_are_read(reply: str, errors: list[tuple[str, str, str]]) -> None:
    assert JsonErrors().listed(reply) == [Error(*error) for error in errors]


@pytest.mark.parametrize("reply", UNREAD)
def test_what_is_no_list_of_errors_has_no_score(reply: str) -> None:
    assert JsonErrors().listed(reply) is None
    assert JsonErrors().read(reply) is None


def scored(*replies: str) -> nlgauge.Result:
    judge = FileJudge(model=answering(*replies), prompt="errors", scoring="single")
    return nlgauge.score([TEXT], None, ["Eine Katze ..."], metrics=judge)


def test_errors_become_a_score_and_marks() -> None:
    reply = """[{"words": "cat", "severity": "major"}, {"words": "cat", "severity": "minor", "category": "Style/Repeated"},
    {"words": "read", "severity": "critical"}, {"words": "dog", "severity": "minor"}, {"words": "", "severity": "minor"}]"""
    result = scored(reply)
    (label,) = result.labels
    assert result[label]["score"] == -(5 + 1 + 10 + 1 + 1)
    verdict, marks = result.explain(label, 0)
    assert isinstance(marks, ErrorSpans)
    assert [
        (TEXT[error.start : error.end], error.start, error.severity, error.category) for error in marks.errors
    ] == [
        ("cat", 4, "major", ""),
        ("read", 19, "critical", ""),
        ("cat", 37, "minor", "style/repeated"),
    ]
    assert [error.words for error in marks.unplaced] == ["dog", ""]
    assert "a list of errors" in str(verdict)
    output = FileJudge(prompt="errors", scoring="single").outputs()["judge"][0]
    assert (output.low, output.high, output.higher_is_better) == (-25, 0, True)
    # People and judges are compared on the same data.
    (spans,) = metric_spans(result).values()
    assert [span.severity for span in spans.at(0, 0)] == ["major", "critical", "minor", "minor", "minor"]


def test_many_errors_cost_at_most_25() -> None:
    result = scored("[" + ",".join(['{"words": "cat", "severity": "critical"}'] * 9) + "]")
    assert result[result.labels[0]]["score"] == -25


def test_a_bad_reply_is_asked_again_once_and_then_counted() -> None:
    result = scored("I see nothing wrong.", "[]")
    assert result[result.labels[0]]["score"] == 0
    result = scored("I see nothing wrong.", "Still nothing.", "[]")
    scores = result[result.labels[0]]
    assert math.isnan(scores["score"])
    assert scores["unparsed"] == 1
    (verdict,) = result.explain(result.labels[0], 0)
    assert "required form" in str(verdict)


def test_the_short_name_asks_once_and_probabilities_are_refused(tmp_path) -> None:
    metric = parse("judge_errors")
    assert (metric.prompt, metric.scoring, metric.source) == ("errors", "single", True)
    with pytest.raises(ParameterError, match="scoring"):
        FileJudge(prompt="errors")
    file = tmp_path / "own.toml"
    file.write_text('errors = true\nprompt = "List the errors of {prediction}"\n', "utf-8")
    own = FileJudge(model=answering(ONE), prompt=str(file), scoring="single")
    result = nlgauge.score([TEXT], metrics=own)
    assert result[result.labels[0]]["score"] == -1
    file.write_text('errors = true\nmark = "X"\nprompt = "List the errors of {prediction}"\n', "utf-8")
    with pytest.raises(ParameterError, match="mark"):
        FileJudge(prompt=str(file), scoring="single")
