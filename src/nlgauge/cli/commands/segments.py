"""nlgauge segments: the segment scores of a saved result."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.complete import complete_labels, complete_systems
from nlgauge.cli.options import ResultDirectory, Where, narrowed, one_of
from nlgauge.cli.output import STDOUT, say, show
from nlgauge.cli.parameters import option
from nlgauge.cli.segment_files import FORMS, check_target, form_of, write_columns, write_segments


@Spelled
def segments(
    directory: ResultDirectory,
    *,
    output: Annotated[
        str,
        option(
            "--output",
            "-o",
            help="File to write: .tsv, .csv, .jsonl or .parquet; - is standard output.",
            metavar="FILE",
        ),
    ] = STDOUT,
    form: Annotated[
        str | None,
        option(
            "--format",
            "-f",
            help=f"Format: {', '.join(FORMS)} (default: by suffix, else tsv).",
            metavar="FORMAT",
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option(
            "--metric",
            "-m",
            help="Metrics of the result (default: all).",
            metavar="METRIC...",
            complete=complete_labels,
        ),
    ] = None,
    system: Annotated[
        str | None,
        option(
            "--system",
            help="Print only this system (default: all).",
            metavar="SYSTEM",
            complete=complete_systems,
        ),
    ] = None,
    where: Where = None,
    texts: Annotated[bool, option("--texts", help="Include source, references and prediction.")] = False,
    wide: Annotated[
        bool, option("--wide", help="Print one row per segment, with all systems as columns.")
    ] = False,
    worst: Annotated[
        int | None,
        option(
            "--worst",
            at_least=1,
            help="List the N segments with the worst scores of the first metric.",
            metavar="N",
        ),
    ] = None,
    missing: Annotated[
        bool,
        option("--missing", help="List the segments without a score of the first metric, with reasons."),
    ] = False,
) -> None:
    """Print the score of every segment, or list the worst segments.

        nlgauge segments out/ --texts --wide -o segments.tsv
        nlgauge segments out/ -m bleu --worst 10
        nlgauge segments out/ -m comet --missing

    Print one row per segment and system. With --wide, print one row per segment with all systems as columns;
    with --worst N, list the N segments with the worst scores and their texts.
    """
    from nlgauge.results.joined import of_systems
    from nlgauge.results.storage.load import load

    if form is not None:
        one_of(form, FORMS, "--format")
    elif output != STDOUT:
        check_target(output, "--output")
    result = narrowed(load(directory), where)
    if system is not None:
        result = of_systems(result, system)
    if worst is not None and missing:
        raise click.UsageError("--worst and --missing cannot be combined; omit one.")
    if wide and (worst is not None or missing):
        raise click.UsageError("--wide cannot be combined with --worst or --missing; omit it.")
    if worst is None and not missing:
        write_segments(result, output, form, texts=texts, wide=wide, metrics=metrics or ())
        return
    metric = metrics[0] if metrics else result.labels[0]
    rows = result.missing(metric) if worst is None else result.worst(metric, worst)
    if missing and not rows:
        say(f"every segment has a score of {metric}")
    if (output == STDOUT and form is None) or not rows:
        show(rows)
        return
    write_columns(
        iter([{name: [row[name] for row in rows] for name in rows[0]}]), output, form or form_of(output)
    )
