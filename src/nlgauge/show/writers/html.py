"""Pages as HTML for notebooks: everything escaped, no script, styles inline, colors that read on light
and on dark ground.
"""

from __future__ import annotations

from html import escape

from nlgauge._core.page import Block, Cell, Column, Document, Gauge, Line, Page, Sheet, Strip, Tone
from nlgauge._core.safe_text import visible

_STYLES: dict[Tone, str] = {
    "best": "font-weight:bold",
    "quiet": "opacity:.7",
    "worst": "color:#d64545;font-weight:bold",
    "bad": "color:#d64545",
    "fair": "color:#b7791f",
    "good": "color:#2f9e58",
    "perfect": "color:#2f9e58;font-weight:bold",
    "missed": "color:#d64545;opacity:.8",
    "replaced": "color:#b7791f",
    "deleted": "color:#d64545",
    "inserted": "color:#1c8fb0",
    "moved": "color:#a855c7",
}
# The pixels of a drawn interval, and the air at its ends.
_WIDE, _HIGH, _AIR = 96, 12, 4
_LINE = "1px solid rgba(128,128,128,.5)"


def html_of(page: Page) -> str:
    """Return the page as one div."""
    parts = [_block(block) for block in page.blocks]
    notes = [
        *(f"[{number}] {text}" for number, text in enumerate(page.footnotes, 1)),
        *page.notes,
        *page.small_print,
    ]
    parts += [f'<div style="font-size:85%;opacity:.7">{_safe(text)}</div>' for text in notes]
    return f'<div style="color:inherit;max-width:100%;overflow-x:auto">{"".join(parts)}</div>'


def _safe(text: str) -> str:
    return escape(visible(text))


def _block(block: Block) -> str:
    if isinstance(block, Sheet):
        return _table(block)
    if isinstance(block, Strip):
        return _strip(block)
    if isinstance(block, Line):
        return f'<div style="{_STYLES.get(block.tone, "")}">{_safe(block.text)}</div>'
    assert isinstance(block, Document)
    return _markdown(block.text)


def _table(sheet: Sheet) -> str:
    heads = "".join(_cell("th", column.heading, column) for column in sheet.columns)
    rows = []
    for i, row in enumerate(sheet.rows):
        # A line above each row that begins something new.
        ruled = f"border-top:{_LINE}" if not i or row[0].text else ""
        cells = "".join(
            _cell("td", cell, column, ruled) for cell, column in zip(row, sheet.columns, strict=True)
        )
        rows.append(f'<tr style="background:none">{cells}</tr>')
    title = (
        "<caption"
        f' style="font-weight:bold;text-align:left;color:inherit;caption-side:top">{_safe(sheet.title)}</caption>'
        if sheet.title
        else ""
    )
    style = "border-collapse:collapse;color:inherit;margin:.5em 0"
    return (
        f'<table style="{style}">{title}<thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _cell(tag: str, cell: Cell, column: Column, ruled: str = "") -> str:
    style = (
        f"text-align:{'right' if column.kind == 'number' else 'left'};padding:.1em"
        f" .6em;vertical-align:top;{ruled}"
    )
    parts = [
        (
            f'<span style="{_STYLES[cell.tone]}">{_safe(cell.text.strip())}</span>'
            if cell.tone
            else _safe(cell.text)
        )
    ]
    raised = cell.stars + "".join(f"[{number}]" for number in cell.notes)
    parts.append(f"<sup>{_safe(raised)}</sup>" if raised else "")
    parts.append("" if cell.better is None else " ↑" if cell.better else " ↓")
    parts.append(f' <span style="opacity:.7">{_safe(cell.aside)}</span>' if cell.aside else "")
    parts.append(f'<br><span style="opacity:.7">{_safe(cell.below)}</span>' if cell.below else "")
    parts.append("" if cell.gauge is None else f"<br>{_gauge(cell.gauge)}")
    return f'<{tag} style="{style}">{"".join(parts)}</{tag}>'


def _gauge(gauge: Gauge) -> str:
    """Return a dot on its interval, over the line of the scale; the cell has the numbers, so screen readers
    skip the picture.
    """

    def at(value: float) -> str:
        share = (value - gauge.least) / (gauge.most - gauge.least) if gauge.most > gauge.least else 0.5
        return f"{_AIR + share * (_WIDE - 2 * _AIR):.1f}"

    middle = _HIGH // 2
    parts = [
        f'<line x1="0" x2="{_WIDE}" y1="{middle}" y2="{middle}" stroke="currentColor" stroke-opacity=".25"/>'
    ]
    if gauge.zero:
        parts.append(
            f'<line x1="{at(0)}" x2="{at(0)}" y1="0" y2="{_HIGH}" stroke="currentColor" stroke-opacity=".6"/>'
        )
    parts.append(
        f'<line x1="{at(gauge.low)}" x2="{at(gauge.high)}" y1="{middle}" y2="{middle}" stroke="currentColor"'
        ' stroke-width="2.4"/>'
    )
    parts.append(f'<circle cx="{at(gauge.value)}" cy="{middle}" r="3.4" fill="currentColor"/>')
    return (
        f'<svg width="{_WIDE}" height="{_HIGH}" viewBox="0 0 {_WIDE} {_HIGH}"'
        f' aria-hidden="true">{"".join(parts)}</svg>'
    )


def _strip(strip: Strip) -> str:
    """Return every stack as a small column in running text; the names are in the first column."""
    names = "".join(f'<div style="opacity:.7">{_safe(name)}</div>' for name in strip.names)
    boxes = [f'<span style="display:inline-block;margin:0 1em .5em 0;vertical-align:top">{names}</span>']
    for stack in strip.stacks:
        lines = "".join(
            f'<div style="{_STYLES.get(cell.tone, "")}">{_safe(cell.text) or "&nbsp;"}</div>'
            for cell in stack
        )
        boxes.append(
            '<span style="display:inline-block;margin:0 .4em .5em'
            f' 0;vertical-align:top;white-space:pre">{lines}</span>'
        )
    return f'<div style="margin:.5em 0">{"".join(boxes)}</div>'


def _markdown(text: str) -> str:
    """Return Markdown as HTML; HTML within it is shown as text, and links lead only to pages."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
