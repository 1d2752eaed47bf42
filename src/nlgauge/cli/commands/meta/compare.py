"""nlgauge meta compare: test whether one metric agrees better with people than another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from nlgauge.cli.command import Command
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import (
    FindingOptions,
    PartOptions,
    SavedCoefficient,
    SavedLevel,
    SavedMetrics,
    SavedStudy,
    opened,
    split,
)
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import Confidence, SeedOfAll, checked_confidence
from nlgauge.cli.parameters import STATISTICS, option

if TYPE_CHECKING:
    from nlgauge.meta.comparison import MetricComparison
    from nlgauge.meta.findings import Findings

_SHOWN = ("human", "group", "metric", "other", "delta", "low", "high", "p", "p_adjusted", "better")
_CLUSTERS = ("metric", "value", "cluster", "letters", "wins", "losses")


@Command
def compare(
    directory: SavedStudy,
    *,
    metrics: SavedMetrics = None,
    human: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Human dimensions or fields, separated by commas (default for studies: all).",
            metavar="NAME",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        option(
            "--against",
            help="Compare each metric only with these, and correct only for these pairs.",
            metavar="METRIC",
            panel=STATISTICS,
        ),
    ] = None,
    level: SavedLevel = None,
    coefficient: SavedCoefficient = None,
    generalize_to: Annotated[
        str | None,
        option(
            "--generalize-to",
            help="New data that the claim is about: systems (default), inputs or both.",
            metavar="WHAT",
            panel=STATISTICS,
            aliases=("--generalise-to",),
        ),
    ] = None,
    test: Annotated[
        str | None,
        option(
            "--test",
            help="Test: randomization (default), bootstrap (default for both) or williams.",
            metavar="TEST",
            panel=STATISTICS,
        ),
    ] = None,
    adjust: Annotated[
        str | None,
        option(
            "--adjust",
            help="Correction: maxT (default), holm (for williams), bonferroni, bh, by or none.",
            metavar="RULE",
            panel=STATISTICS,
        ),
    ] = None,
    resamples: Annotated[
        int,
        option(
            "--resamples",
            at_least=2,
            help="Number of resamples for intervals and tests.",
            metavar="N",
            panel=STATISTICS,
        ),
    ] = 1000,
    seed: SeedOfAll = 12345,
    confidence: Confidence = 0.95,
    plot: Plot = None,
    part: PartOptions,
    shown: FindingOptions,
) -> None:
    """Test whether one metric agrees with people better than another.

        nlgauge meta compare summeval/ --human relevance -c kendall --plot wins.pdf
        nlgauge meta compare summeval/ --against bleu

    Compare each pair of metrics of a study or a saved result: difference, interval and p-values. Metrics that
    share a letter do not differ significantly. Use --against for comparisons that were planned before looking
    at the data, such as each metric with BLEU.
    """
    checked_confidence(confidence)
    checked_plot(plot)
    study, (judgments, _) = opened(directory, human, part=part.part, quiet=shown.quiet)
    level, coefficient = study.asked(level, coefficient)
    comparison = judgments.compare(
        level=level,
        coefficient=coefficient,
        test=test,
        generalize_to=generalize_to,
        adjust=adjust,
        resamples=resamples,
        seed=seed,
        human=list(judgments.humans),
        metrics=split(metrics) or None,
        confidence=confidence,
        against=split(against) or None,
    )
    comparison = replace(comparison, notes=(*comparison.answer(), *comparison.notes))
    if shown.form == "table" and not comparison.made.get("against"):
        for family in dict.fromkeys((row["human"], row["group"]) for row in comparison):
            show_findings(_with_letters(comparison, *family), _CLUSTERS, shown.changed(quiet=True))
    show_findings(comparison, _SHOWN, shown)
    if plot is not None:
        comparison.plot(plot)


def _with_letters(comparison: MetricComparison, human: str, group: Any) -> Findings:
    """Return one row per metric, best first, with its cluster and letters."""
    family = ", ".join(str(part) for part in (human, group) if part is not None)
    clusters = comparison.where(human=human, group=group).clusters()
    return replace(clusters, title=f"{comparison.title}: {family}", made={}, notes=())
