"""Common functions of all caches that are SQLite files.

They create, open and recognize a file, share it between processes and threads, check it, and rename it if it
is damaged.
"""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from nlgauge._core.locks import ForkedLock
from nlgauge.errors import ResultError

_PATIENCE_SECONDS = 20.0
_PAUSE_SECONDS = 0.05
_PAGES_IN_MEMORY_KIB = 131_072
_Result = TypeVar("_Result")


class Format(NamedTuple):
    """A kind of cache.

    `title` is its name in messages, `file_name` the default name of its file, and `variable` the environment
    variable that names another file. `application` is the id in the header of its files, `version` the
    version of its tables, and `tables` the statements that create them.
    """

    title: str
    file_name: str
    variable: str
    application: int
    version: int
    tables: tuple[str, ...]


class Damaged(Exception):
    """The file is damaged: its content is not what was written."""


class Foreign(Exception):
    """The file belongs to another program, or has another version of the tables."""


class Unusable(Exception):
    """The file cannot be used; the message contains its path and the reason."""

    def __init__(self, file: Path, form: Format, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        super().__init__(f"the {form.title} {file} cannot be used ({reason})")


# All errors that work with a cache file can raise.
FAILURES = (sqlite3.Error, OSError, Damaged, Foreign)


class CacheFile:
    """A cache file that several processes and threads may use at once.

    A damaged file is renamed, with a warning, and a new file is created. Any other file that cannot be used
    is not changed.
    """

    def __init__(self, file: Path, form: Format) -> None:
        self.path = file
        self._form = form
        self._lock = ForkedLock()
        self._connection: sqlite3.Connection | None = None
        self._number: tuple[int, int] | None = None
        self._process = os.getpid()
        # Connections of the parent process must be neither used nor closed in a forked process.
        self._inherited: list[sqlite3.Connection | None] = []

    def run(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Return `work(connection)`; replace a damaged file first. Raise Unusable if both fail."""
        with self._lock.taken():
            try:
                return work(self._opened())
            except FAILURES as error:
                self._begin_anew(error)
            try:
                return work(self._opened())
            except FAILURES as error:
                self.close()
                raise Unusable(self.path, self._form, error) from None

    def close(self) -> None:
        """Close the file; the next call of `run` opens it again."""
        with self._lock.taken():
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _begin_anew(self, error: Exception) -> None:
        """Rename a damaged file unless another process already did; raise Unusable for other errors."""
        self.close()
        is_damage = _is_damage(error)
        if is_damage and self._number != _number_of(self.path):
            return
        aside = set_aside(self.path) if is_damage and _is_ours(self.path, self._form) else None
        if aside is None:
            raise Unusable(self.path, self._form, error) from None
        warnings.warn(
            f"the {self._form.title} {self.path} is damaged ({error}); it was renamed to"
            f" {aside.name}, and a new file replaces it.",
            stacklevel=6,
        )

    def _opened(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            self._inherited.append(self._connection)
            self._connection, self._process = None, os.getpid()
        if self._connection is not None and self._number != _number_of(self.path):
            self.close()  # another process has renamed it
        if self._connection is None:
            self._number = _number_of(self.path)
            self._connection = _connect(self.path, self._form)
            self._number = _number_of(self.path)
        return self._connection


class Verified(NamedTuple):
    """The number of valid rows, the damage ("" if none), and the new path of a file that was renamed."""

    rows: int
    damage: str = ""
    aside: Path | None = None


@contextmanager
def maintained(file: Path, form: Format) -> Iterator[sqlite3.Connection]:
    """Open a file for maintenance; raise ResultError if it cannot be used."""
    try:
        with closing(_connect(file, form)) as connection:
            yield connection
    except FAILURES as error:
        raise _refused(file, form, error) from None


def verify(file: Path, form: Format, check: Callable[[sqlite3.Connection], Verified]) -> Verified:
    """Check a whole file, and rename it if it is damaged.

    `check` reads the rows and raises Damaged if they are not valid.
    """
    if not file.exists():
        return Verified(0)
    try:
        with closing(_connect(file, form)) as connection:
            (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if answer != "ok":
                raise Damaged(answer.splitlines()[-1])
            return check(connection)
    except FAILURES as error:
        if not (_is_damage(error) and _is_ours(file, form)):
            raise _refused(file, form, error) from None
        aside = set_aside(file)
        return Verified(0, str(error) if aside else f"{error}; the file cannot be renamed, remove it", aside)


def bytes_of(file: Path) -> int:
    """Return the size of a cache on disk in bytes, with its write-ahead log."""
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all changes of the block, or none of them if it raises an error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # the first error is reported, not an error of the rollback
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def size_of(connection: sqlite3.Connection) -> int:
    """Return the number of bytes of the file that are in use."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def shrink(connection: sqlite3.Connection) -> None:
    """Return the disk space of deleted rows to the operating system."""
    connection.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after the first page
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def set_aside(file: Path) -> Path | None:
    """Rename a damaged file to make room for a new file; return the new path, or None if that fails."""
    aside = file.with_name(f"{file.name}.damaged-{time.time_ns()}")
    try:
        file.replace(aside)
        for suffix in ("-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
    except OSError:
        return None
    return aside


def _connect(file: Path, form: Format) -> sqlite3.Connection:
    """Open or create the file; raise Foreign if it belongs to another program or another version."""
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(
        file, timeout=_PATIENCE_SECONDS, check_same_thread=False, isolation_level=None
    )
    try:
        connection.execute(f"PRAGMA cache_size=-{_PAGES_IN_MEMORY_KIB}")
        if _kind(connection) == (0, 0, 0):
            _make(connection, form)
        if _kind(connection)[:2] != (form.application, form.version):
            raise Foreign("it belongs to another program or another version of nlgauge")
        connection.execute("PRAGMA synchronous=NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _kind(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Read the application id, the version of the tables, and the number of tables."""
    queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    application, version, tables = (connection.execute(query).fetchone()[0] for query in queries)
    return application, version, tables


def _make(connection: sqlite3.Connection, form: Format) -> None:
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            break
        except sqlite3.OperationalError:  # SQLite does not wait here if two processes create the same file
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE_SECONDS)
    with transaction(connection):
        if _kind(connection) == (0, 0, 0):
            for table in form.tables:
                connection.execute(table)
            connection.execute(f"PRAGMA application_id={form.application}")
            connection.execute(f"PRAGMA user_version={form.version}")


def _is_damage(error: Exception) -> bool:
    """Return True if an error means that the content of a file is damaged."""
    return isinstance(error, Damaged) or getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def _is_ours(file: Path, form: Format) -> bool:
    """Return True if the name or the header of a file identifies it as such a cache, even if damaged."""
    with suppress(OSError), file.open("rb") as stream:
        return file.name == form.file_name or stream.read(72)[68:] == form.application.to_bytes(4, "big")
    return False


def _number_of(file: Path) -> tuple[int, int] | None:
    """Return numbers that distinguish a file from a later file with the same name."""
    with suppress(OSError):
        return file.stat().st_dev, file.stat().st_ino
    return None


def _refused(file: Path, form: Format, error: Exception) -> ResultError:
    can_rename = _is_damage(error) and _is_ours(file, form)
    action = (
        "run `nlgauge cache verify` to rename it" if can_rename else f"set {form.variable} to another file"
    )
    return ResultError(f"{Unusable(file, form, error)}; {action}.")
