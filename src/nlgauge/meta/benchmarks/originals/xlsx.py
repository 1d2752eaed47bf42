"""Sheets of an .xlsx file, read with the standard library: text, shared text and numbers."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from nlgauge.errors import InputError

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MOST_BYTES = 64_000_000
_MOST_ROWS = 100_000


def sheets(place: Path) -> dict[str, list[dict[str, str]]]:
    """Return the rows of each sheet: a dictionary from the heading of a column to the text of its cell.

    The first row has the headings. Rows without any text are left out, and so are empty cells.
    """
    try:
        with zipfile.ZipFile(place) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > _MOST_BYTES:
                raise InputError(
                    f"{place} has {size} bytes when unpacked, and at most {_MOST_BYTES} are read; use the"
                    " released file."
                )
            return _Workbook(archive, place).sheets()
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, KeyError, NotImplementedError) as error:
        raise InputError(f"{place} is not a complete .xlsx file ({error}); use the released file.") from error


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile, place: Path) -> None:
        self.archive, self.place = archive, place
        has_texts = "xl/sharedStrings.xml" in archive.namelist()
        items = self._parsed("xl/sharedStrings.xml").iter(f"{_MAIN}si") if has_texts else ()
        self.texts = [_text(item) for item in items]

    def sheets(self) -> dict[str, list[dict[str, str]]]:
        """Return the rows of each sheet, by its name."""
        relations = self._parsed("xl/_rels/workbook.xml.rels")
        targets = {one.get("Id"): PurePosixPath(one.get("Target", "")) for one in relations}
        return {
            sheet.get("name", ""): self._rows(_inside(targets[sheet.get(_RELATION)]))
            for sheet in self._parsed("xl/workbook.xml").iter(f"{_MAIN}sheet")
        }

    def _parsed(self, name: str) -> ElementTree.Element:
        data = self.archive.read(name)
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise InputError(f"{self.place} declares XML entities in {name}; use the released file.")
        return ElementTree.fromstring(data)  # noqa: S314 (entities are refused above)

    def _rows(self, name: str) -> list[dict[str, str]]:
        rows = list(islice(self._cells(name), _MOST_ROWS + 1))
        if len(rows) > _MOST_ROWS:
            raise InputError(
                f"{self.place} has more than {_MOST_ROWS} rows in {name}; use the released file."
            )
        headings = rows[0] if rows else {}
        return [{headings.get(at, at): text for at, text in row.items()} for row in rows[1:] if row]

    def _cells(self, name: str) -> Iterator[Mapping[str, str]]:
        """Yield each row as texts by the letters of their columns, without empty cells."""
        for row in self._parsed(name).iter(f"{_MAIN}row"):
            texts = {_column(cell): self._cell(cell, name) for cell in row.iter(f"{_MAIN}c")}
            yield {letters: text for letters, text in texts.items() if text}

    def _cell(self, cell: ElementTree.Element, name: str) -> str:
        if cell.get("t") == "inlineStr":
            return _text(cell)
        value = cell.findtext(f"{_MAIN}v") or ""
        if cell.get("t") != "s" or not value:
            return value
        if not value.isdecimal() or int(value) >= len(self.texts):
            raise InputError(
                f"{self.place}: cell {cell.get('r')} of {name} names text {value}, and there are"
                f" {len(self.texts)}; use the released file."
            )
        return self.texts[int(value)]


def _inside(target: PurePosixPath) -> str:
    """Return the name of a part in the archive; targets are relative to xl/ or to the root."""
    name = str(target).lstrip("/")
    return name if name.startswith("xl/") else f"xl/{name}"


def _text(item: ElementTree.Element) -> str:
    return "".join(part.text or "" for part in item.iter(f"{_MAIN}t"))


def _column(cell: ElementTree.Element) -> str:
    return "".join(letter for letter in cell.get("r", "") if letter.isalpha())
