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
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nlgauge._core import sqlite
from nlgauge._core.sqlite import CacheFile, Format, Unusable, Verified, maintained, shrink, transaction
from nlgauge.errors import JudgeError
from nlgauge.judges.requests import BrokenReply, cached_reply
from nlgauge.models.weights.store import cache_directory

FORMAT = Format(
    "cache of judges' replies",
    "judge.sqlite",
    "NLGAUGE_JUDGE_CACHE",
    0x6E6C676A,
    1,
    (
        "CREATE TABLE replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL, digest BLOB NOT NULL, time REAL"
        " NOT NULL) WITHOUT ROWID",
    ),
)
# How many keys SQLite is asked for at a time.
_KEYS = 500
# As bytes, whatever type a row has.
_SELECT = "SELECT key, CAST(reply AS BLOB), CAST(digest AS BLOB) FROM replies"
_Result = TypeVar("_Result")


def common_file() -> Path:
    """Name the file of the replies unless a call names another: NLGAUGE_JUDGE_CACHE, else judge.sqlite
    beside the models.
    """
    return Path(os.environ.get("NLGAUGE_JUDGE_CACHE") or cache_directory() / FORMAT.file_name)


class Cache:
    """Replies by key. A damaged cache is renamed, with a warning, and a new one is begun; any other file
    is refused and stays as it is.
    """

    def __init__(self, file: Path) -> None:
        self._file = CacheFile(file, FORMAT)
        self._run(lambda connection: None)

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Find replies by key; rows that are not as they were written are removed, with a warning."""
        replies: dict[str, dict[str, Any]] = {}
        changed: list[str] = []
        for start in range(0, len(keys), _KEYS):
            part = keys[start : start + _KEYS]
            for row in self._run(partial(_selected, keys=part)):
                try:
                    replies[row[0]] = _checked(*row)
                except BrokenReply:
                    changed.append(row[0])
        if changed:
            self._run(partial(_delete, keys=changed))
            warnings.warn(
                f"{len(changed):,} replies in the cache {self._file.path} are not as they were written: they"
                " were removed and count as missing.",
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
        self._file.close()

    def _run(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        try:
            return self._file.run(work)
        except Unusable as error:
            raise JudgeError(f"{error}; name another with calls='cache=FILE'.") from None


def count(file: Path) -> int:
    """Count the replies in a file; 0 if there is none."""
    if not file.exists():
        return 0
    with maintained(file, FORMAT) as connection:
        (replies,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    return int(replies)


def clear(file: Path) -> int:
    """Drop all replies, and return their number."""
    if not file.exists():
        return 0
    with maintained(file, FORMAT) as connection:
        dropped = connection.execute("DELETE FROM replies").rowcount
        shrink(connection)
    return dropped


def verify(file: Path) -> Verified:
    """Read everything; a damaged file is set aside, and from a sound one replies that are not as they were
    written are removed.
    """
    return sqlite.verify(file, FORMAT, _verified)


def _verified(connection: sqlite3.Connection) -> Verified:
    sound, changed = 0, []
    for row in connection.execute(_SELECT):
        try:
            _checked(*row)
            sound += 1
        except BrokenReply:
            changed.append(row[0])
    _delete(connection, changed)
    damage = f"{len(changed):,} replies were not as they were written; they were removed" if changed else ""
    return Verified(sound, damage)


def _selected(
    connection: sqlite3.Connection, keys: Sequence[str]
) -> list[tuple[str, bytes | None, bytes | None]]:
    return connection.execute(f"{_SELECT} WHERE key IN ({','.join('?' * len(keys))})", keys).fetchall()


def _delete(connection: sqlite3.Connection, keys: Sequence[str]) -> None:
    with transaction(connection):
        connection.executemany("DELETE FROM replies WHERE key = ?", [(key,) for key in keys])


def _digest(key: str, data: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + data, digest_size=16).digest()


def _checked(key: str, data: bytes | None, digest: bytes | None) -> dict[str, Any]:
    """Read a row, or raise BrokenReply if it is not what was written."""
    if data is None or digest != _digest(key, data):
        raise BrokenReply("the digest is another")
    return cached_reply(data)
