"""How a Result and a Comparison look in a terminal; plain text reads as well as colour, in 80 columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from nlgauge.show.pages.comparison import comparison_page
from nlgauge.show.pages.result import result_page
from nlgauge.show.writers.text import Printed

if TYPE_CHECKING:
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result


def result_table(
    result: Result,
    intervals: Mapping[str, Any] | None,
    comparison: Comparison | None = None,
    confidence: float = 0.95,
    details: bool = False,
) -> RenderableType:
    """Scores by metric and system, with intervals, and tests against the baseline if they are given; with
    details every output.
    """
    return Printed(result_page(result, intervals, comparison, confidence, details=details))


def comparison_table(comparison: Comparison) -> RenderableType:
    """A table for each pair of systems: both scores, the gain with its interval, p-values."""
    return Printed(comparison_page(comparison))
