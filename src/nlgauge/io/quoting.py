"""Parsing of rows with fields in double quotes; `nlgauge.io` describes the rule."""

from __future__ import annotations

import re
from typing import NamedTuple

from nlgauge.errors import InputError
from nlgauge.io.files import lines_of

# A quoted field, with all quotes inside doubled. The group is atomic, so that the match of a field without a
# closing quote fails after one pass.
_QUOTED = re.compile(r'"((?>[^"]*(?:""[^"]*)*))"')
# Maximum length of a quoted field in characters.
_LONGEST = 1 << 24
_REMEDY = "Save it as .csv or .jsonl, in which quotes are not ambiguous."


class QuotedRow(NamedTuple):
    """Fields of a row, and the line on which the row starts."""

    fields: list[str]
    line: int


class QuotedRows:
    """Parser of rows in which every field that starts with a quote is quoted.

    The text may be passed in parts. The attributes describe the quotes so far.
    """

    def __init__(self, separator: str) -> None:
        mark = re.escape(separator)
        self._pattern = re.compile(rf'(?:{_QUOTED.pattern}|(?!")([^{mark}\n]*?))({mark}|\r?\n|\r?\Z)')
        self._separator = separator
        self._rest = ""
        self._line = 1
        # The first line with a quoted field, with a quoted field that has line breaks, and with a quote that is
        # neither opening, closing nor doubled.
        self.first: int | None = None
        self.across: int | None = None
        self.stray: int | None = None
        # The line of a field that starts with a quote and does not end with a quote; parsing stops there.
        self.unclosed: int | None = None
        # True if a quoted field needs its quotes: it is empty or has a quote, a tab or a line break.
        self.needed = False

    def feed(self, text: str, last: bool) -> list[QuotedRow]:
        """Return the rows that end in the next part of the text; the end of the `last` part ends a row."""
        text = self._rest + text
        if '"' not in text and (last or text.endswith("\n")):
            plain = plain_rows(text, self._separator, self._line)
            self._rest, self._line = "", self._line + len(plain)
            return plain
        rows: list[QuotedRow] = []
        fields: list[str] = []
        begin, place, line = 0, 0, self._line
        while (place < len(text) or fields) and self.unclosed is None:
            match = self._pattern.match(text, place)
            if match is None:
                self._look_for_end(text, place, line, last)
                break
            if not last and match.end() == len(text) and not match[3].endswith("\n"):
                break
            fields.append(self._field(match, line))
            place, line = match.end(), line + match[0].count("\n")
            if match[3] != self._separator:
                rows.append(QuotedRow(fields, self._line))
                fields, begin, self._line = [], place, line
        self._rest = text[begin:]
        return rows

    def _field(self, match: re.Match[str], line: int) -> str:
        if match[1] is None:
            if self.stray is None and '"' in match[2]:
                self.stray = line
            return str(match[2])
        field = str(match[1]).replace('""', '"')
        self.first = self.first or line
        self.across = self.across or (line if "\n" in field else None)
        self.needed = self.needed or not field or re.search(r'["\t\r\n]', field) is not None
        return field

    def _look_for_end(self, text: str, place: int, line: int, last: bool) -> None:
        """Set `unclosed` unless the end of a quoted field may be in the next part of the text."""
        closed = _QUOTED.match(text, place)
        ends_here = closed is not None and closed.end() < len(text) - 1
        if last or ends_here or len(text) - place > _LONGEST:
            self.unclosed = line


class PlainRows:
    """Properties of rows in which every quote is text."""

    def __init__(self) -> None:
        # Distinct numbers of fields per row.
        self.lengths: set[int] = set()
        # The first line with a field in quotes that contains doubled quotes.
        self.doubled: int | None = None
        # True if every field starts with a quote, except numbers and empty fields; also in the header row. True if
        # exactly the fields with a comma start with a quote.
        self.all_quoted = self.commas_quoted = True

    def add(self, rows: list[QuotedRow]) -> None:
        """Update the properties with further rows."""
        for row in rows:
            self.lengths.add(len(row.fields))
            for field in row.fields:
                is_quoted = field.startswith('"')
                self.all_quoted = self.all_quoted and (is_quoted or not field or _is_number(field))
                self.commas_quoted = self.commas_quoted and ("," in field) == is_quoted
                if (
                    is_quoted
                    and self.doubled is None
                    and '""' in field
                    and (match := _QUOTED.fullmatch(field))
                    and '""' in match[1]
                ):
                    self.doubled = row.line


def csv_rows(text: str, place: str, separator: str = ",") -> list[QuotedRow]:
    """Return the rows of a CSV file; only fields that start with a quote are quoted."""
    quoted = QuotedRows(separator)
    rows = quoted.feed(text, last=True)
    check_closed(quoted, place)
    return rows


def check_closed(quoted: QuotedRows, place: str) -> None:
    """Raise InputError if a quoted field of a CSV file has no closing quote."""
    if quoted.unclosed is not None:
        raise InputError(
            f"{place}, line {quoted.unclosed} is not CSV: a field starts with a quote, but no closing quote"
            " is followed by a separator or the end of a line; put the whole field in quotes, and double the"
            " quotes inside it."
        )


def has_even_rows(text: str, separator: str, last: bool = True) -> bool:
    """Return True if all rows of a CSV text have the same number of fields, at least two.

    `last` is the argument of `QuotedRows.feed`.
    """
    quoted = QuotedRows(separator)
    lengths = {len(row.fields) for row in quoted.feed(text, last)}
    return quoted.unclosed is None and len(lengths) == 1 and lengths != {1}


def tsv_rows(text: str, place: str) -> list[QuotedRow]:
    """Return the rows of a TSV file, whose quotes are text unless `is_quoted` is true."""
    plain = plain_rows(text, "\t")
    if '"' not in text:
        return plain
    quoted, properties = QuotedRows("\t"), PlainRows()
    rows = quoted.feed(text, last=True)
    properties.add(plain)
    return rows if is_quoted(quoted, properties, place) else plain


def is_quoted(quoted: QuotedRows, plain: PlainRows, place: str) -> bool:
    """Return True if the quotes of a TSV file enclose fields, False if they are text.

    The file was parsed both ways. Raise InputError if both are possible.
    """
    odd = quoted.unclosed or quoted.stray
    if odd is not None:
        if plain.doubled is not None:
            raise InputError(
                f"{place}, line {plain.doubled} doubles the quotes inside a quoted field, but line {odd} has"
                f" unescaped quotes. {_REMEDY}"
            )
        return False
    if quoted.across is not None and len(plain.lengths) == 1:
        raise InputError(
            f"{place}, line {quoted.across}: the quote may start a quoted field with line breaks, or be part of"
            f" the text. {_REMEDY}"
        )
    if quoted.needed or plain.all_quoted:
        return True
    if plain.commas_quoted:
        raise InputError(
            f"{place}, line {quoted.first}: the quotes may be part of the text, or a spreadsheet may have added"
            f" them because of the comma. {_REMEDY}"
        )
    return False


def plain_rows(text: str, separator: str, line: int = 1) -> list[QuotedRow]:
    """Return the rows of a text in which every quote is text; the first row has the number `line`."""
    return [QuotedRow(text.split(separator), number) for number, text in enumerate(lines_of(text), line)]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
