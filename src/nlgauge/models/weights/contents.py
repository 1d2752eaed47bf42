"""What the files of a model hold: hashes, computed again when a file's size, times or number on the disk have
changed.

The hashes of a fetched model are kept beside it with what each file looked like, so that weights of gigabytes
are read once and not in every process. Whoever may write to the directory can forge that record as well as
the weights: `nlgauge models verify` does not use it.
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
    """What a file looked like when its hash was computed, and the hash."""

    stamp: Stamp
    sha256: str


def hashes(files: Sequence[Path], record: Path | None = None) -> dict[str, str]:
    """Return the sha256 of files by name; hashes of files that look as they did are taken from the
    record, new ones are added to it.
    """
    known = {} if record is None else _read(record)
    found: dict[str, Checked] = {}
    for file in files:
        stamp, before = stamp_of(file), known.get(file.name)
        found[file.name] = (
            before if before is not None and before.stamp == stamp else Checked(stamp, _hash_of(file, stamp))
        )
    if record is not None and {**known, **found} != known:
        with suppress(OSError, NlgaugeError):  # a cache that may only be read is hashed by every process
            write_whole(record, msgspec.json.encode({**known, **found}))
    return {name: checked.sha256 for name, checked in found.items()}


def combined(sha256: Mapping[str, str]) -> str:
    """Return one hash of files with these hashes: that of a single file, else that of all hashes in the
    order of the names.
    """
    ordered = [sha256[name] for name in sorted(sha256)]
    return ordered[0] if len(ordered) == 1 else hashlib.sha256("".join(ordered).encode()).hexdigest()


def hash_of_file(file: Path) -> str:
    """Return the sha256 of a file, read now."""
    with file.open("rb") as stream:
        return updated(hashlib.sha256(), stream).hexdigest()


def updated(digest: hashlib._Hash, stream: BinaryIO) -> hashlib._Hash:
    """Add all of a stream to a digest."""
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest


@lru_cache(maxsize=256)
def _hash_of(file: Path, stamp: Stamp) -> str:
    """Return the hash of a file; what it looks like is part of the key, so a changed file is read again."""
    return hash_of_file(file)


def _read(record: Path) -> dict[str, Checked]:
    """Read a record; a damaged one counts as empty."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(record.read_bytes(), type=dict[str, Checked])
    return {}
