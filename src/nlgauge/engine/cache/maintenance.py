"""Maintenance of the statistics cache: list its contents, clear it, and verify it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from nlgauge._core import sqlite
from nlgauge._core.numbers import counted
from nlgauge._core.sqlite import Damaged, Verified, bytes_of, maintained, shrink, transaction
from nlgauge.engine.cache.store import FORMAT, drop_batches, rows_of_batch, words_of
from nlgauge.errors import ResultError, did_you_mean


class Contents(NamedTuple):
    """Size of a cache file in bytes, and its number of rows per metric name."""

    bytes: int
    rows: dict[str, int]


def contents(file: Path) -> Contents:
    """Return the contents of the file; a missing file counts as empty."""
    if not file.exists():
        return Contents(0, {})
    with maintained(file, FORMAT) as connection:
        query = (
            "SELECT name, sum(rows) FROM metrics JOIN batches ON batches.metric = metrics.id GROUP BY name"
            " ORDER BY name"
        )
        rows = dict(connection.execute(query).fetchall())
    return Contents(bytes_of(file), rows)


def clear(file: Path, metric: str | None = None) -> int:
    """Delete all rows, or the rows of one metric, and return their number."""
    if not file.exists():
        return 0
    with maintained(file, FORMAT) as connection:
        names = [name for (name,) in connection.execute("SELECT DISTINCT name FROM metrics ORDER BY name")]
        if metric is not None and metric not in names:
            present = f"it has rows of {', '.join(names)}" if names else "it is empty"
            raise ResultError(f"{file} has no rows of {metric!r}{did_you_mean(metric, names)}; {present}.")
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
    """Read the whole file, and rename it if it is damaged."""
    return sqlite.verify(file, FORMAT, _checked)


def _checked(connection: sqlite3.Connection) -> Verified:
    """Count the rows; raise Damaged if a row differs from what was written."""
    total = 0
    for batch, rows, widths in connection.execute(
        "SELECT batches.id, rows, widths FROM batches LEFT JOIN metrics ON metrics.id = metric"
    ).fetchall():
        entries = connection.execute(
            "SELECT key, row FROM rows WHERE id >= ? AND id < ?", rows_of_batch(batch)
        ).fetchall()
        if widths is None:
            raise Damaged(f"batch {batch} belongs to no metric")
        if len(entries) != rows:
            raise Damaged(f"batch {batch} has {len(entries)} rows, but {rows} were written")
        try:
            words_of(np.array([key for key, _ in entries], dtype="<i8"), [row for _, row in entries], widths)
        except (ArithmeticError, TypeError, ValueError, msgspec.MsgspecError) as error:
            raise Damaged(f"batch {batch} has invalid content: {error}") from error
        total += rows
    (count,) = connection.execute("SELECT count(*) FROM rows").fetchone()
    if count != total:
        raise Damaged(f"the file has {counted(count, 'row')}, but {total} were written")
    return Verified(total)
