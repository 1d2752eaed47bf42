"""Every error has a hint for Python and one for the command line; `tests/conftest.py` checks those of all tests."""

from __future__ import annotations

import pickle

import pytest
from error_forms import checked, mixed

from nlgauge.errors import InputError, NlgaugeError, UnknownNameError


@pytest.mark.parametrize("kind", [NlgaugeError, InputError, UnknownNameError])
def test_an_error_has_a_hint_per_interface(kind: type[NlgaugeError]):
    error = kind(
        "out exists", python="pass overwrite=True to replace it", cli="use --overwrite to replace it"
    )
    assert str(error) == "out exists; pass overwrite=True to replace it."
    assert error.for_cli() == "out exists; use --overwrite to replace it."
    assert mixed(str(error), error.for_cli()) == []


def test_one_hint_serves_both_interfaces():
    error = InputError("out exists", python="choose another directory")
    assert str(error) == error.for_cli() == "out exists; choose another directory."
    assert str(InputError("out exists.")) == InputError("out exists.").for_cli() == "out exists."


def test_hints_survive_pickling():
    error = pickle.loads(pickle.dumps(InputError("out exists", python="pass x", cli="use y")))
    assert (str(error), error.for_cli()) == ("out exists; pass x.", "out exists; use y.")


@pytest.mark.parametrize(
    ("python", "cli"),
    [
        ("use --resume", "use --resume"),
        ("resume it (`--resume`)", "use --resume"),
        ("pass resume=True", "pass resume=True"),
        ("pass resume=True", "pass resume=True (--resume)"),
    ],
)
def test_a_hint_for_both_interfaces_at_once_is_a_problem(python: str, cli: str):
    assert len(mixed(python, cli)) == 1


def test_problems_are_collected_when_errors_are_constructed(monkeypatch: pytest.MonkeyPatch):
    problems: set[str] = set()
    construct = checked(ValueError.__init__, problems)
    monkeypatch.setattr(NlgaugeError, "__init__", construct)
    monkeypatch.setattr(NlgaugeError, "for_cli", NlgaugeError.__str__)
    InputError("out exists; use another directory")
    assert problems == set()
    InputError("out exists; use --overwrite")
    assert len(problems) == 1


def test_errors_of_one_interface_speak_to_it():
    assert mixed("use --resume", "use --resume", "nlgauge.cli.options") == []
    assert mixed("pass idf=True", "pass idf=True", "nlgauge.compat.bert_score") == []
    assert len(mixed("pass idf=True", "pass idf=True", "nlgauge.io.files")) == 1


def test_commands_and_metrics_may_be_named_in_both():
    hint = "run: nlgauge models get minilm --hub, or use rouge(stemmer=True) or rouge(variants='rouge1', stemmer=True)"
    assert mixed(hint, hint) == []
