"""Exact match: the share of predictions that equal a reference, by default character for character."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
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

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        equal = view.predictions == view.reference
        dropped = (string.punctuation if self.ignore_punctuation else "") + (
            string.digits if self.ignore_numbers else ""
        )
        if dropped or self.lowercase:
            table = str.maketrans("", "", dropped)
            for row in np.flatnonzero(~equal).tolist():
                texts = (view.text(side[row]) for side in (view.predictions, view.reference))
                first, second = (
                    (text.lower() if self.lowercase else text).translate(table) for text in texts
                )
                equal[row] = first == second
        return {"exact_match": np.column_stack([equal, np.ones(len(equal))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"exact_match": statistics[..., 0] / statistics[..., 1]}
