"""Context precision: whether the useful ones of the retrieved passages come first.

    precision_k = (1/k) sum_{i<=k} v_i        context_precision = sum_k v_k precision_k / sum_k v_k        0 without a useful passage

v_k is the usefulness of passage k for the reference (or, with `against="prediction"`, for the answer), from 0 to
1, according to a judge that sees one passage at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, offsets_of
from nlgauge.features.tokens.text import can_be_seen
from nlgauge.judges.prompts import Prompt, ready
from nlgauge.judges.prompts import passages as shown
from nlgauge.judges.reading import Judgment
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.judged import NAN, Judged, JudgedRow, texts_at


def average_precision(useful: Array) -> float:
    """Return the rank-weighted precision of passages by their usefulness from 0 to 1.

    >>> average_precision(np.array([1.0, 0.0, 1.0])), average_precision(np.array([0.0, 1.0]))
    (0.8333333333333333, 0.5)
    """
    precisions = useful.cumsum() / np.arange(1, len(useful) + 1)
    total = useful.sum()
    return float((useful * precisions).sum() / total) if total else 0.0


@register
@dataclass(frozen=True)
class ContextPrecision(Judged):
    """The rank-weighted precision of the contexts, from 0 to 1, and the share that is useful."""

    against: str = "reference"
    contexts: str = "contexts"

    name: ClassVar[str] = "context_precision"
    takes: ClassVar[Takes] = "pair"

    def __post_init__(self) -> None:
        require_choice(self, "against", ("reference", "prediction"))
        self.require_field("contexts")
        super().__post_init__()

    @property
    def shows_empty(self) -> bool:
        """True if the prediction does not matter."""
        return self.against == "reference"

    def template(self) -> Prompt:
        return ready("useful_passage")

    def places(self) -> set[str]:
        return {"prediction", "question", self.against, self.contexts}

    def measures(self) -> tuple[Output, ...]:
        score, *about = super().measures()
        return score, Output("useful", True, 0, 1, nan=NAN), *about

    def rows(self, view: View) -> list[JudgedRow]:
        contexts = [texts_at(view, self.contexts, row) for row in range(len(view))]
        targets = [texts_at(view, self.against, row)[0] for row in range(len(view))]
        is_empty = [not self.shows_empty and not can_be_seen(target) for target in targets]
        asked = [() if empty else passages for passages, empty in zip(contexts, is_empty, strict=True)]
        texts = [
            {"passage": passage, "answer_text": target, "question": shown(texts_at(view, "question", row))}
            for row, (passages, target) in enumerate(zip(asked, targets, strict=True))
            for passage in passages
        ]
        judgments = self.asked(view, self.template(), texts)
        bounds = offsets_of([len(passages) for passages in asked]).tolist()
        return [
            self.empty_row() if empty else self._row(tuple(judgments[start:end]))
            for empty, start, end in zip(is_empty, bounds, bounds[1:], strict=False)
        ]

    def _row(self, judgments: tuple[Judgment, ...]) -> JudgedRow:
        useful = np.array([judgment.score for judgment in judgments])
        share = float(useful.mean()) if len(useful) else 0.0
        return JudgedRow((average_precision(useful), share, *self.means_about(judgments)), judgments)
