"""Expressions that select segments: the same cases in Python and, in tests/show/web, in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from selection_cases import CASES, FILES, columns_of_rows

import nlgauge
from nlgauge._core.expression import ExpressionError
from nlgauge.corpus.selecting import Columns, matching
from nlgauge.errors import InputError, ParameterError
from nlgauge.results.groups import taken
from nlgauge.results.joined import of_metrics
from nlgauge.results.selecting import selected


@pytest.mark.parametrize("file", FILES)
def test_expressions_select_what_plain_python_selects(file: str) -> None:
    cases = CASES(file)
    columns = columns_of_rows(cases)
    for case in cases["cases"]:
        found = np.flatnonzero(matching(case["expression"], columns))
        assert [cases["rows"][i]["id"] for i in found] == case["ids"], case["expression"]


@pytest.mark.parametrize("file", FILES)
def test_mistakes_have_their_place(file: str) -> None:
    cases = CASES(file)
    columns = columns_of_rows(cases)
    for case in cases["errors"]:
        with pytest.raises(ExpressionError) as error:
            matching(case["expression"], columns)
        assert error.value.at == case["at"], case["expression"]
        assert case["says"] in error.value.says, case["expression"]
        assert f"character {case['at'] + 1} " in str(error.value)


def result() -> Any:
    rows = [
        {
            "id": f"s{i}",
            "system": system,
            "prediction": text,
            "references": ["a b c d"],
            "domain": domain,
            "year": year,
        }
        for i, (domain, year) in enumerate([("news", "2020"), ("law", "2021"), ("news", "2022")])
        for system, text in (("A", "a b c d" if i else "a"), ("B", "a b c d" if i < 2 else "x"))
    ]
    return nlgauge.score(rows, metrics=["wer", "chrf", "rouge"])


def test_a_result_is_selected_by_scores_fields_and_texts() -> None:
    found = result()
    for expression, segments in {
        "domain = news": ["s0", "s2"],
        "year > 2020": ["s1", "s2"],
        "wer[A] > 0": ["s0"],
        "wer > 0": ["s0", "s2"],
        "rouge.rougeL[B] = 0": ["s2"],
        '"wer.wer" = 0 and not wer[A] > 0': ["s1", "s2"],
        "wer[A] > wer[B]": ["s0"],
        'prediction[B] ~ "^x$"': ["s2"],
        "words = 4 and length = 7": ["s0", "s1", "s2"],
    }.items():
        assert list(found.where(expression).corpus.ids) == segments, expression
    chosen = found.where("domain = news", domain=["news", "law"])
    assert list(chosen.corpus.ids) == ["s0", "s2"]
    assert chosen["A"]["wer"]["score"] == found.where(domain="news")["A"]["wer"]["score"]


def test_no_segment_and_no_column_are_errors() -> None:
    found = result()
    with pytest.raises(InputError, match="no segment meets 'year > 2030'"):
        selected(found, "year > 2030")
    with pytest.raises(ParameterError, match="unknown column chfr; did you mean chrf"):
        found.where("chfr < 5")
    with pytest.raises(ParameterError, match="unknown system C"):
        found.where("wer[C] < 5")


def test_a_regular_expression_cannot_hang() -> None:
    columns = Columns(["A"], 1, {}, {}, {"reference": lambda: [["a" * 40 + "!"]]}, None, [0])
    with pytest.raises(ParameterError, match=r"takes more than 0\.1 s"):
        matching('reference ~ "^(?:a|a|aa)+$"', columns)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?<=a)b",
        "(?<n>a)",
        "(?P<n>a)",
        "a++",
        "a*+",
        "(?i)a",
        r"(a)\\1",
        "[[a]]",
        "[]",
        "a{",
        "a}",
        "a]",
        r"\\u0041",
        "(?>a)",
    ],
)
def test_patterns_that_only_one_engine_reads_are_refused(pattern: str) -> None:
    columns = Columns(["A"], 1, {}, {}, {"reference": lambda: [["ab"]]}, None, [0])
    with pytest.raises(ExpressionError, match="is not a regular expression"):
        matching(f'reference ~ "{pattern}"', columns)


def test_segments_of_one_metric_do_not_need_the_fits_of_others():
    texts = ["a cat sat", "a dog ran", "the bird sang"]
    result = nlgauge.score(texts, [[text] for text in texts], metrics=["chrf", "cider"])
    part = taken(of_metrics(result, "chrf"), np.array([0, 2]))
    assert part._tables[part.systems[0], "chrf"].scores()["score"] == 100
    assert {label for label, _ in of_metrics(result, "cider")._job.fits} == {"cider"}
