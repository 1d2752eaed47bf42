"""SEAHORSE: six models, each of which was trained to answer one question about a summary with "1" or "0".

    p_q = exp(z_1) / (exp(z_1) + exp(z_0))       z: logits of "1" and "0" at the decoder's first step

They are asked "premise: S hypothesis: H", with the document S and the summary H. The score is the mean over
the questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import Output, Takes, register
from nlgauge.metric.domains import require_model, require_whole
from nlgauge.metrics._shared.answers import AnswerMetric, Question, probability_of_first
from nlgauge.metrics._shared.model_means import NO_TEXT
from nlgauge.models import ModelSpec

QUESTIONS = ("q1", "q2", "q3", "q4", "q5", "q6")
_PLACE = "{question}"


@register
@dataclass(frozen=True)
class Seahorse(AnswerMetric):
    """The probability that a summary is comprehensible, free of repetition, grammatical, attributable,
    about the main ideas, and concise.
    """

    model: ModelSpec = "seahorse-large-{question}"
    questions: tuple[str, ...] = QUESTIONS
    max_length: int = 2048

    name: ClassVar[str] = "seahorse"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True
    tokens: ClassVar[tuple[str | int, ...]] = ("1", "0")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self)
        asked = self.questions
        fits = (
            isinstance(asked, tuple)
            and bool(asked)
            and set(asked) <= set(QUESTIONS)
            and len(set(asked)) == len(asked)
        )
        self.require(fits, "questions", f"a tuple of some of {', '.join(QUESTIONS)}")
        each = isinstance(self.model, str) and _PLACE in self.model
        self.require(
            each or len(asked) == 1,
            "model",
            f"a name that contains {_PLACE} if questions has several items, because each question"
            " has a separate model",
        )
        require_whole(self, "max_length", 4)

    def prompts(self) -> Mapping[str, Question]:
        return dict.fromkeys(self.questions, Question("premise: {source} hypothesis: {prediction}"))

    def model_of(self, question: str) -> ModelSpec:
        return self.model.replace(_PLACE, question) if isinstance(self.model, str) else self.model

    def max_tokens(self) -> int:
        return self.max_length

    def measures(self) -> tuple[Output, ...]:
        names = self.questions if len(self.questions) == 1 else ("mean", *self.questions)
        return tuple(Output(name, True, 0, 1, nan=NO_TEXT) for name in names)

    def answer(self, logits: Array) -> Array:
        return probability_of_first(logits)
