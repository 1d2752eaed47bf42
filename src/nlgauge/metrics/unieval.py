"""UniEval: a T5 is asked yes-or-no questions about a text; each answer is the probability of "Yes" against
"No".

    p = exp(z_Yes) / (exp(z_Yes) + exp(z_No))       z: logits of the first piece of "Yes" and "No" at the decoder's first step

A question, the text and the text to compare it with form one prompt of up to `max_length` tokens, with </s>
between them; a longer prompt loses its end, which is the document. Some questions are asked of every
sentence: the answers are averaged; the answers on engagingness are added up, so that it has no upper bound.
The authors' program splits sentences by NLTK's Punkt (`splitter="punkt"`). The overall score is the mean over
the dimensions.

The questions are part of the released models, which were trained with them; they come from add_question in
the authors' program (utils.py of github.com/maszhongming/UniEval, MIT). Its facts of a dialogue are here the
references.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.features.tokens.sentences import SPLITTERS
from nlgauge.metric import Output, register
from nlgauge.metric.domains import require_choice, require_model, require_whole
from nlgauge.metrics._shared.answers import AnswerMetric, Question, probability_of_first
from nlgauge.metrics._shared.model_means import NO_TEXT
from nlgauge.models import ModelSpec

_CONSISTENCY = Question(
    "question: Is this claim consistent with the document? </s> claim: {prediction} </s> document: {source}",
    "mean",
)
TASKS = {
    "sum": {
        "coherence": Question(
            "question: Is this a coherent summary to the document? </s> summary: {prediction} </s> document:"
            " {source}",
        ),
        "consistency": _CONSISTENCY,
        "fluency": Question("question: Is this a fluent paragraph? </s> paragraph: {prediction}", "mean"),
        "relevance": Question(
            "question: Is this summary relevant to the reference? </s> summary: {prediction} </s> reference:"
            " {reference}",
        ),
    },
    "dialog": {
        "naturalness": Question(
            "question: Is this a natural response in the dialogue? </s> response: {prediction}"
        ),
        "coherence": Question(
            "question: Is this a coherent response given the dialogue history? </s> response: {prediction}"
            " </s> dialogue history: {source}",
        ),
        "engagingness": Question(
            "question: Is this an engaging and informative response according to the dialogue history and"
            " fact? </s> response: {prediction} </s> dialogue history: {source} </s> fact: {reference}",
            "sum",
        ),
        "groundedness": Question(
            "question: Is this response consistent with knowledge in the fact? </s> response: {prediction}"
            " </s> fact: {reference}",
        ),
        "understandability": Question(
            "question: Is this an understandable response in the dialogue? </s> response: {prediction}"
        ),
    },
    "d2t": {
        "naturalness": Question("question: Is this a fluent utterance? </s> utterance: {prediction}"),
        "informativeness": Question(
            "question: Is this sentence informative according to the reference? </s> sentence: {prediction}"
            " </s> reference: {reference}",
        ),
    },
    "fact": {"consistency": _CONSISTENCY},
}
# The authors ask the model for summaries about texts made of data.
_MODELS = {"sum": "unieval-sum", "dialog": "unieval-dialog", "d2t": "unieval-sum", "fact": "unieval-fact"}


@register
@dataclass(frozen=True)
class UniEval(AnswerMetric):
    """UniEval's dimensions of a task, and their mean (the score)."""

    model: ModelSpec | None = None
    task: str = "sum"
    dimensions: tuple[str, ...] | None = None
    max_length: int = 1024
    splitter: str = "sentencex"

    name: ClassVar[str] = "unieval"
    shows_empty: ClassVar[bool] = True
    source: ClassVar[bool] = True
    languages: ClassVar[tuple[str, ...] | None] = ("en",)
    tokens: ClassVar[tuple[str | int, ...]] = ("Yes", "No")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self, optional=True)
        require_choice(self, "task", TASKS)
        asked, known = self.dimensions, TASKS[self.task]
        fits = asked is None or (isinstance(asked, tuple) and bool(asked) and set(asked) <= set(known))
        self.require(fits, "dimensions", f"None or a tuple of some of {', '.join(known)}")
        require_whole(self, "max_length", 4)
        require_choice(self, "splitter", SPLITTERS)
        self.take_sides(self.sides())

    def prompts(self) -> Mapping[str, Question]:
        return {name: TASKS[self.task][name] for name in self.dimensions or TASKS[self.task]}

    def model_of(self, question: str) -> ModelSpec:
        return _MODELS[self.task] if self.model is None else self.model

    def max_tokens(self) -> int:
        return self.max_length

    def measures(self) -> tuple[Output, ...]:
        highs = {
            name: math.inf if question.over == "sum" else 1.0 for name, question in self.prompts().items()
        }
        if len(highs) > 1:
            highs = {"overall": max(highs.values()), **highs}
        return tuple(Output(name, True, 0, high, nan=NO_TEXT) for name, high in highs.items())

    def answer(self, logits: Array) -> Array:
        return probability_of_first(logits)
