"""Advice: the answer of `choose`, which shows itself and writes itself to files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nlgauge._core.shown import Exported, written
from nlgauge.advisor.evidence import Row
from nlgauge.advisor.question import Question

if TYPE_CHECKING:
    from nlgauge._core.page import Page


class Separation(NamedTuple):
    """A benchmark, or a sample of its inputs, on which one metric is significantly better than another."""

    better: str
    worse: str
    benchmark: str
    sample: int | None


@dataclass(frozen=True)
class Recommendation:
    """A recommended metric with its cost in CPU seconds per 1,000 texts, its score and its evidence.

    `unbeaten` counts the rows, of `tested` rows, in which no metric is significantly better. `not_separated` has
    the metrics that were recommended before it and that differ significantly on no benchmark, `separated` the
    significant differences.
    """

    metric: str
    family: str
    seconds_per_1000: float
    score: float
    unbeaten: int
    tested: int
    evidence: tuple[Row, ...]
    not_separated: tuple[str, ...] = ()
    separated: tuple[Separation, ...] = ()


@dataclass(frozen=True)
class Indicator:
    """A metric without a direction that agrees with people more strongly than the best metric with one.

    It `measures` copying or length, which is not a quality.
    """

    metric: str
    measures: str
    evidence: tuple[Row, ...]


@dataclass(frozen=True, repr=False)
class Advice(Exported):
    """The answer to a question: recommended metrics, metrics that need a second metric, and the limits of the evidence.

    Attributes
    ----------
    verdict : {"good", "fair", "weak", "none"}
        How strongly the best metrics agree with people; "none" if nothing is recommended.
    recommendations : tuple of Recommendation
        Three at most, the first first.
    indicators : tuple of Indicator
        Metrics that describe the texts, in addition to the recommended metrics.
    never_alone : tuple of str
        Metrics in wide use that the evidence is against.
    unknown : tuple of str
        What the evidence does not cover.
    next : str
        What to do next.
    """

    question: Question
    verdict: str = "none"
    recommendations: tuple[Recommendation, ...] = ()
    indicators: tuple[Indicator, ...] = ()
    never_alone: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    next: str = ""

    def record(self) -> dict[str, Any]:
        """Return the advice as plain data."""
        return {name: _plain(value) for name, value in vars(self).items()}

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the advice as JSON, every number in full."""
        return written(json.dumps(self.record(), indent=2, ensure_ascii=False) + "\n", path)

    def _csv_records(self) -> list[dict[str, Any]]:
        """Return one record per recommended metric, benchmark and dimension."""
        return [
            {"metric": advised.metric, "seconds_per_1000": advised.seconds_per_1000, **_evidence(row)}
            for advised in self.recommendations
            for row in advised.evidence
        ]

    def _page(self, decimals: int | None = None) -> Page:
        from nlgauge.show.pages.advice import advice_page

        return advice_page(self, 2 if decimals is None else decimals)

    def _short_page(self) -> Page:
        return self._page()


def _evidence(row: Row) -> dict[str, Any]:
    """Return a row as plain data; only the rules need the metrics that it beats."""
    return {name: value for name, value in row._asdict().items() if name not in ("beats", "anchor_unbeaten")}


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        return _evidence(value)
    if isinstance(value, Separation):
        return value._asdict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in vars(value).items()} if hasattr(value, "__dict__") else value
