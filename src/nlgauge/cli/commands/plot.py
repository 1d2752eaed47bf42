"""nlgauge plot: a figure of a saved result."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_labels, complete_systems
from nlgauge.cli.options import Confidence, Resamples, ResultDirectory, Seed, checked_confidence, one_of
from nlgauge.cli.parameters import argument, option

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# The kinds of figures, with the options that each takes.
_STATISTICS = {"--confidence", "--resamples", "--seed"}
_KINDS = {
    "intervals": {"--metric", *_STATISTICS},
    "forest": {"--system", *_STATISTICS},
    "waterfall": {"--metric", "--system"},
    "distributions": {"--metric"},
    "heatmap": {"--coefficient"},
    "human_map": {"--human", "--level", "--coefficient"},
    "explanation": {"--metric", "--segment", "--system"},
}


@Command
def plot(
    directory: ResultDirectory,
    kind: Annotated[str, argument("Kind of figure, listed above.", metavar="KIND")],
    names: Annotated[list[str] | None, argument("", metavar="")] = None,
    *,
    output: Annotated[
        Path, option("--output", "-o", help="File to write: .pdf, .png or .svg.", metavar="FILE")
    ],
    metric: Annotated[
        list[str] | None,
        option(
            "--metric",
            "-m",
            help="Metric to draw, such as chrf or rouge.rouge2; repeatable for intervals.",
            metavar="METRIC",
            complete=complete_labels,
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        option(
            "--system",
            help="System to explain; for forest and waterfall, repeat it for two systems.",
            metavar="SYSTEM",
            complete=complete_systems,
        ),
    ] = None,
    segment: Annotated[
        str | None,
        option("--segment", help="Id or number (from 0) of the segment to explain.", metavar="ID"),
    ] = None,
    human: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Fields with human scores, for human_map (default: all such fields).",
            metavar="FIELD...",
        ),
    ] = None,
    level: Annotated[
        str | None,
        option("--level", help="Level of human_map: system, input, global or by_system.", metavar="LEVEL"),
    ] = None,
    coefficient: Annotated[
        str | None,
        option(
            "--coefficient",
            "-c",
            help="Coefficient of heatmap (default: spearman) and human_map (default: kendall).",
            metavar="NAME",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        option(
            "--preset",
            help="Size for a paper or slide: acl, acl-wide, ieee, lncs, neurips, slide.",
            metavar="NAME",
        ),
    ] = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Seed = None,
    overwrite: Annotated[bool, option("--overwrite", help="Replace an existing file.")] = False,
) -> None:
    """Draw a figure of a saved result as PDF, PNG or SVG.

        nlgauge plot out/ intervals -o intervals.pdf
        nlgauge plot out/ explanation -m bleu --segment 3 --system sysA -o bleu.svg

    Kinds: intervals, forest and waterfall (differences), distributions, heatmap (agreement between metrics),
    human_map (agreement with people), explanation (of a segment).

    By default, intervals shows all metrics; waterfall and distributions show the first. Forest and heatmap
    always show all metrics. The command prints a description of the figure as text.

    With --preset the figure has the width and the letters of a paper's column or a slide. Intervals that are
    higher than a page become several files: FILE-1.pdf, FILE-2.pdf.

    Requires matplotlib: pip install "nlgauge[plot]".
    """
    from nlgauge.cli.commands.meta.study import split
    from nlgauge.results.storage.load import load
    from nlgauge.show.plots.files import check_file

    checked_confidence(confidence)
    one_of(kind, list(_KINDS), "KIND")
    check_file(output)
    if output.exists() and not overwrite:
        raise click.UsageError(f"{output} already exists; use --overwrite to replace it.")
    options = {
        "--metric": metric,
        "--system": system,
        "--segment": segment,
        "--human": human,
        "--level": level,
        "--coefficient": coefficient,
    } | {name: _is_set(name) for name in _STATISTICS}
    for name in sorted(name for name, value in options.items() if value and name not in _KINDS[kind]):
        raise click.UsageError(f"{name} is not an option of {kind}; omit it.")
    people = split([*(human or []), *(names or [])])
    if names and not human:
        raise click.UsageError(f"unexpected argument {names[0]!r}; a plot takes one result and one kind.")
    result = load(directory)
    from nlgauge import plots

    drawn: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    pair: dict[str, Any] = {"first": None, "second": None} | dict(
        zip(("first", "second"), _at_most(system or [], 2, "--system"), strict=False)
    )
    calls: dict[str, Callable[[], Any]] = {
        "forest": lambda: plots.forest(result, **pair, **drawn),
        "waterfall": lambda: plots.waterfall(result, _one_metric(metric), **pair),
        "distributions": lambda: plots.distributions(result, _one_metric(metric)),
        "heatmap": lambda: plots.heatmap(result, coefficient or "spearman"),
        "human_map": lambda: plots.human_map(result, level, coefficient, human=people),
        "explanation": lambda: _explained(result, _one_metric(metric), segment, system or []),
    }
    with plots.preset(preset) if preset is not None else nullcontext():
        pages = _interval_pages(result, metric, drawn) if kind == "intervals" else [calls[kind]]
        drawn_axes = [draw() for draw in pages]
    files = [output]
    if len(drawn_axes) > 1:
        files = [output.with_stem(f"{output.stem}-{number + 1}") for number in range(len(drawn_axes))]
        if not overwrite and (existing := [file for file in files if file.exists()]):
            raise click.UsageError(f"{existing[0]} already exists; use --overwrite to replace it.")
    for axes, file in zip(drawn_axes, files, strict=True):
        plots.save(axes, file)
        click.echo(plots.alt(axes))
        click.echo(f"{file} ({file.stat().st_size / 1000:.0f} kB)", err=True)


def _interval_pages(
    result: Result, metrics: list[str] | None, drawn: dict[str, Any]
) -> list[Callable[[], Any]]:
    """Return a function for each page of the intervals; a preset limits the height of a page."""
    from nlgauge import plots
    from nlgauge.show.plots.results.intervals import interval_pages

    pages = interval_pages(result, metrics)
    if len(pages) == 1:
        return [lambda: plots.intervals(result, metrics, **drawn)]
    return [partial(plots.intervals, result, names, **drawn) for names in pages]


def _is_set(name: str) -> bool:
    """Return True if an option is on the command line."""
    source = click.get_current_context().get_parameter_source(name.removeprefix("--"))
    return source is click.core.ParameterSource.COMMANDLINE


def _one_metric(metrics: list[str] | None) -> str | None:
    return next(iter(_at_most(metrics or [], 1, "--metric")), None)


def _at_most(values: list[str], count: int, name: str) -> list[str]:
    if len(values) > count:
        raise click.UsageError(
            f"this plot takes {name} at most {'once' if count == 1 else 'twice'}, got {', '.join(values)}."
        )
    return values


def _explained(result: Result, metric: str | None, segment: str | None, systems: list[str]) -> Any:
    from nlgauge import plots
    from nlgauge.errors import ResultError

    if metric is None or segment is None:
        raise click.UsageError("explanation needs --metric METRIC and --segment ID; add them.")
    system = next(iter(_at_most(systems, 1, "--system")), None)
    explanations = result.explain(
        metric, segment, system if system is not None or len(result.systems) > 1 else result.systems[0]
    )
    if not explanations:
        raise ResultError(f"{result._label(metric)} does not explain segments; choose another metric.")
    return plots.explanation(explanations[0])
