"""Rubric: a judge writes feedback by a rubric, and then the level that the response deserves.

    reply = feedback [RESULT] l        score = sum_l l p(l) / sum_l p(l), p at the token after the mark; or l itself

The form follows Prometheus: feedback comes first, so that the level follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from nlgauge.judges.prompts import Prompt, ready
from nlgauge.judges.reading import Expected, Scale
from nlgauge.metric import register
from nlgauge.metric.domains import require_whole
from nlgauge.metrics._shared.judged import Judged

_LEVELS = (
    "The response fails the criteria.",
    "The response meets the criteria in small part.",
    "The response meets the criteria in part.",
    "The response meets the criteria but for small faults.",
    "The response meets the criteria in full.",
)


@register
@dataclass(frozen=True)
class Rubric(Judged):
    """The level that a judge gives after feedback, by criteria and a description of each level from the
    lowest, 1, to the highest.
    """

    scoring: str = "single"
    criteria: str = "Does the response do what was asked for, correctly and clearly?"
    levels: tuple[str, ...] = ()
    with_source: bool = True
    with_reference: bool = False
    max_tokens: int = 400

    name: ClassVar[str] = "rubric"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"prometheus": {}}
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.require(isinstance(self.criteria, str) and bool(self.criteria.strip()), "criteria", "a text")
        described = all(isinstance(level, str) for level in self.levels) and (
            not self.levels or 2 <= len(self.levels) <= 9
        )
        self.require(described, "levels", "two to nine descriptions, the lowest level first")
        require_whole(self, "max_tokens", 1, 32768)
        super().__post_init__()

    def template(self) -> Prompt:
        levels = self.levels or _LEVELS
        parts = [
            *(["Instruction:\n{source}"] if self.with_source else []),
            "Response to judge:\n{prediction}",
            *(
                ["Reference answer, which deserves the highest score:\n{reference}"]
                if self.with_reference
                else []
            ),
        ]
        described = [f"Score {number}: {text}" for number, text in enumerate(levels, 1)]
        said = {
            "low": "1",
            "high": str(len(levels)),
            "criteria": self.criteria,
            "levels": "\n".join(described),
            "texts": "\n\n".join(parts),
        }
        prompt = ready("rubric").filled(said)
        return replace(
            prompt,
            expects=Expected(Scale.between(1, len(levels)), prompt.expects.mark),
            max_tokens=self.max_tokens,
            title=self.criteria,
        )
