"""--plot: what the commands of `nlgauge meta` draw on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from nlgauge.cli.commands.meta.study import Studied, check_one_dimension
from nlgauge.cli.options import one_of
from nlgauge.cli.parameters import option
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings
    from nlgauge.meta.judgments import Judgments

_SHOWN = "What is shown"
_KINDS = ("forest", "scatter", "heatmap", "pareto", "topk", "distributions", "calibration", "landscape")

Plot = Annotated[
    str | None,
    option(
        "--plot",
        help="Draw it to this file: .pdf, .png or .svg (needs the extra plot).",
        metavar="FILE",
        panel=_SHOWN,
    ),
]
Plots = Annotated[
    list[str] | None,
    option(
        "--plot",
        help=(
            "Draw it to this file: .pdf, .png or .svg (needs the extra plot). KIND=FILE draws another plot:"
            f" {', '.join(_KINDS[1:])}."
        ),
        metavar="[KIND=]FILE",
        panel=_SHOWN,
    ),
]


class Asked(NamedTuple):
    """A plot that was asked for, and the file to write it to."""

    kind: str
    path: str


def asked(options: Sequence[str] | None) -> list[Asked]:
    """Return what --plot asks for, checked before any work is done; a forest plot needs no name."""
    plots = []
    for text in options or ():
        kind, named, path = text.partition("=")
        if named:
            one_of(kind, _KINDS, "--plot")
        plots.append(Asked(kind, path) if named else Asked(_KINDS[0], text))
        checked_plot(plots[-1].path)
    return plots


def draw_asked(wanted: Sequence[Asked], correlations: Findings, studied: Studied) -> None:
    """Draw every plot to its file."""
    from nlgauge import plots

    for kind, path in wanted:
        plots.save(getattr(plots, kind)(*_shown_by(kind, correlations, studied)), path)


def _shown_by(kind: str, correlations: Findings, studied: Studied) -> tuple[Any, ...]:
    """Return what a plot is drawn from."""
    judgments = studied.judgments
    if kind == "forest":
        return (correlations,)
    if kind == "heatmap":
        return (judgments.between_metrics(),)
    if kind == "pareto":
        return correlations, studied.seconds
    check_one_dimension(judgments, f"'--plot {kind}'")
    if kind == "topk":
        return (judgments.top_systems(),)
    return judgments, _the_metric(judgments, kind)


def _the_metric(judgments: Judgments, kind: str) -> str:
    if len(judgments.labels) > 1:
        raise InputError(
            f"--plot {kind} is of one metric, there are {', '.join(judgments.labels)}; name one with -m."
        )
    return judgments.labels[0]


def checked_plot(path: str | None) -> None:
    """Raise if a plot cannot be written, before any work is done."""
    from nlgauge.show.plots.files import check_file

    if path is not None:
        check_file(path)
