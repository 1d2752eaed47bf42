"""Files of plain lines that are read piece by piece, so that a corpus need not fit into memory.

What the lines mean is what `nlgauge.io` says; a file of lines, packed or not, and standard input can be read so. Records and columns are read whole.
"""

from __future__ import annotations

import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from nlgauge.corpus import Corpus
from nlgauge.corpus.parts import Parts
from nlgauge.errors import InputError
from nlgauge.io.files import STDIN, Address, damaged, decoded, is_marked, lines_of, opened
from nlgauge.io.inputs import joined, named_systems
from nlgauge.io.reader import Column

_BYTES = 1 << 20
_UNPACK_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, ValueError, OSError)
_LINES = 20_000
# Files of so many bytes in all are read piece by piece where nobody asks for it.
LARGE = 64_000_000


class Streamed:
    """The files of plain lines of one run: predictions by system, references, sources."""

    def __init__(self, systems: Sequence[str], references: Sequence[str] = (), source: str | None = None, lang: str | None = None) -> None:
        self._named = named_systems(systems)
        self._references = list(references)
        self._source = source
        self._lang = lang

    @property
    def paths(self) -> list[str]:
        """All files."""
        return [*self._named.values(), *self._references, *([] if self._source is None else [self._source])]

    def possible(self) -> bool:
        """Whether all files are of plain lines in UTF-8."""
        return self.paths.count(STDIN) < 2 and all(Address.of(path).kind is None and not _has_mark(path) for path in self.paths)

    def large(self) -> bool:
        """Whether the files are so large that they should not be in memory at once; how much a pipe holds nobody knows."""
        return sum(Path(path).stat().st_size for path in self.paths if Path(path).is_file()) > LARGE

    def source(self) -> dict[str, Any]:
        """What is read, as plain data: names, sizes and times of the files, which another file of the same name would not have."""
        files = [[path, *_size_and_time(path)] for path in self.paths]
        return {"systems": dict(self._named), "references": self._references, "source": self._source, "lang": self._lang, "files": files}

    def pieces(self) -> Iterator[Corpus]:
        """The segments as corpora of some thousands each."""
        with ExitStack() as files:
            lines = {path: _Lines(path, files) for path in dict.fromkeys(self.paths)}
            start = 0
            while blocks := _aligned({path: reader.take(_LINES) for path, reader in lines.items()}, lines, start):
                count = len(next(iter(blocks.values())))
                yield replace(self._corpus(blocks), ids=range(start, start + count))
                start += count
            if not start:
                raise InputError(f"{self.paths[0]} is empty; give at least one segment.")

    def _corpus(self, blocks: Mapping[str, list[str]]) -> Corpus:
        predictions = {name: blocks[path] for name, path in self._named.items()}
        references = [Column(path, blocks[path], str) for path in self._references]
        sources = None if self._source is None else blocks[self._source]
        return Corpus.of_parts(Parts(predictions, joined(references) if references else None, sources), self._lang)


def _has_mark(path: str) -> bool:
    if not Path(path).is_file():
        return False
    with opened(path) as stream:
        try:
            return is_marked(stream.read(4))
        except _UNPACK_ERRORS:
            return False  # said when it is read


def _size_and_time(path: str) -> tuple[int, int]:
    if path == STDIN or not Path(path).is_file():
        return 0, 0
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns


def _aligned(blocks: dict[str, list[str]], lines: Mapping[str, _Lines], start: int) -> dict[str, list[str]]:
    """The next lines of all files; nothing at their end, and an error where they do not end together."""
    counts = {path: start + len(block) for path, block in blocks.items()}
    if len(set(counts.values())) > 1:
        shorter, longer = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        total = counts[longer] + lines[longer].count_rest()
        raise InputError(f"{shorter} has {counts[shorter]} entries, {longer} has {total} entries; every file needs one for each segment.")
    return blocks if any(blocks.values()) else {}


class _Lines:
    """The lines of a file, so many at a time."""

    def __init__(self, path: str, files: ExitStack) -> None:
        self._path = "standard input" if path == STDIN else path
        self._stream: BinaryIO = sys.stdin.buffer if path == STDIN else files.enter_context(opened(path))
        self._suffix = Path(path).suffix.lower()
        self._rest = b""
        self._ready: list[str] = []
        self._done = 0
        self._ended = False

    def take(self, count: int) -> list[str]:
        """The next lines, fewer only at the end."""
        while len(self._ready) < count and not self._ended:
            self._read()
        found, self._ready = self._ready[:count], self._ready[count:]
        return found

    def count_rest(self) -> int:
        """How many lines are left."""
        count = 0
        while block := self.take(_LINES):
            count += len(block)
        return count

    def _read(self) -> None:
        try:
            data = self._stream.read(_BYTES)
        except _UNPACK_ERRORS as error:
            raise InputError(damaged(self._path, self._suffix, error)) from None
        self._ended = not data
        whole, newline, rest = (self._rest + data).rpartition(b"\n") if data else (self._rest, b"", b"")
        self._rest = rest
        if not self._done and is_marked(whole):
            raise InputError(f"{self._path} is not UTF-8 but has the mark of UTF-16 or UTF-32; write it to a file, which is read whole.")
        if whole or newline:
            # What a file begins with says what it is; behind that it is UTF-8, and messages count lines from where it is read.
            text = decoded(whole + newline, self._path) if not self._done else self._decoded(whole + newline)
            lines = lines_of(text)
            self._done += len(lines)
            self._ready += lines

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = self._done + data.count(b"\n", 0, error.start) + 1
            byte = error.start - data.rfind(b"\n", 0, error.start)
            raise InputError(
                f"{self._path} is not UTF-8: line {line}, byte {byte} is 0x{data[error.start]:02X}; say what its encoding is, for example "
                "--encoding cp1252 for files of Western European Windows."
            ) from None
