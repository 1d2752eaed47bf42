"""The base of metrics whose numbers a model gives row by row: means over segments, cut texts, empty
predictions, unknown tokens.

An empty prediction is scored: by the model if the authors' program shows it the empty text, else with the
worst value. A row with an empty reference or source has no value, because it is not a fault of the system.
`empty="missing"` leaves empty predictions without a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.metric import EMPTY, TRUNCATED, AbstractMetric, Output, View
from nlgauge.metric.domains import require_choice, require_model
from nlgauge.metric.mean import MeanMetric, Measured
from nlgauge.metrics._shared.unknown_tokens import (
    UNKNOWN_TOKENS,
    ReadableTexts,
    read_texts,
    readable,
    visible,
)
from nlgauge.models import ModelSpec, model_facts
from nlgauge.models.weights.catalog import Kind

NO_TEXT = "a text is empty, or the model knows none of its tokens"


class UsesModel(AbstractMetric):
    """A metric with the parameter `model`: it is checked, and the signature names its weights."""

    model: ModelSpec

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self)

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), **model_facts(self.model)}


@dataclass(frozen=True)
class ModelMeans(MeanMetric):
    """A metric with one part, whose corpus score is the mean over the segments that have a value."""

    empty: str = field(default="scored", kw_only=True)

    revision: ClassVar[int] = 2
    # True if an empty prediction is shown to the model, because the authors' program does so.
    shows_empty: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "empty", ("scored", "missing"))

    def counted(self) -> tuple[Output, ...]:
        return TRUNCATED, self.empty_output(), UNKNOWN_TOKENS

    def empty_output(self) -> Output:
        """Return the count of empty predictions."""
        return (
            EMPTY
            if self.empty == "scored"
            else replace(EMPTY, note="predictions were empty and have no score")
        )

    def with_empty(self, values: Array, empty: Array) -> Array:
        if self.empty == "missing":
            return np.where(empty[:, None], np.nan, values)
        return super().with_empty(values, empty)

    def scored(self, view: View, read: Mapping[str, ReadableTexts]) -> tuple[Array, Array]:
        """Return the rows that the model scores, and the rows in which only the prediction is empty."""
        others = [reading for side, reading in read.items() if side != "prediction"]
        empty = empty_rows(view, read["prediction"], *others)
        return readable(view, *read.values()) | (empty if self.shows_empty else False), empty

    def title(self, statistics: Array) -> str:
        """Return the measures of a row in words."""
        scores = self.score(self.name, statistics)
        return f"{self.name} " + ", ".join(
            f"{output.name} {float(scores[output.name]):.4f}" for output in self.measures()
        )


def measured(values: Array, truncated: Array, empty: Array, counts: Array) -> Measured:
    """Return the rows of a metric that counts cut texts, empty predictions, and unknown and all tokens."""
    return Measured(values, empty, [truncated, empty, counts])


def read_sides(view: View, model: ModelSpec, kind: Kind, sides: Iterable[str]) -> dict[str, ReadableTexts]:
    """Return the predictions, references or sources as a model can read them."""

    def ids(side: str) -> Array:
        if side == "prediction":
            return visible(view, view.predictions)
        return view.source if side == "source" else view.reference

    return {side: read_texts(view.features, model, kind, ids(side)) for side in sides}


def empty_rows(view: View, prediction: ReadableTexts, *others: ReadableTexts) -> Array:
    """Return the rows in which only the prediction is empty to the model: no visible character, or no known
    token.
    """
    empty = ~readable(view, prediction)
    return empty & readable(view, *others) if others else empty


def with_mean(values: Array) -> Array:
    """Return the columns, and before them their mean if there are several."""
    return np.column_stack([values.mean(axis=1), values]) if values.shape[1] > 1 else values
