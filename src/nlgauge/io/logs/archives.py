"""Members of a ZIP archive in memory, with limits on their sizes; an archive without a directory is read too.

`zipfile` reads Zstandard members only from Python 3.14, so the extra "zstd" unpacks them.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from nlgauge.errors import InputError, MissingExtraError
from nlgauge.io.files import memory

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_HEADER = struct.Struct("<4sHHHHHIIIHH")
_MAGIC = b"PK\x03\x04"
# Maximum size of a member in bytes, and maximum ratio of sizes of members that are larger than the second number.
_LARGEST, _RATIO, _SMALL = 1 << 30, 1000, 1 << 24
_HAS_DESCRIPTOR = 1 << 3
_IS_ENCRYPTED = 1


class Member(NamedTuple):
    """Place of a member in an archive, with the sizes that the archive states."""

    name: str
    method: int
    offset: int
    packed: int
    size: int
    crc: int


class Archive:
    """Reader of the members of a ZIP archive.

    Parameters
    ----------
    stream : BinaryIO
        File.
    place : str
        Name of the file in messages.

    Attributes
    ----------
    is_complete : bool
        False if the archive has no directory, because it was cut off; `members` then has the complete members.
    """

    def __init__(self, stream: BinaryIO, place: str) -> None:
        self._stream, self._place = stream, place
        try:
            with zipfile.ZipFile(stream) as archive:
                infos = archive.infolist()
            self.is_complete = True
            members = [_located(stream, info, place) for info in infos]
        except InputError:
            raise
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
            self.is_complete = False
            members = list(_scanned(stream))
        self.members = {member.name: member for member in members}
        self._check()

    def _check(self) -> None:
        """Raise InputError if members overlap, or if one would need too much memory."""
        end = 0
        largest = min(_LARGEST, memory() // 4)
        for member in sorted(self.members.values(), key=lambda member: member.offset):
            if member.offset < end:
                raise InputError(f"{self._place} has members that overlap; it is damaged or an attack.")
            end = member.offset + member.packed
            if member.size > largest or (member.size > _SMALL and member.size > _RATIO * member.packed):
                raise InputError(
                    f"{self._place}: {member.name!r:.80} would unpack from {member.packed:,} to {member.size:,}"
                    f" bytes; the maximum is {largest:,} bytes and {_RATIO:,} times the packed size."
                )

    def read(self, name: str) -> bytes:
        """Return the content of a member; raise InputError if it differs from the size or the checksum."""
        member = self.members[name]
        self._stream.seek(member.offset)
        packed = self._stream.read(member.packed)
        if len(packed) != member.packed:
            raise self._damaged(name)
        data = self._unpacked(member, packed)
        if len(data) != member.size or zlib.crc32(data) != member.crc:
            raise self._damaged(name)
        return data

    def _unpacked(self, member: Member, packed: bytes) -> bytes:
        """Return at most one byte more than the stated size."""
        if member.method == _STORED:
            return packed
        if member.method == _DEFLATED:
            try:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.size + 1)
            except zlib.error:
                raise self._damaged(member.name) from None
        if member.method != _ZSTANDARD:
            raise InputError(
                f"{self._place}: {member.name!r:.80} is compressed by method {member.method}, which is not supported."
            )
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("zstandard", "zstd", "reading this log, which uses Zstandard,") from None
        try:
            with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
                return bytes(reader.read(member.size + 1))
        except zstandard.ZstdError:
            raise self._damaged(member.name) from None

    def _damaged(self, name: str) -> InputError:
        return InputError(f"{self._place}: {name!r:.80} is damaged; copy or download the log again.")


@contextmanager
def opened_archive(path: str) -> Iterator[Archive]:
    """Open a ZIP archive for reading."""
    with Path(path).open("rb") as stream:
        yield Archive(stream, path)


def _located(stream: BinaryIO, info: zipfile.ZipInfo, place: str) -> Member:
    """Return the member of an entry of the directory."""
    if info.flag_bits & _IS_ENCRYPTED:
        raise InputError(f"{place}: {info.filename!r:.80} is encrypted, and encrypted logs cannot be read.")
    stream.seek(info.header_offset)
    header = _HEADER.unpack(stream.read(_HEADER.size))
    offset = info.header_offset + _HEADER.size + header[9] + header[10]
    return Member(info.filename, info.compress_type, offset, info.compress_size, info.file_size, info.CRC)


def _scanned(stream: BinaryIO) -> Iterator[Member]:
    """Yield the complete members at the start of an archive without a directory."""
    end, offset = stream.seek(0, 2), 0
    while offset + _HEADER.size <= end:
        stream.seek(offset)
        magic, _, flags, method, _, _, crc, packed, size, name, extra = _HEADER.unpack(
            stream.read(_HEADER.size)
        )
        start = offset + _HEADER.size + name + extra
        if magic != _MAGIC or flags & (_HAS_DESCRIPTOR | _IS_ENCRYPTED) or start + packed > end:
            return
        yield Member(stream.read(name).decode("utf-8", "replace"), method, start, packed, size, crc)
        offset = start + packed
