"""Sources: files and directories whose content determines which reader reads them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec

from nlgauge.corpus.records import ABSENT, Records
from nlgauge.errors import InputError
from nlgauge.io.blocks import FileOptions, record_blocks
from nlgauge.io.files import Address, byte_blocks, read_bytes
from nlgauge.io.logs.decoding import check_depth, complete_part, decode, standard_json
from nlgauge.io.logs.versions import Tested

Kind = Literal["directory", "archive", "object", "array", "lines", "table", "unknown"]
_HEAD = 1 << 22
# Maximum length of a line in bytes.
_LONGEST_LINE = 1 << 28
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_RECORD = msgspec.json.Decoder(dict[str, Any])


class Source:
    """File or directory of a log.

    Parameters
    ----------
    path : str
        Path.

    Attributes
    ----------
    kind : str
        "directory", "archive" (ZIP), "object" or "array" (JSON documents), "lines" (JSON lines), "table" (CSV, TSV,
        Parquet) or "unknown".
    keys : frozenset of str
        Keys of the first object, or names of the columns.
    is_truncated : bool
        True if the file ends within a record. For lines this is known after they are read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.is_truncated = False
        self.keys: frozenset[str] = frozenset()
        self._data = b""
        self._object: dict[str, msgspec.Raw] = {}
        self._array: list[msgspec.Raw] = []
        self._records: Records | None = None
        self.kind: Kind = self._detect()

    @property
    def stem(self) -> str:
        """Name of the file without directory and suffix."""
        return Address(self.path).stem

    @property
    def name(self) -> str:
        """Name of the file or directory."""
        return PurePath(self.path).name

    def __str__(self) -> str:
        return self.path

    def _detect(self) -> Kind:
        """Return the kind of the source and set its keys."""
        if Path(self.path).is_dir():
            return "directory"
        head = next(byte_blocks(self.path, size=_HEAD), b"").removeprefix(codecs.BOM_UTF8)
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return "archive"
        if head.lstrip()[:1] in (b"{", b"["):
            return self._detect_json(head.lstrip())
        if Address(self.path).kind in ("csv", "tsv", "parquet") and head:
            self._records = Records.of_blocks(record_blocks(Address(self.path), FileOptions(whole=True)))
            self.keys = frozenset(self._records.columns)
            return "table"
        return "unknown"

    def _detect_json(self, head: bytes) -> Kind:
        """Return the kind of a JSON file and set its keys; a document of one line is an object."""
        first, _, rest = head.partition(b"\n")
        if first.startswith(b"{") and rest.strip():
            keys = _keys_of(standard_json(first))
            if keys is not None:
                self.keys = keys
                return "lines"
        self._data = read_bytes(self.path).removeprefix(codecs.BOM_UTF8)
        return self._load()

    def _load(self) -> Kind:
        """Decode the outermost level of a document."""
        check_depth(self._data, self.path)
        is_array = self._data.lstrip().startswith(b"[")
        for data in (self._data, standard_json(self._data)):
            try:
                if is_array:
                    self._array = _ARRAY.decode(data)
                    self.keys = (_keys_of(self._array[0]) if self._array else None) or frozenset()
                else:
                    self._object = _OBJECT.decode(data)
                    self.keys = frozenset(self._object)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                problem = error
            else:
                return "array" if is_array else "object"
        if not _is_cut_at(problem, len(self._data)):
            raise InputError(f"{self.path} is not JSON: {problem}.")
        self.is_truncated = True
        return "unknown"

    def up_to_last_record(self, depth: int) -> Source:
        """Return an incomplete document up to the last complete record; see `complete_part`."""
        if not self._data or not self.is_truncated:
            return self
        part = complete_part(standard_json(self._data), depth)
        if part is None:
            return self
        source = Source.__new__(Source)
        source.__dict__ |= {**self.__dict__, "_data": part}
        source.kind = source._load()
        source.is_truncated = True
        return source

    def document(self) -> bytes:
        """Return the JSON of a document."""
        return standard_json(self._data)

    def part(self, key: str) -> msgspec.Raw | None:
        """Return the JSON of a value of the outermost object."""
        return self._object.get(key)

    def elements(self) -> Sequence[tuple[str, msgspec.Raw]]:
        """Return place and JSON of each element of the outermost array."""
        return [(f"{self.path}, element {i}", element) for i, element in enumerate(self._array, 1)]

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield place and JSON of each line; an incomplete last line is left out."""
        for number, (line, is_whole) in enumerate(_byte_lines(self.path), 1):
            if not line.strip():
                continue
            place = f"{self.path}, line {number}"
            check_depth(line, place)
            if not is_whole and _is_cut(line):
                self.is_truncated = True
                return
            yield place, line

    def records(self, tested: Tested) -> list[dict[str, Any]]:
        """Return the rows of a table, of JSON lines, or of an array of objects."""
        if self._records is not None:
            names = list(self._records.columns)
            rows = zip(*self._records.columns.values(), strict=True)
            return [
                {name: value for name, value in zip(names, row, strict=True) if value is not ABSENT}
                for row in rows
            ]
        rows_of_json: Iterator[tuple[str, Any]] = (
            self.lines() if self.kind in ("lines", "object") else chain(self.elements())
        )
        return [decode(data, _RECORD, place, tested) for place, data in rows_of_json]


def _keys_of(data: bytes | msgspec.Raw) -> frozenset[str] | None:
    """Return the keys of a JSON object; None if the data is no complete object."""
    try:
        return frozenset(_OBJECT.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _byte_lines(path: str) -> Iterator[tuple[bytes, bool]]:
    """Yield each line of a file, and False for a last line without a line feed, else True."""
    rest: list[bytes] = []
    size = 0
    for data in byte_blocks(path):
        *lines, tail = data.split(b"\n")
        if lines:
            yield b"".join([*rest, lines[0]]), True
            yield from ((line, True) for line in lines[1:])
            rest, size = [], 0
        rest.append(tail)
        size += len(tail)
        if size > _LONGEST_LINE:
            raise InputError(
                f"{path} has a line of more than {_LONGEST_LINE:,} bytes, the maximum length of a line."
            )
    yield b"".join(rest), False


def _is_cut(data: bytes) -> bool:
    """Return True if a line ends within a JSON value."""
    repaired = standard_json(data)
    try:
        _OBJECT.decode(repaired)
    except msgspec.DecodeError as error:
        return _is_cut_at(error, len(repaired))
    return False


def _is_cut_at(error: Exception, end: int) -> bool:
    """Return True if an error of decoding is due to the end of the data, such as a number that ends in a minus."""
    byte = re.search(r"\(byte (\d+)\)", str(error))
    return "truncated" in str(error) or (byte is not None and int(byte[1]) > end - len("-Infinity"))
