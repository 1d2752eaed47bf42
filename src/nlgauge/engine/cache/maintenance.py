"""What a user may ask of the file of statistics: what is in it, to empty it, and whether it is sound."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from nlgauge._core.sqlite import Damaged, Foreign, connect, is_damage, is_ours, set_aside, transaction
from nlgauge.engine.cache.store import drop_batches, rows_of_batch, shrink, words_of
from nlgauge.errors import ResultError, did_you_mean


class Contents(NamedTuple):
    """What a file holds: its size in bytes, and the rows of each metric by name."""

    bytes: int
    rows: dict[str, int]


def contents(file: Path) -> Contents:
    """What is in the file; nothing where there is none."""
    if not file.exists():
        return Contents(0, {})
    with _opened(file) as connection:
        query = (
            "SELECT name, sum(rows) FROM metrics JOIN batches ON batches.metric = metrics.id GROUP BY name"
            " ORDER BY name"
        )
        found = dict(connection.execute(query).fetchall())
    return Contents(_bytes(file), found)


def clear(file: Path, metric: str | None = None) -> int:
    """Drops all rows, or those of one metric, and gives their number."""
    if not file.exists():
        return 0
    with _opened(file) as connection:
        names = [name for (name,) in connection.execute("SELECT DISTINCT name FROM metrics ORDER BY name")]
        if metric is not None and metric not in names:
            raise ResultError(
                f"there are no rows of {metric!r} in {file}{did_you_mean(metric, names)}; there are some of"
                f" {', '.join(names) or 'none'}."
            )
        with transaction(connection):
            query = (
                "SELECT batches.id, rows FROM batches JOIN metrics ON metrics.id = batches.metric WHERE ? IS"
                " NULL OR name = ?"
            )
            batches = connection.execute(query, (metric, metric)).fetchall()
            drop_batches(connection, [batch for batch, _ in batches])
            connection.execute("DELETE FROM metrics WHERE id NOT IN (SELECT metric FROM batches)")
        shrink(connection)
    return sum(rows for _, rows in batches)


class Verified(NamedTuple):
    """How many rows are sound, what is damaged ("": nothing), and where the file is that was set aside
    for it.
    """

    rows: int
    damage: str = ""
    aside: Path | None = None


def verify(file: Path) -> Verified:
    """Reads everything; a file with any damage is set aside."""
    if not file.exists():
        return Verified(0)
    try:
        with closing(connect(file)) as connection:
            return Verified(_checked(connection))
    except (sqlite3.Error, OSError, Damaged, Foreign) as error:
        if not (is_damage(error) and is_ours(file)):
            raise _unusable(file, error) from None
        return Verified(0, str(error), set_aside(file))


def _checked(connection: sqlite3.Connection) -> int:
    """How many rows there are; an error where one of them, or the file, is not what was written."""
    (told,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if told != "ok":
        raise Damaged(told.splitlines()[-1])
    total = 0
    for batch, rows, widths in connection.execute(
        "SELECT batches.id, rows, widths FROM batches LEFT JOIN metrics ON metrics.id = metric"
    ).fetchall():
        found = connection.execute(
            "SELECT key, row FROM rows WHERE id >= ? AND id < ?", rows_of_batch(batch)
        ).fetchall()
        if widths is None or len(found) != rows:
            raise Damaged(f"batch {batch} has {len(found)} rows, and {rows} were written")
        try:
            words_of(np.array([key for key, _ in found], dtype="<i8"), [row for _, row in found], widths)
        except (ArithmeticError, TypeError, ValueError, msgspec.MsgspecError) as error:
            raise Damaged(f"batch {batch} is of the wrong kind: {error}") from error
        total += rows
    (count,) = connection.execute("SELECT count(*) FROM rows").fetchone()
    if count != total:
        raise Damaged(f"{count} rows are here, and {total} were written")
    return total


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(connect(file)) as connection:
            yield connection
    except (sqlite3.Error, OSError, Foreign) as error:
        raise _unusable(file, error) from None


def _unusable(file: Path, error: Exception) -> ResultError:
    advice = "`nlgauge cache verify` sets a damaged file aside; NLGAUGE_STATISTICS_CACHE names another"
    return ResultError(f"the cache of statistics {file} cannot be used ({error}); {advice}.")


def _bytes(file: Path) -> int:
    return sum(one.stat().st_size for one in (file, file.with_name(f"{file.name}-wal")) if one.exists())
