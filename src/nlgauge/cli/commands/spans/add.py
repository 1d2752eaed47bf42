"""nlgauge spans add: save error spans of people and metrics with a result, for its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.complete import complete_files
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, argument, option
from nlgauge.cli.program import note_written
from nlgauge.cli.span_files import SpanFileOptions

if TYPE_CHECKING:
    from nlgauge.results.result import Result


@Spelled
def add_spans(
    *,
    directory: Annotated[
        Path,
        argument("Result of `nlgauge score -o`.", metavar="RESULT", panel=FILES, existing_directory=True),
    ],
    files: Annotated[
        list[str] | None,
        option(
            "--file",
            help="Files with error spans of people or metrics.",
            metavar="FILE",
            panel=FILES,
            complete=complete_files,
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option(
            "--metric",
            "-m",
            help="Metrics of the result whose errors or edits to add.",
            metavar="METRIC...",
            panel=METRICS,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        option(
            "--weights",
            help="Also add human scores from the errors of people: mqm, mqm,critical=10, ...",
            metavar="RULES",
            panel=METRICS,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", help="Save to this directory (default: RESULT).", metavar="DIR", panel=OUTPUT
        ),
    ] = None,
    quiet: Annotated[
        bool, option("--quiet", "-q", help="Print only warnings and errors.", panel=OUTPUT)
    ] = False,
    reading: SpanFileOptions,
) -> None:
    """Add error spans to a saved result.

        nlgauge spans add out/ --file esa.csv -m ter
        nlgauge report out/ -o report.html

    Spans are placed by system and segment id, and checked with the texts of the result. The report and the
    explorer mark them in each segment, and show how well metrics find the errors of people. With --weights mqm
    the result gets the human score human.mqm: minus the sum of the weights of a text, averaged over annotators.
    """
    from nlgauge.meta.error_spans.of_metrics import metric_spans
    from nlgauge.results.storage.load import load

    if not files and not metrics:
        raise click.UsageError("nothing to add; use --file FILE or -m METRIC.")
    result = load(directory)
    for path in files or ():
        file = reading.read(path, quiet, None if reading.texts is not None else result.corpus)
        result = result.with_spans(file)
    if metrics:
        result = result.with_spans(list(metric_spans(result, metrics).values()))
    if weights is not None:
        result = _with_scores(result, weights)
    target = output or directory
    result.save(target, overwrite=output is None)
    note_written(target)
    if not quiet:
        say(f"{target} has spans of {', '.join(result.corpus.spans)}.")


def _with_scores(result: Result, weights: str) -> Result:
    """Return the result with a human score from the spans of people."""
    import numpy as np

    from nlgauge.spans.of_corpus import spans_of_corpus
    from nlgauge.spans.weights import WEIGHTS, score

    people = [spans for spans in spans_of_corpus(result.corpus) if spans.kind == "people"]
    if not people:
        raise click.UsageError("--weights needs spans of people; add a file with --file.")
    scores = score(people, weights)
    first = weights.partition(",")[0].strip()
    columns = {
        system: [None if np.isnan(value) else float(value) for value in scores[s]]
        for s, system in enumerate(result.corpus.systems)
    }
    return result.with_scores(f"human.{first if first in WEIGHTS else 'spans'}:higher", columns, high=0.0)
