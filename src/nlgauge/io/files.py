"""Files as bytes, text and lines; errors name the place of the problem."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NamedTuple

from nlgauge._core.paths import is_file
from nlgauge.errors import InputError, MissingExtraError, did_you_mean

STDIN, UTF8 = "-", "utf-8"
# The name of the only column of plain lines and of a JSON array of texts.
NAMELESS = ""
_BINARY = {
    b"\x28\xb5\x2f\xfd": "a Zstandard file; decompress it, or rename it to end in .zst",
    b"BZh": "a bzip2 file; decompress it, or rename it to end in .bz2",
    b"\xfd7zXZ": "an xz file; decompress it, or rename it to end in .xz",
    b"\x1f\x8b": "a gzip file; decompress it, or rename it to end in .gz",
    b"PK\x03\x04": "a zip or .xlsx file; unpack it, or export it as UTF-8 text (.txt, .tsv, .csv or .jsonl)",
    b"PAR1": "a Parquet file; rename it to end in .parquet",
}
# Longer marks come first, because the mark of UTF-32 starts with the mark of UTF-16.
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
# The path ends with the first suffix of a data file that is followed by a colon. The colon of a Windows drive
# follows no suffix, and the name of a column may contain suffixes and colons.
_COLUMN = rf"(?is)(.*?\.(?:{'|'.join(_KINDS)})(?:\.(?:{_PACKED}))?):(.+)"


class Address(NamedTuple):
    """File, and a column of it if the user named one."""

    path: str
    column: str | None = None

    @classmethod
    def of(cls, word: str) -> Address:
        """Return the address for `path` or `path:column`; an existing file of that name takes precedence.

        >>> Address.of("C:/data/wmt.tsv:ref")
        Address(path='C:/data/wmt.tsv', column='ref')
        """
        match = re.fullmatch(_COLUMN, word)
        return (
            cls(word) if match is None or word == STDIN or Path(word).is_file() else cls(match[1], match[2])
        )

    @property
    def kind(self) -> str | None:
        """Kind of the file: "tsv", "csv", "jsonl", "json" or "parquet"; None for a file of plain lines."""
        return _KINDS.get(PurePath(self._unpacked).suffix[1:].lower())

    @property
    def stem(self) -> str:
        """Name of the file without directory and suffix."""
        if self.path.startswith("/dev/fd/"):  # path of <(command) in a shell
            return f"pipe{PurePath(self.path).name}"
        return "stdin" if self.path == STDIN else PurePath(self._unpacked).stem

    @property
    def name(self) -> str:
        """Default name of a system that is read from this address."""
        if self.column is None:
            return self.stem
        return f"{self.stem}:{self.column}" if self.numbered else self.column

    @property
    def numbered(self) -> bool:
        """True if the column of a TSV or CSV file is a number, so that the file has no header row."""
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
    """Return the bytes of a file, decompressed if its name ends in .gz, .bz2, .xz or .zst.

    Raise InputError if the file does not fit into memory.
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
    """Yield the decompressed bytes of a file or of standard input, about `size` at a time.

    Raise InputError if there are more than `limit` bytes. `reading` may wrap the stream of the file before
    decompression.
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
    except _unpacking_errors() as error:
        raise InputError(_damaged(place, suffix, error)) from None
    except OSError as error:  # bz2 has no error class
        raise InputError(
            _damaged(place, suffix, error)
            if error.errno is None
            else f"cannot read {place}: {error.strerror}."
        ) from None


def memory() -> int:
    """Return the number of bytes of memory that this process may use."""
    sizes = [1 << 40]
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ImportError):
        import resource

        sizes += [
            limit for limit in (resource.getrlimit(resource.RLIMIT_AS)[0],) if limit != resource.RLIM_INFINITY
        ]
    return min(size for size in sizes if size > 0)


def too_large(path: str, size: int) -> InputError:
    """Return the error for a file that does not fit into memory."""
    return InputError(
        f"{path} needs more than {size / 1e9:,.1f} GB, too much for the memory of this machine",
        python="read and score it in parts",
        cli="`nlgauge score -o RESULT` reads plain lines, .tsv, .csv, .jsonl and .parquet files in chunks",
    )


def holds_more(paths: Iterable[str], limit: int) -> bool:
    """Return True if files have more than `limit` bytes in total, after decompression.

    Pipes are not counted, because their size is unknown.
    """
    total = 0
    packed = {path: Path(path).suffix.lower() in PACKED for path in paths if is_file(path)}
    for path in sorted(packed, key=packed.__getitem__):
        if not packed[path]:
            total += Path(path).stat().st_size
            continue
        with suppress(InputError):  # reading the file will raise it again
            for data in byte_blocks(path):
                total += len(data)
                if total > limit:
                    break
    return total > limit


@contextmanager
def _opened(path: str, reading: Callable[[str, BinaryIO], BinaryIO] | None = None) -> Iterator[BinaryIO]:
    """Open a file that is decompressed while it is read if its name ends in .gz, .bz2, .xz or .zst."""
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{path} is a directory; name a file.")
    try:
        stream = place.open("rb")
    except FileNotFoundError:
        raise InputError(f"cannot find the file {path}{_near(place)}.") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from None
    suffix = place.suffix.lower()
    with stream:
        packed = stream if reading is None else reading(path, stream)
        if suffix not in PACKED:
            yield packed
            return
        with _unpacking(suffix)(packed) as unpacked:
            yield unpacked


class _Unzstd(io.RawIOBase):
    """Zstandard file that is decompressed while it is read; a truncated file raises EOFError."""

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
        """Return at least `size` bytes, fewer at the end of the file."""
        parts: list[bytes] = []
        total = 0
        while total < max(size, 1):
            # The size of the decompressed output cannot be limited, so only little input is decompressed at once:
            # 4 bytes of input may become 128 kB.
            data = self._rest or self._packed.read(_ZSTD_BYTES)
            if not data:
                if self._begun and not self._frame.eof:
                    raise EOFError("it ends within a frame")
                break
            if self._frame.eof:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            try:
                parts.append(self._frame.decompress(data))
                total += len(parts[-1])
            except self._library.ZstdError as error:
                raise EOFError(str(error)) from None
            self._begun, self._rest = True, self._frame.unused_data
        return b"".join(parts)


def _unpacking(suffix: str) -> Callable[[BinaryIO], Any]:
    """Return the function that unpacks a file with this suffix."""
    import bz2
    import gzip
    import lzma

    functions: dict[str, Callable[[BinaryIO], Any]] = {
        ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
        ".bz2": bz2.BZ2File,
        ".xz": lzma.LZMAFile,
        ".zst": _Unzstd,
    }
    return functions[suffix]


def _unpacking_errors() -> tuple[type[Exception], ...]:
    """Return the errors of a file that cannot be unpacked."""
    import gzip
    import lzma
    import zlib

    return gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, ValueError


def _damaged(path: str, suffix: str, error: Exception) -> str:
    """Return the message for a compressed file that cannot be decompressed."""
    kind = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard"}.get(suffix, suffix)
    return (
        f"{path} is not a complete {kind} file ({error}); download or compress it again, or remove {suffix}"
        " from its name."
    )


def _near(place: Path) -> str:
    if re.search(r"\.\w+:[^\\/]+$", place.name):
        return "; only a column of a .tsv, .csv, .jsonl, .json or .parquet file can be named as FILE:COLUMN"
    try:
        names = sorted(other.name for other in place.parent.iterdir() if other.is_file())
    except OSError:
        return f"; the directory {place.parent} does not exist either"
    return did_you_mean(place.name, names)


def decoded(data: bytes, place: str, encoding: str | None = None) -> str:
    """Return the text of bytes; `encoding_of` determines the encoding.

    Raise InputError with line and byte if the bytes are not in this encoding.
    """
    chosen = encoding_of(data, place, encoding)
    if chosen == UTF8:
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(chosen).removeprefix("\ufeff")
    except UnicodeError as error:
        raise undecodable(place, chosen, error) from None


def encoding_of(data: bytes, place: str, encoding: str | None = None) -> str:
    """Return the encoding of a file that starts with these bytes.

    This is `encoding`, if set, else the encoding of the byte order mark, else UTF-8. Raise InputError for unknown
    encodings, for compressed and other binary files, and for UTF-16 without a mark.
    """
    packed = next((kind for start, kind in _BINARY.items() if data.startswith(start)), None)
    if packed:
        raise InputError(f"{place} is {packed}.")
    if encoding:
        try:
            "a".encode(encoding)  # raises LookupError also for codecs of bytes, such as base64
        except (LookupError, ValueError):
            raise InputError(
                f"unknown encoding {encoding!r:.60}; use an encoding of text that Python knows, such as utf-8,"
                " cp1252, utf-16 or gb18030."
            ) from None
        return encoding
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if marked:
        warnings.warn(f"{place} is read as {marked} because of its byte order mark.", stacklevel=5)
        return marked
    # Latin letters in UTF-16 are also valid UTF-8.
    for name, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        every_other = data[first:_LOOKED_AT:2]
        if every_other.count(0) > len(every_other) // 2:
            raise InputError(
                f"{place} is not UTF-8: many of its bytes are 0, as in UTF-16",
                python=f"convert it to UTF-8, or pass encoding={name!r}",
                cli=f"convert it to UTF-8, or set its encoding with --encoding {name}",
            )
    return UTF8


def undecodable(
    place: str, encoding: str, error: UnicodeError, lines: int = 0, unbroken: int = 0
) -> InputError:
    """Return the error for bytes that cannot be decoded.

    `lines` is the number of lines before the bytes of the error, and `unbroken` the number of bytes after the last
    of these lines.
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
            python="pass its correct encoding",
            cli="set its correct encoding with --encoding",
        )
    return InputError(
        f"{place} is not UTF-8{where}",
        python="convert it to UTF-8, or pass its encoding, such as encoding='cp1252' for Western European Windows",
        cli="convert it to UTF-8, or set its encoding, such as --encoding cp1252 for Western European Windows",
    )


def lines_of(text: str) -> list[str]:
    """Return the lines of a text; only a line feed ends a line.

    >>> lines_of("one\\r\\n\\ntwo\\u2028still two\\n")
    ['one', '', 'two\\u2028still two']
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines
