"""Faithfulness: the share of the claims of an answer that the retrieved passages support.

    faithfulness = (1/K) sum_k s_k        s_k: support of claim k by the passages, from 0 to 1

A judge lists the claims and is asked about each of them; `claims="sentences"` takes the sentences of the answer,
and `nli` asks a classifier of entailment instead of the judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.features.tokens.text import can_be_seen
from nlgauge.metric import View, register
from nlgauge.metrics._shared.claims import Checked, ClaimSupport
from nlgauge.metrics._shared.judged import JudgedRow, texts_at


@register
@dataclass(frozen=True)
class Faithfulness(ClaimSupport):
    """The share of the claims of an answer that its contexts support, from 0 to 1."""

    contexts: str = "contexts"

    name: ClassVar[str] = "faithfulness"

    def __post_init__(self) -> None:
        self.require_field("contexts")
        super().__post_init__()

    def places(self) -> set[str]:
        return super().places() | {self.contexts}

    def rows(self, view: View) -> list[JudgedRow]:
        rows = [self.empty_row() for _ in range(len(view))]
        answers = [texts_at(view, "prediction", row)[0] for row in range(len(view))]
        asked = [row for row, answer in enumerate(answers) if can_be_seen(answer)]
        checked = [
            Checked(answers[row], texts_at(view, self.contexts, row), self.question_of(view, row))
            for row in asked
        ]
        for row, support in zip(asked, self.supports(view, checked), strict=True):
            rows[row] = self.row_of(support)
        return rows
