"""Exact match: the share of predictions that equal a reference, by default character for character."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.equality import SameTexts
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
        ignored = string.punctuation * self.ignore_punctuation + string.digits * self.ignore_numbers
        equal = view.rows(SameTexts(self.lowercase, ignored))
        return {"exact_match": np.column_stack([equal, np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"exact_match": statistics[..., 0] / statistics[..., 1]}
