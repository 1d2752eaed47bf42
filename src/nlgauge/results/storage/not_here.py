"""NotHere: a saved metric whose class is not imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import CorpusMetric, Output
from nlgauge.metric.saved import restore_outputs
from nlgauge.results.storage.layout import SavedMetric


@dataclass(frozen=True, eq=False)
class NotHere(CorpusMetric):
    """A saved metric whose class is not imported, with all that was saved of it; it can compute nothing."""

    saved: SavedMetric

    resamples: ClassVar[int] = 0

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.saved.name

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return restore_outputs(self.saved.outputs)

    def __str__(self) -> str:
        return self.saved.printed
