"""nlgauge meta between and nlgauge meta cost: agreement between metrics, and its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import (
    FindingOptions,
    PartOptions,
    SavedCoefficient,
    SavedLevel,
    SavedMetrics,
    SavedStudy,
    opened,
    split,
)
from nlgauge.cli.findings import show_findings
from nlgauge.cli.parameters import STATISTICS, option

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings

_Level = Annotated[
    str,
    option("--level", help="Level: system, input, global or by_system.", metavar="LEVEL", panel=STATISTICS),
]
_Coefficient = Annotated[
    str,
    option(
        "--coefficient",
        "-c",
        help="Coefficient, such as pearson or kendall.",
        metavar="NAME",
        panel=STATISTICS,
    ),
]


@Command
def between(
    directory: SavedStudy,
    *,
    metrics: SavedMetrics = None,
    humans: Annotated[bool, option("--with-humans", help="Include the human dimensions.")] = False,
    human: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Human dimensions or fields; requires --with-humans (default for studies: all).",
            metavar="NAME",
        ),
    ] = None,
    level: _Level = "global",
    coefficient: _Coefficient = "pearson",
    plot: Plot = None,
    part: PartOptions,
    shown: FindingOptions,
) -> None:
    """Measure how well metrics agree with each other.

        nlgauge meta between summeval/ --plot heatmap.pdf

    Correlate each pair of metrics of a study or a saved result.
    """
    if human and not humans:
        raise click.UsageError(f"--human {','.join(human)} requires --with-humans; add it, or omit --human.")
    checked_plot(plot)
    _, (judgments, _) = opened(directory, human, human_needed=humans, part=part.part, quiet=shown.quiet)
    agreement = judgments.between_metrics(
        level=level, coefficient=coefficient, metrics=split(metrics) or None, with_human=humans
    )
    _finish(agreement, ("metric", "other", "level", "coefficient", "value", "n"), plot, shown)


@Command
def cost(
    directory: SavedStudy,
    *,
    metrics: SavedMetrics = None,
    human: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Human dimensions or fields, whose mean is used (default for studies: all).",
            metavar="NAME",
        ),
    ] = None,
    level: SavedLevel = None,
    coefficient: SavedCoefficient = None,
    plot: Plot = None,
    part: PartOptions,
    shown: FindingOptions,
) -> None:
    """Compare agreement with people against computing time.

        nlgauge meta cost summeval/ --human relevance --plot cost.pdf

    Show the seconds per 1,000 texts next to the agreement, and mark metrics that no other metric beats in
    both.
    """
    from nlgauge.meta.diagnostics.costs import cost as costs

    checked_plot(plot)
    study, (judgments, seconds) = opened(directory, human, part=part.part, quiet=shown.quiet)
    level, coefficient = study.asked(level, coefficient, "kendall")
    named = [judgments.check_metric(label) for label in split(metrics)] or list(judgments.labels)
    correlations = judgments.correlate(level=level, coefficient=coefficient, metrics=named)
    averages = correlations.where(group="average") if "group" in correlations.names else correlations
    _finish(
        costs(averages, seconds),
        ("metric", "human", "level", "coefficient", "seconds_per_1000", "value", "low", "high", "frontier"),
        plot,
        shown,
    )


def _finish(findings: Findings, columns: tuple[str, ...], plot: str | None, shown: FindingOptions) -> None:
    show_findings(findings, columns, shown)
    if plot is not None:
        findings.plot(plot)
