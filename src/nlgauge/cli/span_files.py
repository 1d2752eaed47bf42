"""Options of files with error spans, and how commands read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, Options, option

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.spans.reading import SpanFile


class SpanFileOptions(Options):
    """Options for files with error spans."""

    form_of_file: Annotated[
        str | None,
        option(
            "--from",
            help="Format of the file, such as mqm or appraise (default: by content).",
            metavar="FORMAT",
            panel=FILES,
        ),
    ] = None
    texts: Annotated[
        Path | None,
        option(
            "--texts",
            help="File with the texts: records with system, id, source and prediction.",
            metavar="FILE",
            panel=FILES,
            existing_file=True,
        ),
    ] = None
    ends: Annotated[
        str | None,
        option(
            "--ends",
            help="Meaning of ends: inclusive (last character) or exclusive (default: by format).",
            metavar="WHICH",
            panel=FILES,
        ),
    ] = None
    units: Annotated[
        str | None,
        option(
            "--units",
            help="Units of offsets: utf-16 or code points (default: by format).",
            metavar="UNITS",
            panel=FILES,
        ),
    ] = None
    severities: Annotated[
        list[str] | None,
        option(
            "--severity",
            help="Rename a severity: High=major; or name the severity of spans without one.",
            metavar="NAME=SEVERITY",
            panel=FILES,
        ),
    ] = None
    tags: Annotated[
        list[str] | None,
        option("--tag", help="Tag in texts and its severity: v=major.", metavar="TAG=SEVERITY", panel=FILES),
    ] = None
    annotator: Annotated[
        str | None,
        option("--annotator", help="Annotator of a file without annotators.", metavar="NAME", panel=FILES),
    ] = None

    def read(self, path: str, quiet: bool, corpus: Corpus | None = None) -> SpanFile:
        """Read a file, with the texts of a corpus if there is one, and report its contents on standard error."""
        from nlgauge.spans.reading import read

        alone = [word for word in self.severities or () if "=" not in word]
        renamed = [word for word in self.severities or () if "=" in word]
        file = read(
            path,
            self.form_of_file,
            self.texts if corpus is None else corpus,
            ends=self.ends,
            units=self.units,
            severities=pairs(renamed, "--severity"),
            tags=pairs(self.tags, "--tag") if self.tags else None,
            annotator=self.annotator,
            **({"severity": alone[-1]} if alone else {}),
        )
        if not quiet:
            say(f"{path}: {file.report}")
        return file


def pairs(words: Sequence[str] | None, name: str) -> dict[str, str]:
    """Return NAME=VALUE words as a mapping."""
    found = {}
    for word in words or ():
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            raise click.BadParameter(f"it must be NAME=VALUE, got {word!r}.", param_hint=f"'{name}'")
        found[key] = value
    return found


def rules_of(values: Any) -> dict[str, Any]:
    """Return the options of measures as arguments."""
    names = ("penalty", "severity", "category", "omissions")
    return {name: getattr(values, name) for name in names}
