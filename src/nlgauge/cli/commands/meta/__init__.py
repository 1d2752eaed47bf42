"""nlgauge meta: how well metrics agree with people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nlgauge.cli.command import Spelled, with_options
from nlgauge.cli.commands.meta.answer import answered
from nlgauge.cli.commands.meta.compare import compare
from nlgauge.cli.commands.meta.estimate import estimate
from nlgauge.cli.commands.meta.plots import Plots, asked, draw_asked
from nlgauge.cli.commands.meta.saved import between, cost
from nlgauge.cli.commands.meta.study import (
    Data,
    FoundOptions,
    StudyDirectory,
    StudyOptions,
    split,
    studied,
)
from nlgauge.cli.found import show_found
from nlgauge.cli.options import Confidence, Metrics, ModelOptions, SeedOfAll, checked_confidence, one_of
from nlgauge.cli.output import say

_RUN = "run"
_DRAWN = ("systems", "inputs", "both", "fisher", "none")
# What a terminal shows of a row; --details shows all.
_SHOWN = (
    "metric",
    "human",
    "group",
    "level",
    "coefficient",
    "value",
    "letters",
    "low",
    "high",
    "p",
    "n",
    "ceiling",
)
_AGREEMENT = "Agreement"


class _Defaulting(TyperGroup):
    """Takes what is not the name of a command for data; its help is that of this form,
    after the other commands.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args in (["--help"], ["-h"]):
            return super().parse_args(ctx, ["--help"])
        return super().parse_args(ctx, args if args[0] in self.commands else [_RUN, *args])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the list of commands, then the options of `nlgauge meta DATA`."""
        super().format_help(ctx, formatter)
        run_form = self.commands[_RUN]
        run_form.format_help(run_form.context_class(run_form, info_name="", parent=ctx), formatter)


app = typer.Typer(
    cls=_Defaulting,
    help="Shows how well metrics agree with people: nlgauge meta DATA --human DIMENSION -m METRIC...",
)


@dataclass(frozen=True)
class AgreementOptions:
    """What is computed."""

    levels: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            help="Levels: system, input, global, by_system (default: system,input,global).",
            metavar="LEVEL",
            rich_help_panel=_AGREEMENT,
        ),
    ] = None
    coefficients: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            "-c",
            help=(
                "Coefficients: pearson, spearman, kendall, acc_eq, spa, darr, ... (default: the first three)."
            ),
            metavar="NAME",
            rich_help_panel=_AGREEMENT,
        ),
    ] = None
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            help=f"What intervals are drawn over: {', '.join(_DRAWN)}.",
            metavar="OVER",
            rich_help_panel=_AGREEMENT,
        ),
    ] = "both"
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples", min=2, help="Resamples for intervals.", metavar="N", rich_help_panel=_AGREEMENT
        ),
    ] = 1000
    confidence: Confidence = 0.95

    def __post_init__(self) -> None:
        one_of(self.interval, _DRAWN, "--interval")
        checked_confidence(self.confidence)

    def of_correlate(self, pairs: bool) -> dict[str, Any]:
        """The arguments of `correlate` that were given; of judged pairs DARR is what can be said."""
        found: dict[str, Any] = {
            "interval": None if self.interval == "none" else self.interval,
            "resamples": self.resamples,
            "confidence": self.confidence,
        }
        given = {"level": split(self.levels), "coefficient": split(self.coefficients)}
        usual = {"level": ["input"], "coefficient": ["darr"]} if pairs else {}
        return {**found, **usual, **{name: values for name, values in given.items() if values}}


@app.command(_RUN, cls=Spelled, hidden=True)
@with_options
def run(
    context: typer.Context,
    *,
    data: Data,
    metrics: Metrics = None,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    agreement: AgreementOptions,
    models: ModelOptions,
    plots: Plots = None,
    shown: FoundOptions,
) -> None:
    """Shows how well each metric agrees with people, on a benchmark, a file or a saved result.

    nlgauge meta summeval --human relevance -m chrf rouge -o summeval/

    nlgauge meta out/ --human adequacy

    DATA is a name of `nlgauge benchmarks list`; a file: original files of a known benchmark, JSON lines with
    "human" scores, or records as `nlgauge score` reads them, of which --human names the columns with human
    scores; or a directory that `nlgauge score -o` wrote: its scores are taken as they are, and --human names
    the fields of its records with human scores, or a file of them.

    With -o the results are saved in DIR/results, where `nlgauge show` and `nlgauge report` open them: the
    next run scores only metrics that are missing, and without -m it takes those that are there. `nlgauge meta
    compare DIR` then tests whether one metric is better than another, `nlgauge meta between DIR` shows how
    well metrics agree with each other, `nlgauge meta cost DIR` what agreement costs; they take a saved result
    too. `nlgauge meta estimate` is for texts of which few are judged.
    """
    from nlgauge.meta.benchmarks.study import CORRELATIONS

    wanted = asked(plots)
    asked_for = levels, _ = split(agreement.levels), split(agreement.coefficients)
    scored = studied(context, data, metrics, study, models, output, seed, shown.quiet, *asked_for)
    if len(scored.judgments.systems) < 2 and levels and not {"global", "by_system"} & set(levels):
        raise typer.BadParameter(
            f"two systems are needed at {' and '.join(levels)} level, and there is"
            f" {scored.judgments.systems[0]!r} alone; ask for --level global.",
            param_hint="'--level'",
        )
    found = scored.judgments.correlate(
        seed=seed, **agreement.of_correlate(scored.judgments.pairs is not None)
    )
    if output is not None:
        found.to_csv(output / CORRELATIONS)
    show_found(
        answered(found, scored.judgments, agreement.resamples, seed, shown.for_readers),
        _SHOWN,
        shown,
        by=("human",),
    )
    draw_asked(wanted, found, scored)
    if output is not None and not shown.quiet:
        say(
            f"saved to {output}; nlgauge meta compare {output} tests whether one metric is better than"
            " another"
        )


app.command()(compare)
app.command()(between)
app.command()(cost)
app.command(cls=Spelled)(estimate)
