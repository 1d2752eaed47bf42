"""Options of `import` and `score` for scores that files of records contain, and how these are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.parameters import FILES, STATISTICS, Options, option

if TYPE_CHECKING:
    from nlgauge.results.result import Result


class ScoreFieldOptions(Options):
    """Fields of records that contain scores, and fields that identify answers."""

    scores: Annotated[
        list[str] | None,
        option(
            "--scores",
            help="Score to import: NAME, NAME:lower, NAME:0..1 or NAME:worst/.../best; repeatable.",
            metavar="SCORE",
            panel=FILES,
        ),
    ] = None
    item: Annotated[
        str | None,
        option(
            "--item",
            help="Field that identifies the segment (default: id).",
            metavar="FIELD",
            panel=STATISTICS,
        ),
    ] = None
    system_field: Annotated[
        str | None,
        option(
            "--system-field",
            help="Field that names the system (default: system or model).",
            metavar="FIELD",
            panel=STATISTICS,
        ),
    ] = None
    repeat: Annotated[
        str | None,
        option(
            "--repeat-field",
            help="Field that numbers repeated answers (default: epoch or repeat).",
            metavar="FIELD",
            panel=STATISTICS,
        ),
    ] = None
    document: Annotated[
        str | None,
        option(
            "--document-field",
            help="Field that names the document of a segment (default: doc).",
            metavar="FIELD",
            panel=STATISTICS,
        ),
    ] = None
    ignore_inputs: Annotated[
        bool,
        option("--ignore-inputs", help="Accept different inputs for the same segment.", panel=STATISTICS),
    ] = False

    def check(self) -> None:
        if any(self.arguments().values()) and not self.scores:
            raise click.UsageError("fields of scores require the names of scores; add --scores NAME.")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `from_scores` that the options set."""
        return {
            "item": self.item,
            "system": self.system_field,
            "repeat": self.repeat,
            "documents": self.document,
            "ignore_inputs": self.ignore_inputs,
        }


def scored_records(
    files: Sequence[str], scores: Sequence[str], reading: Mapping[str, Any], **options: Any
) -> Result:
    """Return the result of files of records with scores.

    `reading` has options of `Inputs`, and `options` those of `from_scores`.
    """
    from nlgauge.io import Inputs
    from nlgauge.io.files import Address
    from nlgauge.results.imported.building import from_scores, with_files

    result = from_scores(Inputs(files, **reading).records(), named_scores(scores), **options)
    return with_files(result, (Address.of(file).path for file in files))


def named_scores(texts: Sequence[str] | None) -> list[str]:
    """Return the scores that options name, also several separated by commas."""
    return [name for text in texts or () for name in text.split(",") if name]
