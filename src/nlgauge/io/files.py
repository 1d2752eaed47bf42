"""Files as bytes, text and lines, with errors that say what is wrong where."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePath

from nlgauge.errors import InputError, did_you_mean

STDIN = "-"
_BINARY = {
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip or .xlsx",
    b"PAR1": "Parquet",
}
_KINDS = {"tsv": "tsv", "csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl"}
# The first data suffix that a colon follows ends the path: a drive's colon has none before it, a column's name may hold more.
_COLUMN = re.compile(rf"(.*?\.(?:{'|'.join(_KINDS)})(?:\.gz)?):(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Address:
    """A file, and the column of it where one was named."""

    path: str
    column: str | None = None

    @classmethod
    def of(cls, given: str) -> Address:
        """What `path` or `path:column` means; a file of just that name comes first.

        >>> Address.of("C:/data/wmt.tsv:ref")
        Address(path='C:/data/wmt.tsv', column='ref')
        """
        found = _COLUMN.fullmatch(given)
        return cls(given) if found is None or given == STDIN or Path(given).is_file() else cls(found[1], found[2])

    @property
    def kind(self) -> str | None:
        """ "tsv", "csv" or "jsonl"; None for a file of plain lines."""
        return _KINDS.get(PurePath(self._unzipped).suffix[1:].lower())

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix."""
        return "stdin" if self.path == STDIN else PurePath(self._unzipped).stem

    @property
    def name(self) -> str:
        """What a system read from here is called."""
        if self.column is None:
            return self.stem
        return f"{self.stem}:{self.column}" if self.numbered else self.column

    @property
    def numbered(self) -> bool:
        """Whether the column is a number, so that the file has no row of names."""
        return self.kind != "jsonl" and self.column is not None and self.column.isascii() and self.column.isdigit()

    @property
    def _unzipped(self) -> str:
        return self.path[:-3] if self.path.lower().endswith(".gz") else self.path

    def __str__(self) -> str:
        if self.path == STDIN:
            return "standard input"
        return self.path if self.column is None else f"{self.path}:{self.column}"


def read_bytes(path: str) -> bytes:
    """The bytes of a file, unzipped where its name ends in .gz."""
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{path} is a directory; give a file.")
    try:
        data = place.read_bytes()
        return gzip.decompress(data) if path.lower().endswith(".gz") else data
    except FileNotFoundError:
        raise InputError(f"there is no file {path}{_near(place)}.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a complete gzip file ({error}); fetch or compress it again, or drop the .gz from its name.") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None


def _near(place: Path) -> str:
    if re.search(r"\.\w+:[^\\/]+$", place.name):
        return "; columns are taken from .tsv, .csv and .jsonl files"
    try:
        names = sorted(other.name for other in place.parent.iterdir() if other.is_file())
    except OSError:
        return f"; there is no folder {place.parent} either"
    return did_you_mean(place.name, names)


def decoded(data: bytes, place: str) -> str:
    """The text of UTF-8 bytes, or an error that names line and byte."""
    packed = next((kind for start, kind in _BINARY.items() if data.startswith(start)), None)
    if packed:
        raise InputError(f"{place} is a {packed} file; unpack it, or export it as UTF-8 text (.txt, .tsv, .csv or .jsonl).")
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        data = data.removeprefix(codecs.BOM_UTF8)
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        guess = "UTF-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "WINDOWS-1252"
        raise InputError(
            f"{place} is not UTF-8: line {line}, byte {column} is 0x{data[error.start]:02X}; "
            f"convert it from its encoding first, for example: iconv -f {guess} -t UTF-8 OLD > NEW"
        ) from None


def lines_of(text: str) -> list[str]:
    """The lines of a text; only a line feed ends one.

    >>> lines_of("one\\r\\n\\ntwo\\u2028still two\\n")
    ['one', '', 'two\\u2028still two']
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines
