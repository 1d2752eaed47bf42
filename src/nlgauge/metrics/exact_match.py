"""Exact match: the share of predictions that equal a reference, by default character for character."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features import RowKernel
from nlgauge.features.pairs import Counts
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric import Arrays, Metric, Output, View, register


@register
@dataclass(frozen=True)
class ExactMatch(Metric):
    """1 if prediction and reference are the same text, else 0; the corpus score is the mean."""

    lowercase: bool = False
    ignore_punctuation: bool = False
    ignore_numbers: bool = False

    name: ClassVar[str] = "exact_match"
    aliases: ClassVar[dict[str, Any]] = {"em": {}}

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"exact_match": (Output("exact_match", True, 0, 1),)}

    @property
    def _dropped(self) -> str:
        return (string.punctuation if self.ignore_punctuation else "") + (
            string.digits if self.ignore_numbers else ""
        )

    def counts(self, view: View) -> Array:
        """(rows,) 1 if the texts are the same."""
        equal: Array = (view.predictions == view.reference).astype(np.float64)
        dropped = self._dropped
        if dropped or self.lowercase:
            table = str.maketrans("", "", dropped)
            for row in np.flatnonzero(equal == 0).tolist():
                texts = (view.text(side[row]) for side in (view.predictions, view.reference))
                first, second = (
                    (text.lower() if self.lowercase else text).translate(table) for text in texts
                )
                equal[row] = first == second
        return equal

    def row_kernel(self) -> RowKernel | None:
        """Return the compiled function of `counts`; None if characters are ignored."""
        if self._dropped:
            return None
        return RowKernel("equal", Tokens("characters", self.lowercase), 1, lambda columns: columns[:, 0])

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"exact_match": np.column_stack([view.rows(Counts(self)), np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"exact_match": statistics[..., 0] / statistics[..., 1]}
