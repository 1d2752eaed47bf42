"""nlgauge meta compare: tests whether one metric agrees better with people than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from nlgauge.cli.found import show_found
from nlgauge.cli.options import FORMATS, Confidence, Quiet, checked_confidence, one_of
from nlgauge.cli.words import separated

_BRIEF = ("human", "group", "metric", "other", "delta", "low", "high", "p", "p_adjusted", "better")


def compare(
    directory: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A directory that `nlgauge meta -o` wrote.", metavar="DIR")],
    *,
    metrics: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="Metrics to compare, each with each (default: all that are kept).", metavar="METRIC")
    ] = None,
    human: Annotated[str | None, typer.Option("--human", help="Human dimensions, with commas between them.", metavar="NAME")] = None,
    level: Annotated[str, typer.Option("--level", help="Level: system, input, global or by_system.", metavar="LEVEL")] = "system",
    coefficient: Annotated[str, typer.Option("--coefficient", "-c", help="Coefficient: pearson, spearman, kendall, ...", metavar="NAME")] = "pearson",
    generalise_to: Annotated[
        str | None,
        typer.Option("--generalise-to", help="What the claim is about: new systems (default), inputs, or both.", metavar="WHAT"),
    ] = None,
    test: Annotated[str | None, typer.Option("--test", help="Test: permutation, bootstrap or williams.", metavar="TEST")] = None,
    adjust: Annotated[
        str | None, typer.Option("--adjust", help="Correction for several pairs: maxT, holm, bonferroni, bh, by, none.", metavar="RULE")
    ] = None,
    draws: Annotated[int, typer.Option("--draws", min=2, help="Draws of the test and of intervals.", metavar="N")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draws.", metavar="N")] = 12345,
    confidence: Confidence = 0.95,
    form: Annotated[str, typer.Option("--format", "-f", help=f"Form: {', '.join(FORMATS)}.", metavar="FORM")] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    details: Annotated[bool, typer.Option("--details", help="All columns.")] = False,
    quiet: Quiet = False,
) -> None:
    """Tests each pair of the metrics that are kept in a directory: difference, interval, p-values, and of what new data the claim is.

    nlgauge meta compare summeval/ --human relevance -c kendall
    """
    from nlgauge.meta.benchmarks.study import reopened
    from nlgauge.meta.compare import compare as compared
    from nlgauge.terminal.pages import Printed

    one_of(form, FORMATS, "--format")
    checked_confidence(confidence)
    study, benchmark, scores = reopened(directory)
    judgements = study.judgements(benchmark, scores)
    found = compared(
        judgements,
        level=level,
        coefficient=coefficient,
        test=test,
        generalise_to=generalise_to,
        adjust=adjust,
        draws=draws,
        seed=seed,
        human=list(judgements.humans) if human is None else separated(human),
        metrics=None if not metrics else [label for one in metrics for label in separated(one)],
        confidence=confidence,
    )
    brief = found if details else replace(found, rows=[_brief(row, found.rows) for row in found.rows])
    page = replace(brief, made={}).page(4 if details else 3)
    show_found(found, brief, lambda: Printed(page), "json" if as_json else form, quiet=quiet)


def _brief(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns that are shown; a dimension or a group that is the same everywhere is not."""
    alone = [name for name in ("human", "group") if len({one.get(name) for one in rows}) == 1]
    return {name: row[name] for name in _BRIEF if name in row and name not in alone}
