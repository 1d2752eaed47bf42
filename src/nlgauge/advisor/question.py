"""A question to the advisor, checked and in its words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge._core import language
from nlgauge.advisor import settings
from nlgauge.errors import ParameterError, did_you_mean


@dataclass(frozen=True)
class Question:
    """The task and language of texts, the inputs that the user has, and the use of the metric."""

    task: str
    lang: str
    have: tuple[str, ...]
    want: str
    level: str
    budget: float
    labels: int


def question(
    task: str, lang: str, have: str | Iterable[str], want: str, level: str, budget: float, labels: int
) -> Question:
    """Return the question, or raise an error that lists the values of the parameter that is wrong."""
    words = have.split(",") if isinstance(have, str) else list(have)
    inputs = {named("have", word, (*settings.INPUTS, "none")) for word in words if word}
    return Question(
        named("task", task, settings.TASKS),
        _language(lang),
        tuple(name for name in settings.INPUTS if name in inputs),
        named("want", want, tuple(settings.QUALITIES)),
        named("level", level, settings.LEVELS),
        float(_number("budget", budget, "seconds per 1,000 texts")),
        int(_number("labels", labels, "number of texts with human labels", whole=True)),
    )


def named(parameter: str, value: Any, names: Sequence[str]) -> str:
    """Return the name among `names` that a value stands for: in any case, in British spelling, or an alias."""
    folded = re.sub(r"[\W_]", "", str(value)).lower().replace("isation", "ization")
    by_word = {re.sub(r"\W", "", name): name for name in names}
    by_word |= {word: name for word, name in settings.ALIASES.items() if name in names}
    if not isinstance(value, str) or folded not in by_word:
        raise ParameterError(
            f"{parameter} is {value!r:.60}{did_you_mean(folded, names)}; choose from: {', '.join(names)}."
        )
    return by_word[folded]


def _language(lang: Any) -> str:
    try:
        return language.code(language.checked(lang) or "en")
    except ParameterError as error:
        raise ParameterError(f"{error} The codes are: {', '.join(language.codes())}.") from None


def _number(parameter: str, value: Any, meaning: str, whole: bool = False) -> float:
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0 or math.isinf(value):
        kind = "a whole number" if whole else "a finite number"
        raise ParameterError(f"{parameter} is {value!r:.60}; it must be {kind} of at least 0 ({meaning}).")
    return value
