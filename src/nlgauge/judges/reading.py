"""Numbers from replies: strict parsers, and the expected score from the probabilities of the levels.

    p_l = sum of the probabilities of the tokens that, without blanks around them, are the level l
    score = sum_l l p_l / sum_l p_l        covered = sum_l p_l

A reply counts only if the whole reply is a level, or if it contains the required mark; the first number in
prose does not count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, variance
from typing import Any, NamedTuple, Protocol

from nlgauge.judges.requests import Failure, alternatives, is_cut, refusal_of, text_of, tokens_of

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
# Starts of replies that refuse in words; they are counted separately from replies that cannot be read.
_REFUSING = re.compile(
    r"(?:i['’]?m sorry|i am sorry|sorry,|i can(?:no|['’])t\b|i am unable|i['’]m unable|as an ai\b)",
    re.IGNORECASE,
)


class ReadReply(NamedTuple):
    """Value of a reply, and the rule that read it."""

    value: float
    rule: str


@dataclass(frozen=True)
class Scale:
    """Levels that a judge chooses from, each with its value.

    Without levels, a reply may be any number from `low` to `high`.
    """

    levels: tuple[tuple[str, float], ...] = ()
    low: float = 0.0
    high: float = 100.0

    @classmethod
    def between(cls, low: int, high: int) -> Scale:
        """Return the scale of whole numbers from low to high."""
        return cls(tuple((str(level), float(level)) for level in range(low, high + 1)), low, high)

    @classmethod
    def of(cls, levels: Mapping[str, float]) -> Scale:
        """Return the scale of words or letters with their values."""
        return cls(tuple(levels.items()), min(levels.values()), max(levels.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the levels."""
        return tuple(name for name, _ in self.levels)

    def value(self, word: str) -> float | None:
        """Return the value of a level, or of a number within the scale; None for any other word."""
        word = word.strip()
        values = {name.casefold(): value for name, value in self.levels}
        if word.casefold() in values:
            return values[word.casefold()]
        numeric = all(_NUMBER.fullmatch(name) for name in self.names)
        if numeric and _NUMBER.fullmatch(word) and self.low <= float(word) <= self.high:
            return float(word)
        return None


@dataclass(frozen=True)
class Expected:
    """Required form of a reply: a level and nothing else or, if there is a mark, a level after the mark."""

    scale: Scale
    mark: str = ""

    def read(self, text: str) -> ReadReply | None:
        """Read the value that a reply states; the last mark counts."""
        if not self.mark:
            value, rule = self.scale.value(_bare(text)), "the whole reply"
        else:
            after = [text[match.end() :] for match in re.finditer(re.escape(self.mark), text, re.IGNORECASE)]
            word = re.match(r"[\s:*(\[]*([+-]?\w+(?:\.\d+)?)", after[-1]) if after else None
            value, rule = (
                None if word is None else self.scale.value(word.group(1)),
                f"the level after {self.mark}",
            )
        return None if value is None else ReadReply(value, rule)

    def probabilities(self, reply: Mapping[str, Any]) -> dict[str, float]:
        """Return the probability of each level, at the token at which the reply states it.

        This is the first token that is not blank or, if there is a mark, the first alphanumeric token after
        the last mark.
        """
        probabilities = dict.fromkeys(self.scale.names, 0.0)
        token = self._place(tokens_of(reply) or [])
        if token is not None:
            folded = {name.casefold(): name for name in probabilities}
            for word, log_probability in alternatives(token):
                name = folded.get(word.strip().casefold())
                if name is not None:
                    probabilities[name] += math.exp(log_probability)
        return probabilities

    def _place(self, tokens: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        if not self.mark:
            return next(
                (token for token in tokens if str(token.get("token", "")).strip()),
                tokens[0] if tokens else None,
            )
        before = ""
        for i, token in enumerate(tokens):
            before += str(token.get("token", ""))
            if (
                self.mark.lower() in before.lower()
                and self.mark.lower() not in "".join(str(t.get("token", "")) for t in tokens[i + 1 :]).lower()
            ):
                return next(
                    (
                        later
                        for later in tokens[i + 1 :]
                        if any(sign.isalnum() for sign in str(later.get("token", "")))
                    ),
                    None,
                )
        return None


def _bare(text: str) -> str:
    """Remove quotation marks, emphasis and a full stop around a reply."""
    return text.strip().strip("\"'`*_“”‘’").strip().removesuffix(".").strip("*_")


class Reads(Protocol):
    """Protocol of a rule that reads a reply; a rule is a frozen value."""

    def read(self, text: str) -> ReadReply | None:
        """Read the value of a reply; None if it states none."""


@dataclass(frozen=True)
class AnyText:
    """Rule that accepts every reply with text in it; its value has no meaning."""

    def read(self, text: str) -> ReadReply | None:
        """Read a reply that is not blank."""
        return ReadReply(0.0, "any text") if text.strip() else None


@dataclass(frozen=True)
class Judgment:
    """Score from the replies to one question, or the reason why there is none."""

    score: float = math.nan
    covered: float = math.nan
    variance: float = math.nan
    levels: Mapping[str, float] = field(default_factory=dict)
    failure: Failure = ""
    why: str = ""
    prompt: str = ""
    replies: tuple[str, ...] = ()
    # Distinct rules that read the replies.
    rules: tuple[str, ...] = ()


def judged(
    replies: Sequence[Mapping[str, Any]], expected: Reads, scoring: str, n: int, prompt: str = ""
) -> Judgment:
    """Return the judgment that results from replies."""
    texts = tuple(text_of(reply) for reply in replies if "failure" not in reply)
    missing = next((reply for reply in replies if "failure" in reply), None)
    if missing is not None and not texts:
        return Judgment(failure=missing["failure"], why=str(missing["why"]), prompt=prompt)
    if scoring == "probabilities":
        assert isinstance(expected, Expected)
        return _expected_score(replies, texts, expected, prompt)
    readings = [
        reading
        for reply in replies
        if "failure" not in reply and (reading := _reading(reply, expected)) is not None
    ]
    if not readings:
        failure, why = _why_not(replies)
        return Judgment(failure=failure, why=why, prompt=prompt, replies=texts)
    values = [reading.value for reading in readings]
    rules = tuple(dict.fromkeys(reading.rule for reading in readings))
    spread = variance(values) if len(values) > 1 else math.nan
    shares = (
        {f"{value:g}": values.count(value) / len(values) for value in sorted(set(values))} if n > 1 else {}
    )
    return Judgment(fmean(values), math.nan, spread, shares, prompt=prompt, replies=texts, rules=rules)


def _expected_score(
    replies: Sequence[Mapping[str, Any]], texts: tuple[str, ...], expected: Expected, prompt: str
) -> Judgment:
    # With a mark, there may be a second reply, because the first reply lacked the mark.
    by_reply = [
        expected.probabilities(reply) for reply in replies if "failure" not in reply and not refusal_of(reply)
    ]
    if not by_reply:
        failure, why = _why_not(replies)
        return Judgment(failure=failure, why=why, prompt=prompt, replies=texts)
    levels = max(by_reply, key=lambda levels: sum(levels.values()) > 0)
    covered = min(1.0, sum(levels.values()))
    if covered <= 0:
        failure, why = _why_not(replies)
        return Judgment(covered=0.0, levels=levels, failure=failure, why=why, prompt=prompt, replies=texts)
    values = dict(expected.scale.levels)
    score = sum(values[name] * probability for name, probability in levels.items()) / sum(levels.values())
    return Judgment(score, covered, levels=levels, prompt=prompt, replies=texts)


def _reading(reply: Mapping[str, Any], expected: Reads) -> ReadReply | None:
    return None if is_cut(reply) or refusal_of(reply) else expected.read(text_of(reply))


def _why_not(replies: Sequence[Mapping[str, Any]]) -> tuple[Failure, str]:
    """Return the failure, and the reason why no reply could be read."""
    for reply in replies:
        if "failure" not in reply:
            refusal = refusal_of(reply)
            if refusal:
                return "refused", refusal
            if _REFUSING.match(text_of(reply).strip()):
                return "refused", text_of(reply).strip()
    last = next(reply for reply in reversed(replies) if "failure" not in reply)
    why = "the reply exceeds max_tokens" if is_cut(last) else "the reply does not have the required form"
    return "unparsed", why
