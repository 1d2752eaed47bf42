"""What a terminal shows: readable in 80 columns and without color, and never steered by the texts shown."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any, ClassVar

import numpy as np
import pytest
from rich.console import Console

import nlgauge
from nlgauge._core.numbers import number
from nlgauge._core.page import Sheet
from nlgauge._core.safe_text import visible
from nlgauge.corpus import Corpus
from nlgauge.explanations import (
    Alignment,
    Edit,
    Edits,
    Entailment,
    ErrorSpan,
    ErrorSpans,
    Explanation,
    NgramMatches,
    Order,
    TokenScores,
    Transport,
)
from nlgauge.explanations.wire import document, read
from nlgauge.features import Features
from nlgauge.metric import TRUNCATED, CorpusMetric, Output
from nlgauge.metric.table import Table
from nlgauge.results.comparison import Compared, Comparison
from nlgauge.results.result import Result
from nlgauge.show.pages.comparison import comparison_page
from nlgauge.show.pages.explanation import explanation_page
from nlgauge.show.pages.explanations import render
from nlgauge.show.pages.result import result_page
from nlgauge.show.writers.markdown import markdown_of
from nlgauge.show.writers.text import Printed

EVIL = "[red]x[/red] :smile: \x1b[31m\x07\u202e"


def result_table(*arguments: Any, **options: Any) -> Printed:
    return Printed(result_page(*arguments, **options))


def comparison_table(comparison: Comparison) -> Printed:
    return Printed(comparison_page(comparison))


def printed(renderable: Any, width: int = 80, encoding: str = "utf-8") -> str:
    stream = TextIOWrapper(BytesIO(), encoding=encoding) if encoding != "utf-8" else StringIO()
    Console(file=stream, width=width, legacy_windows=False).print(renderable)
    if isinstance(stream, StringIO):
        return stream.getvalue()
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def result() -> Result:
    predictions = {
        "baseline": ["the cat sat on a mat", "a dog runs", "", "x y z w v"],
        "improved": ["the cat sat on the mat", "the dog runs off", "a b c d e", "x y z w v"],
    }
    references = ["the cat sat on the mat", "the dog runs away", "a b c d e f", "x y z w v u"]
    return nlgauge.score(predictions, references, metrics=["bleu", "rouge", "wer", "distinct"])


def row_of(text: str, *words: str) -> str:
    return next(line for line in text.split("\n") if all(word in line for word in words))


def test_visible_escapes_what_steers_a_terminal() -> None:
    assert visible("a\x1b[2J\x9b\n\t\u202eb") == "a\\x1b[2J\\x9b\\n\\t\\u202eb"
    assert visible("naïve 猫 हिन्दी [red]") == "naïve 猫 हिन्दी [red]"


def test_result_table_has_scores_directions_and_intervals(result: Result) -> None:
    text = printed(result_table(result, result.intervals(), result.compare()))
    bleu = result["baseline"]["bleu"]["score"]
    bounds = result.intervals()["baseline"]["bleu"]["score"]
    line = row_of(text, "bleu", "baseline")
    assert f"{bleu:.2f}" in line
    assert f"[{bounds.low:.2f}, {bounds.high:.2f}]" in line
    assert "↑" in line
    assert f"{result['baseline']['wer']['score']:.4f}" in row_of(text, "wer", "↓")
    assert f"{result.compare()['bleu'].p_holm:.4f}" in text.split("\n")[3]
    assert "rouge.rougeL " in text
    assert "rouge.rouge2" in text
    assert "precision1" not in text
    how = (
        "p: against baseline, approximate randomization with 1000 resamples; p (Holm): corrected for the 5"
        " tests shown."
    )
    assert how in " ".join(text.split())


def test_the_confidence_is_named(result: Result) -> None:
    assert "90% interval" in printed(result_table(result, result.intervals(0.9), confidence=0.9))


def test_rich_prints_a_result_and_a_comparison(result: Result) -> None:
    assert "95% interval" not in printed(result)
    assert "baseline" in printed(result)
    assert "improved against baseline" in printed(result.compare())


def test_ascii_terminals_get_words_for_arrows(result: Result) -> None:
    text = printed(result_table(result, result.intervals()), encoding="ascii")
    assert "higher" in row_of(text, "bleu")
    assert "lower" in row_of(text, "wer")


def test_many_long_names_fit_in_80_columns() -> None:
    systems = {f"a-system-with-quite-a-long-name-{i}": ["the cat", "a dog"] for i in range(5)}
    metrics = [f"chrf(char_order={n}, word_order=2, beta=3)" for n in (3, 4, 5)]
    result = nlgauge.score(systems, ["the cat", "the dog"], metrics=[*metrics, "bleu", "wer"])
    for table in (
        result_table(result, result.intervals(), result.compare()),
        comparison_table(result.compare(*list(systems)[:2])),
    ):
        text = printed(table)
        assert max(len(line) for line in text.split("\n")) <= 80
        assert "…" not in text
    assert text.count("1.0000") == 10
    text = printed(result_table(result, result.intervals(), result.compare()))
    for system in systems:
        for label, outputs in result.intervals()[system].items():
            interval = outputs["score"]
            digits = 4 if label == "wer" else 2
            assert f"[{interval.low:.{digits}f}, {interval.high:.{digits}f}]" in text


def test_nan_is_named_with_its_reason_once() -> None:
    result = nlgauge.score(
        {"A": ["a", "b"], "B": ["a", "c"]}, ["a", "b"], metrics=["distinct(max_order=3)", "wer"]
    )
    table = Table(result._tables["A", "wer"].metric, {"wer": np.full((2, 4), math.nan)})
    result = Result(**{**vars(result), "_tables": {**result._tables, ("A", "wer"): table}})
    text = printed(result_table(result, None))
    assert "n/a [1]" in row_of(text, "wer", "A")
    assert text.count("undefined for this input") == 1


def test_an_interval_that_is_unknown_says_why() -> None:
    result = nlgauge.score(["a b"], ["a b"], metrics=["wer", "cer"])
    text = printed(result_table(result, result.intervals()))
    assert text.count("n/a [1]") == 2
    assert text.count("one segment (or document)") == 1


@dataclass(frozen=True)
class Cut(CorpusMetric):
    count: float

    name: ClassVar[str] = "cut"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"cut": (Output("cut", True), TRUNCATED)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        return {"cut": 1.0, "truncated": self.count}


@pytest.mark.parametrize(("count", "shown"), [(3.0, True), (0.0, False)])
def test_truncated_texts_are_counted_under_the_table(count: float, shown: bool) -> None:
    text = printed(result_table(nlgauge.score({"baseline": ["a"]}, metrics=Cut(count)), None))
    assert (
        "cut(count=3.0), baseline: 3 texts were longer than the model reads and were cut."
        in " ".join(text.split())
    ) == shown


def test_segments_without_a_value_are_counted() -> None:
    text = printed(result_table(nlgauge.score(["a b", "", "c", ""], metrics="flesch_reading_ease"), None))
    assert " [1]" in row_of(text, "flesch_reading_ease")
    assert "[1] 2 of 4 segments have no value (" in text


def test_a_metric_that_was_tested_otherwise_says_so(result: Result) -> None:
    text = printed(result_table(result, result.intervals(), result.compare(resamples=800)), width=120)
    assert "p by approximate randomization with 500 resamples" in text
    assert "with 800 resamples; p (Holm): corrected for the 5 tests shown" in " ".join(text.split())


def test_few_segments_are_warned_of(result: Result) -> None:
    assert (
        "Caution: with 4 segments (or documents) intervals are too narrow; 20 or more are needed."
        in " ".join(printed(result_table(result, result.intervals())).split())
    )
    many = nlgauge.score(["a b", "c"] * 10, ["a b", "d"] * 10, metrics="wer")
    assert "Caution" not in printed(result_table(many, many.intervals()))


def test_names_are_never_markup() -> None:
    result = nlgauge.score({EVIL: ["a b", "c d"], "B": ["a b", "c"]}, ["a b", "c d"], metrics=["wer"])
    for shown in (result_table(result, result.intervals()), comparison_table(result.compare())):
        text = printed(shown, width=200)
        assert "[red]x[/red] :smile: \\x1b[31m\\x07\\u202e" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_comparison_shows_both_scores_and_the_signed_difference(result: Result) -> None:
    comparison = result.compare()
    line = row_of(printed(comparison_table(comparison)), "bleu")
    row = comparison["bleu"]
    assert line.split()[2:5] == [
        f"{row.first_score:.2f}",
        f"{row.second_score:.2f}",
        f"{row.second_score - row.first_score:+.2f}",
    ]
    assert line.split()[-2:] == [f"{row.p:.4f}", f"{row.p_holm:.4f}"]


@pytest.mark.parametrize(
    ("better", "gain", "low", "high"),
    [(True, "-0.5000", -0.7, -0.2), (False, "+0.5000", 0.2, 0.7), (None, "-0.5000", -0.7, -0.2)],
)
def test_gains_are_plus_where_the_second_system_is_better(
    better: bool | None, gain: str, low: float, high: float
) -> None:
    row = Compared("m", Output("m", better, 0, 1), "A", "B", 1.0, 0.5, low, high, 0.01)
    assert row.gain_low <= row.gain <= row.gain_high
    text = printed(comparison_table(Comparison([row], "bootstrap", 0.95, 10)))
    assert gain in row_of(text, "1.0000", "0.5000")
    assert f"[{low:+.4f}, {high:+.4f}]" in text
    assert ("If neither direction is better" in text) == (better is None)
    (record,) = Comparison([row], "bootstrap", 0.95, 10).records()
    assert (record["gain"], record["gain_low"], record["gain_high"]) == (float(gain), low, high)


def test_equal_scores_gain_nothing() -> None:
    row = Compared("m", Output("m", True, 0, 1), "A", "B", 0.5, 0.5, 0.0, 0.0, 1.0)
    assert "+0.0000" in row_of(printed(comparison_table(Comparison([row], "bootstrap", 0.95, 10))), "m ")
    assert "-0.0000" not in printed(comparison_table(Comparison([row], "bootstrap", 0.95, 10)))


def test_p_values_are_those_against_the_first_system() -> None:
    predictions = {
        "A": ["a b c", "d e f"] * 10,
        "B": ["a b", "d e"] * 10,
        "C": ["a b c", "d e f"] * 9 + ["a b c", "d e"],
    }
    result = nlgauge.score(predictions, ["a b c", "d e f"] * 10, metrics="wer")
    every = result.compare("A", "B", "C")
    (expected,) = (row.p for row in every if (row.first, row.second) == ("A", "C"))
    (other,) = (row.p for row in every if (row.first, row.second) == ("B", "C"))
    assert expected != other
    assert f"{expected:.4f}" in row_of(printed(result_table(result, None, every)), "C ")


def test_every_pair_has_a_table_and_unknown_p_values_a_reason() -> None:
    rows = [
        Compared(
            "m",
            Output("m", True),
            "A",
            other,
            1.0,
            0.5,
            math.nan,
            math.nan,
            math.nan,
            reason="costs too much",
        )
        for other in "BC"
    ]
    text = printed(comparison_table(Comparison(rows, "bootstrap", 0.95, 10)))
    assert "B against A" in text
    assert "C against A" in text
    assert text.count("[1] costs too much") == 1
    assert "paired bootstrap" in text


@pytest.mark.parametrize(
    ("value", "high", "shown"),
    [(12.345, 100, "12.35"), (0.5, 1, "0.5000"), (2.0, math.inf, "2.0000"), (math.nan, 1, "n/a")],
)
def test_decimals_fit_the_scale(value: float, high: float, shown: str) -> None:
    assert number(value, Output("m", True, 0, high)) == shown


def test_ngram_matches() -> None:
    orders = [Order("1-grams", 2, 3), Order("2-grams", 1, 2, 4)]
    text = printed(render(NgramMatches("bleu 12.34", {}, ["the", "cat", "sat"], [2, 2, 0], orders)))
    lines = [line.rstrip() for line in text.split("\n")]
    assert lines[:2] == [
        "bleu 12.34",
        "Recall is lower (0.25): 1 of 4 2-grams of the reference matches; precision is",
    ]
    assert lines[3:5] == ["prediction  the cat sat", "matched     2   2   ."]
    text = "\n".join(lines[5:])
    assert row_of(text, "1-grams").split() == ["1-grams", "2", "3", "66.7%", "1"]
    assert row_of(text, "2-grams").split() == ["2-grams", "1", "2", "50.0%", "4", "25.0%", "3"]


def test_characters_stand_close_together_and_wide_ones_stay_aligned() -> None:
    text = printed(render(NgramMatches("chrf", {}, list("ab猫c"), [1, 1, 0, 3], [])))
    assert "prediction  ab猫c\n" in text
    assert "matched     11. 3\n" in text


def test_edits() -> None:
    edits = [
        Edit("equal", ["a"], ["a"]),
        Edit("replace", ["bb"], ["x"]),
        Edit("delete", ["c"], []),
        Edit("insert", [], ["d d"]),
    ]
    lines = printed(render(Edits("wer 0.7", {}, edits))).split("\n")
    assert [line.rstrip() for line in lines[2:5]] == [
        "reference   a bb c -",
        "prediction  a x  - d_d",
        "edits         S  D I",
    ]
    assert "1 substituted (S), 1 deleted (D), 1 inserted (I), 1 equal" in lines


def test_long_texts_break_into_blocks_that_fit() -> None:
    edits = [Edit("equal", [f"word{i}" for i in range(40)], [f"word{i}" for i in range(40)])]
    text = printed(render(Edits("wer", {}, edits)), width=50)
    assert max(len(line) for line in text.split("\n")) <= 50
    assert all(text.count(f"word{i} ") + text.count(f"word{i}\n") == 2 for i in range(40))


def alignment(
    prediction: list[str], reference: list[str], similarity: list[list[float]], weights: list[float]
) -> Alignment:
    return Alignment(
        "bertscore",
        {},
        prediction,
        reference,
        np.array(similarity).reshape(len(prediction), len(reference)),
        np.array(weights),
        np.ones(len(reference)),
    )


def test_alignment_names_the_nearest_token_of_either_side() -> None:
    text = printed(
        render(alignment(["cat", "the"], ["a", "dog", "the"], [[0.1, 0.8, 0.2], [0.3, 0.1, 0.99]], [1, 2]))
    )
    lines = [line.split() for line in text.split("\n")]
    assert ["prediction", "cat", "the"] in lines
    assert ["nearest", "dog", "the"] in lines
    assert ["cosine", "0.80", "0.99"] in lines
    assert ["weight", "1.00", "2.00"] in lines
    assert ["nearest", "the", "cat", "the"] in lines
    assert ["cosine", "0.30", "0.80", "0.99"] in lines
    assert "nothing to align" in printed(render(alignment([], ["a"], [], [])))


def test_token_scores() -> None:
    text = printed(
        render(TokenScores("shannon", {}, ["a", "\nb"], {"alone": [1.0, 5.0], "helped": [0.5, 2.0]}))
    )
    lines = [line.split() for line in text.split("\n")]
    assert ["token", "a", "\\nb"] in lines
    assert ["alone", "1.00", "5.00"] in lines
    assert ["helped", "2.5000", "1.2500"] in lines
    assert "n/a" in printed(render(TokenScores("shannon", {}, [], {"alone": []})))


def test_entailment_names_what_decided_each_sentence() -> None:
    entail = np.array([[0.1, 0.9], [0.75, 0.2]])
    shown = Entailment(
        "summac",
        {},
        ["A cat sat.", "p" * 100],
        ["It sat.", "It ran."],
        {"entail": entail, "contradict": 1 - entail},
        [1, 0],
    )
    text = printed(render(shown), width=200)
    assert re.search(r"1 +It sat\. +0\.75 +0\.25 +2 +p{79}…\n", text)
    assert re.search(r"2 +It ran\. +0\.90 +0\.10 +1 +A cat sat\.", text)
    assert "The probability of 'entail'" in text
    assert re.search(r"1 A cat sat\. +0\.10 +0\.90", text)
    assert "| 1 | It sat. | 0.75 | 0.25 | 2 |" in markdown_of(explanation_page(shown))
    assert "color:#2f9e58" in shown._repr_html_()  # a good one is green
    one = Entailment("factcc", {}, ["A cat sat."], ["It sat."], {"correct": np.array([[0.6]])}, [0])
    assert "The probability" not in printed(render(one))
    assert "nothing to judge it by" in printed(
        render(Entailment("factcc", {}, [], ["It sat."], {"correct": np.zeros((0, 1))}, [])), width=200
    )


def test_a_likely_contradiction_is_bad() -> None:
    def tones(value: float) -> set[str]:
        page = explanation_page(
            Entailment("selfcheck", {}, ["a"], ["b"], {"contradict": np.array([[value]])}, [0])
        )
        return {
            cell.tone
            for block in page.blocks
            if isinstance(block, Sheet)
            for row in block.rows
            for cell in row
        } - {""}

    assert (tones(0.95), tones(0.05)) == ({"worst"}, {"perfect"})


def test_error_spans_stand_under_the_words_that_are_wrong() -> None:
    spans = [ErrorSpan(4, 11, "critical", 0.875), ErrorSpan(16, 18, "minor")]
    text = printed(render(ErrorSpans("xcomet", {}, "The big cat sat on it", spans)))
    lines = [line.split() for line in text.split("\n")]
    assert ["text", "The", "big", "cat", "sat", "on", "it"] in lines
    below = next(line for line in text.split("\n") if line.split()[:2] == ["error", "critical"])
    above = next(line for line in text.split("\n") if line.startswith("text"))
    places = [below.index("critical"), below.rindex("critical"), below.index("minor")]
    assert places == [above.index(word) for word in ("big", "cat", "on")]
    assert ["big", "cat", "critical", "4-11", "0.88"] in lines
    assert ["on", "minor", "16-18", "n/a"] in lines
    explained = ErrorSpans("xcomet", {}, "<b> cat", [ErrorSpan(0, 3, "minor", 1.0)])
    assert "&lt;b&gt;" in explained._repr_html_()
    assert "No error was found." in str(ErrorSpans("xcomet", {}, "fine", []))
    again = read(json.loads(json.dumps(document(ErrorSpans("xcomet", {}, "The big cat sat on it", spans)))))
    assert isinstance(again, ErrorSpans) and again.errors == spans


@pytest.mark.parametrize(
    "explanation",
    [
        NgramMatches(EVIL, {}, [EVIL], [1], [Order(EVIL, 1, 1)]),
        Edits(EVIL, {}, [Edit("replace", [EVIL], [EVIL])]),
        alignment([EVIL], [EVIL], [[1.0]], [1]),
        TokenScores(EVIL, {}, [EVIL], {EVIL: [1.0]}),
        Transport(EVIL, {}, [EVIL], [EVIL], np.ones((1, 1)), np.ones((1, 1))),
        Entailment(EVIL, {}, [EVIL] * 2, [EVIL], {EVIL: np.ones((2, 1))}, [0]),
        ErrorSpans(EVIL, {}, EVIL, [ErrorSpan(0, 3, EVIL, 0.5)]),
        Explanation(EVIL, {}),
    ],
)
def test_explained_texts_are_never_markup(explanation: Explanation) -> None:
    text = printed(render(explanation), width=200)
    assert "[red]x[/red]" in text
    assert ":smile:" in text
    assert "\x1b" not in text
    assert "\x07" not in text
