"""The base of coverage and density: the fragments of the source that a summary consists of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Explanation, NgramMatches, Order
from nlgauge.features.fragments import Fragments
from nlgauge.features.tokens.text import TEXT_TOKENIZERS, Tokens
from nlgauge.metric import Arrays, Output, Takes, View
from nlgauge.metric.domains import require_choice
from nlgauge.metric.mean import MeanMetric


class CopiedFragments(MeanMetric):
    """The base of coverage and density: everything except their order."""

    exhaustive: bool
    tokenizer: str

    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True
    names: ClassVar[tuple[str, str]]

    def __post_init__(self) -> None:
        require_choice(self, "tokenizer", TEXT_TOKENIZERS)

    def measures(self) -> tuple[Output, ...]:
        known = {"coverage": Output("coverage", None, 0, 1), "density": Output("density", None, 0)}
        return (*(known[name] for name in self.names), Output("fragments", None, 0))

    def values(self, view: View) -> Array:
        fragments = view.rows(Fragments(Tokens(self.tokenizer), self.exhaustive))
        tokens, summaries = view.get(Tokens(self.tokenizer), view.predictions)
        # As Newsroom: nothing of an empty summary is copied.
        size = np.maximum(tokens.lengths[summaries], 1)
        lengths = fragments.values[:, 2].astype(np.float64)
        found = {"coverage": _sums(fragments, lengths) / size, "density": _sums(fragments, lengths**2) / size}
        return np.column_stack([*(found[name] for name in self.names), fragments.lengths])

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        feature = Tokens(self.tokenizer)
        rows, found = self.statistics(view, fitted)[self.name], view.rows(Fragments(feature, self.exhaustive))
        for row, summary_id, fragments in zip(rows, view.predictions, found, strict=True):
            summary, spans = feature.located(view.text(summary_id))
            longest = [0] * len(summary)
            for start, _, length in fragments.tolist():
                longest[start : start + length] = [length] * length
            copied = Order("copied tokens", sum(length > 0 for length in longest), len(summary))
            title = f"{self.name} {row[0]:.4f} ({counted(row[2], 'copied fragment', spec='.0f')})"
            yield NgramMatches(
                title, {self.name: row}, summary, longest, [copied], spans={"prediction": spans}
            )


def _sums(fragments: Ragged, values: Array) -> Array:
    """Return the sum of each row's values."""
    return np.bincount(fragments.owners, values, len(fragments))
