"""nlgauge compare: tests the systems of a saved result against each other."""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.options import (
    FORMATS,
    Confidence,
    PairedTest,
    ResultDirectory,
    Seed,
    Where,
    checked_confidence,
    conditions,
    one_of,
)
from nlgauge.cli.output import comparison_document, emit, show, show_json
from nlgauge.cli.present import written


def compare(
    directory: ResultDirectory,
    *,
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            help="Systems to compare, each with each (default: the first with each of the others)."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", "-f", help=f"Form: {', '.join(FORMATS)}.", metavar="FORM")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    where: Where = None,
    ranks: Annotated[
        bool,
        typer.Option(
            "--ranks",
            help="All systems at once: letters, and the ranks that each may have, by max-T over all pairs.",
        ),
    ] = False,
    test: PairedTest = "randomization",
    confidence: Confidence = 0.95,
    resamples: Annotated[
        int, typer.Option("--resamples", min=1, help="Resamples for intervals and tests.", metavar="N")
    ] = 1000,
    seed: Seed = None,
) -> None:
    """Tests whether the systems of a saved result differ: differences, intervals, p-values."""
    from nlgauge.errors import ParameterError, ResultError
    from nlgauge.results.storage.load import load
    from nlgauge.show.pages.tables import comparison_table

    checked_confidence(confidence)
    one_of(form, FORMATS, "--format")
    result = load(directory)
    if len(result.systems) < 2:
        raise ResultError(
            f"a comparison needs two systems, {directory} has {result.systems[0]!r} alone; run: nlgauge add"
            f" {directory} --system FILE"
        )
    if where:
        result = result.where(**conditions(where))
    if ranks:
        if systems:
            raise ParameterError("--ranks compares all systems of the result; leave the systems out.")
        found = result.ranks(confidence=confidence, resamples=resamples, seed=seed)
        if as_json or form == "json":
            show_json(
                {
                    "confidence": found.confidence,
                    "resamples": found.resamples,
                    "seed": found.seed,
                    "ranks": found.records(),
                }
            )
        elif form == "table":
            show(found)
        else:
            emit(written(found, form))
        return
    try:
        comparison = result.compare(
            *(systems or ()), test=test, confidence=confidence, resamples=resamples, seed=seed
        )
    except LookupError as error:
        raise ParameterError(error.args[0]) from None
    if as_json or form == "json":
        show_json(comparison_document(comparison))
    elif form == "table":
        show(comparison_table(comparison))
    else:
        emit(written(comparison, form))
