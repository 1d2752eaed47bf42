"""Protocols: the questions that people answer about a text, as data.

A protocol is built in, or a TOML file:

    name = "tone"
    instructions = "Read the whole text first."
    show = ["source"]

    [[questions]]
    id = "politeness"
    text = "How polite is the text?"
    kind = "scale"
    low = 1
    high = 5
    labels = { 1 = "rude", 5 = "polite" }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.errors import InputError, ParameterError, no_such

KINDS = ("scale", "yes_no", "output", "text")
# The answer to a question of kind "output" if two outputs are equally good.
TIE = "tie"
_SHOWN = ("source", "references")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_LONGEST_TEXT = 2000
_MOST_VALUES = 1001


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One question; the answer is a whole number (scale), a truth value (yes_no), the number of an output on
    the screen or "tie" (output), or a text.
    """

    id: str
    text: str
    kind: str = "scale"
    low: int = 1
    high: int = 5
    labels: dict[str, str] = {}
    ties: bool = False
    required: bool = True

    def problem(self, answer: Any, outputs: int) -> str:
        """Return the reason why a value is not an answer; "" if it is."""
        # Exact types: in Python, True is a number and -1 is an index.
        if self.kind == "scale":
            valid = type(answer) is int and self.low <= answer <= self.high
            return "" if valid else f"{self.id} must be a whole number from {self.low} to {self.high}"
        if self.kind == "yes_no":
            return "" if type(answer) is bool else f"{self.id} must be true or false"
        if self.kind == "output":
            valid = (type(answer) is int and 0 <= answer < outputs) or (self.ties and answer == TIE)
            return "" if valid else f"{self.id} must be the number of an output"
        valid = type(answer) is str and len(answer) <= _LONGEST_TEXT
        return "" if valid else f"{self.id} must be a text of at most {_LONGEST_TEXT:,} characters"


class Protocol(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Questions about `side_by_side` outputs that are on the screen together, with instructions."""

    name: str
    questions: list[Question]
    side_by_side: int = 1
    show: tuple[str, ...] = ("source",)
    instructions: str = ""

    def problem(self, answers: Any, outputs: int) -> str:
        """Return the reason why answers are incomplete or invalid; "" if they are valid."""
        if not isinstance(answers, dict):
            return "answers must be an object"
        questions = {question.id: question for question in self.questions}
        unknown = [name for name in answers if name not in questions]
        if unknown:
            return "an answer belongs to no question"
        for name, question in questions.items():
            if name in answers:
                if reason := question.problem(answers[name], outputs):
                    return reason
            elif question.required:
                return f"{name} has no answer"
        chosen = [answers[name] for name, question in questions.items() if question.kind == "output"]
        return "two questions name the same output" if len(set(chosen)) < len(chosen) else ""


def _scale(name: str, low: str, high: str) -> Question:
    return Question(name, f"How good is the {name} of the text?", labels={"1": low, "5": high})


PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "likert",
            [
                _scale("informativeness", "says nothing of importance", "says everything of importance"),
                _scale("factualness", "mostly wrong", "all correct"),
                _scale("fluency", "hard to read", "reads well"),
                _scale("succinctness", "long-winded", "to the point"),
            ],
        ),
        Protocol(
            "da",
            [
                Question(
                    "da",
                    "How good is the text as a whole?",
                    low=0,
                    high=100,
                    labels={
                        "0": "no meaning preserved",
                        "33": "some meaning preserved",
                        "66": "most meaning preserved",
                        "100": "perfect",
                    },
                )
            ],
        ),
        Protocol("yes_no", [Question("acceptable", "Is the text acceptable?", "yes_no")]),
        Protocol("pairwise", [Question("preferred", "Which text is better?", "output", ties=True)], 2),
        Protocol(
            "bws",
            [
                Question("best", "Which text is the best?", "output"),
                Question("worst", "Which text is the worst?", "output"),
            ],
            4,
        ),
    )
}


def protocol_of(name: str, dimensions: Sequence[str] = ()) -> Protocol:
    """Return a built-in protocol, or the protocol of a TOML file; `dimensions` replace those of likert."""
    if name.endswith(".toml"):
        if dimensions:
            raise ParameterError(
                f"dimensions cannot be combined with the protocol file {name}; write the questions in the file."
            )
        return _read(Path(name))
    if name not in PROTOCOLS:
        raise ParameterError(no_such("protocol", name, PROTOCOLS))
    protocol = PROTOCOLS[name]
    if not dimensions:
        return protocol
    if name != "likert":
        raise ParameterError(
            f"the protocol {name} has no dimensions to replace; leave dimensions out, or use likert."
        )
    questions = [_scale(dimension, "very bad", "very good") for dimension in dimensions]
    return checked(msgspec.structs.replace(protocol, questions=questions), "dimensions")


def _read(path: Path) -> Protocol:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"the protocol {path} does not exist.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}.") from None
    try:
        return checked(msgspec.convert(_text_keys(content), Protocol), str(path))
    except msgspec.ValidationError as error:
        raise InputError(f"{path} is not a protocol: {error}.") from None


def _text_keys(content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        str(key): _text_keys(value) if isinstance(value, Mapping) else value for key, value in content.items()
    }


def checked(protocol: Protocol, where: str) -> Protocol:
    """Return the protocol; raise InputError with the place of the first mistake."""
    if not protocol.questions:
        raise InputError(f"{where} has no questions; write at least one [[questions]].")
    unknown = [name for name in protocol.show if name not in _SHOWN]
    if unknown:
        raise InputError(f"{where}, show: {no_such('text', unknown[0], _SHOWN)}")
    if not 1 <= protocol.side_by_side <= 9:
        raise InputError(f"{where}: side_by_side must be 1 to 9, got {protocol.side_by_side}.")
    for number, question in enumerate(protocol.questions):
        place = f"{where}, questions[{number}]"
        if not _NAME.fullmatch(question.id):
            raise InputError(
                f"{place}: id must have only lowercase letters, digits and _, got {question.id!r}."
            )
        if question.id in [other.id for other in protocol.questions[:number]]:
            raise InputError(f"{place}: the id {question.id!r} occurs twice; use different ids.")
        if question.kind not in KINDS:
            raise InputError(f"{place}: kind must be {', '.join(KINDS)}, got {question.kind!r}.")
        if question.kind == "scale" and not question.low < question.high < question.low + _MOST_VALUES:
            raise InputError(
                f"{place}: low must be below high, and at most 1,000 apart, got {question.low} and {question.high}."
            )
        if (question.kind == "output") != (protocol.side_by_side > 1) and question.kind != "text":
            raise InputError(
                f"{place}: a question of kind output needs side_by_side above 1, and the other kinds need side_by_side = 1."
            )
    return protocol
