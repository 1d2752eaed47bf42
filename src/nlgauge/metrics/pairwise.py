"""Pairwise: how probable it is that a judge prefers the prediction to another text, asked in both orders.

    w1 = p(A) + p(C)/2 if the prediction is A         w2 = p(B) + p(C)/2 if it is B         each over p(A) + p(B) + p(C)
    win = (w1 + w2) / 2        first_preferred = (w1 + 1 - w2) / 2 - 1/2        consistent = 1 if w1 and w2 name the same winner

The other text is the reference: to compare two systems, pass the texts of one as references. A judge that
always prefers the first text has first_preferred 1/2 and a win of 1/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nlgauge.features.tokens.text import can_be_seen
from nlgauge.judges.prompts import Prompt, ready
from nlgauge.judges.reading import Judgment
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metrics._shared.judged import NAN, Judged, JudgedRow, texts_of


@register
@dataclass(frozen=True)
class Pairwise(Judged):
    """The share of comparisons with the reference that the prediction wins, from 0 to 1; a tie is a half."""

    criterion: str = "overall quality: the text is clear, correct and does what was asked for"
    with_source: bool = False

    name: ClassVar[str] = "pairwise"
    takes: ClassVar[Takes] = "pair"

    def __post_init__(self) -> None:
        self.require(isinstance(self.criterion, str) and bool(self.criterion.strip()), "criterion", "a text")
        super().__post_init__()
        self._set("takes", "pair")

    def template(self) -> Prompt:
        prompt = ready("pairwise").filled(
            {"criterion": self.criterion, "texts": "\nSource:\n{source}\n" * self.with_source}
        )
        return replace(prompt, title=self.criterion)

    def places(self) -> set[str]:
        return self.template().places - {"first", "second"}

    def measures(self) -> tuple[Output, ...]:
        consistent = Output("consistent", True, 0, 1, nan=NAN)
        preferred = Output("first_preferred", None, -0.5, 0.5, nan=NAN)
        return Output("pairwise", True, 0, 1, nan=NAN), consistent, preferred, *self.about_replies()

    def rows(self, view: View) -> list[JudgedRow]:
        texts = texts_of(view)
        rows = [self._without_words(row["prediction"], row["reference"]) for row in texts]
        asked = [i for i, row in enumerate(rows) if row is None]
        orders = [
            {**texts[i], "first": texts[i][first], "second": texts[i][second]}
            for first, second in (("prediction", "reference"), ("reference", "prediction"))
            for i in asked
        ]
        found = self.asked(view, self.template(), orders)
        for place, i in enumerate(asked):
            rows[i] = self._of_both_orders(found[place], found[len(asked) + place])
        return [row for row in rows if row is not None]

    def _without_words(self, prediction: str, reference: str) -> JudgedRow | None:
        """Return the row of a text without words: it loses to a text with words; two of them are equal.

        None if the judge must be asked.
        """
        said = can_be_seen(prediction), can_be_seen(reference)
        if all(said):
            return None
        rest: Sequence[float] = (np.nan,) * (len(self.measures()) - 1)
        return JudgedRow((0.5 if not any(said) else float(said[0]), *rest), (), not said[0])

    def _of_both_orders(self, one: Judgment, other: Judgment) -> JudgedRow:
        first, second = one.score, 1 - other.score
        about = [
            np.mean(pair) for pair in zip(self.values_of(one)[1:], self.values_of(other)[1:], strict=True)
        ]
        same = np.nan if np.isnan(first + second) else float(np.sign(first - 0.5) == np.sign(second - 0.5))
        win, preferred = (first + second) / 2, (first + 1 - second) / 2 - 0.5
        return JudgedRow((win, same, preferred, *map(float, about)), (one, other))
