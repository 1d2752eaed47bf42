"""The cache of replies: an SQLite file that several processes may read and write at once. A reply is cached
the moment it is complete.

Every row has a digest of its key and its reply: a row that was damaged or edited counts as missing, is
reported, and is asked for again. The digest has no secret, so that it does not protect against somebody who
can write the file and computes it again. Only a file that nlgauge made is ever written to or renamed.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nlgauge._core.sqlite import Foreign, Format, connect, has_header, is_damage, set_aside, transaction
from nlgauge.errors import JudgeError
from nlgauge.judges.requests import BrokenReply, cached_reply
from nlgauge.models.weights.store import cache_directory

_FORMAT = Format(
    0x6E6C676A,
    1,
    (
        (
            "CREATE TABLE replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL, digest BLOB NOT NULL, time REAL"
            " NOT NULL) WITHOUT ROWID"
        ),
    ),
)
# How many keys SQLite is asked for at a time.
_KEYS = 500
_Result = TypeVar("_Result")


def common_file() -> Path:
    """Name the file of the replies unless a call names another: NLGAUGE_JUDGE_CACHE, else judge.sqlite
    beside the models.
    """
    given = os.environ.get("NLGAUGE_JUDGE_CACHE")
    return Path(given) if given else cache_directory() / "judge.sqlite"


class Cache:
    """Replies by key. A damaged cache is renamed, with a warning, and a new one is begun; any other file
    is refused and stays as it is.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._run(lambda connection: None)

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Find replies by key; rows that are not as they were written are removed, with a warning."""
        replies: dict[str, dict[str, Any]] = {}
        changed: list[str] = []
        for start in range(0, len(keys), _KEYS):
            part = keys[start : start + _KEYS]
            for key, data, digest in self._run(partial(_selected, keys=part)):
                try:
                    replies[key] = _checked(key, data, digest)
                except BrokenReply:
                    changed.append(key)
        if changed:
            self._run(
                lambda connection: connection.executemany(
                    "DELETE FROM replies WHERE key = ?", [(key,) for key in changed]
                )
            )
            warnings.warn(
                f"{len(changed):,} replies in the cache {self.file} are not as they were written: they were"
                " removed and count as missing.",
                stacklevel=5,
            )
        return replies

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """Save replies, all or none; if another process was first, its replies stay."""
        encoded = {key: msgspec.json.encode(reply) for key, reply in replies.items()}
        rows = [(key, data, _digest(key, data), time.time()) for key, data in encoded.items()]

        def write(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", rows)

        self._run(write)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._disconnect()

    def _run(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Do something with the file; if it is a cache that is damaged, with a new one."""
        with self._lock:
            try:
                return work(self._opened())
            except (sqlite3.Error, Foreign, OSError) as error:
                self._disconnect()
                aside = set_aside(self.file) if is_damage(error) and has_header(self.file, _FORMAT) else None
                if aside is None:
                    reason = getattr(error, "strerror", None) or error
                    raise JudgeError(
                        f"the cache of judges' replies {self.file} cannot be used: {reason}; name another"
                        " with calls='cache=FILE'."
                    ) from None
                warnings.warn(
                    f"the cache of judges' replies {self.file} cannot be read ({error}); it is now"
                    f" {aside.name}, and a new one was begun.",
                    stacklevel=5,
                )
                return work(self._opened())

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self.file, _FORMAT)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _selected(
    connection: sqlite3.Connection, keys: Sequence[str]
) -> list[tuple[str, bytes | None, bytes | None]]:
    # As bytes, whatever type a row has.
    query = f"SELECT key, CAST(reply AS BLOB), CAST(digest AS BLOB) FROM replies WHERE key IN ({','.join('?' * len(keys))})"  # noqa: S608
    return connection.execute(query, keys).fetchall()


def _digest(key: str, data: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + data, digest_size=16).digest()


def _checked(key: str, data: bytes | None, digest: bytes | None) -> dict[str, Any]:
    """Read a row, or raise BrokenReply if it is not what was written."""
    if data is None or digest != _digest(key, data):
        raise BrokenReply("the digest is another")
    return cached_reply(data)
