"""nlgauge cache: the statistics of costly metrics and the replies of judges, saved from run to run."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge.cli.command import Command, Group
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import option
from nlgauge.cli.program import FAILURE

_OFF = "NLGAUGE_STATISTICS_CACHE is off, so there is no cache of statistics"


@Command
def cache_info(as_json: AsJson = False) -> None:
    """Show where both caches are, how large they are, and what they hold."""
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge._core.sqlite import bytes_of
    from nlgauge.engine.cache.location import common_file, limit
    from nlgauge.engine.cache.maintenance import Contents, contents
    from nlgauge.judges import cache as judges
    from nlgauge.show.writers.text import Printed

    file, asked = common_file(), judges.common_file()
    saved = Contents(0, {}) if file is None else contents(file)
    path = None if file is None else str(file)
    statistics = {"file": path, "bytes": saved.bytes, "limit": limit(), "rows": saved.rows}
    replies = {"file": str(asked), "bytes": bytes_of(asked), "replies": judges.count(asked)}
    if as_json:
        show_json({"statistics": statistics, "replies": replies})
        return
    rows = [[Cell(name), Cell(f"{number:,}")] for name, number in saved.rows.items()]
    if rows:
        show(Printed(Page([Sheet([column("metric"), column("rows")], rows)])))
    total = f"{sum(saved.rows.values()):,} rows in {file}; {saved.bytes:,} bytes of at most {limit():,}"
    say(f"statistics: {total if file else _OFF}")
    say(f"replies of judges: {replies['replies']:,} in {asked}; {replies['bytes']:,} bytes")


@Command
def clear_cache(
    metric: Annotated[
        str | None, option("--metric", "-m", help="Drop the rows of this metric only.", metavar="NAME")
    ] = None,
    replies: Annotated[
        bool,
        option(
            "--replies",
            help="Drop the replies of judges instead: they must then be asked and paid for again.",
        ),
    ] = False,
    yes: Annotated[bool, option("--yes", "-y", help="Drop replies without asking.")] = False,
) -> None:
    """Drop the statistics of all metrics, or of one; with --replies, the replies of judges."""
    from nlgauge.engine.cache.location import common_file
    from nlgauge.engine.cache.maintenance import clear
    from nlgauge.errors import ParameterError

    if replies:
        if metric is not None:
            raise ParameterError(
                "replies are not saved by metric, so --metric cannot go with --replies; give one of them."
            )
        _clear_replies(yes)
        return
    file = common_file()
    if file is None:
        raise ParameterError(f"{_OFF}; unset it, or name a file.")
    say(f"{clear(file, metric):,} rows were dropped; the replies of judges are as before")


def _clear_replies(yes: bool) -> None:
    from nlgauge.judges import cache

    file = cache.common_file()
    number = cache.count(file)
    if (
        number
        and not yes
        and not click.confirm(f"Drop {number:,} replies, which were paid for, from {file}?", err=True)
    ):
        say("nothing was dropped")
        raise click.exceptions.Exit(FAILURE)
    say(f"{cache.clear(file):,} replies were dropped")


@Command
def verify_cache() -> None:
    """Read everything in both caches.

    A damaged file is renamed, and the next run begins a new one. A damaged reply is removed. Exit code 1 if
    anything is damaged.
    """
    from nlgauge.engine.cache import location, maintenance
    from nlgauge.judges import cache as judges

    file = location.common_file()
    checked = {} if file is None else {"statistics": maintenance.verify(file)}
    if file is None:
        say(f"statistics: {_OFF}")
    checked["replies of judges"] = judges.verify(judges.common_file())
    for name, verified in checked.items():
        if not verified.damage:
            say(f"{name}: {verified.rows:,} checked, and nothing is damaged")
            continue
        say(f"{name}: damaged: {verified.damage}")
        if verified.aside is not None:
            say(f"the file is now {verified.aside}")
    if any(verified.damage for verified in checked.values()):
        raise click.exceptions.Exit(FAILURE)


app = Group(
    "Show, check and clear the two caches: the statistics of costly metrics, and the replies of judges.",
    {"info": cache_info, "verify": verify_cache, "clear": clear_cache},
)
