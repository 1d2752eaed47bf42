"""Pages as Markdown tables, as GitHub and notebooks show them; names are escaped, so that none becomes
markup.
"""

from __future__ import annotations

import re

from nlgauge._core.page import Cell, Document, Line, Page, Sheet, Strip
from nlgauge._core.safe_text import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]|#~$])")


def markdown_of(page: Page) -> str:
    """Return the page's tables and lines; footnotes and notes follow below, the small print last."""
    parts = []
    for block in page.blocks:
        if isinstance(block, Sheet):
            parts += [*([f"**{escaped(block.title)}**"] if block.title else []), _table(block)]
        elif isinstance(block, Strip):
            parts.append(_table(block.as_sheet()))
        else:
            assert isinstance(block, Line | Document)
            parts.append(escaped(block.text) if isinstance(block, Line) else block.text)
    notes = [
        *map(escaped, page.notes),
        *(f"<sup>{number}</sup> {escaped(text)}" for number, text in enumerate(page.footnotes, 1)),
    ]
    if notes:
        parts.append("  \n".join(notes))
    if page.small_print:
        parts.append("  \n".join(f"<sub>{escaped(text)}</sub>" for text in page.small_print))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""Return the text without a meaning for Markdown or HTML.

    >>> print(escaped("a_b|<i>"))
    a\_b\|&lt;i&gt;
    """
    return (
        _SPECIAL.sub(r"\\\1", visible(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    )


def _table(sheet: Sheet) -> str:
    heads = [_cell(column.heading) for column in sheet.columns]
    rules = ["---:" if column.kind == "number" else "---" for column in sheet.columns]
    rows = [heads, rules, *([_cell(cell) for cell in row] for row in sheet.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(cell: Cell) -> str:
    text = escaped(cell.text.strip())
    if cell.tone == "best" and text:
        text = f"**{text}**"
    text += escaped(cell.stars) + "".join(f"<sup>{number}</sup>" for number in cell.notes)
    arrow = "" if cell.better is None else "↑" if cell.better else "↓"
    return " ".join(part for part in (text, escaped(cell.below), arrow, escaped(cell.aside)) if part)
