"""Coverage: how much of a summary is copied from its source, by the extractive fragments F(A, S) of Newsroom.

    coverage = (1/|S|) sum_{f in F(A, S)} |f|            density = (1/|S|) sum_{f in F(A, S)} |f|^2

S is the summary, A the source, |.| counts tokens. F is found greedily: at each place of S the longest run of tokens that A has too. The
published program misses runs that begin inside one it has tried, and the default does as it does, because published numbers come from it;
`exhaustive` finds the longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.columns import Array
from nlgauge.explain import Explanation, NgramMatches, Order
from nlgauge.features.text import TEXT_TOKENIZERS, Tokens
from nlgauge.kernels.fragments import fragment_sums, fragments, places
from nlgauge.mean import MeanMetric
from nlgauge.metric import Arrays, Output, Takes, View, register


class CopiedFragments(MeanMetric):
    """What coverage and density share: everything but which of the two comes first."""

    exhaustive: bool
    tokenizer: str

    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True
    names: ClassVar[tuple[str, str]]

    def __post_init__(self) -> None:
        self.require(self.tokenizer in TEXT_TOKENIZERS, "tokenizer", f"one of {', '.join(TEXT_TOKENIZERS)}")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        known = {"coverage": Output("coverage", None, 0, 1), "density": Output("density", None, 0)}
        return {self.name: (*(known[name] for name in self.names), Output("fragments", None, 0))}

    def values(self, view: View) -> Array:
        tokens, summaries, sources = view.get(Tokens(self.tokenizer), view.predictions, view.source)
        sums = fragment_sums(tokens, summaries, sources, self.exhaustive)
        # As Newsroom: nothing of an empty summary is copied.
        length = np.maximum(tokens.lengths[summaries], 1)
        found = {"coverage": sums[:, 1] / length, "density": sums[:, 2] / length}
        return np.column_stack([*(found[name] for name in self.names), sums[:, 0]])

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        feature = Tokens(self.tokenizer)
        explanations: list[Explanation] = []
        for row, summary_id, source_id in zip(self.statistics(view, fitted)[self.name], view.predictions, view.source, strict=True):
            summary, source = feature.of(view.text(summary_id)), feature.of(view.text(source_id))
            longest = [0] * len(summary)
            for start, _, length in fragments(summary, source, places(source), self.exhaustive):
                longest[start : start + length] = [length] * length
            copied = Order("copied tokens", sum(length > 0 for length in longest), len(summary))
            title = f"{self.name} {row[0]:.4f} ({row[2]:.0f} copied fragments)"
            explanations.append(NgramMatches(title, {self.name: row}, summary, longest, [copied]))
        return explanations


@register
@dataclass(frozen=True)
class Coverage(CopiedFragments):
    """The share of the summary's tokens that are in a copied fragment, 0 to 1."""

    exhaustive: bool = False
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "coverage"
    names: ClassVar[tuple[str, str]] = ("coverage", "density")
