"""nlgauge meta compare: tests whether one metric agrees better with people than another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from nlgauge.cli.command import Command
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import (
    AskedCoefficient,
    AskedLevel,
    FoundOptions,
    KeptMetrics,
    KeptStudy,
    opened,
    split,
)
from nlgauge.cli.found import show_found
from nlgauge.cli.options import Confidence, SeedOfAll, checked_confidence
from nlgauge.cli.parameters import option

if TYPE_CHECKING:
    from nlgauge.meta.comparison import MetricComparison
    from nlgauge.meta.findings import Findings

_SHOWN = ("human", "group", "metric", "other", "delta", "low", "high", "p", "p_adjusted", "better")
_CLUSTERS = ("metric", "value", "cluster", "letters", "wins", "losses")


@Command
def compare(
    directory: KeptStudy,
    *,
    metrics: KeptMetrics = None,
    human: Annotated[
        list[str] | None,
        option("--human", help="Human dimensions, with commas between them.", metavar="NAME"),
    ] = None,
    against: Annotated[
        list[str] | None,
        option(
            "--against",
            help=(
                "Compare each metric with these alone, planned beforehand, and correct for these pairs alone."
            ),
            metavar="NAME",
        ),
    ] = None,
    level: AskedLevel = None,
    coefficient: AskedCoefficient = None,
    generalise_to: Annotated[
        str | None,
        option(
            "--generalise-to",
            help="What the claim is about: new systems (default), inputs, or both.",
            metavar="WHAT",
        ),
    ] = None,
    test: Annotated[
        str | None, option("--test", help="Test: randomization, bootstrap or williams.", metavar="TEST")
    ] = None,
    adjust: Annotated[
        str | None,
        option(
            "--adjust",
            help="Correction for several pairs: maxT, holm, bonferroni, bh, by, none.",
            metavar="RULE",
        ),
    ] = None,
    resamples: Annotated[
        int, option("--resamples", at_least=2, help="Resamples for intervals and tests.", metavar="N")
    ] = 1000,
    seed: SeedOfAll = 12345,
    confidence: Confidence = 0.95,
    plot: Plot = None,
    shown: FoundOptions,
) -> None:
    """Tests each pair of the metrics of a study or a saved result: difference, interval, p-values, and of
    what new data the claim is.

    nlgauge meta compare summeval/ --human relevance -c kendall --plot wins.pdf

    nlgauge meta compare summeval/ --against bleu

    Metrics that share a letter cannot be told apart. --against is for comparisons that were planned before
    looking: each metric with BLEU, say.
    """
    checked_confidence(confidence)
    checked_plot(plot)
    study, (judgments, _) = opened(directory, human)
    level, coefficient = study.asked(level, coefficient)
    found = judgments.compare(
        level=level,
        coefficient=coefficient,
        test=test,
        generalise_to=generalise_to,
        adjust=adjust,
        resamples=resamples,
        seed=seed,
        human=split(human) or list(judgments.humans),
        metrics=split(metrics) or None,
        confidence=confidence,
        against=split(against) or None,
    )
    found = replace(found, notes=(*found.answer(), *found.notes))
    if shown.form == "table" and not found.made.get("against"):
        for family in dict.fromkeys((row["human"], row["group"]) for row in found):
            show_found(_with_letters(found, *family), _CLUSTERS, replace(shown, quiet=True))
    show_found(found, _SHOWN, shown)
    if plot is not None:
        found.plot(plot)


def _with_letters(found: MetricComparison, human: str, group: Any) -> Findings:
    """One row per metric, best first, with its cluster and letters."""
    named = ", ".join(str(part) for part in (human, group) if part is not None)
    return replace(
        found.where(human=human, group=group).clusters(), title=f"{found.title}: {named}", made={}, notes=()
    )
