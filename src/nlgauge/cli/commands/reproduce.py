"""nlgauge reproduce: the tables and figures of a paper next to print."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Command
from nlgauge.cli.options import SeedOfAll
from nlgauge.cli.output import emit, say, show
from nlgauge.cli.parameters import OUTPUT, argument, option


@Command
def reproduce(
    document: Annotated[
        str | None,
        argument("Document, such as thesis-ch4; without it, the documents are listed.", metavar="[DOCUMENT]"),
    ] = None,
    *,
    output: Annotated[
        Path | None,
        option(
            "--output",
            "-o",
            help="Directory for the page, the figures, the numbers and the scores.",
            metavar="DIR",
            panel=OUTPUT,
        ),
    ] = None,
    plan: Annotated[
        bool, option("--plan", help="Show data, models and time; compute nothing.", panel=OUTPUT)
    ] = False,
    printed: Annotated[
        bool, option("--printed", help="Show the printed tables; compute nothing.", panel=OUTPUT)
    ] = False,
    resamples: Annotated[
        int, option("--resamples", at_least=2, help="Number of resamples for intervals.", metavar="N")
    ] = 1000,
    seed: SeedOfAll = SEED,
) -> None:
    """Reproduce the tables and figures of a paper next to the printed numbers.

        nlgauge reproduce thesis-ch4 --plan
        nlgauge reproduce thesis-ch4 -o chapter4/

    Each printed number gets a verdict: equal, near, inside (the interval), differs (with the reason), misprint or not
    computed (with the reason). Each claim of the document gets one, too: supported, contradicted, undecided or
    not tested. The directory contains one page as HTML and as Markdown, the figures, the numbers as JSON, and the scores,
    which a repeated run does not compute again.
    """
    from nlgauge.reproduce.printed_tables import names
    from nlgauge.reproduce.printed_tables import printed as printed_table
    from nlgauge.reproduce.running import document as known
    from nlgauge.reproduce.running import documents, plan_lines, run

    if document is None:
        emit("\n".join(f"{name:12} {known(name).title}" for name in documents()))
        return
    wanted = known(document)
    if printed:
        for name in names(wanted.printed):
            show(printed_table(name).findings())
        return
    if plan:
        emit("\n".join(plan_lines(document)))
        return
    if output is None:
        raise click.UsageError(
            "-o DIR is missing: name a directory for the page, or use --plan or --printed."
        )
    made = run(document, output, seed=seed, resamples=resamples, say=say)
    show(made)
    say(f"saved to {output}: index.html, index.md, reproduction.json, figures/")
