"""nlgauge meta: agreement of metrics with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import click
from click.shell_completion import CompletionItem

from nlgauge.cli.command import Group, Spelled
from nlgauge.cli.commands.meta.answer import answered
from nlgauge.cli.commands.meta.compare import compare
from nlgauge.cli.commands.meta.diagnosing import bias, downstream, human_map, sentinels
from nlgauge.cli.commands.meta.estimate import estimate
from nlgauge.cli.commands.meta.plots import Plots, draw, requested
from nlgauge.cli.commands.meta.saved import between, cost
from nlgauge.cli.commands.meta.spans import agreement as span_agreement
from nlgauge.cli.commands.meta.spans import spans
from nlgauge.cli.commands.meta.stress import stress
from nlgauge.cli.commands.meta.study import (
    Data,
    FindingOptions,
    StudyDirectory,
    StudyMetrics,
    StudyOptions,
    split,
    studied,
)
from nlgauge.cli.commands.meta.sweep import sweep
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import Confidence, ModelOptions, SeedOfAll, checked_confidence, one_of
from nlgauge.cli.output import say
from nlgauge.cli.parameters import STATISTICS, Options, option

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

_RESAMPLED = ("systems", "inputs", "both", "fisher", "none")
# The columns of tables; --details shows all.
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


class AgreementOptions(Options):
    """Levels, coefficients and intervals."""

    levels: Annotated[
        list[str] | None,
        option(
            "--level",
            help="Levels, separated by commas: system,input,global (default), by_system.",
            metavar="LEVEL",
            panel=STATISTICS,
        ),
    ] = None
    coefficients: Annotated[
        list[str] | None,
        option(
            "--coefficient",
            "-c",
            help="pearson, spearman, kendall, acc_eq, spa, darr, ... (default: the first three).",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None
    interval: Annotated[
        str | None,
        option(
            "--interval",
            help="Intervals: resample systems, inputs, both (default), fisher or none.",
            metavar="WHAT",
            panel=STATISTICS,
        ),
    ] = None
    resamples: Annotated[
        int,
        option(
            "--resamples",
            at_least=2,
            help="Number of resamples for intervals.",
            metavar="N",
            panel=STATISTICS,
        ),
    ] = 1000
    confidence: Confidence = 0.95

    def check(self) -> None:
        if self.interval is not None:
            one_of(self.interval, _RESAMPLED, "--interval")
        checked_confidence(self.confidence)

    def of_correlate(self, judgments: Judgments) -> dict[str, Any]:
        """Return the arguments of `correlate`; the default for judged pairs is DARR, and for a single system the
        global level with intervals over inputs.
        """
        alone = len(judgments.systems) == 1
        interval = self.interval or ("inputs" if alone else "both")
        settings: dict[str, Any] = {
            "interval": None if interval == "none" else interval,
            "resamples": self.resamples,
            "confidence": self.confidence,
        }
        pairs = {"level": ["input"], "coefficient": ["darr"]} if judgments.pairs is not None else {}
        defaults = {"level": ["global"]} if alone else pairs
        names = {"level": split(self.levels), "coefficient": split(self.coefficients)}
        return {**settings, **defaults, **{name: values for name, values in names.items() if values}}


@Spelled
def run(
    *,
    data: Data,
    metrics: StudyMetrics = None,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    agreement: AgreementOptions,
    models: ModelOptions,
    plots: Plots = None,
    shown: FindingOptions,
) -> None:
    """Measure how well metrics agree with human judgments.

    Score the texts of a benchmark, or of your own file, and correlate each metric with human scores.

        nlgauge meta summeval --human relevance -m chrf rouge -o summeval/
        nlgauge meta out/ --human adequacy

    DATA is a benchmark of `nlgauge benchmarks list`, a file of judged texts, or a directory of `nlgauge score
    -o`. A file contains the original data of a benchmark, JSON lines with "human" scores, or records as
    `nlgauge score` reads them. For records and saved results, --human names the fields with human scores,
    or for a saved result a file with the columns system, segment and human scores.

    With -o the scores are saved, and later runs compute only metrics that are missing. The subcommands
    compare, between and cost read that directory; estimate reads DATA, and with -o the saved scores.

    --plot FILE draws a forest plot. --plot KIND=FILE draws another figure: scatter, heatmap, pareto, topk,
    distributions, calibration or landscape.
    """
    from nlgauge.meta.benchmarks.study import CORRELATIONS

    requests = requested(plots)
    levels, coefficients = split(agreement.levels), split(agreement.coefficients)
    scored = studied(data, metrics, study, models, output, seed, shown.quiet, levels, coefficients)
    if len(scored.judgments.systems) < 2 and levels and not {"global", "by_system"} & set(levels):
        raise click.UsageError(
            f"--level {','.join(levels)} needs two systems, but the data contain only"
            f" {scored.judgments.systems[0]!r}; use --level global."
        )
    correlations = scored.judgments.correlate(seed=seed, **agreement.of_correlate(scored.judgments))
    if output is not None:
        correlations.to_csv(output / CORRELATIONS)
    show_findings(
        answered(correlations, scored.judgments, agreement.resamples, seed, shown.for_readers),
        _SHOWN,
        shown,
        by=("human",),
    )
    draw(requests, correlations, scored)
    if output is not None and not shown.quiet:
        say(
            f"saved to {output}; test whether one metric is better than another with: nlgauge meta compare"
            f" {output}"
        )


class Meta(Group):
    """The commands of `nlgauge meta`; words that do not start with a command are arguments of `run`."""

    def __init__(self) -> None:
        commands = {
            "compare": compare,
            "between": between,
            "cost": cost,
            "estimate": estimate,
            "spans": spans,
            "agreement": span_agreement,
            "bias": bias,
            "sentinels": sentinels,
            "stress": stress,
            "downstream": downstream,
            "human-map": human_map,
            "sweep": sweep,
        }
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

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return commands and data."""
        data = next(parameter for parameter in run.params if parameter.name == "data")
        return [*super().shell_complete(ctx, incomplete), *data.shell_complete(ctx, incomplete)]


app = Meta()
