"""The base of the readability indices: everything except the formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.lexical.readability import ReadabilityCounts
from nlgauge.metric import Arrays, Metric, Output, Takes, View


class ReadabilityIndex(Metric):
    """The base of the indices: everything except the formula."""

    takes: ClassVar[Takes] = "alone"
    missing_reason: ClassVar[str] = "empty"
    languages: ClassVar[tuple[str, ...] | None] = ("en",)
    # Direction and bounds of the index, and its counts besides words and sentences.
    higher_is_better: ClassVar[bool | None] = None
    bounds: ClassVar[tuple[float, float]]
    uses: ClassVar[tuple[str, ...]]

    def index(self, counts: Arrays) -> Array:
        """Return the index, from counts by name; words and sentences are above 0."""
        raise NotImplementedError

    def libraries(self) -> tuple[str, ...]:
        return ("sentencex", "regex")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        index = Output(self.name, self.higher_is_better, *self.bounds, nan="the text has no word", decimals=2)
        return {self.name: (index, *(Output(name, None, 0) for name in ("words", "sentences", *self.uses)))}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "sentences": f"sentencex-{corpus.lang or 'en'}+quotations"}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        counts, texts = view.get(ReadabilityCounts(view.lang or "en"), view.predictions)
        return {self.name: counts.values.reshape(-1, len(ReadabilityCounts.NAMES))[texts]}

    def score(self, part: str, statistics: Array) -> Arrays:
        counts = {name: statistics[..., i] for i, name in enumerate(ReadabilityCounts.NAMES)}
        known = (counts["words"] > 0) & (counts["sentences"] > 0)
        index = self.index(
            {**counts, **{name: np.where(known, counts[name], 1.0) for name in ("words", "sentences")}}
        )
        return {
            self.name: np.where(known, index, np.nan),
            **{name: counts[name] for name in ("words", "sentences", *self.uses)},
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        """Return the contribution of each word to the counts; hard words are highlighted."""
        feature = ReadabilityCounts(view.lang or "en")
        for row, text_id in zip(self.statistics(view, fitted)[self.name], view.predictions, strict=True):
            words = [word for sentence in feature.of(view.text(text_id)) for word in sentence]
            values = {name: [float(getattr(word, name)) for word in words] for name in self.uses}
            title = (
                f"{self.name} {self.score(self.name, row)[self.name]:.2f}"
                f" ({counted(row[0], 'word', spec='.0f')} in {counted(row[1], 'sentence', spec='.0f')})"
            )
            yield TokenScores(title, {self.name: row}, [word.text for word in words], values)
