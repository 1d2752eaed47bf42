"""Files as bytes, text and lines, with errors that say what is wrong where."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from nlgauge._core.paths import is_file
from nlgauge.errors import InputError, MissingExtraError, did_you_mean

STDIN, UTF8 = "-", "utf-8"
_BINARY = {
    b"\x28\xb5\x2f\xfd": "Zstandard file; let its name end in .zst",
    b"BZh": "bzip2 file; let its name end in .bz2",
    b"\xfd7zXZ": "xz file; let its name end in .xz",
    b"\x1f\x8b": "gzip file; let its name end in .gz",
    b"PK\x03\x04": "zip or .xlsx file; unpack it, or export it as UTF-8 text (.txt, .tsv, .csv or .jsonl)",
    b"PAR1": "Parquet file; let its name end in .parquet",
}
# The longer mark first: UTF-32's begins with UTF-16's.
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
MARKS = tuple(_MARKS)
_LOOKED_AT = 1000
_KINDS = {
    "tsv": "tsv",
    "csv": "csv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "json": "json",
    "parquet": "parquet",
}


PACKED = (".gz", ".bz2", ".xz", ".zst")
_PACKED = "|".join(suffix[1:] for suffix in PACKED)
_BLOCK = 1 << 22
_ZSTD_BYTES = 1 << 10
# The first data suffix that a colon follows ends the path: a drive's colon has none before it, a column's
# name may hold more.
_COLUMN = re.compile(rf"(.*?\.(?:{'|'.join(_KINDS)})(?:\.(?:{_PACKED}))?):(.+)", re.IGNORECASE | re.DOTALL)


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
        return (
            cls(given)
            if found is None or given == STDIN or Path(given).is_file()
            else cls(found[1], found[2])
        )

    @property
    def kind(self) -> str | None:
        """ "tsv", "csv", "jsonl", "json" or "parquet"; None for a file of plain lines."""
        return _KINDS.get(PurePath(self._unpacked).suffix[1:].lower())

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix."""
        if self.path.startswith("/dev/fd/"):  # what a shell makes of <(command)
            return f"pipe{PurePath(self.path).name}"
        return "stdin" if self.path == STDIN else PurePath(self._unpacked).stem

    @property
    def name(self) -> str:
        """What a system read from here is called."""
        if self.column is None:
            return self.stem
        return f"{self.stem}:{self.column}" if self.numbered else self.column

    @property
    def numbered(self) -> bool:
        """Whether the column is a number, so that the file has no row of names."""
        return (
            self.kind in ("tsv", "csv")
            and self.column is not None
            and self.column.isascii()
            and self.column.isdigit()
        )

    @property
    def _unpacked(self) -> str:
        suffix = PurePath(self.path).suffix
        return self.path.removesuffix(suffix) if suffix.lower() in PACKED else self.path

    def __str__(self) -> str:
        if self.path == STDIN:
            return "standard input"
        return self.path if self.column is None else f"{self.path}:{self.column}"


def read_bytes(path: str) -> bytes:
    """The bytes of a file, unpacked where its name ends in .gz, .bz2, .xz or .zst; one that does not fit
    into memory is refused.
    """
    limit = memory() // 2
    try:
        return b"".join(byte_blocks(path, limit))
    except MemoryError:
        raise too_large(path, limit) from None


def byte_blocks(
    path: str,
    limit: int = sys.maxsize,
    size: int = _BLOCK,
    reading: Callable[[str, BinaryIO], BinaryIO] | None = None,
) -> Iterator[bytes]:
    """The bytes of a file or of standard input, unpacked, about `size` at a time and not more than `limit`;
    `reading` may stand between file and unpacking.
    """
    suffix, place, done = Path(path).suffix.lower(), str(Address(path)), 0
    try:
        with nullcontext(sys.stdin.buffer) if path == STDIN else _opened(path, reading) as stream:
            while data := stream.read(size):
                done += len(data)
                if done > limit:
                    raise too_large(place, limit)
                yield data
    except InputError:
        raise
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise InputError(_damaged(place, suffix, error)) from None
    except OSError as error:  # bz2 has no error of its own
        raise InputError(
            _damaged(place, suffix, error)
            if error.errno is None
            else f"cannot read {place}: {error.strerror}."
        ) from None


def memory() -> int:
    """Return how many bytes of memory this process may have."""
    found = [1 << 40]
    with suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ImportError):
        import resource

        found += [
            limit for limit in (resource.getrlimit(resource.RLIMIT_AS)[0],) if limit != resource.RLIM_INFINITY
        ]
    return min(size for size in found if size > 0)


def too_large(path: str, size: int) -> InputError:
    """Return what is said of a file that does not fit into memory."""
    return InputError(
        f"{path} needs more than {size / 1e9:,.1f} GB, too much for the memory of this machine",
        python="read and score it in parts",
        cli="use -o RESULT to read plain lines, .tsv, .csv, .jsonl and .parquet files in chunks",
    )


def holds_more(paths: Iterable[str], limit: int) -> bool:
    """Return whether files hold more bytes than a limit in all, packed ones by what they unpack to; of a
    pipe nobody knows.
    """
    total = 0
    packed = {path: Path(path).suffix.lower() in PACKED for path in paths if is_file(path)}
    for path in sorted(packed, key=packed.__getitem__):
        if not packed[path]:
            total += Path(path).stat().st_size
            continue
        with suppress(InputError):  # said when it is read
            for data in byte_blocks(path):
                total += len(data)
                if total > limit:
                    break
    return total > limit


@contextmanager
def _opened(path: str, reading: Callable[[str, BinaryIO], BinaryIO] | None = None) -> Iterator[BinaryIO]:
    """A file that is unpacked as it is read if its name ends in .gz, .bz2, .xz or .zst."""
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{path} is a directory; name a file.")
    try:
        stream = place.open("rb")
    except FileNotFoundError:
        raise InputError(f"cannot find the file {path}{_near(place)}.") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None
    unpacking = _UNPACKING.get(place.suffix.lower())
    with stream:
        packed = stream if reading is None else reading(path, stream)
        if unpacking is None:
            yield packed
            return
        with unpacking(packed) as unpacked:
            yield unpacked


class _Unzstd(io.RawIOBase):
    """A Zstandard file as it is unpacked; one that ends too early is an error, as in the other kinds."""

    def __init__(self, packed: BinaryIO) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("zstandard", "zstd", "reading .zst files") from None
        self._packed = packed
        self._library = zstandard
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._rest = b""
        self._begun = False

    def read(self, size: int = -1) -> bytes:
        """About so many bytes, none at the end."""
        found: list[bytes] = []
        total = 0
        while total < max(size, 1):
            # What is unpacked at once cannot be limited, so little is given at once: four bytes may stand for
            # 128 kB.
            data = self._rest or self._packed.read(_ZSTD_BYTES)
            if not data:
                if self._begun and not self._frame.eof:
                    raise EOFError("it ends within a frame")
                break
            if self._frame.eof:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            try:
                found.append(self._frame.decompress(data))
                total += len(found[-1])
            except self._library.ZstdError as error:
                raise EOFError(str(error)) from None
            self._begun, self._rest = True, self._frame.unused_data
        return b"".join(found)


_UNPACKING: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _Unzstd,
}


def _damaged(path: str, suffix: str, error: Exception) -> str:
    """What is said of a packed file that cannot be unpacked."""
    kind = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard"}.get(suffix, suffix)
    return (
        f"{path} is not a complete {kind} file ({error}); fetch or compress it again, or drop the {suffix}"
        " from its name."
    )


def _near(place: Path) -> str:
    if re.search(r"\.\w+:[^\\/]+$", place.name):
        return "; columns are taken from .tsv, .csv, .jsonl, .json and .parquet files"
    try:
        names = sorted(other.name for other in place.parent.iterdir() if other.is_file())
    except OSError:
        return f"; the directory {place.parent} does not exist either"
    return did_you_mean(place.name, names)


def decoded(data: bytes, place: str, encoding: str | None = None) -> str:
    """The text of bytes in the given encoding, else in the one that their mark names, else in UTF-8; or
    an error that names line and byte.
    """
    chosen = encoding_of(data, place, encoding)
    if chosen == UTF8:
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(chosen).removeprefix("\ufeff")
    except UnicodeError as error:
        raise undecodable(place, chosen, error) from None


def encoding_of(data: bytes, place: str, encoding: str | None = None) -> str:
    """The encoding of a file that begins with these bytes: the given one, else the one that their mark
    names, else UTF-8.
    """
    packed = next((kind for start, kind in _BINARY.items() if data.startswith(start)), None)
    if packed:
        raise InputError(f"{place} is a {packed}.")
    if encoding:
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise InputError(
                f"unknown encoding {encoding!r}; use one that Python knows, such as utf-8, cp1252, utf-16 or"
                " gb18030."
            ) from None
        return encoding
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if marked:
        warnings.warn(f"{place} is read as {marked}, as its byte order mark says.", stacklevel=5)
        return marked
    # UTF-16 of Latin letters would pass as UTF-8.
    for name, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        every_other = data[first:_LOOKED_AT:2]
        if every_other.count(0) > len(every_other) // 2:
            raise InputError(
                f"{place} is not UTF-8: half of its bytes are 0, as in UTF-16",
                python=f"pass encoding={name!r}",
                cli=f"set the encoding with --encoding {name}",
            )
    return UTF8


def undecodable(
    place: str, encoding: str, error: UnicodeError, lines: int = 0, unbroken: int = 0
) -> InputError:
    """What is said of bytes that are not in their encoding; before them were so many lines, and bytes behind
    the last line feed.
    """
    where = ""
    if isinstance(error, UnicodeDecodeError):
        data, start = error.object, error.start
        newline = data.rfind(b"\n", 0, start)
        column = start - newline if newline >= 0 else unbroken + start + 1
        line = lines + data.count(b"\n", 0, start) + 1
        where = f": line {line}, byte {column} is 0x{data[start]:02X}"
    if encoding != UTF8:
        return InputError(
            f"{place} is not {encoding}{where}",
            python="pass another encoding",
            cli="set another encoding with --encoding",
        )
    return InputError(
        f"{place} is not UTF-8{where}",
        python="pass its encoding, such as encoding='cp1252' for files of Western European Windows",
        cli="set its encoding, such as --encoding cp1252 for files of Western European Windows",
    )


def lines_of(text: str) -> list[str]:
    """The lines of a text; only a line feed ends one.

    >>> lines_of("one\\r\\n\\ntwo\\u2028still two\\n")
    ['one', '', 'two\\u2028still two']
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines
