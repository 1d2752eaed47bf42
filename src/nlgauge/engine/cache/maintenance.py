"""What a user may ask of the file of statistics: what is in it, to empty it, and whether it is sound."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from nlgauge._core import sqlite
from nlgauge._core.sqlite import Damaged, Verified, bytes_of, maintained, shrink, transaction
from nlgauge.engine.cache.store import FORMAT, drop_batches, rows_of_batch, words_of
from nlgauge.errors import ResultError, did_you_mean


class Contents(NamedTuple):
    """What a file holds: its size in bytes, and the rows of each metric by name."""

    bytes: int
    rows: dict[str, int]


def contents(file: Path) -> Contents:
    """What is in the file; nothing where there is none."""
    if not file.exists():
        return Contents(0, {})
    with maintained(file, FORMAT) as connection:
        query = (
            "SELECT name, sum(rows) FROM metrics JOIN batches ON batches.metric = metrics.id GROUP BY name"
            " ORDER BY name"
        )
        found = dict(connection.execute(query).fetchall())
    return Contents(bytes_of(file), found)


def clear(file: Path, metric: str | None = None) -> int:
    """Drops all rows, or those of one metric, and gives their number."""
    if not file.exists():
        return 0
    with maintained(file, FORMAT) as connection:
        names = [name for (name,) in connection.execute("SELECT DISTINCT name FROM metrics ORDER BY name")]
        if metric is not None and metric not in names:
            raise ResultError(
                f"{file} has no rows of {metric!r}{did_you_mean(metric, names)}; it has rows of"
                f" {', '.join(names) or 'no metric'}."
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


def verify(file: Path) -> Verified:
    """Read everything; a file with any damage is set aside."""
    return sqlite.verify(file, FORMAT, _checked)


def _checked(connection: sqlite3.Connection) -> Verified:
    """Count the rows; raise Damaged if one of them is not what was written."""
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
    return Verified(total)
