"""nlgauge meta sweep: agreement over a grid of a metric's parameters, and the chosen point on other texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.commands.meta.outputs import Resampled
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import Data, FindingOptions, StudyDirectory, StudyOptions, split
from nlgauge.cli.complete import complete_metrics
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import ModelOptions, SeedOfAll, one_of
from nlgauge.cli.output import say, show_json
from nlgauge.cli.parameters import METRICS, STATISTICS, Options, argument, option
from nlgauge.cli.program import note_running, note_written

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings

_POINTS = ("metric", "human", "level", "coefficient", "value", "low", "high", "chosen", "cpu_seconds")
_CHOSEN = (
    "human",
    "level",
    "coefficient",
    "best",
    "value",
    "tested",
    "low",
    "high",
    "default",
    "gain",
    "gain_low",
    "gain_high",
)


class GridOptions(Options):
    """The grid, and how a point is chosen and tested."""

    grid: Annotated[
        list[str] | None,
        option(
            "--grid",
            help="Values of a parameter, separated by commas; repeatable.",
            metavar="NAME=VALUE,...",
            panel=METRICS,
        ),
    ] = None
    fixed: Annotated[
        list[str] | None,
        option(
            "--set",
            help="A parameter with one value, such as model=smollm2; repeatable.",
            metavar="NAME=VALUE",
            panel=METRICS,
        ),
    ] = None
    levels: Annotated[
        list[str] | None,
        option(
            "--level",
            help="Levels, separated by commas (default: system).",
            metavar="LEVEL",
            panel=STATISTICS,
        ),
    ] = None
    coefficients: Annotated[
        list[str] | None,
        option(
            "--coefficient",
            "-c",
            help="Coefficients, separated by commas (default: kendall).",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None
    choose_over: Annotated[
        str,
        option(
            "--choose-over",
            help="Units that are divided for choice and test: segments, systems or both.",
            metavar="WHAT",
            panel=STATISTICS,
        ),
    ] = "segments"
    splits: Annotated[
        int,
        option("--splits", at_least=1, help="Number of random halves.", metavar="N", panel=STATISTICS),
    ] = 200
    resamples: Resampled = 1000

    def check(self) -> None:
        one_of(self.choose_over, ("segments", "systems", "both"), "--choose-over")

    def values(self) -> dict[str, list[Any]]:
        """Return the values of the grid by parameter."""
        return {
            name: [_literal(value) for value in _separated(values)]
            for name, values in _pairs(self.grid or (), "--grid")
        }

    def set_values(self) -> dict[str, Any]:
        """Return the value of each fixed parameter."""
        return {name: _literal(value) for name, value in _pairs(self.fixed or (), "--set")}


@Spelled
def sweep(
    *,
    data: Data,
    metric: Annotated[
        str, argument("Metric whose parameters vary.", metavar="METRIC", complete=complete_metrics)
    ],
    grid: GridOptions,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    models: ModelOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Measure agreement with people over a grid of a metric's parameters.

        nlgauge meta sweep summeval chrf --grid beta=1,2,3 --human relevance

    A point that was chosen on the texts on which it is tested looks better than it is. Therefore random halves of
    the texts choose the best point, and the other halves test it: `tested`, next to the default on the same halves.
    With -o the scores are saved, and a later run computes only what is missing.
    """
    from nlgauge.meta.benchmarks.study import RESULTS
    from nlgauge.meta.sweeps.sweep import sweep as swept

    checked_plot(plot)
    if not grid.grid:
        raise click.UsageError(
            "--grid is missing; name a parameter and its values, such as --grid beta=1,2,3."
        )
    chosen = study.of(data, seed)
    if chosen.is_result:
        raise click.BadParameter(
            f"{data} is a saved result; a sweep scores texts, so name a benchmark or a file of judged texts.",
            param_hint="'DATA'",
        )
    texts = chosen.read()
    if output is not None:
        chosen.save(output)
        note_running(output, "run the same command to continue")
    found = swept(
        texts,
        metric,
        grid.values(),
        fixed=grid.set_values(),
        human=split(study.humans) or None,
        level=split(grid.levels) or "system",
        coefficient=split(grid.coefficients) or "kendall",
        choose_over=grid.choose_over,
        splits=grid.splits,
        draws=grid.resamples,
        seed=seed,
        directory=None if output is None else output / RESULTS,
        batch_size=models.batch_size,
        device=models.device,
        cache=not models.no_cache,
        show_progress=False if shown.quiet else None,
        say=None if shown.quiet else say,
    )
    note_written(output)
    _show(found.points, found.chosen, shown)
    _save(found.points, found.chosen, output, shown.quiet)
    if not shown.quiet and shown.for_readers:
        for sentence in found.answer():
            say(sentence)
    if plot is not None:
        found.points.plot(plot)


def _show(points: Findings, chosen: Findings, shown: FindingOptions) -> None:
    """Print both tables; csv and tsv have only the points."""
    if shown.form == "json":
        tables = {"points": points, "chosen": chosen}
        rows = {name: [dict(row) for row in table] for name, table in tables.items()}
        show_json({"made": dict(points.made), "notes": list(chosen.notes), **rows})
        return
    show_findings(points, _POINTS, shown, by=("human",))
    if shown.form not in ("csv", "tsv"):
        show_findings(chosen, _CHOSEN, shown)


def _save(points: Findings, chosen: Findings, output: Path | None, quiet: bool) -> None:
    if output is None:
        return
    points.to_csv(output / "points.csv")
    chosen.to_csv(output / "chosen.csv")
    if not quiet:
        say(f"saved to {output}: points.csv, chosen.csv and the scores")


def _pairs(options: Sequence[str], name: str) -> list[tuple[str, str]]:
    """Return the parameters and values of NAME=VALUE; raise if a name is missing or repeated."""
    found: dict[str, str] = {}
    for text in options:
        parameter, equals, value = text.partition("=")
        parameter = parameter.strip()
        if not equals or not parameter or not value.strip():
            raise click.BadParameter(f"{text!r} must be NAME=VALUE.", param_hint=f"'{name}'")
        if parameter in found:
            raise click.BadParameter(f"{parameter} is repeated; use it once.", param_hint=f"'{name}'")
        found[parameter] = value
    return list(found.items())


def _separated(text: str) -> list[str]:
    """Split at commas outside brackets and quotes.

    >>> _separated("fisher_rao,ab(0.5,0.5),'a,b'")
    ['fisher_rao', 'ab(0.5,0.5)', "'a,b'"]
    """
    pieces = re.findall(r"""(?:\([^()]*\)|\[[^\[\]]*\]|'[^']*'|"[^"]*"|[^,])+""", text)
    return [piece.strip() for piece in pieces if piece.strip()]


def _literal(text: str) -> Any:
    """Return a number, True, False, None or a text in quotes as such, anything else as text.

    >>> _literal("0.5"), _literal("ab(0.5,1)"), _literal("true"), _literal("smollm2")
    (0.5, 'ab(0.5,1)', 'true', 'smollm2')
    """
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
