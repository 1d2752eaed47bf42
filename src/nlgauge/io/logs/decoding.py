"""JSON of logs: limited nesting, NaN, incomplete documents, and errors that name the missing field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
import numpy as np

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError
from nlgauge.io.files import read_bytes
from nlgauge.io.logs.rows import LogFacts
from nlgauge.io.logs.versions import Tested

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Json = bytes | msgspec.Raw
DEEPEST = 200
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}]|"', re.DOTALL)
_CONSTANT = re.compile(rb'("(?:[^"\\]|\\.)*")|NaN|-?Infinity', re.DOTALL)
_ESCAPE = re.compile(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>\\u[dD][89a-fA-F]..)|\\.", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*?)`(?: - at `\$\.?(.*)`)?$")
_CLOSING = {ord("{"): b"}", ord("["): b"]"}


class Decoder(Protocol[T_co]):
    """Decoder of JSON to a type."""

    def decode(self, data: Json, /) -> T_co:
        """Return the decoded value."""
        ...


class UnknownFormat(InputError):
    """A log whose fields differ from the tested versions."""


def check_depth(data: bytes, place: str) -> None:
    """Raise InputError if arrays and objects are nested more than 200 levels deep."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return
    # Without escapes, every second part between quotes is outside of texts.
    quoted = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_STRUCTURE)
    brackets = np.frombuffer(b"".join(quoted.split(b'"')[::2]), dtype=np.uint8)
    opening = (brackets == ord("[")) | (brackets == ord("{"))
    depth = int(np.cumsum(np.where(opening, 1, -1)).max(initial=0))
    if depth > DEEPEST:
        raise InputError(
            f"{place} has arrays or objects that are nested {depth:,} levels deep, more than the maximum of {DEEPEST}."
        )


def standard_json(data: bytes) -> bytes:
    """Return JSON without deviations that harnesses write: NaN is null, Infinity a text, half a surrogate U+FFFD."""
    if b"NaN" in data or b"Infinity" in data:
        data = _CONSTANT.sub(_without_constant, data)
    return _ESCAPE.sub(_without_surrogate, data) if b"\\ud" in data or b"\\uD" in data else data


def _without_constant(match: re.Match[bytes]) -> bytes:
    return match[1] or (b"null" if match[0] == b"NaN" else b'"Infinity"')


def _without_surrogate(match: re.Match[bytes]) -> bytes:
    return b"\\ufffd" if match["half"] else match[0]


def complete_part(data: bytes, depth: int) -> bytes | None:
    """Return an incomplete document up to its last complete record; None if it has no record.

    Records are the elements of an array inside `depth` arrays and objects.
    """
    opened: list[int] = []
    end, closing = 0, b""
    for token in _TOKEN.finditer(data):
        character = data[token.start()]
        if character in b"[{":
            opened.append(character)
        elif character in b"]}":
            if not opened:
                return None
            opened.pop()
            if len(opened) == depth and opened[-1] == ord("["):
                end, closing = token.end(), b"".join(_CLOSING[each] for each in reversed(opened))
        elif token.end() - token.start() == 1:  # a text that does not end
            break
    return data[:end] + closing if end else None


def decode(data: Json, decoder: Decoder[T], place: str, tested: Tested) -> T:
    """Return the decoded JSON of a log; raise UnknownFormat if a field is missing or has another type."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise UnknownFormat(f"{place}: {_problem(error)}; tested with {tested}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if (repaired := standard_json(bytes(data))) != bytes(data):
            return decode(repaired, decoder, place, tested)
        raise InputError(f"{place} is not JSON: {error}.") from None
    except RecursionError:
        raise InputError(f"{place} has arrays or objects that are nested too deep to read.") from None


def decoded_file(file: Path, decoder: Decoder[T], tested: Tested) -> T | None:
    """Return the decoded content of a JSON file; None if the file does not exist."""
    if not file.is_file():
        return None
    data = read_bytes(str(file))
    check_depth(data, str(file))
    return decode(data, decoder, str(file), tested)


def readable_rows(
    rows: Iterable[tuple[str, Json]],
    decoder: Decoder[T],
    tested: Tested,
    facts: LogFacts,
) -> Iterator[T]:
    """Yield the decoded rows of a log; rows are pairs of place and JSON.

    Rows with another form are an error, except in a log of a newer version, which gets a note about them.
    """
    problem, left_out, count = None, 0, 0
    for place, data in rows:
        count += 1
        try:
            yield decode(data, decoder, place, tested)
        except UnknownFormat as error:
            if not tested.is_older_than(facts.version):
                raise
            problem, left_out = problem or error, left_out + 1
    if problem is not None and left_out == count:
        raise problem
    if problem is not None:
        facts.notes.append(f"{counted(left_out, 'row')} of {count:,} could not be read: {problem.message}")


def _problem(error: msgspec.ValidationError) -> str:
    """Return the message of a validation error; a missing field is named with its path.

    >>> _problem(msgspec.ValidationError("Object missing required field `completion` - at `$.output`"))
    "no 'output.completion'"
    """
    match = _MISSING.match(str(error))
    if match is None:
        return str(error)
    return f"no '{match[2]}.{match[1]}'" if match[2] else f"no '{match[1]}'"
