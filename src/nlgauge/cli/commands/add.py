"""nlgauge add: more metrics, or more systems, for a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.options import (
    Delimiter,
    Encoding,
    ExecutorOptions,
    Metrics,
    ModelOptions,
    ResultDirectory,
    ShownOptions,
)
from nlgauge.cli.output import say
from nlgauge.cli.parameters import option
from nlgauge.cli.present import present, require_replies
from nlgauge.cli.program import note_running, note_written

if TYPE_CHECKING:
    from nlgauge.results.result import Result


@Spelled
def add(
    directory: ResultDirectory,
    *,
    metrics: Metrics = None,
    systems: Annotated[
        list[str] | None,
        option(
            "--system",
            "-i",
            help="Predictions of a further system: FILE, FILE:COLUMN or NAME=FILE; repeat for more.",
            metavar="FILE",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        option("--output", "-o", help="Save to this directory (default: the same one).", metavar="RESULT"),
    ] = None,
    overwrite: Annotated[
        bool,
        option(
            "--overwrite",
            help="Replace a result that exists in the place of -o, and begin anew where something was ended.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        option("--resume", help="Go on with the same addition that was ended; begin it where there is none."),
    ] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    models: ModelOptions,
    computing: ExecutorOptions,
    shown: ShownOptions,
) -> None:
    """Adds metrics or systems to a saved result; what was scored is not scored again.

    nlgauge add out/ -m rouge ter

    nlgauge add out/ --system sysC.txt

    The result stays as it is until all that is new is there. What is done until then is kept beside it, and
    the same command with --resume goes on after whatever ended it.
    """
    from nlgauge.results.storage.checkpoint import unfinished
    from nlgauge.results.storage.load import load
    from nlgauge.results.storage.resume import Destination, put_back
    from nlgauge.results.storage.save import check_free

    if not metrics and not systems:
        raise click.BadParameter("name what to add: -m METRIC... or --system FILE.", param_hint="'--metric'")
    if output is not None:
        check_free(output, overwrite)
    target = output or directory
    put_back(target)
    result = load(directory)
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
    note_written(target)
    present(result, shown)
    if not shown.quiet:
        say(f"saved to {target}")
    require_replies(result)


def _predictions(result: Result, systems: list[str], **options: Any) -> dict[str, Any]:
    """The predictions of further systems for the segments of the result, in its order."""
    from nlgauge.corpus.raw_columns import DEFAULT_SYSTEM
    from nlgauge.errors import InputError
    from nlgauge.io import Inputs
    from nlgauge.io.files import Address

    corpus = Inputs(systems, **{name: value for name, value in options.items() if value}).read()
    if len(corpus) != len(result.corpus):
        raise InputError(f"{systems[0]} has {len(corpus)} segments, the result has {len(result.corpus)}.")
    order = list(range(len(corpus)))
    if list(corpus.ids) != order and list(corpus.ids) != list(result.corpus.ids):
        # The file names its segments: they are brought into the result's order.
        places = {str(segment): i for i, segment in enumerate(corpus.ids)}
        missing = [segment for segment in result.corpus.ids if str(segment) not in places]
        if missing:
            raise InputError(f"{systems[0]} has no segment {missing[0]!r}, which the result has.")
        order = [places[str(segment)] for segment in result.corpus.ids]
    rows = {system: corpus.predictions[system].lists() for system in corpus.systems}
    if corpus.systems == (DEFAULT_SYSTEM,):
        # Records that do not say which system they are from: the file's name does.
        name, equals, _ = systems[0].partition("=")
        rows = {
            name if equals and not Path(systems[0]).exists() else Address.of(systems[0]).name: rows[
                DEFAULT_SYSTEM
            ]
        }
    return {
        system: [[corpus.texts[text] for text in lists[i]] for i in order] for system, lists in rows.items()
    }
