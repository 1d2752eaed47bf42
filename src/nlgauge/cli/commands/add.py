"""nlgauge add: more metrics, or more systems, for a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Spelled
from nlgauge.cli.complete import complete_metrics
from nlgauge.cli.options import (
    Budget,
    Delimiter,
    Encoding,
    ExecutorOptions,
    ModelOptions,
    ResultDirectory,
    ShownOptions,
)
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, RUNNING, STATISTICS, option
from nlgauge.cli.present import present, reporter, require_replies, say_how_to_ask_on
from nlgauge.cli.program import note_running, note_written

if TYPE_CHECKING:
    from nlgauge.results.result import Result
    from nlgauge.scoring import Scorer


@Spelled
def add(
    directory: ResultDirectory,
    *,
    metrics: Annotated[
        list[str] | None,
        option(
            "--metric",
            "-m",
            help='Metrics to add, such as bleu or "chrf(word_order=2)".',
            metavar="METRIC...",
            panel=METRICS,
            complete=complete_metrics,
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        option(
            "--system",
            "-i",
            help="Predictions of a system to add: FILE, FILE:COLUMN or NAME=FILE; repeatable.",
            metavar="FILE",
            panel=FILES,
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        option(
            "--scores",
            help="Add scores of a file: NAME=FILE:COLUMN or NAME:lower=FILE:COLUMN; repeatable.",
            metavar="SCORE",
            panel=FILES,
        ),
    ] = None,
    item: Annotated[
        str | None,
        option(
            "--item",
            help="Field of --scores that identifies the segment (default: id).",
            metavar="FIELD",
            panel=FILES,
        ),
    ] = None,
    system_field: Annotated[
        str | None,
        option(
            "--system-field",
            help="Field of --scores that names the system (default: system or model).",
            metavar="FIELD",
            panel=FILES,
        ),
    ] = None,
    until_sure: Annotated[
        bool,
        option(
            "--until-sure",
            help="Continue score --until-sure that stopped at its budget.",
            panel=STATISTICS,
        ),
    ] = False,
    budget: Budget = None,
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", help="Save to this directory (default: RESULT).", metavar="DIR", panel=OUTPUT
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        option("--overwrite", help="Replace a result in -o and discard an unfinished run.", panel=OUTPUT),
    ] = False,
    resume: Annotated[
        bool,
        option("--resume", help="Resume an unfinished addition; start it if there is none.", panel=RUNNING),
    ] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    models: ModelOptions,
    computing: ExecutorOptions,
    shown: ShownOptions,
) -> None:
    """Add metrics or systems to a saved result without scoring the rest again.

        nlgauge add out/ -m rouge ter
        nlgauge add out/ --system sysC.txt
        nlgauge add out/ --scores helpful:1..5=ratings.csv:rating
        nlgauge add out/ --until-sure --budget 2

    The result is replaced only when everything new has been computed; if the command is interrupted, run it
    again with --resume.
    """
    from nlgauge.results.storage.checkpoint import unfinished
    from nlgauge.results.storage.load import load
    from nlgauge.results.storage.resume import Destination, put_back
    from nlgauge.results.storage.save import check_free

    changes = {"-m": metrics, "--system": systems, "--scores": scores, "--resume": resume}
    _check_asking(until_sure, budget, changes)
    if not metrics and not systems and not scores and not until_sure:
        raise click.UsageError(
            "nothing to add; use -m METRIC..., --system FILE or --scores NAME=FILE:COLUMN."
        )
    if output is not None:
        check_free(output, overwrite)
    target = output or directory
    put_back(target)
    result = load(directory)
    for text in scores or ():
        result = _with_scores(result, text, item, system_field, encoding, delimiter)
    if until_sure:
        scorer = _scorer_of(result, computing, models)
        scorer.output = Destination(target, overwrite=output is None or overwrite)
        result = scorer.ask_on(result, budget, reporter(shown.quiet))
    elif metrics or systems:
        note_running(unfinished(target))
        result = result.add(
            *(metrics or ()),
            predictions=_predictions(result, systems, encoding=encoding, delimiter=delimiter)
            if systems
            else None,
            executor=computing.chosen(),
            cache=not models.no_cache,
            output=Destination(target, resume, overwrite, replaces=output is None),
            batch_size=models.batch_size,
            device=models.device,
            show_progress=False if shown.quiet else None,
        )
    else:
        result.save(target, texts=result.has_texts, overwrite=output is None or overwrite)
    note_written(target)
    present(result, shown)
    if not shown.quiet:
        say(f"saved to {target}")
        say_how_to_ask_on(result, target)
    require_replies(result)


def _check_asking(until_sure: bool, budget: float | None, others: dict[str, Any]) -> None:
    """Raise UsageError if --until-sure is combined with another addition, or --budget is without it."""
    if budget is not None and not until_sure:
        raise click.UsageError("--budget is an option of --until-sure; add --until-sure.")
    other = next((name for name, value in others.items() if value), None)
    if until_sure and other is not None:
        raise click.UsageError(f"--until-sure cannot be combined with {other}; omit one of them.")


def _scorer_of(result: Result, computing: ExecutorOptions, models: ModelOptions) -> Scorer:
    """Return a scorer with the metrics of a result."""
    from nlgauge.engine.prepare import as_spec
    from nlgauge.scoring import Scorer

    return Scorer(
        [as_spec(label, metric) for label, metric in result._job.metrics.items()],
        executor=computing.chosen(),
        cache=not models.no_cache,
    )


def _with_scores(
    result: Result,
    text: str,
    item: str | None,
    system_field: str | None,
    encoding: str | None,
    delimiter: str | None,
) -> Result:
    """Return the result with the scores of a column of a file, such as "helpful:1..5=ratings.csv:rating"."""
    from nlgauge.io import Inputs
    from nlgauge.io.files import Address
    from nlgauge.results.imported.building import scores_by_segment

    name, equals, word = text.partition("=")
    address = Address.of(word)
    if not equals or address.column is None:
        raise click.UsageError(f"--scores {text} names no column of a file; write NAME=FILE:COLUMN.")
    records = Inputs([address.path], encoding=encoding, delimiter=delimiter).records()
    return result.with_scores(name, scores_by_segment(result, records, address.column, item, system_field))


def _predictions(result: Result, systems: list[str], **options: Any) -> dict[str, Any]:
    """Return the predictions of the new systems, in the order of the result's segments."""
    from nlgauge.corpus.raw_columns import DEFAULT_SYSTEM
    from nlgauge.errors import InputError
    from nlgauge.io import Inputs
    from nlgauge.io.files import Address

    corpus = Inputs(systems, **{name: value for name, value in options.items() if value}).read()
    if len(corpus) != len(result.corpus):
        raise InputError(
            f"{systems[0]} has {counted(len(corpus), 'segment')}, but the result has {len(result.corpus)}; use a file with the"
            " segments of the result."
        )
    order = list(range(len(corpus)))
    if list(corpus.ids) != order and list(corpus.ids) != list(result.corpus.ids):
        # The file has segment ids: sort its segments as the result does.
        places = {str(segment): i for i, segment in enumerate(corpus.ids)}
        missing = [segment for segment in result.corpus.ids if str(segment) not in places]
        if missing:
            raise InputError(
                f"{systems[0]} lacks the segment {missing[0]!r} of the result; add it to the file."
            )
        order = [places[str(segment)] for segment in result.corpus.ids]
    rows = {system: corpus.predictions[system].lists() for system in corpus.systems}
    if corpus.systems == (DEFAULT_SYSTEM,):
        # The records have no system field: the system is named after the file.
        name, equals, _ = systems[0].partition("=")
        rows = {
            name if equals and not Path(systems[0]).exists() else Address.of(systems[0]).name: rows[
                DEFAULT_SYSTEM
            ]
        }
    return {
        system: [[corpus.texts[text] for text in lists[i]] for i in order] for system, lists in rows.items()
    }
