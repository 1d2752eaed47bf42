"""Correctness: how far the claims of an answer and of its reference agree.

precision = share of the claims of the answer that the reference supports
recall = share of the claims of the reference that the answer supports
correctness = 2 precision recall / (precision + recall)        0 if both are 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.features.tokens.text import can_be_seen
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metrics._shared.claims import Checked, ClaimSupport, Support
from nlgauge.metrics._shared.judged import NAN, JudgedRow, texts_at


@register
@dataclass(frozen=True)
class Correctness(ClaimSupport):
    """The F-score of the claims of an answer and of its reference, from 0 to 1, with precision and recall."""

    name: ClassVar[str] = "correctness"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"answer_correctness": {}}
    takes: ClassVar[Takes] = "pair"

    def places(self) -> set[str]:
        return super().places() | {"reference"}

    def parts(self) -> tuple[Output, ...]:
        return Output("precision", True, 0, 1, nan=NAN), Output("recall", True, 0, 1, nan=NAN)

    def rows(self, view: View) -> list[JudgedRow]:
        rows = [self.empty_row() for _ in range(len(view))]
        texts = [
            (texts_at(view, "prediction", row)[0], texts_at(view, "reference", row)[0])
            for row in range(len(view))
        ]
        asked = [row for row, (answer, _) in enumerate(texts) if can_be_seen(answer)]
        questions = [self.question_of(view, row) for row in asked]
        checked = [
            Checked(texts[row][side], (texts[row][1 - side],), question)
            for side in (0, 1)
            for row, question in zip(asked, questions, strict=True)
        ]
        supports = self.supports(view, checked)
        for row, of_answer, of_reference in zip(
            asked, supports[: len(asked)], supports[len(asked) :], strict=True
        ):
            rows[row] = self._row(of_answer, of_reference)
        return rows

    def _row(self, of_answer: Support, of_reference: Support) -> JudgedRow:
        precision, recall = of_answer.share, of_reference.share
        total = precision + recall
        score = 2 * precision * recall / total if total else 0.0
        values = (score if not np.isnan(total) else np.nan, precision, recall)
        judgments = of_answer.judgments + of_reference.judgments
        return JudgedRow((*values, *self.means_about(of_answer.verdicts + of_reference.verdicts)), judgments)
