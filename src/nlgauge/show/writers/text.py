"""A page in a terminal: plain text is as readable as color, in any number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from nlgauge._core.page import Block, Cell, Column, Document, Line, Page, Sheet, Strip, Tone, marked
from nlgauge._core.safe_text import visible
from nlgauge.show.writers.strips import strip_lines
from nlgauge.show.writers.terminal_markdown import markdown
from nlgauge.show.writers.widths import pieces, shortened, widths, wrapped

_STYLES: dict[Tone, str] = {
    "": "",
    "best": "bold",
    "quiet": "dim",
    "worst": "bold red",
    "bad": "red",
    "fair": "yellow",
    "good": "green",
    "perfect": "bold green",
    "missed": "dim red",
    "replaced": "yellow",
    "deleted": "red",
    "inserted": "cyan",
    "moved": "magenta",
}
# Between two columns.
_GAP = 2
# A column of words is never narrower.
_NARROWEST = 6


@dataclass(frozen=True)
class Printed:
    """Return a page as an object that rich prints; each of several tables has a title above it."""

    page: Page
    small_print: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        several = len(self.page.sheets()) > 1
        for block in self.page.blocks:
            if isinstance(block, Sheet) and block.title:
                if several:
                    yield Text("")
                yield Text(visible(block.title), style="bold")
            yield from _printed(block, options)
        for number, text in enumerate(self.page.footnotes, 1):
            yield _remark(f"[{number}] {text}")
        for text in self.page.notes:
            yield _remark(text)
        for text in self.page.small_print if self.small_print else ():
            # Whole, so that a signature can be copied.
            yield Text(visible(text), style="dim", no_wrap=True, overflow="ignore")


def text_of(page: Page, width: int = 80, small_print: bool = False) -> str:
    """Return the page as plain text, without color."""
    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        color_system=None,
        force_terminal=False,
        # In a notebook rich would display the text instead of writing it.
        force_jupyter=False,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(Printed(page, small_print), crop=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def _printed(block: Block, options: ConsoleOptions) -> Iterator[RenderableType]:
    if isinstance(block, Sheet):
        yield _grid(block, options)
    elif isinstance(block, Strip):
        yield from strip_lines(block, options.max_width, _STYLES)
    elif isinstance(block, Line):
        yield Text(visible(block.text), style=_STYLES[block.tone])
    else:
        assert isinstance(block, Document)
        yield Text("")
        yield markdown(block.text)


def _grid(sheet: Sheet, options: ConsoleOptions) -> Grid:
    rows = [[_shown(cell, options) for cell in row] for row in sheet.rows]
    if (
        any(cell.aside for row in sheet.rows for cell in row)
        and _natural_width(sheet, rows) > options.max_width
    ):
        stacked = [
            [replace(cell, aside="", below=f"{cell.below} {cell.aside}".strip()) for cell in row]
            for row in sheet.rows
        ]
        rows = [[_shown(cell, options) for cell in row] for row in stacked]
    kept = [
        i for i, column in enumerate(sheet.columns) if column.heading.text or any(row[i].text for row in rows)
    ]
    columns = [sheet.columns[i] for i in kept]
    rows = [[row[i] for i in kept] for row in rows]
    headings = [
        _shown(replace(column.heading, text=_heading(column, options)), options) for column in columns
    ]
    wide = _widths(columns, headings, rows, options.max_width - _GAP * (len(columns) - 1))
    # As wide as needed even if the terminal is narrower: a number without its last digits would be another
    # number.
    whole = sum(wide) + _GAP * (len(columns) - 1)
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), width=whole)
    for column, heading, width in zip(columns, headings, wide, strict=True):
        title = Text("\n".join(_heading_lines(heading.text, width)))
        grid.add_column(
            title,
            justify="right" if column.kind == "number" else "left",
            width=width,
            overflow="fold",
            no_wrap=True,
        )
    broken = [
        [_lines(cell, column, width) for cell, column, width in zip(row, columns, wide, strict=True)]
        for row in rows
    ]
    for row in _spilled(broken):
        grid.add_row(*(Text("\n").join(lines) for lines in row))
    return grid


def _natural_width(sheet: Sheet, rows: Sequence[Sequence[Cell]]) -> int:
    """Return the width of a table in which nothing is broken."""
    columns = zip(sheet.columns, *rows, strict=True)
    return (
        sum(
            _widest([column.heading.text, *(cell.text for cell in cells)]) + _GAP
            for column, *cells in columns
        )
        - _GAP
    )


def _spilled(rows: list[list[list[Text]]]) -> list[list[list[Text]]]:
    """Return the lines of all cells; lines that would make a row higher continue in the next row if its cell
    is empty.
    """
    for i in range(len(rows) - 1):
        for j, lines in enumerate(rows[i]):
            height = max((len(other) for k, other in enumerate(rows[i]) if k != j), default=1)
            if len(lines) > max(1, height) and not rows[i + 1][j]:
                rows[i][j], rows[i + 1][j] = lines[: max(1, height)], lines[max(1, height) :]
    return rows


def _heading(column: Column, options: ConsoleOptions) -> str:
    """Return True if a column of directions has words and needs a heading."""
    return "better" if options.ascii_only and not column.heading.text else column.heading.text


def _shown(cell: Cell, options: ConsoleOptions) -> Cell:
    """Return the cell with its direction and marks written out and everything that would steer a terminal
    escaped.
    """
    parts = [marked(cell), cell.aside]
    if cell.better is not None:
        parts.append((("lower", "higher") if options.ascii_only else ("↓", "↑"))[cell.better])
    return Cell(visible(" ".join(part for part in parts if part)), cell.tone, below=visible(cell.below))


def _widths(
    columns: Sequence[Column], headings: Sequence[Cell], rows: Sequence[Sequence[Cell]], room: int
) -> list[int]:
    """Return the width of each column: headings of numbers shrink first, then names, then words; numbers
    never shrink.
    """
    natural, floors = [], []
    for i, (column, heading) in enumerate(zip(columns, headings, strict=True)):
        texts = [text for row in rows for text in (row[i].text, row[i].below) if text]
        breaking = [heading.text, *(texts if column.kind == "words" else [])]
        least = (
            _widest(texts) if column.kind == "number" else min(_NARROWEST, _widest([*texts, heading.text]))
        )
        by_words = _widest([word for text in breaking for word in text.split(" ")])
        by_parts = _widest([piece for text in breaking for piece in pieces(text)])
        floors.append((max(least, by_words), max(least, by_parts), least))
        natural.append(max(least, min(room, _widest([*texts, heading.text]))))
    if sum(natural) > room:
        natural = [
            min(width, by_words) if column.kind == "number" else width
            for width, (by_words, _, _), column in zip(natural, floors, columns, strict=True)
        ]
    return widths(natural, list(zip(*floors, strict=True)), room)


def _widest(texts: Sequence[str]) -> int:
    return max((cell_len(text.rstrip()) for text in texts), default=1)


def _heading_lines(text: str, width: int) -> list[str]:
    return wrapped(
        " ".join(
            shortened(word, width) if max(map(cell_len, pieces(word))) > width else word
            for word in text.split(" ")
        ),
        width,
    )


def _lines(cell: Cell, column: Column, width: int) -> list[Text]:
    lines = [cell.text] if column.kind == "number" else wrapped(cell.text, width)
    found = [Text(line, style=_STYLES[cell.tone]) for line in lines if cell.text]
    return found + [Text(line, style="dim") for line in wrapped(cell.below, width) if cell.below]


def _remark(text: str) -> Text:
    return Text(visible(text), style="dim")
