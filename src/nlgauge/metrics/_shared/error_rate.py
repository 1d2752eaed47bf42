"""The base of WER, CER, MER, WIL and WIP: an alignment with its counts, and everything except the rate
itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.features.sequences import EditCounts
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.edits.distances import DELETIONS, HITS, INSERTIONS, SUBSTITUTIONS, opcodes
from nlgauge.metric import Arrays, Metric, Output, View

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation


def share_of_errors(substitutions: Array, deletions: Array, insertions: Array, hits: Array) -> Array:
    """Return the share of all alignment steps that are errors; 0 if there are no steps."""
    errors = substitutions + deletions + insertions
    return errors / np.where(errors + hits > 0, errors + hits, 1.0)


class ErrorRate(Metric):
    """The base of all rates of one alignment: everything except the unit and the formula, which is (S + D +
    I) / N here.
    """

    lowercase: bool
    tokenizer: ClassVar[str] = "jiwer"
    higher_is_better: ClassVar[bool] = False
    high: ClassVar[float] = math.inf

    def rate(self, substitutions: Array, deletions: Array, insertions: Array, hits: Array) -> Array:
        """Return the rate from the counts of an alignment."""
        expected = substitutions + deletions + hits
        return (substitutions + deletions + insertions) / np.where(expected > 0, expected, 1.0)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "tok": self.tokenizer}

    def libraries(self) -> tuple[str, ...]:
        return ("rapidfuzz",)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        counts = [Output(name, None, 0) for name in ("substitutions", "deletions", "insertions", "hits")]
        return {self.name: (Output(self.name, self.higher_is_better, 0, self.high), *counts)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {self.name: view.rows(EditCounts(Tokens(self.tokenizer, self.lowercase)))}

    def score(self, part: str, statistics: Array) -> Arrays:
        substitutions, deletions, insertions, hits = (
            statistics[..., i] for i in (SUBSTITUTIONS, DELETIONS, INSERTIONS, HITS)
        )
        rate = self.rate(substitutions, deletions, insertions, hits)
        return {
            self.name: rate,
            "substitutions": substitutions,
            "deletions": deletions,
            "insertions": insertions,
            "hits": hits,
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import Edit, Edits

        rows = self.statistics(view, fitted)[self.name]
        feature = Tokens(self.tokenizer, self.lowercase)
        for row, prediction_id, reference_id in zip(rows, view.predictions, view.reference, strict=True):
            prediction, ours = feature.located(view.text(prediction_id))
            reference, theirs = feature.located(view.text(reference_id))
            edits = [Edit.of(run, reference, prediction) for run in opcodes(reference, prediction)]
            yield Edits(
                f"{self.name} {self.score(self.name, row)[self.name]:.4f}",
                {self.name: row},
                edits,
                spans={"prediction": ours, "reference": theirs},
            )
