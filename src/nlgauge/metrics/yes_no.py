"""Yes or no: how probable it is that a judge answers a question about a text with Yes.

    score = p(Yes) / (p(Yes) + p(No))        or the share of Yes among samples

Upper and lower case and blanks before the word do not matter; covered is p(Yes) + p(No).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.judges.prompts import Prompt, ready
from nlgauge.metric import register
from nlgauge.metrics._shared.judged import Judged


@register
@dataclass(frozen=True)
class YesNo(Judged):
    """The probability of Yes, from 0 to 1; ask so that Yes is what a good text deserves."""

    question: str = "Is this text clear and correct?"
    with_source: bool = False
    with_reference: bool = False

    name: ClassVar[str] = "yes_no"

    def __post_init__(self) -> None:
        self.require(
            isinstance(self.question, str) and bool(self.question.strip()),
            "question",
            "a question that Yes or No answers",
        )
        super().__post_init__()

    def template(self) -> Prompt:
        texts = (
            "Source:\n{source}\n\n" * self.with_source + "Reference:\n{reference}\n\n" * self.with_reference
        )
        return ready("yes_no").filled({"question": self.question, "texts": texts})
