"""Small .xlsx files, written without a library."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def write_workbook(place: Path, sheets: Mapping[str, Sequence[Sequence[str | float | None]]]) -> Path:
    """Write sheets of rows; texts of the first column are shared, other texts are inline."""
    shared: list[str] = []
    parts = {}
    for number, rows in enumerate(sheets.values(), 1):
        lines = []
        for at, row in enumerate(rows, 1):
            cells = "".join(_cell(shared, f"{chr(65 + i)}{at}", value, i) for i, value in enumerate(row))
            lines.append(f'<row r="{at}">{cells}</row>')
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
        )
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(sheets, 1)
    )
    targets = "".join(
        f'<Relationship Id="rId{i}" Target="worksheets/sheet{i}.xml"/>' for i in range(1, len(sheets) + 1)
    )
    items = "".join(f"<si><r><t>{escape(text)}</t></r></si>" for text in shared)
    parts |= {
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{targets}</Relationships>",
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{items}</sst>',
    }
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return place


def _cell(shared: list[str], at: str, value: str | float | None, column: int) -> str:
    if value is None:
        return f'<c r="{at}"/>'
    if not isinstance(value, str):
        return f'<c r="{at}"><v>{value}</v></c>'
    if column == 0:
        shared.append(value)
        return f'<c r="{at}" t="s"><v>{len(shared) - 1}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


DIMENSIONS = ("informativeness", "factualness", "fluency", "succinctness")
SYSTEMS = ("rl", "norl", "nograph")


def ratings_workbook(place: Path, seed: int = 7, rows: int = 30) -> Path:
    """Write made-up texts and ratings in the form of human_evaluation.xlsx."""
    import random

    draw = random.Random(seed)
    words = "the drug may help some people but studies were small and unclear about harm or cost".split()
    heads = ["article_id", "source_document", "target_summary", *(f"generated_summary_{s}" for s in SYSTEMS)]
    texts = [
        [f"CD{at:04d}", *(" ".join(draw.choices(words, k=draw.randint(8, 30))) + "." for _ in heads[1:])]
        for at in range(rows)
    ]
    columns = [f"{dimension}_{system}" for system in SYSTEMS for dimension in DIMENSIONS]
    annotators = {
        f"annotator{i}": [columns, *([draw.randint(1, 5) for _ in columns] for _ in range(rows))]
        for i in (1, 2, 3)
    }
    return write_workbook(place, {"Text": [heads, *texts], **annotators})
