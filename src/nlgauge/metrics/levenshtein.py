"""Levenshtein similarity: 1 - d / max(|h|, |r|), d the fewest substitutions, insertions and deletions between
the texts.

h is the prediction and r the reference, as code points (white space and case count) or as tokens. The scores
equal rapidfuzz's Levenshtein.normalized_similarity, so two empty texts are equal: 1. The corpus score is the
mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.explanations import Edit, Edits, Explanation
from nlgauge.features.sequences import EditDistance
from nlgauge.features.tokens.text import Tokens, tokenizer
from nlgauge.kernels.edits.distances import opcodes
from nlgauge.metric import Arrays, Metric, Output, View, register


@register
@dataclass(frozen=True)
class Levenshtein(Metric):
    """Normalized Levenshtein similarity of characters, or of tokens; 1 is perfect."""

    tokenizer: str = "characters"
    lowercase: bool = False

    name: ClassVar[str] = "levenshtein"

    def __post_init__(self) -> None:
        tokenizer(self.tokenizer)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"levenshtein": (Output("levenshtein", True, 0, 1), Output("distance", False, 0))}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        distance, *lengths = view.rows(EditDistance(Tokens(self.tokenizer, self.lowercase)))
        similarity = 1 - distance / np.maximum(np.maximum(*lengths), 1)
        return {"levenshtein": np.column_stack([similarity, distance, np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        similarity, distance, count = (statistics[..., i] for i in range(3))
        return {"levenshtein": similarity / count, "distance": distance / count}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)["levenshtein"]
        feature = Tokens(self.tokenizer, self.lowercase)
        for row, prediction_id, reference_id in zip(rows, view.predictions, view.reference, strict=True):
            (prediction, ours), (reference, theirs) = (
                feature.located(view.text(text)) for text in (prediction_id, reference_id)
            )
            edits = [Edit.of(run, reference, prediction) for run in opcodes(reference, prediction)]
            yield Edits(
                f"levenshtein {row[0]:.4f} ({counted(row[1], 'edit', spec='.0f')})",
                {"levenshtein": row},
                edits,
                spans={"prediction": ours, "reference": theirs},
            )
