"""Options that are declared once: signatures show them, and unknown ones are refused."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.results.comparison import Comparison
from nlgauge.results.groups import Groups
from nlgauge.results.ranks import Ranks
from nlgauge.results.segments import SegmentList
from nlgauge.results.table_options import TableArguments, TableOptions
from nlgauge.scoring import DEFAULTS, CallOptions, ScoreOptions, SetupOptions, TextOptions


def shown(function) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def test_the_signature_of_score_shows_every_option():
    parameters = shown(nlgauge.score)
    assert list(parameters)[:4] == ["predictions", "references", "sources", "metrics"]
    assert {*parameters} == {
        *list(parameters)[:4],
        *SetupOptions.__annotations__,
        *CallOptions.__annotations__,
    }
    assert parameters["seed"].default == 12345 and parameters["seed"].annotation == "int"
    assert parameters["cache"].default is True and parameters["device"].default is None
    assert {*shown(nlgauge.Scorer)} == {"metrics", *SetupOptions.__annotations__}
    assert {*DEFAULTS} <= {*ScoreOptions.__annotations__}


def test_the_options_of_texts_are_those_that_a_corpus_is_read_with():
    read = shown(Corpus.read)
    assert {*TextOptions.__annotations__} == {*read} - {"predictions", "references", "sources"}
    assert all(read[name].default == DEFAULTS.get(name) for name in TextOptions.__annotations__)


def test_table_arguments_are_the_fields_of_table_options():
    assert list(TableArguments.__annotations__.items()) == [
        (field.name, TableArguments.__annotations__[field.name]) for field in fields(TableOptions)
    ]
    assert [hint.__forward_arg__ for hint in TableArguments.__annotations__.values()] == [
        field.type for field in fields(TableOptions)
    ]


@pytest.mark.parametrize("kind", [nlgauge.Result, Groups, Comparison, Ranks, SegmentList])
@pytest.mark.parametrize(
    "method", ["to_text", "to_markdown", "to_latex", "to_html", "to_csv", "report", "show"]
)
def test_no_public_method_hides_its_options(kind, method):
    if hasattr(kind, method):
        parameters = shown(getattr(kind, method)).values()
        assert not [parameter for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD]


@pytest.mark.parametrize(
    "call",
    [
        lambda: nlgauge.score(["a"], ["a"], metric="wer"),
        lambda: nlgauge.Scorer("wer", metric="wer"),
        lambda: nlgauge.Scorer("wer")(["a"], ["a"], metric="wer"),
    ],
)
def test_an_unknown_option_is_refused(call):
    with pytest.raises(TypeError, match="unexpected keyword argument 'metric'"):
        call()


def test_decimals_are_an_option_of_every_table():
    result = nlgauge.score({"A": ["a b c"] * 3, "B": ["a x c"] * 3}, ["a b d"] * 3, metrics=["wer", "chrf"])
    for table in (result, result.compare(resamples=20), result.ranks(resamples=20), result.worst("wer", 2)):
        assert "0.66667" in table.to_text(decimals=5) and "0.66667" not in table.to_text()
