"""Context recall: the share of the claims of the reference that the retrieved passages support.

    context_recall = (1/K) sum_k s_k        s_k: support of claim k of the reference by the passages, from 0 to 1

It measures the retrieval and does not read the prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import Takes, View, register
from nlgauge.metrics._shared.claims import Checked, ClaimSupport
from nlgauge.metrics._shared.judged import JudgedRow, texts_at


@register
@dataclass(frozen=True)
class ContextRecall(ClaimSupport):
    """The share of the claims of the reference that the contexts support, from 0 to 1."""

    contexts: str = "contexts"

    name: ClassVar[str] = "context_recall"
    takes: ClassVar[Takes] = "pair"
    # The prediction does not matter.
    shows_empty: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.require_field("contexts")
        super().__post_init__()

    def places(self) -> set[str]:
        return super().places() | {"reference", self.contexts}

    def rows(self, view: View) -> list[JudgedRow]:
        checked = [
            Checked(
                texts_at(view, "reference", row)[0],
                texts_at(view, self.contexts, row),
                self.question_of(view, row),
            )
            for row in range(len(view))
        ]
        return [self.row_of(support) for support in self.supports(view, checked)]
