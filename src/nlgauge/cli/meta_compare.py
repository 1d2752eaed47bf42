"""nlgauge meta compare: tests whether one metric agrees better with people than another."""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.command import with_options
from nlgauge.cli.found import show_found
from nlgauge.cli.meta_plots import Plot, checked_plot
from nlgauge.cli.meta_study import FoundOptions, KeptMetrics, KeptStudy, split
from nlgauge.cli.options import Confidence, SeedOfAll, checked_confidence

_SHOWN = ("human", "group", "metric", "other", "delta", "low", "high", "p", "p_adjusted", "better")


@with_options
def compare(
    directory: KeptStudy,
    *,
    metrics: KeptMetrics = None,
    human: Annotated[list[str] | None, typer.Option("--human", help="Human dimensions, with commas between them.", metavar="NAME")] = None,
    level: Annotated[str, typer.Option("--level", help="Level: system, input, global or by_system.", metavar="LEVEL")] = "system",
    coefficient: Annotated[str, typer.Option("--coefficient", "-c", help="Coefficient: pearson, spearman, kendall, ...", metavar="NAME")] = "pearson",
    generalise_to: Annotated[
        str | None,
        typer.Option("--generalise-to", help="What the claim is about: new systems (default), inputs, or both.", metavar="WHAT"),
    ] = None,
    test: Annotated[str | None, typer.Option("--test", help="Test: permutation, bootstrap or williams.", metavar="TEST")] = None,
    adjust: Annotated[
        str | None, typer.Option("--adjust", help="Correction for several pairs: maxT, holm, bonferroni, bh, by, none.", metavar="RULE")
    ] = None,
    draws: Annotated[int, typer.Option("--draws", min=2, help="Draws of the test and of intervals.", metavar="N")] = 1000,
    seed: SeedOfAll = 12345,
    confidence: Confidence = 0.95,
    plot: Plot = None,
    shown: FoundOptions,
) -> None:
    """Tests each pair of the metrics that are kept in a directory: difference, interval, p-values, and of what new data the claim is.

    nlgauge meta compare summeval/ --human relevance -c kendall --plot wins.pdf
    """
    from nlgauge.meta.benchmarks.study import reopened

    checked_confidence(confidence)
    checked_plot(plot)
    study, benchmark, scores = reopened(directory)
    judgements = study.judgements(benchmark, scores)
    found = judgements.compare(
        level=level,
        coefficient=coefficient,
        test=test,
        generalise_to=generalise_to,
        adjust=adjust,
        draws=draws,
        seed=seed,
        human=split(human) or list(judgements.humans),
        metrics=split(metrics) or None,
        confidence=confidence,
    )
    show_found(found, _SHOWN, shown)
    if plot is not None:
        found.plot(plot)
