"""Detection of files that change while they are read in chunks.

The chunks of such a file would form a corpus that never existed.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from nlgauge._core.paths import Stamp, is_file, stamp_of
from nlgauge._core.progress import report
from nlgauge.errors import InputError

_BLOCK = 1 << 20
_MEGABYTE = 1_000_000


class Watched:
    """Files of one run, with the state of each before reading and the digests of the data that was read.

    Pipes cannot be compared and are ignored.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._before: dict[str, Stamp] = {
            path: stamp_of(Path(path)) for path in dict.fromkeys(paths) if is_file(path)
        }
        self._digests: dict[str, set[bytes]] = {path: set() for path in self._before}
        self._done = 0

    def reading(self, path: str, stream: BinaryIO) -> BinaryIO:
        """Return a stream of the file that records the digest of all data read from it."""
        if path not in self._before:
            return stream
        return io.BufferedReader(_Reading(self, path, stream), _BLOCK)

    def check(self) -> None:
        """Raise InputError if a file was removed or has changed since reading started.

        A file has changed if its size or time of modification differs, or if its other file attributes differ and
        its digest is not the digest of the data that was read.
        """
        for path, before in self._before.items():
            if not is_file(path):
                raise InputError(
                    f"{path} was removed while it was read, so nothing was scored; put it back and run again."
                )
            now = stamp_of(Path(path))
            # A new owner, a new link or a copy with the same times may have the same content, so compare digests.
            if now[:2] != before[:2] or (now != before and self._digests[path] != {_digest_of(path)}):
                raise InputError(
                    f"{path} changed while it was read, so nothing was scored; run again when no program"
                    " writes to it."
                )

    def read(self, path: str, size: int) -> None:
        """Report the progress of reading."""
        self._done += size
        total = max(1, sum(stamp[0] for stamp in self._before.values()) // _MEGABYTE)
        report("reading (MB)", min(self._done // _MEGABYTE, total), total)

    def end(self, path: str, digest: bytes) -> None:
        """Record the digest of a file that was read to its end."""
        self._digests[path].add(digest)


class _Reading(io.RawIOBase):
    """File whose digest is computed while it is read."""

    def __init__(self, watched: Watched, path: str, stream: BinaryIO) -> None:
        self._watched, self._path, self._stream = watched, path, stream
        self._digest = hashlib.blake2b(digest_size=32)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._digest.update(data)
        if data:
            self._watched.read(self._path, len(data))
        else:
            self._watched.end(self._path, self._digest.digest())
        return len(data)


def _digest_of(path: str) -> bytes:
    """Return the digest of the whole file."""
    digest = hashlib.blake2b(digest_size=32)
    with Path(path).open("rb") as stream:
        while data := stream.read(_BLOCK):
            digest.update(data)
    return digest.digest()
