"""The SQLite file itself: how it is made, opened and recognised, and how one that is damaged is set aside."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

USUAL_NAME = "statistics.sqlite"
# What says that a file is ours: an id in its header, and the version of its tables.
_APPLICATION, _FORMAT = 0x6E6C6763, 2
_TABLES = (
    (
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY, identity BLOB NOT NULL UNIQUE, name TEXT NOT NULL,"
        " printed TEXT NOT NULL, widths TEXT NOT NULL)"
    ),
    (
        "CREATE TABLE batches (id INTEGER PRIMARY KEY, metric INTEGER NOT NULL, rows INTEGER NOT NULL, used"
        " REAL NOT NULL)"
    ),
    "CREATE TABLE rows (id INTEGER PRIMARY KEY, key INTEGER NOT NULL, row BLOB NOT NULL)",
    "CREATE UNIQUE INDEX rows_by_key ON rows (key)",
)


class Format(NamedTuple):
    """The id in the header that says whose a file is, the version of its tables, and the statements that
    make them.
    """

    application: int
    version: int
    tables: tuple[str, ...]


STATISTICS = Format(_APPLICATION, _FORMAT, _TABLES)
_PATIENCE_SECONDS = 20.0
_PAUSE_SECONDS = 0.05
_PAGES_IN_MEMORY_KIB = 131_072


class Damaged(Exception):
    """What is in the file is not what was written."""


class Foreign(Exception):
    """The file is somebody else's."""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written meanwhile, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # the error that led here is the one to tell
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def connect(file: Path, expected: Format = STATISTICS) -> sqlite3.Connection:
    """The open file, made where there is none; an error where it is somebody else's."""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        file, timeout=_PATIENCE_SECONDS, check_same_thread=False, isolation_level=None
    )
    try:
        connection.execute(f"PRAGMA cache_size=-{_PAGES_IN_MEMORY_KIB}")
        if _kind(connection) == (0, 0, 0):
            _make(connection, expected)
        if _kind(connection)[:2] != (expected.application, expected.version):
            raise Foreign("it is another program's, or another version's")
        connection.execute("PRAGMA synchronous=NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _kind(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """The application, the version of the tables, and how many tables there are."""
    queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    application, version, tables = (connection.execute(query).fetchone()[0] for query in queries)
    return application, version, tables


def _make(connection: sqlite3.Connection, expected: Format) -> None:
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            break
        except sqlite3.OperationalError:  # SQLite itself does not wait here where two make the same file
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE_SECONDS)
    with transaction(connection):
        if _kind(connection) == (0, 0, 0):
            for table in expected.tables:
                connection.execute(table)
            connection.execute(f"PRAGMA application_id={expected.application}")
            connection.execute(f"PRAGMA user_version={expected.version}")


def size_of(connection: sqlite3.Connection) -> int:
    """The bytes of the file that are in use."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def is_damage(error: Exception) -> bool:
    """Whether an error says that a file is not what was written."""
    return isinstance(error, Damaged) or getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def is_ours(file: Path) -> bool:
    """Whether its name or its header, however damaged the rest may be, says that a file is a cache of
    statistics.
    """
    return file.name == USUAL_NAME or has_header(file, STATISTICS)


def has_header(file: Path, expected: Format) -> bool:
    """Check whether the header of a file, however damaged the rest may be, has the id of a format."""
    with suppress(OSError), file.open("rb") as stream:
        return stream.read(72)[68:] == expected.application.to_bytes(4, "big")
    return False


def number_of(file: Path) -> tuple[int, int] | None:
    """What tells a file from another one that has its name later."""
    with suppress(OSError):
        return file.stat().st_dev, file.stat().st_ino
    return None


def set_aside(file: Path) -> Path | None:
    """Renames a damaged file, so that a new one can be made; its new name, or None where that is not
    possible.
    """
    aside = file.with_name(f"{file.name}.damaged-{time.time_ns()}")
    try:
        file.replace(aside)
        for suffix in ("-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
    except OSError:
        return None
    return aside
