"""Expressions over records, raw columns and corpora."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.corpus import Corpus
from nlgauge.corpus.conditions import each_expression, meeting, of_records, unknown_values
from nlgauge.corpus.fields import NothingMatches
from nlgauge.corpus.records import Records
from nlgauge.errors import ParameterError

ROWS: list[dict[str, Any]] = [
    {"id": "s1", "system": "A", "answer": "a dog", "meta": {"lp": "en-de", "ok": True}, "year": 2020},
    {"id": "s2", "system": "A", "answer": "a cat", "meta": {"lp": "en-fr", "ok": False}, "year": 2021},
    {"id": "s1", "system": "B", "answer": "dogs", "meta": {"lp": "en-de", "ok": True}},
]


def rows(*expressions: str) -> list[int]:
    return meeting(expressions, of_records(Records.of_rows(ROWS)), "record")


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        (["meta.lp = en-de"], [0, 2]),
        (["lp = en-de", "system = A"], [0]),
        (["ok = true"], [0, 2]),
        (["not ok = true or year = 2020"], [0, 1]),
        (["year < 2021"], [0]),
        (["year = none"], [2]),
        (['prediction ~ "^a "'], [0, 1]),
        (["dog"], [0, 2]),
        (["id = s1 and system != B"], [0]),
    ],
)
def test_expressions_select_records(expressions: list[str], expected: list[int]) -> None:
    assert rows(*expressions) == expected


def test_a_mistake_names_what_there_is() -> None:
    with pytest.raises(NothingMatches, match=r"no record meets 'lp = en-ed' .*did you mean 'en-de'.*'en-fr'"):
        rows("lp = en-ed")
    with pytest.raises(ParameterError, match="unknown column yaer; did you mean year"):
        rows("yaer = 2020")
    with pytest.raises(ParameterError, match=r"unknown column zzz; the columns are .*'id'.*'meta.lp'"):
        rows("zzz = 2020")
    with pytest.raises(ParameterError, match="where must be an expression"):
        each_expression({"lp": "en-de"})  # type: ignore[arg-type]


def test_a_column_without_values_in_a_block_is_not_an_error() -> None:
    part = Records.of_rows([{"id": 1, "year": None}, {"id": 2, "year": None}])
    with pytest.raises(NothingMatches):
        meeting("year > 3", of_records(part), "record")
    assert meeting("year = none and id > 1", of_records(part), "record") == [1]


def test_unknown_values_are_found_in_every_comparison() -> None:
    columns = of_records(Records.of_rows(ROWS))
    assert len(list(unknown_values("lp != en-ed or system = C", columns))) == 2
    assert not list(unknown_values("lp != en-de or year = 2020 or prediction = x", columns))


def test_a_corpus_is_selected_by_an_expression() -> None:
    corpus = Corpus.read(
        {"A": ["a", "b b", "c"], "B": ["x", "y", "z"]}, fields={"domain": ["news", "ted", "news"]}
    )
    assert list(corpus.where("domain = news and not prediction[B] = z").ids) == [0]
    assert list(corpus.where("prediction = y", domain="ted").ids) == [1]
