"""nlgauge add: more metrics, or more systems, for a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nlgauge.cli.command import with_options
from nlgauge.cli.options import Delimiter, Encoding, Metrics, NoCache, Overwrite, ResultDirectory, ShownOptions
from nlgauge.cli.output import say
from nlgauge.cli.present import present, save

if TYPE_CHECKING:
    from nlgauge.results.result import Result


@with_options
def add(
    context: typer.Context,
    directory: ResultDirectory,
    *,
    metrics: Metrics = None,
    systems: Annotated[
        list[str] | None,
        typer.Option("--system", "-i", help="Predictions of a further system: FILE, FILE:COLUMN or NAME=FILE; repeat for more.", metavar="FILE"),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save to this directory (default: the same one).", metavar="RESULT")] = None,
    overwrite: Overwrite = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    no_cache: NoCache = False,
    shown: ShownOptions,
) -> None:
    """Adds metrics or systems to a saved result; what was scored is not scored again.

    nlgauge add out/ -m rouge ter

    nlgauge add out/ --system sysC.txt
    """
    from nlgauge.results.storage import check_free, load

    if not metrics and not systems:
        raise typer.BadParameter("name what to add: -m METRIC... or --system FILE.", param_hint="'--metric'")
    if output is not None:
        check_free(output, overwrite, "--overwrite")
    result = load(directory)
    if systems:
        result = result.add(predictions=_predictions(result, systems, encoding=encoding, delimiter=delimiter), cache=not no_cache)
    if metrics:
        result = result.add(*metrics, cache=not no_cache)
    save(context, result, output or directory, overwrite=True)
    present(result, shown)
    if not shown.quiet:
        say(f"saved to {output or directory}")


def _predictions(result: Result, systems: list[str], **options: Any) -> dict[str, Any]:
    """The predictions of further systems for the segments of the result, in its order."""
    from nlgauge.corpus.parts import DEFAULT_SYSTEM
    from nlgauge.errors import InputError
    from nlgauge.io import read_corpus
    from nlgauge.io.files import Address

    corpus = read_corpus(systems, **{name: value for name, value in options.items() if value})
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
        rows = {name if equals and not Path(systems[0]).exists() else Address.of(systems[0]).name: rows[DEFAULT_SYSTEM]}
    return {system: [[corpus.texts[text] for text in lists[i]] for i in order] for system, lists in rows.items()}
