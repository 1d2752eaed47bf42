"""nlgauge report: a saved result as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.paths import require_folder
from nlgauge.cli.command import Command
from nlgauge.cli.options import (
    Against,
    Baseline,
    Confidence,
    HumanFields,
    Pairs,
    Ratings,
    Resamples,
    ResultDirectory,
    Seed,
    Where,
    checked_confidence,
    narrowed,
    older_run,
    pairs_of,
)
from nlgauge.cli.parameters import option
from nlgauge.cli.ratings import rated


@Command
def report(
    directory: ResultDirectory,
    *,
    output: Annotated[Path, option("--output", "-o", help="File to write.", metavar="FILE")] = Path(
        "report.html"
    ),
    title: Annotated[
        str | None,
        option("--title", help="Title of the page (default: name of the directory).", metavar="TEXT"),
    ] = None,
    explain: Annotated[
        str, option("--explain", help="Number of segments to explain, or all.", metavar="N|all")
    ] = "200",
    texts: Annotated[
        bool, option("--texts/--no-texts", help="Include the texts and their explanations.")
    ] = True,
    max_size: Annotated[
        float,
        option(
            "--max-size",
            at_least=0,
            help="Approximate size limit; further explanations and texts are omitted.",
            metavar="MB",
        ),
    ] = 25,
    human: HumanFields = None,
    ratings: Ratings = None,
    against: Against = None,
    pair: Pairs = None,
    where: Where = None,
    baseline: Baseline = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Seed = None,
    overwrite: Annotated[bool, option("--overwrite", help="Replace an existing file.")] = False,
) -> None:
    """Write a saved result as one HTML file that needs no network.

        nlgauge report out/ -o report.html

    The report has a leaderboard, a comparison of two systems, the agreement between metrics, and explained
    segments. Human scores come first: fields called human.NAME, else numbers of each of several systems. Name
    other fields with --human, and write NAME:lower if lower is better:

        nlgauge report out/ --human coherence --human errors:lower
        nlgauge report out/ --ratings campaign/

    With --against the report begins with what changed since an older run:

        nlgauge report new/ --against old/
    """
    from nlgauge.results.storage.load import load
    from nlgauge.show.report import write_report

    checked_confidence(confidence)
    if pair and against is None:
        raise click.UsageError("--pair names systems of an older run; add --against.")
    if not (explain == "all" or (explain.isascii() and explain.isdecimal())):
        raise click.UsageError(f"--explain must be a number of segments, or all, got {explain!r}.")
    require_folder(output)
    if output.exists() and not overwrite:
        raise click.UsageError(f"{output} already exists; use --overwrite to replace it.")
    result = rated(load(directory), ratings)
    part = narrowed(result, where)
    written = write_report(
        part,
        output,
        title=title or directory.name,
        explain="all" if explain == "all" else int(explain),
        texts=texts,
        max_size=max_size,
        human=human,
        against=older_run(against, result, part),
        pairs=pairs_of(pair),
        run_names=None if against is None else (str(directory), str(against)),
        baseline=baseline,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    for left_out in written.left_out:
        click.echo(f"left out to stay below {max_size:g} MB: {left_out}", err=True)
    click.echo(f"{written} ({written.stat().st_size / 1e6:.1f} MB)", err=True)
