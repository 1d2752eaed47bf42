"""nlgauge meta: how well metrics agree with people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import click

from nlgauge.cli.command import Group, Spelled
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
from nlgauge.cli.parameters import option

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


@dataclass(frozen=True)
class AgreementOptions:
    """What is computed."""

    levels: Annotated[
        list[str] | None,
        option(
            "--level",
            help="Levels: system, input, global, by_system (default: system,input,global).",
            metavar="LEVEL",
            panel=_AGREEMENT,
        ),
    ] = None
    coefficients: Annotated[
        list[str] | None,
        option(
            "--coefficient",
            "-c",
            help=(
                "Coefficients: pearson, spearman, kendall, acc_eq, spa, darr, ... (default: the first three)."
            ),
            metavar="NAME",
            panel=_AGREEMENT,
        ),
    ] = None
    interval: Annotated[
        str,
        option(
            "--interval",
            help=f"What intervals are drawn over: {', '.join(_DRAWN)}.",
            metavar="OVER",
            panel=_AGREEMENT,
        ),
    ] = "both"
    resamples: Annotated[
        int,
        option("--resamples", at_least=2, help="Resamples for intervals.", metavar="N", panel=_AGREEMENT),
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


@Spelled
def run(
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
    scored = studied(data, metrics, study, models, output, seed, shown.quiet, *asked_for)
    if len(scored.judgments.systems) < 2 and levels and not {"global", "by_system"} & set(levels):
        raise click.BadParameter(
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


class Meta(Group):
    """Takes words that do not start with the name of a command for the data of `run`."""

    def __init__(self) -> None:
        commands = {"compare": compare, "between": between, "cost": cost, "estimate": estimate}
        super().__init__(run.help or "", commands)
        self.commands[""] = run

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; without words, ask for help."""
        if not args or args[0] in (*self.list_commands(ctx), *ctx.help_option_names):
            return super().parse_args(ctx, args or ["--help"])
        return super().parse_args(ctx, ["", *args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands that have one."""
        return [name for name in super().list_commands(ctx) if name]


app = Meta()
