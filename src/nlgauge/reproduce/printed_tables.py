"""Printed numbers of the papers: one file per table or figure, in nlgauge's data."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import msgspec

from nlgauge.errors import UnknownNameError, did_you_mean, no_such
from nlgauge.meta.findings import Findings

_FOLDER = files("nlgauge") / "data" / "printed"


class Misprint(msgspec.Struct, frozen=True):
    """A printed number that is impossible or contradicts another; `corrected` is the right number, if it is known."""

    row: str
    column: str
    why: str
    corrected: float | None = None


class Printed(msgspec.Struct, frozen=True):
    """A table or figure as printed.

    Parameters
    ----------
    id : str
        Name, such as "shannon-table-1".
    document : str
        Document: "thesis", "infolm", "shannon" or "cosmic".
    title : str
        Title of the document.
    number : str
        Number in the document, such as "Table 1".
    caption : str
        What the table shows, in words of nlgauge.
    units : str
        Units of the values.
    data : str
        Data behind the values.
    columns : list of str
        Headings of the columns.
    rows : list
        Names of the rows; a dictionary if a row has several names.
    values : list of list
        One list per row: numbers, statements (str, dict), or None for an empty cell.
    decimals : int, optional
        Decimals of the printed numbers.
    remarks : list of str, optional
        Remarks on misprints and doubts.
    misprints : list of Misprint, optional
        Cells that are impossible, or contradict a cell with the same meaning.
    bold : list, optional
        True for the cells in bold type.
    """

    id: str
    document: str
    title: str
    number: str
    caption: str
    units: str
    data: str
    columns: list[str]
    rows: list[Any]
    values: list[list[Any]]
    decimals: int | None = None
    remarks: list[str] = []
    misprints: list[Misprint] = []
    bold: list[list[bool]] = []

    @property
    def names(self) -> list[str]:
        """Names of the rows; parts of a name are joined by commas."""
        return [
            ", ".join(str(part) for part in row.values()) if isinstance(row, dict) else str(row)
            for row in self.rows
        ]

    def value(self, row: str, column: str) -> Any:
        """Return the printed value of a cell.

        Parameters
        ----------
        row : str
            Name of the row.
        column : str
            Heading of the column.

        Returns
        -------
        float, str, dict or None
            Printed value; None if the cell is empty.

        Raises
        ------
        UnknownNameError
            If there is no such row or column.
        """
        for kind, name, names in (("row", row, self.names), ("column", column, self.columns)):
            if name not in names:
                raise UnknownNameError(f"{self.id}: {no_such(kind, name, names)}")
        return self.values[self.names.index(row)][self.columns.index(column)]

    def findings(self) -> Findings:
        """Return the table with one row per printed row.

        Returns
        -------
        Findings
            Columns: `row`, and the columns of the table.
        """
        rows = [
            {"row": name, **dict(zip(self.columns, _shown(values), strict=True))}
            for name, values in zip(self.names, self.values, strict=True)
        ]
        return Findings(
            rows, {"units": self.units, "data": self.data}, f"{self.number}. {self.caption}", self.remarks
        )

    def misprint(self, row: str, column: str) -> Misprint | None:
        """Return why the printed value of a cell cannot be right.

        Parameters
        ----------
        row : str
            Name of the row.
        column : str
            Heading of the column.

        Returns
        -------
        Misprint or None
            Reason, and the right number if it is known; None if nothing is wrong with the cell.
        """
        return next((each for each in self.misprints if (each.row, each.column) == (row, column)), None)


def _shown(values: list[Any]) -> list[Any]:
    return [value if isinstance(value, int | float | str | None) else str(value) for value in values]


def names(document: str | None = None) -> list[str]:
    """Return the names of all printed tables and figures, or of those of a document."""
    found = sorted(entry.name.removesuffix(".json") for entry in _FOLDER.iterdir())
    return [name for name in found if document is None or name.startswith(f"{document}-")]


def printed(name: str) -> Printed:
    """Return a table or figure as printed.

    Parameters
    ----------
    name : str
        Name, such as "shannon-table-1".

    Returns
    -------
    Printed
        Table or figure.

    Raises
    ------
    UnknownNameError
        If there is no such table.
    """
    known = names()
    if name not in known:
        raise UnknownNameError(
            f"unknown table {name!r}{did_you_mean(str(name), known)}; the tables are {', '.join(known)}."
        )
    return msgspec.json.decode((_FOLDER / f"{name}.json").read_bytes(), type=Printed)
