"""The cache of replies: an SQLite file that several processes may read and write at once. A reply is kept the moment it is complete."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.errors import JudgeError
from nlgauge.models.store import cache_directory

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL, time REAL NOT NULL) WITHOUT ROWID"
# How many keys SQLite is asked for at a time.
_KEYS = 500
_PATIENCE_SECONDS = 60.0


def common_file() -> Path:
    """Where replies are kept unless told otherwise: NLGAUGE_JUDGE_CACHE, else judge.sqlite beside the models."""
    given = os.environ.get("NLGAUGE_JUDGE_CACHE")
    return Path(given) if given else cache_directory() / "judge.sqlite"


class Cache:
    """Replies by key. One that cannot be read is set aside under another name, with a warning, and a new one is begun."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error.strerror or error) from None
        self._run(lambda connection: None)

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The replies that are here, by key."""
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(keys), _KEYS):
            part = keys[start : start + _KEYS]
            query = f"SELECT key, reply FROM replies WHERE key IN ({','.join('?' * len(part))})"  # noqa: S608
            rows = self._run(partial(_selected, query=query, keys=part))
            found |= {key: msgspec.json.decode(reply) for key, reply in rows}
        return found

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """Keeps replies; another process may have been first, and then its replies stay."""
        rows = [(key, msgspec.json.encode(reply), time.time()) for key, reply in replies.items()]
        self._run(lambda connection: connection.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows))

    def _run(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """What is found in the file; where that is damaged, in a new one."""
        with self._lock:
            try:
                return work(self._opened())
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError | sqlite3.IntegrityError):
                    raise self._unusable(error) from None
                self._set_aside(error)
                return work(self._opened())

    def _unusable(self, reason: object) -> JudgeError:
        return JudgeError(f"the cache of judges' replies {self.file} cannot be used: {reason}; name another with calls='cache=FILE'.")

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self.file, timeout=_PATIENCE_SECONDS, check_same_thread=False, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(_TABLE)
            except sqlite3.DatabaseError:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        aside = self.file.with_name(f"{self.file.name}.damaged-{time.time_ns()}")
        with suppress(FileNotFoundError):  # another process may have been first
            self.file.replace(aside)
        for suffix in ("-wal", "-shm"):
            self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)
        warnings.warn(
            f"the cache of judges' replies {self.file} cannot be read ({error}); it is now {aside.name}, and a new one was begun.", stacklevel=5
        )

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _selected(connection: sqlite3.Connection, query: str, keys: Sequence[str]) -> list[Any]:
    return connection.execute(query, keys).fetchall()
