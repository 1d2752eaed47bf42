"""Pages of plain values for display: blocks such as sheets (tables) and strips (annotated tokens).

A page does not depend on the medium; the modules of `nlgauge.show.writers` write it as plain text, Markdown,
LaTeX or HTML. A page contains the original texts, and each writer escapes them for its medium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from nlgauge._core.numbers import counted

Tone = Literal[
    "",
    "best",
    "quiet",
    "worst",
    "bad",
    "fair",
    "good",
    "perfect",
    "missed",
    "replaced",
    "deleted",
    "inserted",
    "moved",
]


@dataclass(frozen=True)
class Gauge:
    """A number with its interval on a scale from `least` to `most`; `zero` marks 0 on the scale.

    Media with graphics show it as a dot on a line.
    """

    value: float
    low: float
    high: float
    least: float
    most: float
    zero: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell of a table or strip: its text, its tone and its marks.

    `better` is the direction in which a number is better (True: higher), shown as an arrow. `stars` are marks
    of significance, and `notes` the numbers of footnotes. `aside` follows the text in small print, and
    `below` is under it. `gauge` shows the same in media with graphics. `title` replaces the text in LaTeX.
    """

    text: str = ""
    tone: Tone = ""
    better: bool | None = None
    stars: str = ""
    notes: tuple[int, ...] = ()
    aside: str = ""
    below: str = ""
    gauge: Gauge | None = None
    title: str = ""


@dataclass(frozen=True)
class Column:
    """A column: its heading, and its kind.

    Cells of kind "number" are aligned to the right and never wrapped; cells of kind "words" may be wrapped.
    """

    heading: Cell
    kind: Literal["number", "words"] = "words"


@dataclass(frozen=True)
class Sheet:
    """A table with a title; a row has one cell per column."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""


@dataclass(frozen=True)
class Strip:
    """Stacks of cells next to each other, like the words of a text; each line of the stacks has a name."""

    names: Sequence[str]
    stacks: Sequence[Sequence[Cell]]

    def as_sheet(self) -> Sheet:
        """Return the strip as a table with one row per stack."""
        return Sheet([column(name) for name in self.names], self.stacks)


@dataclass(frozen=True)
class Line:
    """A line of words."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Document:
    """A text in Markdown."""

    text: str


Block = Sheet | Strip | Line | Document


@dataclass(frozen=True)
class Page:
    """One view: blocks, numbered footnotes, notes, and small print.

    The small print describes how the numbers were computed.
    """

    blocks: Sequence[Block]
    footnotes: Sequence[str] = ()
    notes: Sequence[str] = ()
    small_print: Sequence[str] = ()

    def sheets(self) -> list[Sheet]:
        """Return the tables of the page."""
        return [block for block in self.blocks if isinstance(block, Sheet)]


@dataclass
class Footnotes:
    """Footnotes under a table, without duplicates, numbered in the order of their first use."""

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> tuple[int, ...]:
        """Return the number of a footnote as a tuple of length 1; an empty tuple for an empty text."""
        if not text:
            return ()
        if text not in self.texts:
            self.texts.append(text)
        return (self.texts.index(text) + 1,)


def column(heading: str, kind: Literal["number", "words"] = "words") -> Column:
    """Return a column with a plain heading."""
    return Column(Cell(heading), kind)


def marked(cell: Cell) -> str:
    """Return the cell's text with its stars and its footnote numbers, for media without superscripts."""
    return cell.text + cell.stars + "".join(f" [{number}]" for number in cell.notes)


def limited(page: Page, rows: int, stacks: int) -> Page:
    """Return the page with at most this many rows per table and stacks per strip.

    A line after a shortened block shows how many rows or stacks were omitted.
    """
    blocks: list[Block] = []
    for block in page.blocks:
        if isinstance(block, Sheet) and len(block.rows) > rows:
            blocks += [
                Sheet(block.columns, block.rows[:rows], block.title),
                Line(f"... and {counted(len(block.rows) - rows, 'more row')}", "quiet"),
            ]
        elif isinstance(block, Strip) and len(block.stacks) > stacks:
            blocks += [
                Strip(block.names, block.stacks[:stacks]),
                Line(f"... and {len(block.stacks) - stacks} more", "quiet"),
            ]
        else:
            blocks.append(block)
    return Page(blocks, page.footnotes, page.notes, page.small_print)
