"""The option --ratings: human ratings of a campaign as scores of a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def rated(result: Result, ratings: Path | None) -> Result:
    """Return the result with the ratings, if there are any."""
    if ratings is None:
        return result
    from nlgauge.annotate.joining import with_ratings

    return with_ratings(result, ratings)
