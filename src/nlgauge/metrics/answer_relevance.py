"""Answer relevance: whether an answer addresses its question, whether or not the answer is true.

    score = (p(1)/2 + p(2)) / (p(0) + p(1) + p(2))        or the mean of samples, or one reply

The judge replies with 0 (does not address the question), 1 (in part, or with much else) or 2 (all of it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.judges.prompts import Prompt, ready
from nlgauge.metric import register
from nlgauge.metrics._shared.judged import Judged


@register
@dataclass(frozen=True)
class AnswerRelevance(Judged):
    """The relevance of an answer to its question, from 0 to 1."""

    name: ClassVar[str] = "answer_relevance"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"answer_relevancy": {}, "response_relevancy": {}}

    def template(self) -> Prompt:
        return ready("answer_relevance")
