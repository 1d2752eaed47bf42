"""The studies in studies/: their command and their tables."""

from __future__ import annotations

from importlib import import_module
from inspect import signature

import pytest

from studies.__main__ import main
from studies.study import table


@pytest.mark.parametrize("name", ["hidden_labels"])
def test_command_line_calls_every_study(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = import_module(f"studies.{name}")
    taken = set(signature(module.report).parameters)
    monkeypatch.setattr(module, "report", lambda **given: f"called: {set(given) == taken}")
    monkeypatch.setattr("sys.argv", ["studies", name])
    main()
    assert capsys.readouterr().out == "called: True\n"


def test_table() -> None:
    assert table(["a", "b"], [["x", 0.5]]) == "| a | b |\n| --- | --- |\n| x | 0.5000 |"
