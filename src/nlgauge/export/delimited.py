"""Records as CSV or TSV: every number in full, NaN and None as an empty field, several texts as a JSON list."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import msgspec

from nlgauge.errors import ParameterError


def delimited(records: Sequence[Mapping[str, Any]], delimiter: str = ",") -> str:
    """A line of names, then one line per record; fields that hold the delimiter, quotes or line breaks are quoted.

    >>> delimited([{"system": "A, B", "score": 0.1}])
    'system,score\\n"A, B",0.1\\n'
    """
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ParameterError(f"delimiter must be one character, got {delimiter!r:.60}.")
    stream = StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([field_of(record.get(name)) for name in names] for record in records)
    return stream.getvalue()


def field_of(value: Any) -> Any:
    """A value as a field."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return msgspec.json.encode(value, enc_hook=str).decode() if isinstance(value, list | tuple | dict) else value
