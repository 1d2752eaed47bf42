"""What coverage and density share: the fragments of the source that a summary is put together from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.explain import Explanation, NgramMatches, Order
from nlgauge.features.text import TEXT_TOKENIZERS, Tokens
from nlgauge.kernels.fragments import fragment_sums, fragments, places
from nlgauge.metric import Arrays, Output, Takes, View
from nlgauge.metric.mean import MeanMetric


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
