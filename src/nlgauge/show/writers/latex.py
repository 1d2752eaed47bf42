"""Pages as LaTeX tables for a paper: booktabs, the best in bold, stars for significance, intervals in small
print.

The tables need only `\\usepackage{booktabs}`. Text in other scripts than Latin needs XeLaTeX or LuaLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from nlgauge._core.page import Cell, Line, Page, Sheet, Strip
from nlgauge._core.safe_text import visible

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # The straight quotation mark does not exist in LaTeX's own encoding.
    '"': "''",
    "`": r"\textasciigrave{}",
    "…": r"\dots{}",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}
# So many columns fit a page in the size of its text.
_COLUMNS = 6
_FOUND = re.compile("[" + re.escape("".join(_SPECIAL)) + "]|(?<=-)-|(?<=')'")


def latex_of(page: Page, caption: str | None = None, label: str | None = None) -> str:
    """Return a table environment for each table of the page; the notes are the default caption, the small
    print a comment.

    Lines of words between tables are paragraphs, and a strip of tokens is a table with one row for each.
    """
    parts = ["% needs \\usepackage{booktabs}"]
    i = -1
    for block in page.blocks:
        if isinstance(block, Line):
            parts.append(f"\\noindent {escaped(block.text)}\\par")
        if not isinstance(block, Sheet | Strip):
            continue
        i += 1
        sheet = block if isinstance(block, Sheet) else block.as_sheet()
        title = [f"{sheet.title}."] if sheet.title else []
        footnotes = [
            f"\\textsuperscript{{{number}}} {escaped(text)}." for number, text in enumerate(page.footnotes, 1)
        ]
        said = (
            " ".join([*map(escaped, [*title, *page.notes]), *footnotes])
            if caption is None
            else escaped(caption)
        )
        named = f"{label}-{i + 1}" if label and i else label
        parts.append(_float(sheet, said, named))
    parts += [f"% {visible(text)}" for text in page.small_print]
    return "\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""Return the text as LaTeX prints it, for any characters.

    >>> print(escaped("R&D_50%"))
    R\&D\_50\%
    """
    return _FOUND.sub(lambda found: _SPECIAL.get(found[0], "{}" + found[0]), visible(text))


def _float(sheet: Sheet, caption: str, label: str | None) -> str:
    narrow = [r"  \scriptsize\setlength{\tabcolsep}{2pt}"] if len(sheet.columns) > _COLUMNS else []
    lines = [r"\begin{table}", r"  \centering", *narrow, *(f"  {line}" for line in _tabular(sheet))]
    if caption:
        lines.append(f"  \\caption{{{caption}}}")
    if label:
        lines.append(f"  \\label{{{re.sub(r'[^-A-Za-z0-9:._]', '-', label)}}}")
    return "\n".join([*lines, r"\end{table}"])


def _tabular(sheet: Sheet) -> list[str]:
    kept = [
        i
        for i, column in enumerate(sheet.columns)
        if column.heading.text or any(row[i] != Cell() for row in sheet.rows)
    ]
    columns = [sheet.columns[i] for i in kept]
    rows = [
        [_with_minus(_cell(row[i])) if sheet.columns[i].kind == "number" else _cell(row[i]) for i in kept]
        for row in sheet.rows
    ]
    return [
        (
            f"\\begin{{tabular}}{{@{{}}{''.join('r' if column.kind == 'number' else 'l' for column in columns)}@{{}}}}"
        ),
        r"  \toprule",
        f"  {_row([_heading(column.heading) for column in columns])}",
        r"  \midrule",
        *(f"  {_row(row)}" for row in rows),
        r"  \bottomrule",
        r"\end{tabular}",
    ]


def _row(cells: Sequence[str]) -> str:
    first = cells[0]
    # After the end of a row a bracket or a star would be read as its argument.
    guarded = "{}" + first if first.startswith(("[", "*")) else first
    return " & ".join([guarded, *cells[1:]]) + r" \\"


def _heading(cell: Cell) -> str:
    top = _cell(replace(cell, below=""))
    return f"\\shortstack{{{top}\\\\{escaped(cell.below)}}}" if cell.below else top


def _with_minus(number: str) -> str:
    """Return numbers with a minus sign instead of a hyphen."""
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", number)


def _cell(cell: Cell) -> str:
    text = escaped((cell.title or cell.text).strip())
    if cell.tone == "best" and text:
        text = f"\\textbf{{{text}}}"
    raised = cell.stars + ",".join(map(str, cell.notes))
    text += f"\\textsuperscript{{{raised}}}" if raised else ""
    arrow = "" if cell.better is None else escaped("↑" if cell.better else "↓")
    small = [f"{{\\small {escaped(part)}}}" for part in (cell.below, cell.aside) if part]
    return " ".join(part for part in (text, arrow, *small) if part)
