"""The file of statistics: SQLite, for several processes and threads at once. What is wrong with it never
stops a run nor changes its numbers.

Rows that are kept together are a batch, and their ids follow each other, so that a batch can be found,
counted and dropped at little cost. Where the file grows beyond its limit, the batches go that were used
longest ago. A row is the second half of its key, a checksum, and its numbers in float64. The checksum is of
the key, the parts and the numbers: a row that was damaged or moved is found, a file that somebody forged is
not.
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
# The most rows of a batch, as a power of 2.
_BATCH_BITS = 12
# What was used less long ago than this need not be noted again.
_NOTED_SECONDS = 600
# How full the file is after some of it was dropped.
_ROOM = 0.8


class CacheHit(NamedTuple):
    """Which rows are known, their numbers (of the others: 0), and how many numbers each part has."""

    known: Array
    values: Array
    widths: dict[str, int]


class Store:
    """Statistics by key in a file.

    One that is damaged is renamed, one that cannot be used is done without, with a warning either way.
    """

    def __init__(self, file: Path, limit: int) -> None:
        self.limit = limit
        self._file = CacheFile(file, FORMAT)
        self._is_without = False

    def find(self, identity: Identity, keys: Array) -> CacheHit:
        """What is here of the rows with these keys."""

        def read(connection: sqlite3.Connection) -> CacheHit:
            try:
                return _found(connection, identity, keys)
            except (ArithmeticError, LookupError, TypeError, ValueError, msgspec.MsgspecError) as error:
                raise Damaged(f"its content has the wrong type: {error}") from error

        return self._attempt(read, _nothing(len(keys)))

    def keep(self, identity: Identity, widths: Mapping[str, int], keys: Array, values: Array) -> None:
        """Keeps the numbers of rows, all or none of them; another process may have been first, and then
        its numbers stay.
        """

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
        """Work with the file; if it cannot be used, warn once and return the other value."""
        if self._is_without:
            return otherwise
        try:
            return self._file.run(work)
        except Unusable as error:
            self._is_without = True
            warnings.warn(
                f"{error}; every row is computed. {FORMAT.variable} names another file, or none: off.",
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
    # Two rows may share the first half of their keys; then the other one is not here.
    same = words[:, 0] == keys[at, 1].view("<u8")
    known, values = np.zeros(len(keys), dtype=bool), np.zeros((len(keys), words.shape[1] - 2))
    known[at[same]] = True
    values[at[same]] = words[same, 2:].view("<f8")
    _note_use(connection, np.array([number for _, number, _ in rows])[same])
    return CacheHit(known, values, widths)


def words_of(keys: Array, data: list[bytes], described: str) -> tuple[Array, dict[str, int]]:
    """Return (rows, 2 + width) words of rows (the second half of the key, the checksum, the numbers), and how
    many numbers each part has.

    `keys` are the first halves of the keys, `described` is what the file says of the parts.
    """
    widths: dict[str, int] = msgspec.json.decode(described, type=dict[str, int])
    width = sum(widths.values())
    if not widths or min(widths.values()) < 0:
        raise Damaged("the parts of a metric are not what was written")
    joined = b"".join(data)
    if set(map(len, data)) != {8 * (2 + width)}:
        raise Damaged("a row is not as long as it was written")
    words: Array = np.frombuffer(joined, dtype="<u8").reshape(-1, 2 + width)
    if (_checksums(keys, words[:, 0], words[:, 2:], described) != words[:, 1]).any():
        raise Damaged("a row is not what was written")
    if np.isnan(words[:, 2:].view("<f8")).any():
        raise Damaged("a row has numbers that are never kept")
    return words, widths


def _checksums(first: Array, second: Array, numbers: Array, described: str) -> Array:
    """Return the checksum of each row: of both halves of its key, of the parts of its metric, and of its
    numbers.
    """
    data = (
        np.column_stack([np.ascontiguousarray(first, dtype="<i8").view("<u8"), second, numbers])
        .astype("<u8", copy=False)
        .tobytes()
    )
    width, parts = 8 * (2 + numbers.shape[1]), blake2b(described.encode(), digest_size=16).digest()
    found = [
        blake2b(data[start : start + width], key=parts, digest_size=8).digest()
        for start in range(0, len(data), width)
    ]
    return np.frombuffer(b"".join(found), dtype="<u8")


def _note_use(connection: sqlite3.Connection, ids: Array) -> None:
    """Notes that the batches of these rows are in use."""
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
        return  # the metric gives its rows now so many numbers and now so many
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
    kept = connection.executemany(
        "INSERT OR IGNORE INTO rows VALUES (?, ?, ?)", zip(ids, keys, rows, strict=True)
    ).rowcount
    if kept:
        connection.execute("UPDATE batches SET rows = ? WHERE id = ?", (kept, batch))
    else:
        connection.execute("DELETE FROM batches WHERE id = ?", (batch,))


def rows_of_batch(batch: int) -> tuple[int, int]:
    """The first id of a batch's rows, and the first behind them."""
    return batch << _BATCH_BITS, (batch + 1) << _BATCH_BITS


def drop_batches(connection: sqlite3.Connection, batches: list[int]) -> None:
    """Drops batches with their rows."""
    for batch in batches:
        connection.execute("DELETE FROM rows WHERE id >= ? AND id < ?", rows_of_batch(batch))
        connection.execute("DELETE FROM batches WHERE id = ?", (batch,))


def drop_oldest(connection: sqlite3.Connection, limit: int) -> None:
    """Drops batches, those that were used longest ago first, until the file is below a limit."""
    with transaction(connection):
        for (batch,) in connection.execute("SELECT id FROM batches ORDER BY used, id").fetchall():
            if size_of(connection) <= limit:
                break
            drop_batches(connection, [batch])
        connection.execute("DELETE FROM metrics WHERE id NOT IN (SELECT metric FROM batches)")
    shrink(connection)
