"""nlgauge score: scores files of predictions."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nlgauge.cli.options import AsJson, Confidence, Overwrite, Resamples, checked_confidence
from nlgauge.cli.output import result_document, say, show, show_json
from nlgauge.cli.program import WRITTEN

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def score(
    context: typer.Context,
    *,
    systems: Annotated[
        list[str],
        typer.Argument(
            help="Predictions, one file per system: FILE, FILE:COLUMN, NAME=FILE or - (standard input); or one file of records.", metavar="SYSTEM"
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help='A metric, such as bleu or "chrf(word_order=2)"; repeat for more (default: bleu, chrf, rouge).'),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--references",
            "-r",
            help="Reference file; repeat for more. In later files a blank line means no further reference for that segment.",
            metavar="FILE",
        ),
    ] = None,
    source: Annotated[str | None, typer.Option("--source", "-s", help="Sources.", metavar="FILE")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the result to this directory.")] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only scores, warnings and errors: no progress, no signatures.")] = False,
    lang: Annotated[
        str | None, typer.Option("--lang", "-l", help="Code of the texts' language, such as de, pt-BR or yue, for tokenisers and default models.")
    ] = None,
    ids: Annotated[str | None, typer.Option(help="Segment ids.", metavar="FILE")] = None,
    documents: Annotated[str | None, typer.Option(help="Document that each segment is from; documents are resampled whole.", metavar="FILE")] = None,
    weights: Annotated[str | None, typer.Option(help="Weight of each segment.", metavar="FILE")] = None,
    reduce: Annotated[str | None, typer.Option(help="How the scores against several references become one: best, max, min, mean, ...")] = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 12345,
    device: Annotated[str | None, typer.Option(help="Where models run: cpu, cuda, ...")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Number of texts that a model reads at once.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never use the network.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes that work at once.")] = 1,
    no_texts: Annotated[bool, typer.Option("--no-texts", help="Save hashes instead of texts.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """Scores predictions, prints a table with intervals and p-values, and saves the result.

    nlgauge score -m bleu -m chrf -r refs.txt sysA.txt sysB.txt -o out/

    FILE is UTF-8 text with one segment per line, or a .tsv, .csv or .jsonl file, of which FILE:COLUMN takes one column by its name; any of them may
    be gzipped. FILE:2 takes the second column of a .tsv or .csv file without a header row, and is refused if the first row looks like a header.

    Fields of .tsv and .csv files may be in double quotes, with quotes inside doubled (RFC 4180). A .tsv file whose quotes do not follow that rule,
    or in which no field needs them, is read as it stands, quotes included; where both readings are possible it is refused.
    """
    from nlgauge.features import RunOptions
    from nlgauge.io import read_corpus
    from nlgauge.results.storage import check_free
    from nlgauge.scorer import Scorer

    checked_confidence(confidence)
    _check_single(metrics or ())
    if offline:
        os.environ["NLGAUGE_OFFLINE"] = "1"
    if jobs > 1:
        os.environ["NLGAUGE_THREADS"] = str(jobs)
    scorer = Scorer(metrics or None, run_concurrent=jobs > 1)
    if output is not None:
        check_free(output, overwrite)
    corpus = read_corpus(systems, references or (), source, ids=ids, documents=documents, weights=weights, lang=lang)
    result = scorer.score_corpus(corpus, reduce, RunOptions(seed, batch_size, device), False if quiet else None)
    present(
        context, result, output, confidence=confidence, resamples=resamples, as_json=as_json, quiet=quiet, texts=not no_texts, overwrite=overwrite
    )


def _check_single(metrics: Sequence[str]) -> None:
    """Raises where one option holds several metrics: a comma outside brackets."""
    from nlgauge.errors import ParameterError

    for given in metrics:
        names = [name.strip() for name in re.split(r",(?![^(]*\))", given)]
        if len(names) > 1:
            raise ParameterError(
                f"there is no metric {given!r}. For several metrics repeat -m: {' '.join(f'-m {shlex.quote(name)}' for name in names)}"
            )


def present(
    context: typer.Context,
    result: Result,
    output: Path | None,
    *,
    confidence: float,
    resamples: int,
    as_json: bool = False,
    quiet: bool = False,
    texts: bool = True,
    overwrite: bool = False,
) -> None:
    """Saves the result, then shows its scores with intervals and, for several systems, the test against the first."""
    from nlgauge.terminal.tables import result_table

    if output is not None:
        context.meta[WRITTEN] = result.save(output, texts=texts, overwrite=overwrite)
    intervals = result.intervals(confidence, resamples)
    comparison = result.compare(confidence=confidence, resamples=resamples) if len(result.systems) > 1 else None
    if as_json:
        show_json(result_document(result, intervals, comparison, confidence))
    else:
        show(result_table(result, intervals, comparison, confidence))
    if quiet:
        return
    for label, signature in result.signatures.items():
        say(f"{label}: {signature}")
    if output is not None:
        say(f"saved to {output}")
