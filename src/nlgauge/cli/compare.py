"""nlgauge compare: tests the systems of a saved result against each other."""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.options import AsJson, Confidence, Resamples, ResultDirectory, checked_confidence
from nlgauge.cli.output import comparison_document, show, show_json


def compare(
    directory: ResultDirectory,
    *,
    systems: Annotated[
        list[str] | None, typer.Argument(help="Systems to compare, each with each (default: the first with each of the others).")
    ] = None,
    test: Annotated[str, typer.Option(help="Test: randomisation (approximate randomisation) or bootstrap (paired bootstrap).")] = "randomisation",
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the resampling (default: that of the run).")] = None,
    as_json: AsJson = False,
) -> None:
    """Tests whether the systems of a saved result differ: differences, intervals, p-values."""
    from nlgauge.errors import ParameterError
    from nlgauge.results.storage import load
    from nlgauge.terminal.tables import comparison_table

    checked_confidence(confidence)
    result = load(directory)
    try:
        comparison = result.compare(*(systems or ()), test=test, confidence=confidence, resamples=resamples, seed=seed)
    except LookupError as error:
        raise ParameterError(error.args[0]) from None
    if as_json:
        show_json(comparison_document(comparison))
    else:
        show(comparison_table(comparison))
