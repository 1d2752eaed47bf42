"""Output that other programs interpret: texts are no formulas of a spreadsheet on request, and nothing
steers a terminal.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import nlgauge
from nlgauge.cli.commands import app
from nlgauge.errors import NlgaugeError, ParameterError


def test_texts_are_no_formulas_on_request(tmp_path: Path) -> None:
    names = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "＝1", "-5", "+4.5e3", "fine=1"]
    safe = {"-5", "+4.5e3", "fine=1"}
    result = nlgauge.score({name: ["a b", "c"] for name in names}, ["a c", "c"], metrics="wer")
    plain, kept = (
        list(csv.DictReader(io.StringIO(result.to_csv(safe=wanted), newline=""))) for wanted in (False, True)
    )
    assert list(dict.fromkeys(row["system"] for row in plain)) == names
    assert list(dict.fromkeys(row["system"] for row in kept)) == [
        name if name in safe else f"'{name}" for name in names
    ]
    assert [row["score"] for row in plain] == [row["score"] for row in kept]
    result.save(tmp_path / "out")
    for words in (["show", "--format", "csv"], ["segments", "--wide"], ["compare", "--format", "tsv"]):
        raw, made = (
            CliRunner().invoke(app, [words[0], str(tmp_path / "out"), *words[1:], *more]).stdout
            for more in ((), ("--safe-csv",))
        )
        assert "'=HYPERLINK" in made and "'=HYPERLINK" not in raw
        assert raw == CliRunner().invoke(app, [words[0], str(tmp_path / "out"), *words[1:]]).stdout


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_control_characters_do_not_reach_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.cli.output import emit, show_json

    text = "a\x9b2J\u202eb\x1b[2J\tc\rd\n"
    for stream, found in ((Terminal(), "a\\u009b2J\\u202eb\\u001b[2J\tc\\u000dd\n"), (io.StringIO(), text)):
        monkeypatch.setattr(sys, "stdout", stream)
        emit(text)
        assert stream.getvalue() == found
    monkeypatch.setattr(sys, "stdout", stream := Terminal())
    show_json({"system": text})
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", stream.getvalue())
    assert json.loads(stream.getvalue()) == {"system": text}


def test_what_cannot_be_a_path_or_a_rule_is_an_error_of_ours() -> None:
    with pytest.raises(NlgaugeError, match="metric"):
        nlgauge.score(["a"], ["b"], metrics="x" * 1000)
    with pytest.raises(ParameterError, match=r"reduce_fn 'int'.*scores"):
        nlgauge.score(["a"], [["b", "a"]], metrics="wer", reduce_fn=int)
