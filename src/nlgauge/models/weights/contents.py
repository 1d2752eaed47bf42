"""Hashes of the files of a model, computed again when the size, times or inode of a file have changed.

The hashes of an installed model are saved in its directory with the size, times and inode of each file, so
that gigabytes of weights are read once and not in every process. Anyone who can write to the directory can
forge this record as well as the weights; `nlgauge models verify` does not use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import msgspec

from nlgauge._core.paths import Stamp, stamp_of, write_whole
from nlgauge.errors import NlgaugeError

RECORD = "nlgauge-checked.json"


class Checked(msgspec.Struct):
    """The hash of a file, and the stamp of the file when the hash was computed."""

    stamp: Stamp
    sha256: str


def hashes(files: Sequence[Path], record: Path | None = None) -> dict[str, str]:
    """Return the sha256 of files by name.

    The hash of a file with the stamp of the record is taken from the record; other hashes are computed, and
    saved in the record.
    """
    recorded = {} if record is None else _read(record)
    current: dict[str, Checked] = {}
    for file in files:
        stamp, before = stamp_of(file), recorded.get(file.name)
        current[file.name] = (
            before if before is not None and before.stamp == stamp else Checked(stamp, _hash_of(file, stamp))
        )
    if record is not None and {**recorded, **current} != recorded:
        with suppress(OSError, NlgaugeError):  # every process computes the hashes of a read-only cache
            write_whole(record, msgspec.json.encode({**recorded, **current}))
    return {name: checked.sha256 for name, checked in current.items()}


def combined(sha256: Mapping[str, str]) -> str:
    """Return one hash for several files: the hash of all hashes in the order of the file names.

    For a single file, it is the hash of that file.
    """
    ordered = [sha256[name] for name in sorted(sha256)]
    return ordered[0] if len(ordered) == 1 else hashlib.sha256("".join(ordered).encode()).hexdigest()


def hash_of_file(file: Path) -> str:
    """Read a file and return its sha256."""
    with file.open("rb") as stream:
        return updated(hashlib.sha256(), stream).hexdigest()


def updated(digest: hashlib._Hash, stream: BinaryIO) -> hashlib._Hash:
    """Add the rest of a stream to a digest, and return the digest."""
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest


@lru_cache(maxsize=256)
def _hash_of(file: Path, stamp: Stamp) -> str:
    """Return the hash of a file; its stamp is part of the cache key, so a changed file is read again."""
    return hash_of_file(file)


def _read(record: Path) -> dict[str, Checked]:
    """Read a record; return {} if it is missing or damaged."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(record.read_bytes(), type=dict[str, Checked])
    return {}
