"""What `nlgauge meta` prints of an analysis, in every form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.present import written

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nlgauge.meta.found import Found


def show_found(found: Found, brief: Found, table: Callable[[], RenderableType], form: str, *, quiet: bool) -> None:
    """Prints all columns for programs (json, csv, tsv), the brief ones for readers, and how they were made."""
    if form == "json":
        show_json({"made": dict(found.made), "notes": list(found.notes), "rows": [dict(row) for row in found.rows]})
    elif form != "table":
        typer.echo(written(found if form in ("csv", "tsv") else brief, form), nl=False)
    else:
        show(table())
        if not quiet:
            say(", ".join(f"{name}: {value}" for name, value in found.made.items()))
