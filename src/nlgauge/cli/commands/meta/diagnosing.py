"""nlgauge meta bias, sentinels, downstream and human-map: what else explains the agreement of a metric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Command, Spelled
from nlgauge.cli.commands.meta.outputs import Resampled, dimensions, draw_map, read_outputs
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import (
    Data,
    FindingOptions,
    PartOptions,
    SavedMetrics,
    SavedStudy,
    StudyDirectory,
    StudyMetrics,
    StudyOptions,
    opened,
    split,
)
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import ModelOptions, SeedOfAll, one_of
from nlgauge.cli.output import say
from nlgauge.cli.parameters import STATISTICS, option

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings

_BIAS = (
    "human",
    "metric",
    "covariate",
    "metric_covariate",
    "human_covariate",
    "metric_human",
    "partial",
    "low",
    "high",
)
_SENTINELS = ("human", "level", "coefficient", "sentinel", "value", "beaten", "warning")
_DOWNSTREAM = (
    "task",
    "metric",
    "coefficient",
    "group",
    "value",
    "low",
    "high",
    "covariate",
    "partial",
    "partial_low",
    "partial_high",
    "n",
    "reason",
)
_AGREEMENT = ("metric", "human", "level", "coefficient", "value", "low", "high", "n")
_Level = Annotated[
    str,
    option("--level", help="Level: system, input, global or by_system.", metavar="LEVEL", panel=STATISTICS),
]


@Spelled
def bias(
    *,
    data: Data,
    metrics: StudyMetrics = None,
    level: _Level = "global",
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    models: ModelOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Measure how much metrics reward length and other properties of the texts.

        nlgauge meta bias summeval -m chrf rouge --human relevance

    Correlate metrics and human scores with the lengths of the texts, repetition, and with sources novelty,
    coverage, compression and density (Spearman). `partial` is the agreement with people without the part that
    the property explains.
    """
    from nlgauge.meta.diagnostics.bias import ALL
    from nlgauge.meta.diagnostics.bias import bias as biases

    checked_plot(plot)
    outputs = read_outputs(data, metrics, study, models, output, seed, shown.quiet)
    found = biases(outputs.judgments, outputs.covariates(), human=dimensions(study), level=level)
    show_findings(found, _BIAS, shown, by=("human",))
    single = [row for row in found if row["covariate"] != ALL]
    values: dict[str, dict[str, float]] = {}
    for row in single:
        values.setdefault(row["metric"], {})[row["covariate"]] = row["metric_covariate"]
        values.setdefault(f"human {row['human']}", {})[row["covariate"]] = row["human_covariate"]
    draw_map(values, plot, f"Spearman correlation, {level} level")


@Spelled
def sentinels(
    *,
    data: Data,
    metrics: StudyMetrics = None,
    levels: Annotated[
        list[str] | None,
        option(
            "--level", help="Levels, separated by commas (default: all).", metavar="LEVEL", panel=STATISTICS
        ),
    ] = None,
    coefficients: Annotated[
        list[str] | None,
        option(
            "--coefficient",
            "-c",
            help="Coefficients, separated by commas (default: pearson, kendall).",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    models: ModelOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Compare metrics with scores that do not depend on the quality of an output.

        nlgauge meta sentinels summeval -m chrf rouge --human relevance

    A sentinel is a constant, a random number, the length of the output, the reference or the source, or the mean
    human score of the other outputs of the segment. A metric below a sentinel has no evidence at that level.
    """
    from nlgauge.meta.diagnostics.sentinels import sentinels as measured
    from nlgauge.stats.levels import LEVELS

    checked_plot(plot)
    outputs = read_outputs(data, metrics, study, models, output, seed, shown.quiet)
    judgments = outputs.judgments
    texts = outputs.covariates()
    found = [
        measured(
            judgments,
            texts,
            human=dimension,
            level=split(levels) or LEVELS,
            coefficient=split(coefficients) or ("pearson", "kendall"),
            seed=seed,
        )
        for dimension in dimensions(study) or judgments.humans
    ]
    rows = [dict(row) for findings in found for row in findings]
    show_findings(replace(found[0], rows=rows), _SENTINELS, shown, by=("human",))
    first = rows[0]["coefficient"]
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["coefficient"] == first and row["human"] == rows[0]["human"]:
            values.setdefault(row["sentinel"], {})[row["level"]] = row["value"]
    draw_map(values, plot, f"Agreement of sentinels with {rows[0]['human']}, {first}")


@Spelled
def downstream(
    *,
    data: Data,
    metrics: StudyMetrics = None,
    tasks: Annotated[
        list[str] | None,
        option(
            "--task",
            help="sentiment, topic:K, outlet or MODULE:FUNCTION (imported, run); repeatable.",
            metavar="TASK",
            panel=STATISTICS,
        ),
    ] = None,
    learn_from: Annotated[
        str | None,
        option(
            "--learn-from",
            help="Benchmark or file whose sources topic and outlet learn from.",
            metavar="DATA",
            panel=STATISTICS,
        ),
    ] = None,
    partial: Annotated[
        str | None,
        option(
            "--partial",
            help="words: also the correlation given the length of the outputs.",
            metavar="words",
            panel=STATISTICS,
        ),
    ] = None,
    coefficients: Annotated[
        list[str] | None,
        option(
            "--coefficient",
            "-c",
            help="Coefficients, separated by commas (default: spearman).",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None,
    resamples: Resampled = 1000,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    models: ModelOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Measure whether metrics prefer systems that preserve labels of a task.

        nlgauge meta downstream summeval -m cosmic rouge@source --task sentiment

    A task labels outputs and sources. Correlate the share of equal labels of each system with the scores of the
    metrics. Texts need sources.
    """
    from nlgauge.meta.diagnostics.downstream import downstream as correlated

    checked_plot(plot)
    if not tasks:
        raise click.UsageError("--task is missing; use sentiment, topic:K, outlet or MODULE:FUNCTION.")
    if partial is not None:
        one_of(partial, ("words",), "--partial")
    classifiers = _classifiers(split(tasks), learn_from)
    outputs = read_outputs(data, metrics, study, models, output, seed, shown.quiet)
    given = None if partial is None else outputs.words()
    found: Findings | None = None
    rows: list[dict[str, Any]] = []
    for name, classifier in classifiers.items():
        agreement, shares = outputs.labeled(classifier)
        found = correlated(
            outputs.judgments,
            agreement,
            coefficient=split(coefficients) or ["spearman"],
            partial=given,
            resamples=resamples,
            seed=seed,
        )
        several = outputs.judgments.groups is not None
        rows += [{"task": name, **row, "group": row["group"] if several else None} for row in found]
        if not shown.quiet:
            listed = ", ".join(f"{label} {100 * share:.0f}%" for label, share in shares.items())
            say(f"{name}: labels of the sources: {listed}")
    assert found is not None
    findings = replace(found, rows=rows)
    show_findings(findings, _DOWNSTREAM, shown, by=("task",))
    if plot is not None:
        from nlgauge import plots

        plots.save(plots.profiles(findings, "task"), plot)


def _classifiers(names: list[str], learn_from: str | None) -> dict[str, Any]:
    from nlgauge.meta.papers.tasks import outlet_of, task

    texts, outlets = None, None
    if learn_from is not None:
        from nlgauge.meta.benchmarks.study import Study

        rows = {
            row.source: outlet_of(row.segment)
            for row in Study(benchmark=learn_from, people=True)._whole().rows
            if row.source
        }
        texts, outlets = list(rows), list(rows.values())
    return {name: task(name, texts, outlets) for name in names}


@Command
def human_map(
    directory: SavedStudy,
    *,
    metrics: SavedMetrics = None,
    human: Annotated[
        list[str] | None,
        option("--human", help="Human dimensions or fields (default for studies: all).", metavar="NAME"),
    ] = None,
    level: _Level = "global",
    coefficient: Annotated[
        str,
        option("--coefficient", "-c", help="Coefficient, such as kendall.", metavar="NAME", panel=STATISTICS),
    ] = "pearson",
    resamples: Resampled = 1000,
    seed: SeedOfAll = 12345,
    part: PartOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Draw the agreement of each metric with each human dimension.

    nlgauge meta human-map summeval/ --level global --plot map.pdf
    """
    checked_plot(plot)
    _, (judgments, _) = opened(directory, human, part=part.part, quiet=shown.quiet)
    chosen = [judgments.check_metric(label) for label in split(metrics)] or None
    found = judgments.correlate(
        level=level, coefficient=coefficient, metrics=chosen, resamples=resamples, seed=seed
    )
    averages = found.where(group="average") if "group" in found.names else found
    show_findings(averages, _AGREEMENT, shown, by=("human",))
    if plot is not None:
        from nlgauge import plots

        plots.save(plots.human_map(averages), plot)
