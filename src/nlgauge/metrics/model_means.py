"""What metrics share whose numbers a model gives text by text: means over the segments for which there is one, cut texts, unknown tokens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.metric import TRUNCATED, Arrays, Metric, Output, View
from nlgauge.metric.mean import share, values_and_defined
from nlgauge.metrics.unknown_tokens import UNKNOWN_TOKENS, unknown_share

NO_TEXT = "a text is empty, or the model knows none of its tokens"


class Measured(NamedTuple):
    """One row per row of the view: its numbers, NaN where undefined; whether a text was cut; unknown and all tokens of its texts."""

    values: Array
    truncated: Array
    counts: Array


class ModelMeans(Metric):
    """A metric with one part, whose corpus score is the mean over the segments that have a number."""

    def numbers(self) -> tuple[Output, ...]:
        """The outputs that are means."""
        raise NotImplementedError

    def measured(self, view: View) -> Measured:
        """The numbers of every row."""
        raise NotImplementedError

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {self.name: (*self.numbers(), TRUNCATED, UNKNOWN_TOKENS)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = self.measured(view)
        return {self.name: np.column_stack([values_and_defined(found.values), found.truncated, found.counts])}

    def score(self, part: str, statistics: Array) -> Arrays:
        statistics = np.asarray(statistics, dtype=np.float64)
        names = [output.name for output in self.numbers()]
        means = {name: share(statistics[..., i], statistics[..., len(names) + i]) for i, name in enumerate(names)}
        return {**means, "truncated": statistics[..., 2 * len(names)], **unknown_share(statistics)}

    def title(self, statistics: Array) -> str:
        """The numbers of a row in words."""
        found = self.score(self.name, statistics)
        return f"{self.name} " + ", ".join(f"{output.name} {float(found[output.name]):.4f}" for output in self.numbers())


def with_mean(values: Array) -> Array:
    """The columns, and before them their mean, where there are several."""
    return np.column_stack([values.mean(axis=1), values]) if values.shape[1] > 1 else values
