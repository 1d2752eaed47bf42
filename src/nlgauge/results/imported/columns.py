"""Columns of imported scores: direction, bounds and levels of each, and its values as numbers."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nlgauge.corpus.validation import is_missing
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric.imported import DIRECTIONS, RESERVED, Imported

# Scores whose names end like this are better if they are lower.
_LOWER = tuple("_ms _seconds latency cost price tokens error_rate wer cer ter perplexity loss".split())
_NUMBER = r"([-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)"
_LEVEL = re.compile(rf"(.+)={_NUMBER}")
_RANGE = re.compile(rf"{_NUMBER}\.\.{_NUMBER}")
_ROUNDING = 1e-9
# Squares of larger scores, summed over many segments, could overflow.
_LARGEST = 1e100
_TRUTH = {"true": 1.0, "false": 0.0}
_PLAIN = (float, int, bool)
# Texts that programs write for a missing number.
_MISSING = ("", "nan", "none", "null")
Scores = str | Iterable[str] | Mapping[str, Any]


@dataclass(frozen=True)
class ScoreSpec:
    """A score to import: its name, direction, bounds and levels; `better` is "" if the direction is not
    known.
    """

    name: str
    better: str = ""
    low: float = -math.inf
    high: float = math.inf
    levels: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> ScoreSpec:
        """Read a score as the command line names it.

        >>> ScoreSpec.parse("latency:lower:0..60").high
        60.0
        >>> ScoreSpec.parse("tone:rude/neutral/polite").levels
        ('rude', 'neutral', 'polite')
        """
        name, *facts = text.split(":")
        spec = cls(name.strip())
        for fact in facts:
            bounds = _RANGE.fullmatch(fact)
            if fact in DIRECTIONS:
                spec = replace(spec, better=fact)
            elif bounds is not None:
                spec = replace(spec, low=float(bounds[1]), high=float(bounds[2]))
            elif "/" in fact:
                spec = replace(spec, levels=tuple(fact.split("/")))
            else:
                raise ParameterError(
                    f"cannot read {fact!r} of the score {text!r:.60}; write NAME, NAME:lower, NAME:higher:0..1"
                    " or NAME:worst/.../best."
                )
        return spec.checked()

    def bounded(self, bounds: Any) -> ScoreSpec:
        """Return the score with these bounds; raise ParameterError if they are not two numbers."""
        try:
            low, high = map(float, bounds)
        except (TypeError, ValueError):
            raise ParameterError(
                f"the bounds of {self.name} are {bounds!r:.60}; pass two numbers, such as (0, 1)."
            ) from None
        return replace(self, low=low, high=high).checked()

    def checked(self) -> ScoreSpec:
        """Return the score; raise ParameterError if it is not valid."""
        if not self.name or self.name in RESERVED:
            raise ParameterError(
                f"a score cannot be named {self.name!r}; rename its column ({', '.join(RESERVED)} are counts)."
            )
        if not self.low < self.high:
            raise ParameterError(
                f"{self.name}: the lower bound {self.low:g} is not below the upper bound {self.high:g}."
            )
        if self.levels and (len({*self.levels} - {""}) < max(2, len(self.levels))):
            raise ParameterError(
                f"{self.name} needs two or more different levels, the worst first, got {'/'.join(self.levels):.60}."
            )
        values = list(level_values(self.levels).values())
        if values != sorted(set(values)):
            raise ParameterError(
                f"the levels of {self.name} have the values {', '.join(f'{value:g}' for value in values)}; write"
                " different values, the worst first."
            )
        if self.levels and self.is_bounded:
            raise ParameterError(
                f"{self.name} has levels, whose values are its bounds; leave out its bounds."
            )
        return self

    @property
    def is_bounded(self) -> bool:
        """True if a bound is stated."""
        return math.isfinite(self.low) or math.isfinite(self.high)


def level_values(levels: Sequence[str]) -> dict[str, float]:
    """Return the number of each level: from 0 to 1 in equal steps, or the numbers of pairs LEVEL=NUMBER.

    >>> level_values(["rude", "neutral", "polite"]), level_values(["rude=1", "polite=5"])
    ({'rude': 0.0, 'neutral': 0.5, 'polite': 1.0}, {'rude': 1.0, 'polite': 5.0})
    """
    pairs = [_LEVEL.fullmatch(level) for level in levels]
    if levels and all(pairs):
        return {match[1]: float(match[2]) for match in pairs if match}
    return {level: i / (len(levels) - 1) for i, level in enumerate(levels)}


def score_specs(scores: Scores, bounds: Mapping[str, tuple[float, float]] | None = None) -> list[ScoreSpec]:
    """Return the scores to import, from names, or from a mapping of names to directions or levels."""
    if not isinstance(scores, Iterable):
        raise ParameterError(f"scores is {scores!r:.60}; pass names of scores.")
    named: Mapping[str, Any] = scores if isinstance(scores, Mapping) else {}
    texts = [scores] if isinstance(scores, str) else list(scores)
    specs = []
    for text in texts:
        if not isinstance(text, str):
            raise ParameterError(f"scores contains {text!r:.60}, which is not the name of a score.")
        spec = described_score(text, named[text]) if named else ScoreSpec.parse(text)
        if bounds and spec.name in bounds:
            spec = spec.bounded(bounds[spec.name])
        specs.append(spec)
    unknown = [name for name in bounds or () if name not in {spec.name for spec in specs}]
    if unknown or not specs:
        raise ParameterError(
            f"bounds names the score {unknown[0]!r}, which is not among scores."
            if unknown
            else "scores is empty; name at least one score."
        )
    return specs


def described_score(name: str, value: Any) -> ScoreSpec:
    """Return the score of a name, from a direction or a list of levels."""
    if isinstance(value, ScoreSpec):
        return replace(value, name=name).checked()
    if isinstance(value, str) and value in DIRECTIONS:
        return ScoreSpec(name, value).checked()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ScoreSpec(name, "higher", levels=tuple(map(str, value))).checked()
    raise ParameterError(
        f"scores[{name!r}] is {value!r:.60}; pass 'higher', 'lower', 'neither', or the levels from worst to best."
    )


class ScoreReader:
    """The values of one score, as numbers; it learns the kind of the score from the values."""

    def __init__(self, spec: ScoreSpec) -> None:
        self.spec = spec
        self._levels = level_values(spec.levels)
        self._kinds: set[type] = set()
        # Programs round: 100.00000000000004 is on a scale to 100, and -1e-17 on a scale from 0.
        slack = _ROUNDING * max([abs(x) for x in (spec.low, spec.high) if math.isfinite(x)], default=0.0)
        self._lowest = max(spec.low - slack, -_LARGEST)
        self._highest = min(spec.high + slack, _LARGEST)

    def plain(self, value: Any) -> list[float] | None:
        """Return a number in its bounds as a score, without the cost of `read`; None if `read` is needed."""
        if type(value) in _PLAIN and not self._levels and self._lowest <= value <= self._highest:
            self._kinds.add(type(value))
            return [float(value)]
        return None

    def all_plain(self, values: Sequence[Any]) -> list[float] | None:
        """Return numbers in their bounds, as `plain` does for each; None if some value needs `read`."""
        kinds = set(map(type, values))
        if self._levels or not kinds <= set(_PLAIN):
            return None
        try:
            numbers = np.array(values, dtype=np.float64)
        except OverflowError:
            return None
        if not ((self._lowest <= numbers) & (numbers <= self._highest)).all():
            return None
        self._kinds |= kinds
        return numbers.tolist()  # type: ignore[no-any-return]

    def read(self, value: Any, place: Callable[[], str]) -> list[float]:
        """Return the scores of an answer: one number, several judge runs, or none if the score is missing."""
        if isinstance(value, list | tuple | np.ndarray):
            return [number for each in value for number in self.read(each, place)]
        if isinstance(value, np.generic):
            value = value.item()
        if is_missing(value) or (isinstance(value, str) and self._is_missing(value)):
            return []
        number = self._number(value, place)
        if not self._lowest <= number <= self._highest:
            raise InputError(
                f"{place()}: {self.spec.name} is {value!r:.40}, outside {self.spec.low:g}..{self.spec.high:g}."
            )
        return [number]

    def _is_missing(self, text: str) -> bool:
        """Return True if a text stands for a missing score; names of levels do not."""
        return text.strip().lower() in _MISSING and text not in self._levels

    def _number(self, value: Any, place: Callable[[], str]) -> float:
        name = self.spec.name
        if self._levels:
            if str(value) not in self._levels:
                raise InputError(
                    f"{place()}: {name} is {value!r:.40}, which is not one of its levels"
                    f" {', '.join(self._levels)}."
                )
            return self._levels[str(value)]
        truth = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else None
        self._kinds.add(bool if truth is not None else type(value))
        try:
            number = float(value) if truth is None else truth
        except OverflowError:
            number = math.inf
        except (TypeError, ValueError):
            raise InputError(
                f"{place()}: {name} is {value!r:.40}, which is not a number",
                python=f"for categories pass scores={{{name!r}: [worst, ..., best]}}",
                cli=f"for categories write {name}:worst/.../best",
            ) from None
        if not abs(number) <= _LARGEST:
            raise InputError(
                f"{place()}: {name} is {number:g}; scores must be finite, and at most {_LARGEST:g} in size."
            )
        return number

    def metric(self, taken: Iterable[str], origin: str = "") -> Imported:
        """Return the metric of the values that were read; a name that another metric has gets a prefix."""
        spec = self.spec
        column = (
            spec.name if spec.name not in taken else f"{origin.partition(' ')[0] or 'imported'}.{spec.name}"
        )
        kind = "levels" if self._levels else "binary" if self._kinds == {bool} else "number"
        ends = list(self._levels.values()) or [0.0, 1.0]
        low, high = (spec.low, spec.high) if kind == "number" or spec.is_bounded else (ends[0], ends[-1])
        return Imported(column, spec.better or self._direction(), low, high, kind, spec.levels, origin)

    def _direction(self) -> str:
        if self.spec.levels:
            return "higher"
        if self.spec.name.lower().endswith(_LOWER):
            return "lower"
        if self._kinds != {bool}:
            warnings.warn(
                f"{self.spec.name}: higher is taken as better; write {self.spec.name}:lower if it is not.",
                stacklevel=5,
            )
        return "higher"
