"""What is shown, as plain values: a page of blocks, among them sheets (tables) and strips (tokens with what
belongs to each below it).

A page says nothing about a medium; `terminal.pages`, `markdown`, `latex` and `html` write it. Texts are held
as they were given: every writer makes them safe for its own medium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

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
    """A number with its interval on a scale from `least` to `most`; media that draw show it as a dot on a
    line. `zero` marks 0 on the scale.
    """

    value: float
    low: float
    high: float
    least: float
    most: float
    zero: bool = False


@dataclass(frozen=True)
class Cell:
    """One cell: its text, how it is meant, and what stands beside it.

    `better` is the direction in which a number is better, which media show as an arrow; `stars` are marks of
    significance, `notes` the numbers of footnotes; `aside` follows the text in small print, `below` stands
    under it; `gauge` says the same as the text, for media that draw; `title` is shown instead of the text in
    a paper.
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
    """The heading of a column; `number` columns stand at the right and never break, `words` may."""

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
    """Stacks of cells, set side by side as a text is; each line of the stacks has a name."""

    names: Sequence[str]
    stacks: Sequence[Sequence[Cell]]

    def as_sheet(self) -> Sheet:
        """The strip as a table, one row per stack."""
        return Sheet([column(name) for name in self.names], self.stacks)


@dataclass(frozen=True)
class Line:
    """A line of words."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Document:
    """Text that is written in Markdown."""

    text: str


Block = Sheet | Strip | Line | Document


@dataclass(frozen=True)
class Page:
    """Everything of one view: blocks, footnotes by number, notes below them, and the small print that
    says how the numbers were made.
    """

    blocks: Sequence[Block]
    footnotes: Sequence[str] = ()
    notes: Sequence[str] = ()
    small_print: Sequence[str] = ()

    def sheets(self) -> list[Sheet]:
        """The tables of the page."""
        return [block for block in self.blocks if isinstance(block, Sheet)]


@dataclass
class Footnotes:
    """Remarks under a table, each once, numbered as they are first needed."""

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> tuple[int, ...]:
        """The number of a remark; nothing for an empty one."""
        if not text:
            return ()
        if text not in self.texts:
            self.texts.append(text)
        return (self.texts.index(text) + 1,)


def column(heading: str, kind: Literal["number", "words"] = "words") -> Column:
    """A column with a plain heading."""
    return Column(Cell(heading), kind)


def marked(cell: Cell) -> str:
    """The cell's text with its stars and the numbers of its footnotes in brackets, for media without
    raised marks.
    """
    return cell.text + cell.stars + "".join(f" [{number}]" for number in cell.notes)


def limited(page: Page, rows: int, stacks: int) -> Page:
    """The page with no more rows of a table and stacks of a strip than these; a line says what was left
    out.
    """
    blocks: list[Block] = []
    for block in page.blocks:
        if isinstance(block, Sheet) and len(block.rows) > rows:
            blocks += [
                Sheet(block.columns, block.rows[:rows], block.title),
                Line(f"... and {len(block.rows) - rows} more rows", "quiet"),
            ]
        elif isinstance(block, Strip) and len(block.stacks) > stacks:
            blocks += [
                Strip(block.names, block.stacks[:stacks]),
                Line(f"... and {len(block.stacks) - stacks} more", "quiet"),
            ]
        else:
            blocks.append(block)
    return Page(blocks, page.footnotes, page.notes, page.small_print)
