"""--plot: the figures of `nlgauge meta` and its subcommands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from nlgauge.cli.commands.meta.study import Studied, check_one_dimension
from nlgauge.cli.options import one_of
from nlgauge.cli.parameters import OUTPUT, option

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings
    from nlgauge.meta.judgments import Judgments

_KINDS = ("forest", "scatter", "heatmap", "pareto", "topk", "distributions", "calibration", "landscape")

Plot = Annotated[
    str | None,
    option(
        "--plot",
        help="Draw a figure: .pdf, .png or .svg (requires the extra plot).",
        metavar="FILE",
        panel=OUTPUT,
    ),
]
Plots = Annotated[
    list[str] | None,
    option(
        "--plot",
        help="Draw a figure: .pdf, .png or .svg (requires the extra plot); repeatable.",
        metavar="[KIND=]FILE",
        panel=OUTPUT,
    ),
]


class Requested(NamedTuple):
    """A kind of plot, and the file to write it to."""

    kind: str
    path: str


def requested(options: Sequence[str] | None) -> list[Requested]:
    """Return the plots of --plot, checked before any work is done; a forest plot needs no name."""
    plots = []
    for text in options or ():
        kind, named, path = text.partition("=")
        if named:
            one_of(kind, _KINDS, "--plot")
        plots.append(Requested(kind, path) if named else Requested(_KINDS[0], text))
        checked_plot(plots[-1].path)
    return plots


def draw(requests: Sequence[Requested], correlations: Findings, studied: Studied) -> None:
    """Draw every plot to its file."""
    from nlgauge import plots

    for kind, path in requests:
        plots.save(getattr(plots, kind)(*_shown_by(kind, correlations, studied)), path)


def _shown_by(kind: str, correlations: Findings, studied: Studied) -> tuple[Any, ...]:
    """Return the arguments of a plot."""
    judgments = studied.judgments
    if kind == "forest":
        return (correlations,)
    if kind == "heatmap":
        return (judgments.between_metrics(),)
    if kind == "pareto":
        return correlations, studied.seconds
    check_one_dimension(judgments, f"--plot {kind}")
    if kind == "topk":
        return (judgments.top_systems(),)
    return judgments, _the_metric(judgments, kind)


def _the_metric(judgments: Judgments, kind: str) -> str:
    if len(judgments.labels) > 1:
        raise click.UsageError(
            f"--plot {kind} needs exactly one metric; choose one with -m: {', '.join(judgments.labels)}."
        )
    return judgments.labels[0]


def checked_plot(path: str | None) -> None:
    """Raise if a plot cannot be written, before any work is done."""
    if path is not None:
        from nlgauge.show.plots.files import check_file

        check_file(path)
