"""nlgauge cache: the statistics that are kept from run to run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nlgauge.cli.options import AsJson
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.program import FAILURE

app = typer.Typer(
    help="Looks after the cache of statistics, in which rows of costly metrics are kept from run to run."
)


@app.command("info")
def cache_info(as_json: AsJson = False) -> None:
    """Says where the cache is, how large it is and may be, and how many rows of each metric it has."""
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge.engine.cache.location import limit
    from nlgauge.engine.cache.maintenance import contents
    from nlgauge.show.writers.text import Printed

    file = _file()
    found = contents(file)
    if as_json:
        show_json({"file": str(file), "bytes": found.bytes, "limit": limit(), "rows": found.rows})
        return
    rows = [[Cell(name), Cell(f"{count:,}")] for name, count in found.rows.items()]
    if rows:
        show(Printed(Page([Sheet([column("metric"), column("rows")], rows)])))
    say(f"{sum(found.rows.values()):,} rows in {file}; {found.bytes:,} bytes of at most {limit():,}")


@app.command("clear")
def clear_cache(
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="Drop the rows of this metric alone.", metavar="NAME")
    ] = None,
) -> None:
    """Drops all rows, or those of one metric."""
    from nlgauge.engine.cache.maintenance import clear

    say(f"{clear(_file(), metric):,} rows were dropped")


@app.command("verify")
def verify_cache() -> None:
    """Reads every row; a file that is damaged is set aside, and the next run begins a new one.

    Exit code 1 where it is damaged.
    """
    from nlgauge.engine.cache.maintenance import verify

    found = verify(_file())
    if not found.damage:
        say(f"{found.rows:,} rows, and nothing is damaged")
        return
    say(f"damaged: {found.damage}")
    say(
        f"the file is now {found.aside}"
        if found.aside is not None
        else "the file could not be renamed; remove it"
    )
    raise typer.Exit(FAILURE)


def _file() -> Path:
    from nlgauge.engine.cache.location import common_file
    from nlgauge.errors import ParameterError

    file = common_file()
    if file is None:
        raise ParameterError(
            "NLGAUGE_STATISTICS_CACHE is off, so there is no cache of statistics; unset it, or name a file."
        )
    return file
