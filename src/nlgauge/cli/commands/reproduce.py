"""nlgauge reproduce: the tables and figures of a paper next to print."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Command
from nlgauge.cli.options import SeedOfAll
from nlgauge.cli.output import emit, say, show
from nlgauge.cli.parameters import OUTPUT, argument, option
from nlgauge.cli.program import WORSE, note_running, note_written


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
    part: Annotated[
        list[str] | None,
        option(
            "--part",
            help="Step to compute; repeatable. Default: all that take at most an hour.",
            metavar="NAME",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        option("--sample", at_least=2, help="Number of inputs to draw (default: all).", metavar="N"),
    ] = None,
    model: Annotated[
        str | None, option("--model", help="Model to use in place of the document's model.", metavar="NAME")
    ] = None,
    data: Annotated[
        Path | None,
        option("--data", help="File of the benchmark (default: the installed benchmark).", metavar="FILE"),
    ] = None,
    scores: Annotated[
        Path | None,
        option(
            "--scores",
            help="Directory of a reproduction; use only its scores, and score nothing.",
            metavar="DIR",
        ),
    ] = None,
    force: Annotated[bool, option("--force", help="Compute steps again that DIR already has.")] = False,
    plan: Annotated[
        bool, option("--plan", help="Show data, models, steps and times; compute nothing.", panel=OUTPUT)
    ] = False,
    printed: Annotated[
        bool, option("--printed", help="Show the printed tables; compute nothing.", panel=OUTPUT)
    ] = False,
    quiet: Annotated[bool, option("--quiet", "-q", help="Print no progress.", panel=OUTPUT)] = False,
    resamples: Annotated[
        int, option("--resamples", at_least=2, help="Number of resamples for intervals.", metavar="N")
    ] = 1000,
    seed: SeedOfAll = SEED,
) -> None:
    """Reproduce the tables and figures of a paper next to the printed numbers.

        nlgauge reproduce thesis-ch4 --plan
        nlgauge reproduce thesis-ch4 -o chapter4/
        nlgauge reproduce infolm -o infolm/ --sample 10

    Each printed number gets a verdict: equal, near, inside (the interval), differs (with the reason), misprint or not
    computed (with the reason). Each claim of the document gets one, too: supported, contradicted, undecided or
    not tested. The directory contains one page as HTML and as Markdown, the figures, the numbers as JSON, and the scores
    without texts, which a repeated run does not compute again. The exit code is 3 if a named part cannot be computed.
    """
    from nlgauge.reproduce.planning import document as known
    from nlgauge.reproduce.planning import documents, plan_lines
    from nlgauge.reproduce.printed_tables import printed as printed_table
    from nlgauge.reproduce.running import run

    if document is None:
        emit("\n".join(f"{name:12} {known(name).title}" for name in documents()) + "\n")
        return
    wanted = known(document)
    if printed:
        for name in wanted.tables:
            show(printed_table(name).findings())
        return
    if plan:
        emit("\n".join(plan_lines(document, part, sample, model)) + "\n")
        return
    if output is None:
        raise click.UsageError(
            "-o DIR is missing: name a directory for the page, or use --plan or --printed."
        )
    note_running(output, "run the same command again to continue")
    made = run(
        document,
        output,
        parts=part,
        sample=sample,
        model=model,
        data=data,
        scores=scores,
        force=force,
        seed=seed,
        resamples=resamples,
        say=None if quiet else say,
    )
    note_written(output)
    show(made)
    say(f"saved to {output}: index.html, index.md, reproduction.json, figures/")
    lacking = [each for each in made.parts if each.name in (part or ()) and not each.done]
    for each in lacking:
        say(f"{each.name} was not computed: {each.why}; {each.command}")
    if lacking:
        sys.exit(WORSE)
