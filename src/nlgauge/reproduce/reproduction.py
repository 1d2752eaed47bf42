"""Reproduction: tables, figures and claims of a document, computed next to print, and how they are saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.page import Page
from nlgauge._core.paths import write_whole
from nlgauge._core.shown import Shown
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.reproduce.verdicts import WORDS, Cell, ClaimWord

FORMAT = 2
FILE = "reproduction.json"


class Table(msgspec.Struct, frozen=True):
    """A computed table. `printed` names the table of the document, if it has one; a further table has
    rows instead of cells.
    """

    id: str
    number: str
    caption: str
    units: str
    cells: list[Cell] = []
    rows: list[dict[str, Any]] = []
    remarks: list[str] = []
    calls: list[str] = []


class Figure(msgspec.Struct, frozen=True):
    """A drawn figure: its file, its description in words, and the numbers in it."""

    id: str
    number: str
    caption: str
    file: str
    alt: str
    rows: list[dict[str, Any]] = []


class Claim(msgspec.Struct, frozen=True):
    """A sentence of the document in other words, its verdict, and the numbers that decide it."""

    id: str
    section: str
    text: str
    verdict: ClaimWord
    numbers: str
    test: str = ""


class Part(msgspec.Struct, frozen=True):
    """A step of a document: computed, or left out with the reason `why` and the command that computes it.

    `makes` names tables and figures, `models` the models of the document with the models that were used, and
    `sample` the number of inputs (None: all).
    """

    name: str
    makes: str
    done: bool
    why: str = ""
    command: str = ""
    benchmark: str = ""
    sample: int | None = None
    inputs: int | None = None
    models: dict[str, str] = {}
    cpu_seconds: float = 0.0
    environment: str = ""


class Reproduction(Shown, msgspec.Struct, frozen=True):
    """A document's tables, figures and claims next to print.

    Parameters
    ----------
    document : str
        Name of the document.
    title : str
        Title of the document.
    made : dict
        Settings: seed and resamples.
    parts : list of Part
        Steps that were computed or left out.
    claims : list of Claim
        Claims with verdicts.
    tables : list of Table
        Tables.
    figures : list of Figure
        Figures.
    notes : list of str, optional
        Sentences at the top of the page.
    format : int
        Version of the format of `reproduction.json`.
    """

    document: str
    title: str
    made: dict[str, Any]
    parts: list[Part]
    claims: list[Claim]
    tables: list[Table]
    figures: list[Figure]
    notes: list[str] = []
    format: int = FORMAT

    def cells(self) -> Findings:
        """Return all cells of printed tables.

        Returns
        -------
        Findings
            One row per cell: table, row, column, printed and computed value, verdict.
        """
        rows = [
            {"table": table.id, **msgspec.structs.asdict(cell)}
            for table in self.tables
            for cell in table.cells
        ]
        return Findings(rows, self.made, self.title)

    def counts(self) -> dict[str, int]:
        """Count the verdicts of all cells.

        Returns
        -------
        dict of str to int
            Number of cells by verdict.
        """
        found = Counter(cell.verdict for table in self.tables for cell in table.cells)
        return {word: found[word] for word in WORDS}

    def summary(self) -> str:
        """Return one line with the counts of verdicts.

        Returns
        -------
        str
            Counts of the verdicts of cells and claims.
        """
        counts = self.counts()
        cells = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
        claims = Counter(claim.verdict for claim in self.claims)
        judged = ", ".join(f"{claims[word]} {word}" for word in dict.fromkeys(claims))
        shown = f"{sum(counts.values())} printed cells: {cells or 'none'}"
        return f"{self.document}: {shown}; claims: {judged or 'none'}"

    def save(self, directory: str | Path, figures: Mapping[str, bytes] | None = None) -> Path:
        """Save the page, its figures and the numbers.

        Parameters
        ----------
        directory : str or Path
            Directory; it must be new, empty, or contain a reproduction of the same document.
        figures : mapping of str to bytes, optional
            Content of each figure by the name of its file. Default: the files already in the directory.

        Returns
        -------
        Path
            The page, index.html.

        Raises
        ------
        InputError
            If the directory contains other files.
        """
        from nlgauge.reproduce.page import html_page, markdown_page

        place = checked_directory(directory, self.document)
        place.mkdir(parents=True, exist_ok=True)
        drawn = dict(figures or {})
        for figure in self.figures:
            if figure.file in drawn:
                (place / "figures").mkdir(exist_ok=True)
                write_whole(place / figure.file, drawn[figure.file])
                write_whole((place / figure.file).with_suffix(".csv"), Findings(figure.rows).to_csv())
            elif (place / figure.file).is_file():
                drawn[figure.file] = (place / figure.file).read_bytes()
        write_whole(place / FILE, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")
        write_whole(place / "index.md", markdown_page(self).encode())
        write_whole(place / "index.html", html_page(self, drawn).encode())
        return place / "index.html"

    @classmethod
    def load(cls, directory: str | Path) -> Reproduction:
        """Load a saved reproduction.

        Parameters
        ----------
        directory : str or Path
            Directory of `save`.

        Returns
        -------
        Reproduction
            Tables, figures and claims.

        Raises
        ------
        InputError
            If the directory contains no reproduction.
        """
        place = Path(directory) / FILE
        try:
            found = msgspec.json.decode(place.read_bytes(), type=cls)
        except FileNotFoundError:
            raise InputError(f"{directory} has no {FILE}; use the directory of a reproduction.") from None
        except msgspec.DecodeError as error:
            raise InputError(f"{place} is damaged ({error}); reproduce the document again.") from None
        if found.format != FORMAT:
            raise InputError(f"{place} has format {found.format}, and this version reads {FORMAT}.")
        return found

    def _short_page(self) -> Page:
        from nlgauge.reproduce.page import short_page

        return short_page(self)


def checked_directory(directory: str | Path, document: str) -> Path:
    """Return the directory of a reproduction; raise if it contains anything else."""
    place = Path(directory)
    if place.is_file():
        raise InputError(f"{place} is a file; name a directory.")
    if place.is_dir() and any(place.iterdir()):
        if not any((place / name).exists() for name in (FILE, "scores", "unfinished")):
            raise InputError(f"{place} is not empty and contains no reproduction; name another directory.")
        if (place / FILE).is_file() and (other := Reproduction.load(place).document) != document:
            raise InputError(f"{place} contains the reproduction of {other}; name another directory.")
    return place
