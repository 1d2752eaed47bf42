"""nlgauge score: scores files of predictions."""

from __future__ import annotations

import os
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
            help="Predictions, one file a system: FILE, FILE:COLUMN, NAME=FILE or - (standard input); or one file of records.", metavar="SYSTEM"
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help='A metric, such as bleu or "chrf(word_order=2)"; may be repeated (default: bleu, chrf, rouge).'),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option("--references", "-r", help="References; a blank line in the second file or a later one is none.", metavar="FILE"),
    ] = None,
    source: Annotated[str | None, typer.Option("--source", "-s", help="Sources.", metavar="FILE")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the result to this directory.")] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no signatures: only the scores, warnings and errors.")] = False,
    lang: Annotated[str | None, typer.Option("--lang", "-l", help="The language's ISO code, for tokenisers and default models.")] = None,
    ids: Annotated[str | None, typer.Option(help="Segment ids.", metavar="FILE")] = None,
    documents: Annotated[str | None, typer.Option(help="The document of each segment; documents are resampled whole.", metavar="FILE")] = None,
    weights: Annotated[str | None, typer.Option(help="How much each segment counts.", metavar="FILE")] = None,
    reduce: Annotated[str | None, typer.Option(help="How several references become one score: best, max, min, mean, ...")] = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random.")] = 12345,
    device: Annotated[str | None, typer.Option(help="Where models run: cpu, cuda, ...")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="How many texts a model reads at once.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never use the network.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes work at once.")] = 1,
    no_texts: Annotated[bool, typer.Option("--no-texts", help="Save hashes in the place of texts.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """Scores predictions, prints a table with intervals and p-values, and saves the result.

    nlgauge score -m bleu -m chrf -r refs.txt sysA.txt sysB.txt -o out/
    """
    from nlgauge.features import RunOptions
    from nlgauge.io import read_corpus
    from nlgauge.results.storage import check_free
    from nlgauge.scorer import Scorer

    checked_confidence(confidence)
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

    intervals = result.intervals(confidence, resamples)
    comparison = result.compare(confidence=confidence, resamples=resamples) if len(result.systems) > 1 else None
    if output is not None:
        context.meta[WRITTEN] = result.save(output, texts=texts, overwrite=overwrite)
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
