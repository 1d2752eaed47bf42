"""nlgauge report: a saved result as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.paths import require_folder
from nlgauge.cli.command import Command
from nlgauge.cli.options import Baseline, Confidence, ResultDirectory, Seed, checked_confidence
from nlgauge.cli.parameters import option


@Command
def report(
    directory: ResultDirectory,
    *,
    output: Annotated[Path, option("--output", "-o", help="The file to write.", metavar="FILE")] = Path(
        "report.html"
    ),
    title: Annotated[
        str | None,
        option("--title", help="Title of the page (default: name of the directory).", metavar="TEXT"),
    ] = None,
    explain: Annotated[
        str, option("--explain", help="Number of segments to explain, or 'all'.", metavar="N")
    ] = "200",
    texts: Annotated[
        bool,
        option("--texts/--no-texts", help="Whether the page has the texts, and explanations of them."),
    ] = True,
    max_size: Annotated[
        float,
        option(
            "--max-size",
            at_least=0,
            help="Maximum size in MB; explanations, then texts are omitted.",
            metavar="MB",
        ),
    ] = 25,
    baseline: Baseline = None,
    confidence: Confidence = 0.95,
    resamples: Annotated[
        int, option("--resamples", at_least=1, help="Resamples for intervals and tests.", metavar="N")
    ] = 1000,
    seed: Seed = None,
    overwrite: Annotated[bool, option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Writes a saved result as one HTML file that opens from disk and needs no network: who leads, where,
    and why.
    """
    from nlgauge.errors import ParameterError
    from nlgauge.results.storage.load import load

    checked_confidence(confidence)
    if not (explain == "all" or (explain.isascii() and explain.isdecimal())):
        raise ParameterError(f"--explain must be a number of segments or 'all', got {explain!r}.")
    require_folder(output)
    if output.exists() and not overwrite:
        raise ParameterError(f"{output} is there already; give --overwrite to replace it.")
    if not output.absolute().parent.is_dir():
        raise ParameterError(
            f"there is no directory {output.parent} to write {output.name} to; create it first."
        )
    written = load(directory).report(
        output,
        title=title or directory.name,
        explain="all" if explain == "all" else int(explain),
        texts=texts,
        max_size=max_size,
        baseline=baseline,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    click.echo(f"{written} ({written.stat().st_size / 1e6:.1f} MB)", err=True)
