"""nlgauge segments: the segment scores of a saved result."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.options import ResultDirectory, Where, conditions, one_of
from nlgauge.cli.output import show
from nlgauge.cli.parameters import option
from nlgauge.cli.segment_files import FORMS, STDOUT, check_target, form_of, write_columns, write_segments


@Spelled
def segments(
    directory: ResultDirectory,
    *,
    output: Annotated[
        str,
        option(
            "--output",
            "-o",
            help="File to write to, .tsv, .csv, .jsonl or .parquet; - is standard output.",
            metavar="FILE",
        ),
    ] = STDOUT,
    form: Annotated[
        str | None,
        option(
            "--format", "-f", help=f"Form: {', '.join(FORMS)} (default: by suffix, else tsv).", metavar="FORM"
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        option("--metric", "-m", help="Metrics of the result (default: all).", metavar="METRIC..."),
    ] = None,
    system: Annotated[
        str | None, option("--system", help="This system only (default: all).", metavar="NAME")
    ] = None,
    where: Where = None,
    texts: Annotated[bool, option("--texts", help="Write source, references and prediction too.")] = False,
    wide: Annotated[
        bool, option("--wide", help="One row per segment, with every system side by side.")
    ] = False,
    worst: Annotated[
        int | None,
        option(
            "--worst",
            at_least=1,
            help="Show the N segments with the worst scores by the first metric, with their texts.",
            metavar="N",
        ),
    ] = None,
    missing: Annotated[
        bool,
        option(
            "--missing",
            help="Show the segments without a score of the first metric, with the reason and their texts.",
        ),
    ] = False,
) -> None:
    """Prints the score of every segment of a saved result: one row per segment and system.

    nlgauge segments out/ --texts --wide -o segments.tsv

    nlgauge segments out/ -m bleu --worst 10

    nlgauge segments out/ -m comet --missing
    """
    from nlgauge.results.joined import of_systems
    from nlgauge.results.storage.load import load

    if form is not None:
        one_of(form, FORMS, "--format")
    elif output != STDOUT:
        check_target(output)
    result = load(directory)
    if where:
        result = result.where(**conditions(where))
    if system is not None:
        result = of_systems(result, system)
    if worst is not None and missing:
        raise click.BadParameter("--worst and --missing cannot be combined.", param_hint="'--missing'")
    if worst is None and not missing:
        write_segments(result, output, form, texts=texts, wide=wide, metrics=metrics or ())
        return
    metric = metrics[0] if metrics else result.labels[0]
    found = result.missing(metric) if worst is None else result.worst(metric, worst)
    if (output == STDOUT and form is None) or not found:
        show(found)
        return
    write_columns(
        iter([{name: [row[name] for row in found] for name in found[0]}]), output, form or form_of(output)
    )
