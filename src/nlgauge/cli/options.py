"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
Confidence = Annotated[float, typer.Option(help="Confidence of the intervals, between 0 and 1.")]
Resamples = Annotated[int, typer.Option(min=1, help="Number of resamples for intervals and tests.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a result that exists already.")]
ResultDirectory = Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A directory that `nlgauge score -o` wrote.", metavar="RESULT")]


def checked_confidence(value: float) -> float:
    """The confidence, or an error before any work is done."""
    if not 0 < value < 1:
        raise typer.BadParameter(f"{value} is not between 0 and 1; 0.95 means 95 %.", param_hint="'--confidence'")
    return value
