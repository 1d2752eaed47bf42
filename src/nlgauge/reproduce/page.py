"""The page of a reproduction, as HTML in one file and as Markdown: counts, claims, what is missing, tables,
figures, settings.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge._core.page import Block, Cell, Line, Page, Sheet, Tone, column
from nlgauge._core.safe_text import visible
from nlgauge.reproduce import reproduction, verdicts
from nlgauge.show.writers.html import html_of
from nlgauge.show.writers.markdown import escaped, markdown_of

_TONES: dict[str, Tone] = {
    "equal": "perfect",
    "near": "good",
    "inside": "fair",
    "differs": "bad",
    "misprint": "quiet",
    "not computed": "quiet",
    "supported": "good",
    "contradicted": "bad",
    "undecided": "fair",
    "not tested": "quiet",
}
_MEANINGS = (
    "equal: the printed value is the computed value, rounded or cut. near: at most 3 swapped pairs of systems, or"
    " 2 units of the last digit. inside: the printed value is in the 95% interval, which is weak evidence if the"
    " interval is wide. A value of another model or of other texts is never equal or near."
)
# Length of the bar of all cells, in characters.
_BAR = 40
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
figure { margin: 1.5rem 0; overflow-x: auto; }
img { max-width: 100%; height: auto; background: #fff; }
@media print { details { display: block; } }
"""


def short_page(made: reproduction.Reproduction) -> Page:
    """Return counts and claims, for a console."""
    return Page([Line(made.title), Line(made.summary()), _claims(made)], notes=[_MEANINGS])


def _parts(made: reproduction.Reproduction) -> list[tuple[str, Page, Sequence[reproduction.Figure]]]:
    """Return the sections of the page: heading, content, figures."""
    left = [part for part in made.parts if not part.done]
    models = [Line(line) for line in _models(made)]
    parts: list[tuple[str, Page, Sequence[reproduction.Figure]]] = [
        (made.title, Page([*models, *map(Line, made.notes), _counts(made)], notes=[_MEANINGS]), ()),
        ("Claims", Page([_claims(made)]), ()),
    ]
    if left:
        parts.append(("Not computed", Page([_left(left)]), ()))
    parts += [(f"{table.number}. {table.caption}", _table_page(table), ()) for table in made.tables]
    parts += [(f"{figure.number}. {figure.caption}", Page([]), [figure]) for figure in made.figures]
    settings = [Line(f"{name}: {value}") for name, value in made.made.items()]
    return [*parts, ("Settings", Page([*settings, _steps(made)]), ())]


def _models(made: reproduction.Reproduction) -> list[str]:
    """Return one line for each model that replaces a model of the document, and for each sample."""
    lines = []
    for part in made.parts:
        if not part.done:
            continue
        lines += [
            f"{used} replaces {wanted}, which is not installed."
            for wanted, used in part.models.items()
            if used != wanted
        ]
        if part.sample is not None and part.inputs and part.sample < part.inputs:
            lines.append(
                f"{part.makes}: on {part.sample} of {counted(part.inputs, 'input')} of {part.benchmark}."
            )
    return list(dict.fromkeys(lines))


def _left(parts: Sequence[reproduction.Part]) -> Sheet:
    rows = [[Cell(part.makes), Cell(part.why), Cell(part.command)] for part in parts]
    return Sheet([column(name) for name in ("left out", "reason", "computed by")], rows)


def _steps(made: reproduction.Reproduction) -> Sheet:
    rows = [
        [
            Cell(part.name),
            Cell(part.benchmark),
            Cell(", ".join(part.models.values())),
            Cell(f"{part.cpu_seconds:.0f}"),
            Cell(part.environment),
        ]
        for part in made.parts
        if part.done
    ]
    heads = [column(name) for name in ("step", "benchmark", "models")]
    return Sheet([*heads, column("CPU seconds", "number"), column("environment")], rows)


def _counts(made: reproduction.Reproduction) -> Sheet:
    counts = made.counts()
    total = max(1, sum(counts.values()))
    rows = [
        [
            Cell(word, _TONES[word]),
            Cell(str(number)),
            Cell("█" * round(_BAR * number / total), _TONES[word]),
        ]
        for word, number in counts.items()
    ]
    return Sheet([column("printed cells"), column("number", "number"), column("share")], rows)


def _claims(made: reproduction.Reproduction) -> Sheet:
    rows = [
        [
            Cell(claim.section),
            Cell(claim.text),
            Cell(claim.verdict, _TONES[claim.verdict]),
            Cell(claim.numbers, aside=claim.test),
        ]
        for claim in made.claims
    ]
    return Sheet([column(name) for name in ("section", "claim", "verdict", "numbers")], rows)


def _table_page(table: reproduction.Table) -> Page:
    blocks: list[Block] = []
    if table.cells:
        blocks.append(_grid(table))
    if table.rows:
        blocks.append(_plain(table.rows))
    calls = [f"Computed by: {call}" for call in table.calls]
    return Page(blocks, notes=[*table.remarks], small_print=[f"Units: {table.units}", *calls])


def _grid(table: reproduction.Table) -> Sheet:
    """Return one column per printed column; a cell has the printed and the computed value."""
    columns = list(dict.fromkeys(cell.column for cell in table.cells))
    rows = []
    for name in dict.fromkeys(cell.row for cell in table.cells):
        by_column = {cell.column: cell for cell in table.cells if cell.row == name}
        rows.append(
            [Cell(name), *(_cell(by_column[each]) if each in by_column else Cell() for each in columns)]
        )
    return Sheet([column("printed / computed"), *(column(each) for each in columns)], rows)


def _cell(cell: verdicts.Cell) -> Cell:
    printed = "n/a" if cell.printed is None else str(cell.printed)
    if cell.value is None:
        return Cell(f"{printed} / n/a", "quiet", aside=f"not computed: {cell.why or 'no number'}")
    aside: str = cell.verdict
    if cell.verdict == "near" and cell.swaps is not None:
        aside += f", {counted(round(cell.swaps), 'swap')}"
    if cell.low is not None and cell.high is not None:
        aside += f" [{_number(cell.low)}, {_number(cell.high)}]"
    if cell.verdict in ("differs", "misprint"):
        aside += f": {cell.why}"
    if cell.stand_in:
        aside += f"; {cell.stand_in}"
    return Cell(f"{printed} / {_number(cell.value)}", _TONES[cell.verdict], aside=aside)


def _plain(rows: Sequence[Mapping[str, Any]]) -> Sheet:
    names = list(dict.fromkeys(name for row in rows for name in row))
    numbers = {name for name in names if any(isinstance(row.get(name), float) for row in rows)}
    return Sheet(
        [column(name, "number" if name in numbers else "words") for name in names],
        [[Cell("" if row.get(name) is None else _number(row[name])) for name in names] for row in rows],
    )


def _number(value: Any) -> str:
    if isinstance(value, float):
        if math.isnan(value):
            return "n/a"
        return f"{value:.3g}" if abs(value) >= 100 else f"{value:.3f}"
    return str(value)


def markdown_page(made: reproduction.Reproduction) -> str:
    """Return the page as Markdown; figures are links to their files."""
    parts = []
    for level, (heading, page, figures) in enumerate(_parts(made)):
        parts.append(f"{'#' if level == 0 else '##'} {escaped(heading)}\n\n{markdown_of(page)}")
        parts += [f"![{escaped(figure.alt)}]({figure.file})\n" for figure in figures]
    return "\n".join(parts)


def html_page(made: reproduction.Reproduction, figures: Mapping[str, bytes]) -> str:
    """Return the page as one HTML file that needs no network and runs no script."""
    parts = []
    for level, (heading, page, drawn) in enumerate(_parts(made)):
        tag = "h1" if level == 0 else "h2"
        parts.append(f"<{tag}>{escape(visible(heading))}</{tag}>\n{html_of(page)}")
        parts += [_figure(each, figures.get(each.file)) for each in drawn]
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(visible(made.title))}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{chr(10).join(parts)}
</main>
</body>
</html>
"""


def _figure(figure: reproduction.Figure, content: bytes | None) -> str:
    numbers = html_of(Page([_plain(figure.rows)])) if figure.rows else ""
    if content is None:
        return f"<p>{escape(figure.alt)}</p>{numbers}"
    data = base64.b64encode(content).decode()
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(visible(figure.alt))}">'
    table = f"<details><summary>Numbers in the figure</summary>{numbers}</details>" if numbers else ""
    return f"<figure>{image}</figure>{table}"
