"""Cache of replies: an SQLite file that several processes may read and write at once.

A complete reply is cached at once. Every row has a digest of its key and its reply: a row that was damaged or
edited counts as missing, is reported, and is requested again. The digest contains no secret, so it does not
protect against a person who can write the file and compute the digest again. nlgauge writes to and renames
only files that it created.
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
from nlgauge._core.numbers import counted
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
# Number of keys per query.
_KEYS = 500
# Columns are read as bytes, because a damaged row may have another type.
_SELECT = "SELECT key, CAST(reply AS BLOB), CAST(digest AS BLOB) FROM replies"
_Result = TypeVar("_Result")


def common_file() -> Path:
    """Return the default file of replies.

    It is NLGAUGE_JUDGE_CACHE, by default judge.sqlite in the directory of the models.
    """
    return Path(os.environ.get("NLGAUGE_JUDGE_CACHE") or cache_directory() / FORMAT.file_name)


class Cache:
    """Replies by key.

    A damaged cache is renamed, with a warning, and a new file replaces it. Any other file that cannot be used
    is refused and stays unchanged.
    """

    def __init__(self, file: Path) -> None:
        self._file = CacheFile(file, FORMAT)
        self._run(lambda connection: None)

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return cached replies by key; remove rows that differ from what was written, with a warning."""
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
                f"{counted(len(changed), 'damaged reply was', 'damaged replies were')} removed from the cache"
                f" {self._file.path} and will be requested again.",
                stacklevel=5,
            )
        return replies

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """Save all replies or none; a reply that another process has saved stays unchanged."""
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
            raise JudgeError(f"{error}; name another file with calls='cache=FILE'.") from None


def count(file: Path) -> int:
    """Return the number of replies in a file; 0 if the file does not exist."""
    if not file.exists():
        return 0
    with maintained(file, FORMAT) as connection:
        (replies,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    return int(replies)


def clear(file: Path) -> int:
    """Delete all replies, and return their number."""
    if not file.exists():
        return 0
    with maintained(file, FORMAT) as connection:
        dropped = connection.execute("DELETE FROM replies").rowcount
        shrink(connection)
    return dropped


def verify(file: Path) -> Verified:
    """Read the whole file, and rename it if it is damaged.

    Replies that differ from what was written are removed from a file that is otherwise intact.
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
    damage = f"{counted(len(changed), 'reply was', 'replies were')} removed" if changed else ""
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
    """Return the reply of a row; raise BrokenReply if it differs from what was written."""
    if data is None or digest != _digest(key, data):
        raise BrokenReply("the digest is wrong")
    return cached_reply(data)
