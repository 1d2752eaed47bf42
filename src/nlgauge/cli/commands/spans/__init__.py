"""nlgauge spans: convert files with error spans, and score texts by the weights of their errors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from nlgauge.cli.command import Group, Spelled
from nlgauge.cli.commands.spans.add import add_spans
from nlgauge.cli.complete import complete_files
from nlgauge.cli.options import FormOptions, one_of
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, OUTPUT, STATISTICS, argument, option
from nlgauge.cli.program import note_written
from nlgauge.cli.span_files import SpanFileOptions

SpanFileArgument = Annotated[
    str,
    argument(
        "File with error spans of people or metrics.", metavar="FILE", panel=FILES, complete=complete_files
    ),
]


@Spelled
def convert(
    *,
    file: SpanFileArgument,
    output: Annotated[Path, option("--output", "-o", help="File to write.", metavar="FILE", panel=OUTPUT)],
    to: Annotated[
        str,
        option(
            "--to",
            help="Format: nlgauge, appraise, mqm, mtme, inline, label_studio, pearmut, factgenie.",
            metavar="FORMAT",
            panel=OUTPUT,
        ),
    ] = "nlgauge",
    quiet: Annotated[
        bool, option("--quiet", "-q", help="Print only warnings and errors.", panel=OUTPUT)
    ] = False,
    reading: SpanFileOptions,
) -> None:
    """Convert a file with error spans to another format.

        nlgauge spans convert esa.csv --texts texts.jsonl -o spans.jsonl
        nlgauge spans convert spans.jsonl --to mqm -o mqm.tsv

    The format of FILE is recognized by its content. Every place is checked: spans past the end of a text and
    texts that differ from --texts are errors, and nothing is written. Formats without texts also write
    NAME.texts.json. A message lists what the new format cannot contain.
    """
    from nlgauge.spans.writing import WRITERS, write

    one_of(to, list(WRITERS), "--to")
    lost = write(reading.read(file, quiet), output, to)
    note_written(output)
    if not quiet:
        say(
            f"{output} ({to}) does not contain: {'; '.join(lost)}."
            if lost
            else f"{output} contains everything."
        )


@Spelled
def score_spans(
    *,
    file: SpanFileArgument,
    weights: Annotated[
        str,
        option(
            "--weights",
            help="mqm (default), sqm25, xcomet or gemba; add rules: mqm,critical=10,minor/style=0.",
            metavar="RULES",
            panel=STATISTICS,
        ),
    ] = "mqm",
    level: Annotated[
        str,
        option(
            "--level",
            help="Level: system (default) or segment.",
            metavar="LEVEL",
            panel=STATISTICS,
        ),
    ] = "system",
    per_words: Annotated[
        bool, option("--per-words", help="Score per 100 words of the text.", panel=STATISTICS)
    ] = False,
    reading: SpanFileOptions,
    shown: FormOptions,
) -> None:
    """Score texts by the weights of their errors.

        nlgauge spans score mqm.tsv
        nlgauge spans score esa.csv --weights mqm,critical=10 --level segment -f csv

    A score is minus the sum of the weights of the errors of a text, averaged over annotators; 0 is best. The
    rule with the longest name decides: minor/fluency/punctuation=0.1 comes before minor=1. An error without a
    rule is a usage error, not 0.
    """
    import numpy as np

    from nlgauge.cli.commands.meta.study import FindingOptions
    from nlgauge.cli.findings import show_findings
    from nlgauge.meta.findings import Findings
    from nlgauge.spans.weights import LEVELS, PER, score

    one_of(level, LEVELS, "--level")
    spans = reading.read(file, shown.quiet)
    scores = score(spans, weights, per=PER if per_words else None)
    systems, segments = spans[0].systems, spans[0].segments
    known = ~np.isnan(scores)
    if level == "system":
        rows = [
            {"system": system, "score": float(np.nanmean(scores[s])), "texts": int(known[s].sum())}
            for s, system in enumerate(systems)
            if known[s].any()
        ]
        rows.sort(key=lambda row: -float(str(row["score"])))
    else:
        rows = [
            {"system": system, "segment": segment, "score": float(scores[s, n])}
            for s, system in enumerate(systems)
            for n, segment in enumerate(segments)
            if known[s, n]
        ]
    findings = Findings(rows, {"weights": weights, "level": level}, "Scores from error spans")
    show_findings(findings, list(rows[0]), FindingOptions(**vars(shown), details=False))


app = Group(
    "Convert files with error spans, and score texts by the weights of errors.",
    {"convert": convert, "score": score_spans, "add": add_spans},
)
