"""Fields in double quotes: which of them are quoted, and what they hold. The rule is in `nlgauge.io`."""

from __future__ import annotations

import re
from typing import NamedTuple

from nlgauge.errors import InputError
from nlgauge.io.files import lines_of

# A quoted field, with all quotes inside doubled; atomic, so that one that is never closed is given up after
# one pass.
_QUOTED = re.compile(r'"((?>[^"]*(?:""[^"]*)*))"')
# The end of a quoted field is not looked for further than this.
_LONGEST = 1 << 24
_REMEDY = "Save it as .csv or .jsonl, where quotes mean one thing."


class QuotedRow(NamedTuple):
    """The fields of a row, and the line on which it begins."""

    fields: list[str]
    line: int


class QuotedRows:
    """Reads rows of a text, which may come in pieces, in which every field that begins with a quote is
    quoted; and sees what its quotes are like.
    """

    def __init__(self, separator: str) -> None:
        mark = re.escape(separator)
        self._pattern = re.compile(rf'(?:{_QUOTED.pattern}|(?!")([^{mark}\n]*?))({mark}|\r?\n|\r?\Z)')
        self._separator = separator
        self._rest = ""
        self._line = 1
        # The first line of a quoted field, of one with line breaks, and of a quote that is neither opening,
        # closing nor doubled.
        self.first: int | None = None
        self.across: int | None = None
        self.stray: int | None = None
        # The line of a field that begins with a quote and does not end with one; nothing is read from there
        # on.
        self.unclosed: int | None = None
        # Whether a field holds what only a quoted field can hold.
        self.needed = False

    def feed(self, text: str, last: bool) -> list[QuotedRow]:
        """The rows that end in the next piece; the `last` one ends with the text."""
        text = self._rest + text
        if '"' not in text and (last or text.endswith("\n")):
            plain = plain_rows(text, self._separator, self._line)
            self._rest, self._line = "", self._line + len(plain)
            return plain
        rows: list[QuotedRow] = []
        fields: list[str] = []
        begin, place, line = 0, 0, self._line
        while (place < len(text) or fields) and self.unclosed is None:
            found = self._pattern.match(text, place)
            if found is None:
                self._look_for_end(text, place, line, last)
                break
            if not last and found.end() == len(text) and not found[3].endswith("\n"):
                break
            fields.append(self._field(found, line))
            place, line = found.end(), line + found[0].count("\n")
            if found[3] != self._separator:
                rows.append(QuotedRow(fields, self._line))
                fields, begin, self._line = [], place, line
        self._rest = text[begin:]
        return rows

    def _field(self, found: re.Match[str], line: int) -> str:
        if found[1] is None:
            if self.stray is None and '"' in found[2]:
                self.stray = line
            return str(found[2])
        field = str(found[1]).replace('""', '"')
        self.first = self.first or line
        self.across = self.across or (line if "\n" in field else None)
        self.needed = self.needed or not field or re.search(r'["\t\r\n]', field) is not None
        return field

    def _look_for_end(self, text: str, place: int, line: int, last: bool) -> None:
        """Decides whether a quoted field has no end, or its end may be in the next piece."""
        closed = _QUOTED.match(text, place)
        ends_here = closed is not None and closed.end() < len(text) - 1
        if last or ends_here or len(text) - place > _LONGEST:
            self.unclosed = line


class PlainRows:
    """What rows are like whose quotes are read as they stand."""

    def __init__(self) -> None:
        # How many fields a row has, as far as they differ.
        self.lengths: set[int] = set()
        # The first line with a field in quotes that has doubled quotes in it.
        self.doubled: int | None = None
        # Whether every field that is not a number is in quotes, the names of the columns too; and whether
        # just those with a comma are.
        self.all_quoted = self.commas_quoted = True

    def add(self, rows: list[QuotedRow]) -> None:
        """Looks at some rows."""
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
                    and (found := _QUOTED.fullmatch(field))
                    and '""' in found[1]
                ):
                    self.doubled = row.line


def csv_rows(text: str, place: str, separator: str = ",") -> list[QuotedRow]:
    """The rows of a CSV file: every field that begins with a quote is quoted, a quote further on is text."""
    quoted = QuotedRows(separator)
    rows = quoted.feed(text, last=True)
    check_closed(quoted, place)
    return rows


def check_closed(quoted: QuotedRows, place: str) -> None:
    """Raises where a quoted field of a CSV file has no end."""
    if quoted.unclosed is not None:
        raise InputError(
            f"{place}, line {quoted.unclosed} is not CSV: a field begins with a quote, and no quote before a"
            " separator or the end of a line closes it; put the field in quotes and double the quotes"
            " inside it."
        )


def has_even_rows(text: str, separator: str, last: bool = True) -> bool:
    """Whether a text, read as CSV with this separator, has several fields in every row, the same number
    in all; `last` as in `feed`.
    """
    quoted = QuotedRows(separator)
    lengths = {len(row.fields) for row in quoted.feed(text, last)}
    return quoted.unclosed is None and len(lengths) == 1 and lengths != {1}


def tsv_rows(text: str, place: str) -> list[QuotedRow]:
    """The rows of a TSV file: with quoting where a program that quotes wrote it, else as they stand."""
    plain = plain_rows(text, "\t")
    if '"' not in text:
        return plain
    quoted, as_it_stands = QuotedRows("\t"), PlainRows()
    rows = quoted.feed(text, last=True)
    as_it_stands.add(plain)
    return rows if is_quoted(quoted, as_it_stands, place) else plain


def is_quoted(quoted: QuotedRows, plain: PlainRows, place: str) -> bool:
    """Whether a program that quotes wrote a TSV file, which was read both ways; refused where that cannot
    be told.
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
            f"{place}, line {quoted.across}: a field with line breaks begins here, or a text that begins with"
            f" a quote. {_REMEDY}"
        )
    if quoted.needed or plain.all_quoted:
        return True
    if plain.commas_quoted:
        raise InputError(
            f"{place}, line {quoted.first}: the quotes may be part of the text, or put there by a spreadsheet"
            f" because of the comma. {_REMEDY}"
        )
    return False


def plain_rows(text: str, separator: str, line: int = 1) -> list[QuotedRow]:
    """The rows of a text without quotes that mean anything, of which the first is on this line."""
    return [QuotedRow(text.split(separator), number) for number, text in enumerate(lines_of(text), line)]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
