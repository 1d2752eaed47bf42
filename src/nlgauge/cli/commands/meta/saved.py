"""nlgauge meta between, nlgauge meta cost: what else the scores of a study say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import (
    AskedCoefficient,
    AskedLevel,
    FoundOptions,
    KeptMetrics,
    KeptStudy,
    opened,
    split,
)
from nlgauge.cli.found import show_found
from nlgauge.cli.parameters import option

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings

_Level = Annotated[str, option("--level", help="Level: system, input, global or by_system.", metavar="LEVEL")]
_Coefficient = Annotated[
    str,
    option("--coefficient", "-c", help="Coefficient: pearson, spearman, kendall, ...", metavar="NAME"),
]


@Command
def between(
    directory: KeptStudy,
    *,
    metrics: KeptMetrics = None,
    humans: Annotated[
        bool, option("--with-humans", help="Put the human dimensions among the metrics.")
    ] = False,
    human: Annotated[
        list[str] | None,
        option(
            "--human", help="With --with-humans: the fields of a result with human scores.", metavar="NAME"
        ),
    ] = None,
    level: _Level = "global",
    coefficient: _Coefficient = "pearson",
    plot: Plot = None,
    shown: FoundOptions,
) -> None:
    """Shows how well the metrics of a study or a saved result agree with each other.

    nlgauge meta between summeval/ --plot heatmap.pdf
    """
    checked_plot(plot)
    _, (judgments, _) = opened(directory, human, human_needed=humans)
    found = judgments.between_metrics(
        level=level, coefficient=coefficient, metrics=split(metrics) or None, with_human=humans
    )
    _finish(found, ("metric", "other", "level", "coefficient", "value", "n"), plot, shown)


@Command
def cost(
    directory: KeptStudy,
    *,
    metrics: KeptMetrics = None,
    human: Annotated[
        list[str] | None,
        option("--human", help="Human dimensions, of which the mean is taken.", metavar="NAME"),
    ] = None,
    level: AskedLevel = None,
    coefficient: AskedCoefficient = None,
    plot: Plot = None,
    shown: FoundOptions,
) -> None:
    """Shows what agreement with people costs: seconds for 1,000 texts beside it, and which metrics no other
    beats in both.

    nlgauge meta cost summeval/ --human relevance --plot cost.pdf
    """
    from nlgauge.meta.diagnostics.costs import cost as costs

    checked_plot(plot)
    study, (judgments, seconds) = opened(directory, human)
    level, coefficient = study.asked(level, coefficient, "kendall")
    named = [judgments.check_metric(label) for label in split(metrics)] or list(judgments.labels)
    found = judgments.correlate(
        level=level, coefficient=coefficient, human=split(human) or None, metrics=named
    )
    groups = found.where(group="average") if "group" in found.names else found
    _finish(
        costs(groups, seconds),
        ("metric", "human", "level", "coefficient", "seconds_per_1000", "value", "low", "high", "frontier"),
        plot,
        shown,
    )


def _finish(found: Findings, columns: tuple[str, ...], plot: str | None, shown: FoundOptions) -> None:
    show_found(found, columns, shown)
    if plot is not None:
        found.plot(plot)
