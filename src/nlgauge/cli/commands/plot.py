"""nlgauge plot: a figure of a saved result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Command
from nlgauge.cli.options import Confidence, ResultDirectory, Seed, checked_confidence, one_of
from nlgauge.cli.parameters import argument, option
from nlgauge.errors import ParameterError

if TYPE_CHECKING:
    from nlgauge.results.result import Result

_OF_RESULTS = ("intervals", "forest", "waterfall", "distributions", "heatmap", "human_map", "explanation")


@Command
def plot(
    directory: ResultDirectory,
    kind: Annotated[str, argument(help=f"What to draw: {', '.join(_OF_RESULTS)}.", metavar="PLOT")],
    names: Annotated[list[str] | None, argument(hidden=True)] = None,
    *,
    output: Annotated[
        Path, option("--output", "-o", help="The file to write: .pdf, .png or .svg.", metavar="FILE")
    ],
    metric: Annotated[
        list[str] | None,
        option("--metric", "-m", help="Metric of the result, such as chrf or rouge.rouge2; repeat for more."),
    ] = None,
    system: Annotated[
        list[str] | None, option("--system", help="System; two of them for a comparison.")
    ] = None,
    segment: Annotated[
        str | None,
        option("--segment", help="Of an explanation: id of the segment, or its number, counted from 0."),
    ] = None,
    human: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Of human_map: fields with human scores (default: all numbers of several systems).",
            metavar="NAME...",
        ),
    ] = None,
    level: Annotated[
        str | None, option("--level", help="Of human_map: system, input or global.", metavar="LEVEL")
    ] = None,
    coefficient: Annotated[
        str | None,
        option(
            "--coefficient",
            "-c",
            help="Of heatmap and human_map: kendall, pearson, spearman, ...",
            metavar="NAME",
        ),
    ] = None,
    confidence: Confidence = 0.95,
    resamples: Annotated[
        int, option("--resamples", at_least=1, help="Resamples for intervals and tests.", metavar="N")
    ] = 1000,
    seed: Seed = None,
    overwrite: Annotated[bool, option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Draw a figure of a saved result, for print or a page: scores with intervals, differences, agreement,
    or why a segment got its score.

    Needs matplotlib: pip install "nlgauge[plot]".
    """
    from nlgauge.cli.commands.meta.study import split
    from nlgauge.results.storage.load import load
    from nlgauge.show.plots.files import check_file

    checked_confidence(confidence)
    one_of(kind, _OF_RESULTS, "PLOT")
    check_file(output)
    if output.exists() and not overwrite:
        raise ParameterError(f"{output} already exists; use --overwrite to replace it.")
    people = split([*(human or []), *(names or [])])
    if names and not human:
        raise ParameterError(f"{names[0]!r} was not expected; a plot takes one result and one kind.")
    result = load(directory)
    from nlgauge import plots

    drawn: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    pair: dict[str, Any] = {"first": None, "second": None} | dict(
        zip(("first", "second"), _at_most(system or [], 2, "--system"), strict=False)
    )
    calls: dict[str, Callable[[], Any]] = {
        "intervals": lambda: plots.intervals(result, metric, **drawn),
        "forest": lambda: plots.forest(result, **pair, **drawn),
        "waterfall": lambda: plots.waterfall(result, _one_metric(metric), **pair),
        "distributions": lambda: plots.distributions(result, _one_metric(metric)),
        "heatmap": lambda: plots.heatmap(result, coefficient or "spearman"),
        "human_map": lambda: plots.human_map(result, level, coefficient, human=people),
        "explanation": lambda: _explained(result, _one_metric(metric), segment, system or []),
    }
    try:
        plots.save(axes := calls[kind](), output)
    except LookupError as error:
        raise ParameterError(str(error.args[0])) from None
    click.echo(plots.alt(axes))
    click.echo(f"{output} ({output.stat().st_size / 1000:.0f} kB)", err=True)


def _one_metric(metrics: list[str] | None) -> str | None:
    return next(iter(_at_most(metrics or [], 1, "--metric")), None)


def _at_most(values: list[str], count: int, option: str) -> list[str]:
    if len(values) > count:
        raise ParameterError(f"this plot takes {option} at most {count} times, got {len(values)}.")
    return values


def _explained(result: Result, metric: str | None, segment: str | None, systems: list[str]) -> Any:
    from nlgauge import plots
    from nlgauge.errors import ResultError

    if metric is None or segment is None:
        raise ParameterError("an explanation is of one metric and one segment: give --metric and --segment.")
    system = next(iter(_at_most(systems, 1, "--system")), None)
    explanations = result.explain(
        metric, segment, system if system is not None or len(result.systems) > 1 else result.systems[0]
    )
    if not explanations:
        raise ResultError(f"{result._label(metric)} has no explanation for a segment.")
    return plots.explanation(explanations[0])
