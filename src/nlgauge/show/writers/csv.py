"""Records as CSV or TSV: every number in full, NaN and None as an empty field, several texts as a JSON
list.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from io import StringIO
from typing import Any, Protocol

from nlgauge.errors import ParameterError

# First characters of texts that a spreadsheet would compute; the wide forms are from East Asian keyboards.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# True if texts are made safe for spreadsheets by default: --safe-csv of the command line.
SAFE: ContextVar[bool] = ContextVar("nlgauge_safe_csv", default=False)


def delimited(records: Sequence[Mapping[str, Any]], delimiter: str = ",", safe: bool | None = None) -> str:
    """Return a line of names, then one line per record; fields with the delimiter, quotes or line breaks are
    quoted.

    With `safe` a text that a spreadsheet would take for a formula gets an apostrophe in front of it; numbers
    stay unchanged.

    >>> delimited([{"system": "A, B", "score": 0.1}])
    'system,score\\n"A, B",0.1\\n'
    >>> delimited([{"system": "=1+1", "score": -0.1}], safe=True)
    "system,score\\n'=1+1,-0.1\\n"
    """
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ParameterError(f"delimiter must be one character, got {delimiter!r:.60}.")
    stream = StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = row_writer(stream, delimiter)
    is_safe = SAFE.get() if safe is None else safe
    writer.writerow([field_of(name, is_safe) for name in names])
    writer.writerows([field_of(record.get(name), is_safe) for name in names] for record in records)
    return stream.getvalue()


class Writable(Protocol):
    """A stream that text can be written to."""

    def write(self, text: str, /) -> Any: ...


class _Lines:
    """A stream that ends lines with only a line feed; the writer quotes its own line ends, so that a carriage
    return in a text survives.
    """

    def __init__(self, stream: Writable) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(f"{row[:-2]}\n")


def row_writer(stream: Writable, delimiter: str) -> Any:
    """Return a `csv.writer` for a stream."""
    return csv.writer(_Lines(stream), delimiter=delimiter, lineterminator="\r\n")


def field_of(value: Any, safe: bool = False) -> Any:
    """Return a value as a field."""
    if safe and isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not isinstance(value, list | tuple | dict):
        return value
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()
