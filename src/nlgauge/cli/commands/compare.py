"""nlgauge compare: tests the systems of a saved result against each other."""

from __future__ import annotations

from typing import Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.options import (
    FORMATS,
    Baseline,
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
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.present import written


@Command
def compare(
    directory: ResultDirectory,
    *,
    systems: Annotated[
        list[str] | None,
        argument(
            help=(
                "Systems to compare with the baseline, or with the first of two; more than two are compared each"
                " with each (default: all with the baseline)."
            )
        ),
    ] = None,
    form: Annotated[
        str, option("--format", "-f", help=f"Form: {', '.join(FORMATS)}.", metavar="FORM")
    ] = "table",
    as_json: Annotated[bool, option("--json", help="Short for --format json.")] = False,
    where: Where = None,
    baseline: Baseline = None,
    all_pairs: Annotated[
        bool, option("--all", help="Compare each system with each, with p corrected by max-T.")
    ] = False,
    ranks: Annotated[
        bool,
        option(
            "--ranks",
            help="All systems in one table: letters, and the ranks that each may have, by p (max-T).",
        ),
    ] = False,
    test: PairedTest = "randomization",
    confidence: Confidence = 0.95,
    resamples: Annotated[
        int, option("--resamples", at_least=1, help="Resamples for intervals and tests.", metavar="N")
    ] = 1000,
    seed: Seed = None,
) -> None:
    """Compare the systems of a saved result: gain over a baseline, intervals, p-values.

    nlgauge compare out/ --baseline main

    The gain is plus if a system is better than the baseline (by default the first system), whatever the
    direction of the metric. p-values against a baseline are corrected by Holm, those of all pairs by max-T.
    """
    from nlgauge.errors import ParameterError, ResultError
    from nlgauge.results.storage.load import load
    from nlgauge.show.pages.comparison import comparison_page
    from nlgauge.show.writers.text import Printed

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
        if systems or baseline is not None:
            raise ParameterError("--ranks compares all systems of the result; leave the systems out.")
        ranking = result.ranks(test=test, confidence=confidence, resamples=resamples, seed=seed)
        if as_json or form == "json":
            show_json(
                {
                    "test": ranking.test,
                    "confidence": ranking.confidence,
                    "resamples": ranking.resamples,
                    "seed": ranking.seed,
                    "ranks": ranking.records(),
                }
            )
        elif form == "table":
            show(ranking)
        else:
            emit(written(ranking, form))
        return
    if all_pairs and baseline is not None:
        raise ParameterError("--all compares each system with each; leave --baseline out.")
    try:
        comparison = result.compare(
            *(systems or ()),
            baseline=baseline,
            all_pairs=all_pairs,
            test=test,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
    except LookupError as error:
        raise ParameterError(error.args[0]) from None
    if as_json or form == "json":
        show_json(comparison_document(comparison))
    elif form == "table":
        show(Printed(comparison_page(comparison)))
    else:
        emit(written(comparison, form))
