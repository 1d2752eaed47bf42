"""nlgauge cache: the caches of segment statistics and judge replies."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command, Group
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import confirmed, say, show, show_json
from nlgauge.cli.parameters import option
from nlgauge.cli.program import FAILURE

_OFF = "NLGAUGE_STATISTICS_CACHE is off"


@Command
def cache_info(as_json: AsJson = False) -> None:
    """Show the location and size of the caches, and the number of rows per metric."""
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge._core.sqlite import bytes_of
    from nlgauge.engine.cache.location import common_file, limit
    from nlgauge.engine.cache.maintenance import Contents, contents
    from nlgauge.judges import cache as judges
    from nlgauge.show.writers.text import Printed

    file, replies_file = common_file(), judges.common_file()
    saved = Contents(0, {}) if file is None else contents(file)
    path = None if file is None else str(file)
    statistics = {"file": path, "bytes": saved.bytes, "limit": limit(), "rows": saved.rows}
    replies = {
        "file": str(replies_file),
        "bytes": bytes_of(replies_file),
        "replies": judges.count(replies_file),
    }
    if as_json:
        show_json({"statistics": statistics, "replies": replies})
        return
    rows = [[Cell(name), Cell(f"{number:,}")] for name, number in saved.rows.items()]
    if rows:
        show(Printed(Page([Sheet([column("metric"), column("rows")], rows)])))
    size = counted(saved.bytes, "byte", spec=",")
    total = f"{counted(sum(saved.rows.values()), 'row', spec=',')} in {file}; {size} of at most {limit():,}"
    say(f"statistics: {total if file else _OFF}")
    say(f"judge replies: {replies['replies']:,} in {replies_file}; {replies['bytes']:,} bytes")


@Command
def clear_cache(
    metric: Annotated[
        str | None,
        option("--metric", "-m", help="Delete only the statistics of this metric.", metavar="NAME"),
    ] = None,
    replies: Annotated[
        bool,
        option(
            "--replies",
            help="Delete judge replies instead; the next run requests and pays for them again.",
        ),
    ] = False,
    yes: Annotated[bool, option("--yes", "-y", help="Delete replies without confirmation.")] = False,
) -> None:
    """Delete the cached statistics of all metrics or of one metric.

    With --replies, delete the replies of judges instead.
    """
    from nlgauge.engine.cache.location import common_file
    from nlgauge.engine.cache.maintenance import clear

    if replies:
        if metric is not None:
            raise click.UsageError(
                "--metric cannot be combined with --replies, because replies are not cached by metric; omit one of"
                " them."
            )
        _clear_replies(yes)
        return
    file = common_file()
    if file is None:
        raise click.UsageError(f"{_OFF}, so no rows can be deleted; unset it, or set it to a file.")
    say(f"{_deleted(clear(file, metric), 'row')}; judge replies are unchanged")


def _deleted(count: int, name: str, plural: str = "") -> str:
    return f"{counted(count, name, plural, ',')} {'was' if count == 1 else 'were'} deleted"


def _clear_replies(yes: bool) -> None:
    from nlgauge.judges import cache

    file = cache.common_file()
    number = cache.count(file)
    replies = counted(number, "judge reply", "judge replies", ",")
    if number and not yes and not confirmed(f"Delete {replies} from {file}?"):
        say("nothing was deleted")
        raise click.exceptions.Exit(FAILURE)
    say(_deleted(cache.clear(file), "reply", "replies"))


@Command
def verify_cache() -> None:
    """Check every row of the caches; exit with code 1 if one is damaged.

    A damaged file is renamed, and the next run creates a new file. A damaged judge reply is deleted.
    """
    from nlgauge.engine.cache import location, maintenance
    from nlgauge.judges import cache as judges

    file = location.common_file()
    checked = {} if file is None else {"statistics": maintenance.verify(file)}
    if file is None:
        say(f"statistics: {_OFF}")
    checked["judge replies"] = judges.verify(judges.common_file())
    for name, verified in checked.items():
        if not verified.damage:
            say(f"{name}: {verified.rows:,} checked, none damaged")
            continue
        say(f"{name}: damaged: {verified.damage}")
        if verified.aside is not None:
            say(f"moved the file to {verified.aside}")
    if any(verified.damage for verified in checked.values()):
        raise click.exceptions.Exit(FAILURE)


app = Group(
    "Manage the caches of segment statistics and judge replies.",
    {"info": cache_info, "verify": verify_cache, "clear": clear_cache},
)
