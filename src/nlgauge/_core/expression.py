"""Expressions that select segments, such as `domain = news and bleu[A] < 5`: their syntax.

    expr  := and ("or" and)*          and := not ("and" not)*        not := "not" not | "(" expr ")" | test | word
    test  := sum op value | sum op sum                                op := = != < <= > >= ~
    sum   := term (("+" | "-") term)*  term := name ["[" system "]"] | number
    value := number | none | word | text in double quotes

`parse` returns the tree; `nlgauge.corpus.selecting` evaluates it. `show/web/selecting.js` is the same parser
for the page, and both read the cases of tests/results/selection_cases.json.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from nlgauge.errors import ParameterError

OPERATORS = ("!=", "<=", ">=", "=", "<", ">", "~")
# Longer expressions and patterns are refused.
MOST_CHARACTERS = 2000
MOST_PATTERN = 200
# Deeper brackets are refused.
_MOST_DEPTH = 50
_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![^\s()+=!<>~-])")
# A word may contain - and + but not begin with them.
_WORD = re.compile(r'[^\s"()\[\]=!<>~+-][^\s"()\[\]=!<>~]*')
_VALUE = re.compile(r'[^\s"()]+')
_SPACE = re.compile(r"\s*")


class ExpressionError(ParameterError):
    """A mistake in an expression; `at` is its place, from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(f"{message} (at character {at + 1} of the expression).")
        self.says, self.at = message, at


@dataclass(frozen=True)
class Term:
    """A name, perhaps of one system, or a number; `sign` is 1 or -1."""

    name: str | None
    system: str | None
    number: float
    sign: int
    at: int
    system_at: int = 0


@dataclass(frozen=True)
class Value:
    """A text or a number on the right side; both are None for the value none."""

    text: str | None
    number: float | None
    at: int
    quoted: bool = False


@dataclass(frozen=True)
class Test:
    """A comparison of a sum with a value or another sum."""

    left: tuple[Term, ...]
    operator: str
    right: tuple[Term, ...] | Value
    at: int


@dataclass(frozen=True)
class Word:
    """A text that is searched in ids and texts."""

    text: str


@dataclass(frozen=True)
class Not:
    """The segments that do not meet an expression."""

    inner: Node


@dataclass(frozen=True)
class Every:
    """The segments that meet all (or, with `some`, at least one) of several expressions."""

    inner: tuple[Node, ...]
    some: bool = False


Node = Test | Word | Not | Every


def parse(text: str) -> Node | None:
    """Return the tree of an expression; None if it is empty.

    Raises
    ------
    ExpressionError
        If the expression has a mistake.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"an expression has at most {MOST_CHARACTERS} characters", MOST_CHARACTERS)
    reader = _Reader(text)
    if reader.at == len(text):
        return None
    node = reader.either()
    if reader.at < len(text):
        reader.fail("and, or, or the end is needed here")
    return node


class _Reader:
    """The text of an expression and the place up to which it was read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.space()

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        raise ExpressionError(message, self.at if at is None else at)

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = self.at if match is None else match.end()

    def taken(self, sign: str) -> bool:
        """Read a sign if it is next."""
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        self.space()
        return True

    def keyword(self, word: str) -> bool:
        """Read a keyword if it is the next word."""
        match = _WORD.match(self.text, self.at)
        return match is not None and match[0] == word and self.taken(word)

    def either(self) -> Node:
        parts = [self.both()]
        while self.keyword("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Every(tuple(parts), some=True)

    def both(self) -> Node:
        parts = [self.negated()]
        while self.keyword("and"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def negated(self) -> Node:
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            self.fail(f"an expression has at most {_MOST_DEPTH} brackets inside each other")
        node = self._negated()
        self.depth -= 1
        return node

    def _negated(self) -> Node:
        if self.keyword("not"):
            return Not(self.negated())
        if self.taken("("):
            node = self.either()
            if not self.taken(")"):
                self.fail("a ) is missing")
            return node
        return self.test()

    def test(self) -> Node:
        start = self.at
        left = self.sum()
        at = self.at
        operator = next((one for one in OPERATORS if self.taken(one)), None)
        if operator is None:
            (first, *more) = left
            if more or first.system is not None:
                self.fail("a comparison such as < 5 is needed here")
            return Word(self.text[start:at].strip() if first.name is None else first.name)
        return Test(left, operator, self.right(operator, left), at)

    def sum(self) -> tuple[Term, ...]:
        terms = [self.term(1)]
        while self.text[self.at : self.at + 1] in ("+", "-"):
            sign = -1 if self.text[self.at] == "-" else 1
            self.at += 1
            self.space()
            terms.append(self.term(sign))
        return tuple(terms)

    def term(self, sign: int) -> Term:
        at = self.at
        number = _NUMBER.match(self.text, at)
        if number is not None:
            self.at = number.end()
            self.space()
            return Term(None, None, float(number[0]), sign, at)
        name = self.quoted()
        if name is None:
            match = _WORD.match(self.text, at)
            if match is None:
                self.fail("a name, a number or a word is needed here")
            name = match[0]
            self.at = match.end()
            self.space()
        if not self.taken("["):
            return Term(name, None, 0.0, sign, at)
        system_at = self.at
        system = self.quoted()
        if system is None:
            end = self.text.find("]", self.at)
            if end < 0:
                self.fail("a ] is missing", len(self.text))
            system = self.text[self.at : end].strip()
            self.at = end
        if not self.taken("]"):
            self.fail("a ] is missing")
        return Term(name, system, 0.0, sign, at, system_at)

    def right(self, operator: str, left: tuple[Term, ...]) -> tuple[Term, ...] | Value:
        """Read a value, or a sum if the right side can only be one."""
        at = self.at
        quoted = self.quoted()
        if quoted is not None and not self.text.startswith("[", self.at):
            return Value(quoted, None, at, quoted=True)
        self.at = at
        match = _VALUE.match(self.text, at)
        if match is None and quoted is None:
            self.fail(
                f"a value is needed behind {operator}",
                len(self.text.rstrip()) if at == len(self.text) else at,
            )
        word = "" if match is None else match[0]
        number = _NUMBER.fullmatch(word)
        self.at = at if match is None else match.end()
        self.space()
        follows = self.text[self.at : self.at + 1]
        if quoted is None and "[" not in word and follows not in ("+", "-", "["):
            if word == "none":
                return Value(None, None, at)
            return Value(word, None if number is None else float(word), at)
        self.at = at
        return self.sum()

    def quoted(self) -> str | None:
        """Read a text in quotes if one is next."""
        if not self.text.startswith('"', self.at):
            return None
        start, found = self.at, []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            escaped = self.text[self.at] == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\")
            self.at += escaped
            found.append(self.text[self.at])
            self.at += 1
        if self.at == len(self.text):
            self.fail('a closing " is missing', start)
        self.at += 1
        self.space()
        return "".join(found)


_ESCAPED = set("^$\\.*+?()[]{}|/-\"'")
_CLASSES = set("dDwWbBsSntr")
_QUANTIFIER = re.compile(r"\{[0-9]{1,3}(?:,[0-9]{0,3})?\}|[*+?]")
_GROUPS = ("(?:", "(?=", "(?!")


def pattern(text: str) -> str:
    r"""Return a regular expression of the part of the language that Python and browsers share.

    \d, \w and \b mean characters of ASCII, `.` is any character but a line feed, and `$` is the end of the
    text. Look-behind, named groups, references to groups, possessive quantifiers and flags are refused.

    Raises
    ------
    ValueError
        If the pattern is not of this part; the message names the part.
    """
    if len(text) > MOST_PATTERN:
        raise ValueError(f"a regular expression has at most {MOST_PATTERN} characters")
    found: list[str] = []
    at, inside = 0, False
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            escape = text[at + 1 : at + 2]
            if escape not in _ESCAPED and (escape not in _CLASSES or (inside and escape in "bBDWS")):
                raise ValueError(f"\\{escape} is not supported")
            found.append(f"\\{escape}")
            at += 2
            continue
        if inside:
            if sign == "[":
                raise ValueError("[ within [ ] needs a \\")
            inside = sign != "]"
        elif sign == "[":
            inside = True
            if text[at + 1 : at + 2] == "]" or text[at + 1 : at + 3] == "^]":
                raise ValueError("[] is empty")
        elif sign == "(" and text.startswith("(?", at):
            group = text[at : at + 3]
            if group not in _GROUPS:
                raise ValueError(f"{group} is not supported")
            found.append(group)
            at += 3
            continue
        elif sign in "]}":
            raise ValueError(f"{sign} needs a \\")
        elif quantifier := _QUANTIFIER.match(text, at):
            end = quantifier.end()
            if text[end : end + 1] == "+":
                raise ValueError("possessive quantifiers are not supported")
            if text[end : end + 1] == "?":
                end += 1
            found.append(text[at:end])
            at = end
            continue
        elif sign == "{":
            raise ValueError("{ needs a \\")
        elif sign == "$":
            sign = r"\Z"
        found.append(sign)
        at += 1
    return "".join(found)
