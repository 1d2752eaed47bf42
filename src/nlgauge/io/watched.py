"""Files that are read piece by piece, watched meanwhile: one that changes would give a corpus that never
existed.
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
    """The files of one run: what each looked like before it was read, and the digests of what was read of it.

    Pipes cannot be compared.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._before: dict[str, Stamp] = {
            path: stamp_of(Path(path)) for path in dict.fromkeys(paths) if is_file(path)
        }
        self._digests: dict[str, set[bytes]] = {path: set() for path in self._before}
        self._done = 0

    def reading(self, path: str, stream: BinaryIO) -> BinaryIO:
        """Return the stream of a file; what is read of it is remembered."""
        if path not in self._before:
            return stream
        return io.BufferedReader(_Reading(self, path, stream), _BLOCK)

    def check(self) -> None:
        """Raise if a file is not what it was when reading began: another size or time, or one more like
        it that does not hold what was read.
        """
        for path, before in self._before.items():
            if not is_file(path):
                raise InputError(
                    f"{path} was removed while it was read, so nothing was scored; put it back and run again."
                )
            now = stamp_of(Path(path))
            # Another owner, another link or a copy with the same times is no other content; a digest tells.
            if now[:2] != before[:2] or (now != before and self._digests[path] != {_digest_of(path)}):
                raise InputError(
                    f"{path} changed while it was read, so nothing was scored; run again when no program"
                    " writes to it."
                )

    def read(self, path: str, size: int) -> None:
        """Say how far reading is."""
        self._done += size
        total = max(1, sum(stamp[0] for stamp in self._before.values()) // _MEGABYTE)
        report("reading (MB)", min(self._done // _MEGABYTE, total), total)

    def end(self, path: str, digest: bytes) -> None:
        """Remember the digest of a file that was read to its end."""
        self._digests[path].add(digest)


class _Reading(io.RawIOBase):
    """A file of which a digest is made as it is read."""

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
    """Return the digest of all of a file."""
    digest = hashlib.blake2b(digest_size=32)
    with Path(path).open("rb") as stream:
        while data := stream.read(_BLOCK):
            digest.update(data)
    return digest.digest()
