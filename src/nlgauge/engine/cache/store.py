"""SQLite file of the statistics cache, for several processes and threads at once.

A problem with the file never stops a run and never changes its numbers.

Rows that are written together form a batch with consecutive ids, so that a batch can be located, counted and
deleted at little cost. If the file grows beyond its limit, the least recently used batches are deleted. A row
consists of the second half of its key, a checksum, and its numbers in float64. The checksum covers the key,
the parts and the numbers: it detects a row that was damaged or moved, but not a forged file.
"""

from __future__ import annotations

import sqlite3
import time
import warnings
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np

from nlgauge._core.ragged import Array
from nlgauge._core.sqlite import CacheFile, Damaged, Format, Unusable, shrink, size_of, transaction
from nlgauge.engine.cache.identity import Identity

FORMAT = Format(
    "cache of statistics",
    "statistics.sqlite",
    "NLGAUGE_STATISTICS_CACHE",
    0x6E6C6763,
    2,
    (
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY, identity BLOB NOT NULL UNIQUE, name TEXT NOT NULL,"
        " printed TEXT NOT NULL, widths TEXT NOT NULL)",
        "CREATE TABLE batches (id INTEGER PRIMARY KEY, metric INTEGER NOT NULL, rows INTEGER NOT NULL, used"
        " REAL NOT NULL)",
        "CREATE TABLE rows (id INTEGER PRIMARY KEY, key INTEGER NOT NULL, row BLOB NOT NULL)",
        "CREATE UNIQUE INDEX rows_by_key ON rows (key)",
    ),
)
Result = TypeVar("Result")
# Maximum number of rows in a batch, as a power of 2.
_BATCH_BITS = 12
# The use of a batch is recorded at most once in this time.
_NOTED_SECONDS = 600
# Share of the limit to which the file is reduced when batches are deleted.
_ROOM = 0.8


class CacheHit(NamedTuple):
    """Mask of the cached rows, their numbers (0 for other rows), and the number of columns per part."""

    known: Array
    values: Array
    widths: dict[str, int]


class Store:
    """Statistics by key in a file.

    A damaged file is renamed, and a file that cannot be used is ignored; both cause a warning.
    """

    def __init__(self, file: Path, limit: int) -> None:
        self.limit = limit
        self._file = CacheFile(file, FORMAT)
        self._is_without = False

    def find(self, identity: Identity, keys: Array) -> CacheHit:
        """Return the cached numbers of the rows with these keys."""

        def read(connection: sqlite3.Connection) -> CacheHit:
            try:
                return _found(connection, identity, keys)
            except (ArithmeticError, LookupError, TypeError, ValueError, msgspec.MsgspecError) as error:
                raise Damaged(f"its content has the wrong type: {error}") from error

        return self._attempt(read, _nothing(len(keys)))

    def keep(self, identity: Identity, widths: Mapping[str, int], keys: Array, values: Array) -> None:
        """Write the numbers of all rows or of none; rows that another process has written stay unchanged."""

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                _write(connection, identity, widths, keys, values)
            if size_of(connection) > self.limit:
                drop_oldest(connection, int(self.limit * _ROOM))

        if len(keys):
            self._attempt(write, None)

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        self._file.close()

    def _attempt(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        """Work with the file; if it cannot be used, warn once and return `otherwise`."""
        if self._is_without:
            return otherwise
        try:
            return self._file.run(work)
        except Unusable as error:
            self._is_without = True
            warnings.warn(
                f"{error}; every row is computed. Set {FORMAT.variable} to another file, or to off.",
                stacklevel=5,
            )
            return otherwise


def _nothing(rows: int) -> CacheHit:
    return CacheHit(np.zeros(rows, dtype=bool), np.empty((rows, 0)), {})


def _found(connection: sqlite3.Connection, identity: Identity, keys: Array) -> CacheHit:
    metric = connection.execute(
        "SELECT widths FROM metrics WHERE identity = ?", (identity.digest,)
    ).fetchone()
    if metric is None:
        return _nothing(len(keys))
    query = (
        "SELECT wanted.key, r.id, r.row FROM json_each(?) AS wanted CROSS JOIN rows AS r ON r.key ="
        " wanted.value"
    )
    rows = connection.execute(query, (str(keys[:, 0].tolist()),)).fetchall()
    if not rows:
        return _nothing(len(keys))
    at = np.array([place for place, _, _ in rows])
    words, widths = words_of(keys[at, 0], [row for _, _, row in rows], metric[0])
    # Two keys may share their first half; the row then belongs to the other key.
    same = words[:, 0] == keys[at, 1].view("<u8")
    is_cached, values = np.zeros(len(keys), dtype=bool), np.zeros((len(keys), words.shape[1] - 2))
    is_cached[at[same]] = True
    values[at[same]] = words[same, 2:].view("<f8")
    _note_use(connection, np.array([number for _, number, _ in rows])[same])
    return CacheHit(is_cached, values, widths)


def words_of(keys: Array, data: list[bytes], described: str) -> tuple[Array, dict[str, int]]:
    """Return the words of rows as an array of shape (rows, 2 + width), and the columns per part.

    The words of a row are the second half of its key, its checksum and its numbers. `keys` are the first
    halves of the keys, `described` is the description of the parts in the file. Raise Damaged if a row is not
    valid.
    """
    widths: dict[str, int] = msgspec.json.decode(described, type=dict[str, int])
    width = sum(widths.values())
    if not widths or min(widths.values()) < 0:
        raise Damaged("the description of a metric's parts is not valid")
    joined = b"".join(data)
    if set(map(len, data)) != {8 * (2 + width)}:
        raise Damaged("a row has the wrong length")
    words: Array = np.frombuffer(joined, dtype="<u8").reshape(-1, 2 + width)
    if (_checksums(keys, words[:, 0], words[:, 2:], described) != words[:, 1]).any():
        raise Damaged("the checksum of a row is wrong")
    if np.isnan(words[:, 2:].view("<f8")).any():
        raise Damaged("a row contains NaN, which is never written")
    return words, widths


def _checksums(first: Array, second: Array, numbers: Array, described: str) -> Array:
    """Return the checksum of each row, over its key, its numbers and the parts of its metric."""
    data = (
        np.column_stack([np.ascontiguousarray(first, dtype="<i8").view("<u8"), second, numbers])
        .astype("<u8", copy=False)
        .tobytes()
    )
    width, parts = 8 * (2 + numbers.shape[1]), blake2b(described.encode(), digest_size=16).digest()
    digests = [
        blake2b(data[start : start + width], key=parts, digest_size=8).digest()
        for start in range(0, len(data), width)
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8")


def _note_use(connection: sqlite3.Connection, ids: Array) -> None:
    """Record that the batches of these rows were used."""
    now = time.time()
    batches = str(np.unique(ids >> _BATCH_BITS).tolist())
    old = connection.execute(
        "SELECT b.id FROM json_each(?) AS used CROSS JOIN batches AS b ON b.id = used.value WHERE b.used < ?",
        (batches, now - _NOTED_SECONDS),
    ).fetchall()
    if old:
        with transaction(connection):
            connection.executemany(
                "UPDATE batches SET used = ? WHERE id = ?", ((now, batch) for (batch,) in old)
            )


def _write(
    connection: sqlite3.Connection, identity: Identity, widths: Mapping[str, int], keys: Array, values: Array
) -> None:
    described = msgspec.json.encode(dict(widths)).decode()
    connection.execute(
        "INSERT OR IGNORE INTO metrics (identity, name, printed, widths) VALUES (?, ?, ?, ?)",
        (identity.digest, identity.name, identity.printed, described),
    )
    metric, before = connection.execute(
        "SELECT id, widths FROM metrics WHERE identity = ?", (identity.digest,)
    ).fetchone()
    if before != described:
        return  # the metric has returned another number of columns before
    numbers = np.ascontiguousarray(values, dtype="<f8").view("<u8")
    second = keys[:, 1].view("<u8")
    words = np.column_stack([second, _checksums(keys[:, 0], second, numbers, described), numbers]).astype(
        "<u8", copy=False
    )
    for start in range(0, len(keys), 1 << _BATCH_BITS):
        _write_batch(
            connection,
            metric,
            keys[start : start + (1 << _BATCH_BITS), 0].tolist(),
            words[start : start + (1 << _BATCH_BITS)],
        )


def _write_batch(connection: sqlite3.Connection, metric: int, keys: list[int], words: Array) -> None:
    cursor = connection.execute(
        "INSERT INTO batches (metric, rows, used) VALUES (?, 0, ?)", (metric, time.time())
    )
    batch = cursor.lastrowid
    assert batch is not None
    data, width = words.tobytes(), 8 * words.shape[1]
    rows = (data[start : start + width] for start in range(0, len(data), width))
    ids = range(batch << _BATCH_BITS, (batch << _BATCH_BITS) + len(keys))
    written = connection.executemany(
        "INSERT OR IGNORE INTO rows VALUES (?, ?, ?)", zip(ids, keys, rows, strict=True)
    ).rowcount
    if written:
        connection.execute("UPDATE batches SET rows = ? WHERE id = ?", (written, batch))
    else:
        connection.execute("DELETE FROM batches WHERE id = ?", (batch,))


def rows_of_batch(batch: int) -> tuple[int, int]:
    """Return the first id of a batch, and the first id after it."""
    return batch << _BATCH_BITS, (batch + 1) << _BATCH_BITS


def drop_batches(connection: sqlite3.Connection, batches: list[int]) -> None:
    """Delete batches with their rows."""
    for batch in batches:
        connection.execute("DELETE FROM rows WHERE id >= ? AND id < ?", rows_of_batch(batch))
        connection.execute("DELETE FROM batches WHERE id = ?", (batch,))


def drop_oldest(connection: sqlite3.Connection, limit: int) -> None:
    """Delete the least recently used batches until the file is not larger than a limit."""
    with transaction(connection):
        for (batch,) in connection.execute("SELECT id FROM batches ORDER BY used, id").fetchall():
            if size_of(connection) <= limit:
                break
            drop_batches(connection, [batch])
        connection.execute("DELETE FROM metrics WHERE id NOT IN (SELECT metric FROM batches)")
    shrink(connection)
