"""Protocols: the questions that people answer about a text, as data.

A protocol is built in (`nlgauge.annotate.builtin`), or a TOML file:

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
    keys = ["a", "d", "f", "g", "h"]

    [spans]
    severities = ["minor", "major"]
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.annotate.marks import LONGEST_NOTE, MarkRules
from nlgauge.errors import InputError, NlgaugeError, ParameterError, no_such
from nlgauge.spans.weights import weights_of

KINDS = ("scale", "yes_no", "output", "order", "choice", "claims", "text")
# Kinds that compare the outputs on a screen.
COMPARE = ("output", "order")
# The answer to a question of kind "output" if two outputs are equally good.
TIE = "tie"
SHOWN = ("source", "references", "context")
_SIDES = ("target", "source")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MOST_VALUES = 1001
# The largest number of answers that the page shows as buttons; a scale with more values is a slider.
MOST_BUTTONS = 9
# Keys that the page uses itself; digits are the keys of answers without other keys.
RESERVED = "bcmnsux?"


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One question.

    The answer is a whole number (scale), a truth value (yes_no), the number of an output on the screen or "tie"
    (output), the rank of each output from 1, the best (order), one of the keys of `labels` (choice), one of these
    for each claim (claims), or a text. With `ties`, outputs may have the same rank. `keys` has one key for each
    answer, in the order in which the page shows them.
    """

    id: str
    text: str
    kind: str = "scale"
    low: int = 1
    high: int = 5
    step: int = 1
    labels: dict[str, str] = {}
    ties: bool = False
    required: bool = True
    keys: tuple[str, ...] = ()

    def buttons(self, outputs: int) -> int:
        """Return the number of answers that the page shows as buttons; 0 for a slider or a text."""
        if self.kind == "scale":
            values = (self.high - self.low) // self.step + 1
            return values if values <= MOST_BUTTONS else 0
        if self.kind in ("choice", "claims"):
            return len(self.labels)
        return {"yes_no": 2, "output": outputs + self.ties, "order": outputs}.get(self.kind, 0)

    def problem(self, answer: Any, outputs: int, claims: int) -> str:
        """Return the reason why a value is not an answer; "" if it is."""
        # Exact types: in Python, True is a number and -1 is an index.
        if self.kind == "scale":
            valid = type(answer) is int and answer in range(self.low, self.high + 1, self.step)
            return "" if valid else f"{self.id} must be a whole number from {self.low} to {self.high}"
        if self.kind == "yes_no":
            return "" if type(answer) is bool else f"{self.id} must be true or false"
        if self.kind == "output":
            valid = (type(answer) is int and 0 <= answer < outputs) or (
                self.ties and type(answer) is str and answer == TIE
            )
            return "" if valid else f"{self.id} must be the number of an output"
        if self.kind == "order":
            valid = (
                type(answer) is list and len(answer) == outputs and all(type(each) is int for each in answer)
            )
            # Ranks without gaps: there is one way to write an order.
            valid = valid and sorted(set(answer)) == list(range(1, len(set(answer)) + 1))
            if not valid:
                return f"{self.id} must have a rank from 1 for each of the {outputs} outputs, without gaps"
            return "" if self.ties or len(set(answer)) == outputs else f"{self.id} must have different ranks"
        if self.kind == "choice":
            valid = type(answer) is str and answer in self.labels
            return "" if valid else f"{self.id} must be one of {', '.join(self.labels)}"
        if self.kind == "claims":
            valid = (
                type(answer) is list
                and len(answer) == claims
                and all(type(each) is str and each in self.labels for each in answer)
            )
            return "" if valid else f"{self.id} must have an answer for each of the {claims} claims"
        valid = type(answer) is str and len(answer) <= LONGEST_NOTE
        return "" if valid else f"{self.id} must be a text of at most {LONGEST_NOTE:,} characters"


class Protocol(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Questions about `side_by_side` outputs that are on the screen together, with instructions.

    `spans` are the rules of marks, if parts of a text may be marked. The page warns once if the first scale is
    below `warn_below` and nothing is marked.
    """

    name: str
    questions: list[Question] = []
    side_by_side: int = 1
    show: tuple[str, ...] = ("source",)
    instructions: str = ""
    spans: MarkRules | None = None
    warn_below: int | None = None

    def problem(self, answers: Any, outputs: int, claims: int = 0) -> str:
        """Return the reason why answers are incomplete or invalid; "" if they are valid."""
        if not isinstance(answers, dict):
            return "answers must be an object"
        questions = {question.id: question for question in self.questions}
        if any(name not in questions for name in answers):
            return "an answer belongs to no question"
        for name, question in questions.items():
            if name in answers:
                if reason := question.problem(answers[name], outputs, claims):
                    return reason
            elif question.required:
                return f"{name} has no answer"
        chosen = [answers[name] for name, question in questions.items() if question.kind == "output"]
        return "two questions name the same output" if len(set(chosen)) < len(chosen) else ""

    def digest(self) -> str:
        """Return 12 characters that identify the protocol in the log."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:12]

    def dimensions(self) -> list[str]:
        """Return the names of the scores that a rating gives a system."""
        if self.side_by_side > 1:
            return [self.name]
        names = [question.id for question in self.questions if question.kind in ("scale", "yes_no", "claims")]
        return [*names, self.name] if self.spans is not None and self.spans.weights else names


def protocol_of(name: str, dimensions: Sequence[str] = ()) -> Protocol:
    """Return a built-in protocol, or the protocol of a TOML file.

    Parameters
    ----------
    name : str
        Name of a protocol, or a file NAME.toml.
    dimensions : sequence of str, optional
        Dimensions that replace the dimensions of likert.

    Returns
    -------
    Protocol
        Questions, and rules of marks.

    Raises
    ------
    ParameterError
        If the name is unknown, or dimensions cannot be replaced.
    InputError
        If the file is not a protocol.
    """
    from nlgauge.annotate.builtin import PROTOCOLS, scale

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
    questions = [scale(dimension, "very bad", "very good") for dimension in dimensions]
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
    if not _NAME.fullmatch(protocol.name):
        raise InputError(
            f"{where}: name must have only lowercase letters, digits and _, got {protocol.name!r}."
        )
    if not protocol.questions and protocol.spans is None:
        raise InputError(f"{where} has no questions; write at least one [[questions]], or [spans].")
    unknown = [name for name in protocol.show if name not in SHOWN]
    if unknown:
        raise InputError(f"{where}, show: {no_such('text', unknown[0], SHOWN)}")
    if not 1 <= protocol.side_by_side <= 9:
        raise InputError(f"{where}: side_by_side must be 1 to 9, got {protocol.side_by_side}.")
    for number, question in enumerate(protocol.questions):
        place = f"{where}, questions[{number}]"
        if question.id in [other.id for other in protocol.questions[:number]]:
            raise InputError(f"{place}: the id {question.id!r} occurs twice; use different ids.")
        earlier = {key: other.id for other in protocol.questions[:number] for key in other.keys}
        if problem := _question_problem(question, protocol) or _keys_problem(question, protocol, earlier):
            raise InputError(f"{place}: {problem}.")
    kinds = sorted(question.kind for question in protocol.questions if question.kind in COMPARE)
    if protocol.side_by_side > 1 and kinds not in (["order"], ["output"], ["output", "output"]):
        raise InputError(
            f"{where}: side_by_side = {protocol.side_by_side} needs one question of kind order, one of kind output (the"
            f" better), or two of kind output (the best and the worst), got {', '.join(kinds) or 'none'}."
        )
    if protocol.spans is not None and (problem := _spans_problem(protocol.spans, protocol)):
        raise InputError(f"{where}, spans: {problem}.")
    return protocol


def _question_problem(question: Question, protocol: Protocol) -> str:
    if not _NAME.fullmatch(question.id):
        return f"id must have only lowercase letters, digits and _, got {question.id!r}"
    if question.kind not in KINDS:
        return f"kind must be {', '.join(KINDS)}, got {question.kind!r}"
    if question.kind == "scale" and not question.low < question.high < question.low + _MOST_VALUES:
        return f"low must be below high, and at most 1,000 apart, got {question.low} and {question.high}"
    if question.kind == "scale" and question.step < 1:
        return f"step must be at least 1, got {question.step}"
    values = [str(value) for value in range(question.low, question.high + 1, question.step)]
    if question.kind == "scale" and (wrong := [label for label in question.labels if label not in values]):
        return f"labels must be for values of the scale, got {wrong[0]!r:.40}"
    if question.kind in ("choice", "claims") and not 2 <= len(question.labels) <= 9:
        return f"labels must name 2 to 9 answers, got {len(question.labels)}"
    if question.kind in COMPARE and protocol.side_by_side == 1:
        return f"a question of kind {question.kind} needs side_by_side above 1"
    if question.kind in COMPARE and not question.required:
        return f"a question of kind {question.kind} cannot be optional"
    if question.kind == "claims" and protocol.side_by_side > 1:
        return "a question of kind claims needs side_by_side = 1"
    return ""


def _keys_problem(question: Question, protocol: Protocol, earlier: Mapping[str, str]) -> str:
    """Return what is wrong with the keys of a question; `earlier` has the keys of the questions before it."""
    if not question.keys:
        return ""
    count = question.buttons(protocol.side_by_side)
    if not count:
        kind = "text" if question.kind == "text" else f"scale with more than {MOST_BUTTONS} values"
        return f"a {kind} has no buttons; leave keys out"
    if len(question.keys) != count:
        return f"keys must have one key for each of the {count} answers, got {len(question.keys)}"
    for place, key in enumerate(question.keys):
        # A letter, a mark of punctuation or a symbol, as pressed without Shift.
        if len(key) != 1 or unicodedata.category(key)[0] not in "LPS" or key != key.lower():
            return f"each of keys must be one lowercase letter, punctuation mark or symbol, got {key!r:.40}"
        if key in RESERVED:
            return f"the page uses the key {key!r} itself; use other keys than {' '.join(RESERVED)}"
        if key in question.keys[:place]:
            return f"keys has {key!r} twice; use different keys"
        if key in earlier:
            return f"the key {key!r} belongs to {earlier[key]!r} already; use different keys"
    return ""


def _spans_problem(rules: MarkRules, protocol: Protocol) -> str:
    if protocol.side_by_side > 1:
        return "marks need side_by_side = 1"
    if not 1 <= len(rules.severities) <= 4 or len(set(rules.severities)) < len(rules.severities):
        return f"severities must be one to four different names, got {', '.join(rules.severities) or 'none'}"
    unknown = [side for side in rules.sides if side not in _SIDES]
    if unknown or not rules.sides:
        return no_such("side", unknown[0], _SIDES) if unknown else "sides must be target, source or both"
    if "source" in rules.sides and "source" not in protocol.show:
        return "marks in the source need show = ['source']"
    if rules.weights and protocol.name in [question.id for question in protocol.questions]:
        return f"the score of the marks is called {protocol.name!r}, as a question is; use another id or name"
    if rules.weights:
        try:
            weights = weights_of(rules.weights)
            for severity in rules.severities:
                weights.weight(severity, "")
        except NlgaugeError as error:
            return error.message
    return ""
