"""The page of figures with dates, docs/statistics/nightly.md, and its data, nightly.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.nightly.claims import CLAIMS, NOT_SIMULATED
from benchmarks.nightly.parts import PARTS, Part

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "statistics" / "nightly.md"
DATA = PAGE.with_suffix(".json")

_HEAD = """\
# The nightly truth

This page has the figures of the last `make verify`: nlgauge against other programs, the same bits over kernels, threads and
routes, data with a known answer, and the error rate and coverage of every test and interval. `python -m benchmarks.nightly --page`
writes it from [its data](nightly.json).

    make verify                              # all parts with small sizes; a stopped run continues
    make verify VERIFY_OPTIONS="spans --again"
    make verify VERIFY_OPTIONS=--full        # sizes of the other pages; for a night

A rate of few runs is rough, so a figure is *out* only if a true rate at its bound gives it with a chance below 1 in 10,000. The
bound of a test at the 5% level is a little above 5%, because some tests are known to be slightly too liberal:
[simulations](simulations.md) have the exact rates. Parts that read benchmarks with human scores are skipped without them.
"""


SMALL, FULL = SIZES = ("small", "full")
# The parts that were run, by size and name.
Kept = dict[str, dict[str, dict[str, Any]]]


def page(kept: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Return the page of the kept parts."""
    small, full = (kept.get(size, {}) for size in SIZES)
    lines = [_HEAD, "## Parts", "", *_parts(small), "", "## Figures", "", *_figures(small), ""]
    for part in PARTS:
        if part.detailed and part.name in small:
            lines += [f"## {part.title}", "", *([part.about, ""] if part.about else [])]
            lines += [*_details(small[part.name]), ""]
    lines += ["## Sizes of a night", "", _cost(small, full), ""]
    lines += [*_parts(full, total=False), "", *_figures(full), ""]
    lines += ["## Tests and intervals", "", "Each option of the product and the parts that simulate it.", ""]
    lines += ["| option | parts |", "|---|---|"]
    lines += [f"| {name} | {', '.join(parts)} |" for name, parts in CLAIMS.items()]
    lines += ["", "Not simulated:", "", "| interval | reason |", "|---|---|"]
    lines += [f"| {name} | {reason} |" for name, reason in NOT_SIMULATED.items()]
    return "\n".join(lines) + "\n"


def _parts(kept: Mapping[str, Mapping[str, Any]], total: bool = True) -> list[str]:
    lines = ["| part | size | date | commit | CPU s | verdict |", "|---|---|---|---|---|---|"]
    seconds = 0.0
    for part in PARTS:
        one = kept.get(part.name)
        if one is None:
            lines.append(f"| {part.name}: {part.title} | | | | | not run |")
            continue
        seconds += one["seconds"]
        lines.append(
            f"| {part.name}: {part.title} | {_size(part, one)} | {one['date']} | {one['commit']} |"
            f" {one['seconds']:.0f} | {verdict(one)} |"
        )
    return [*lines, "", f"{seconds / 60:.1f} minutes of CPU in all."] if total else lines


def _details(one: Mapping[str, Any]) -> list[str]:
    """Return all figures of a part as tables, one for each list of columns."""
    rows: dict[str, dict[str, float]] = {}
    for row, column, value in one.get("figures", ()):
        rows.setdefault(row, {})[column] = value
    lines: list[str] = []
    head: list[str] = []
    for row, cells in rows.items():
        if list(cells) != head:
            head = list(cells)
            lines += [*([""] if lines else []), f"| | {' | '.join(head)} |", f"|{'---|' * (len(head) + 1)}"]
        lines.append(f"| {row} | {' | '.join(f'{value:g}' for value in cells.values())} |")
    return lines


def _cost(small: Mapping[str, Mapping[str, Any]], full: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a sentence about the cost of all parts with full sizes."""
    measured = estimated = 0.0
    for part in PARTS:
        if part.name in full and not full[part.name]["skipped"]:
            measured += full[part.name]["seconds"]
        elif part.name in small:
            estimated += small[part.name]["seconds"] * part.full / part.runs
    return (
        f"`--full` was measured for the parts below: {measured / 60:.0f} CPU minutes. The others take about"
        f" {estimated / 60:.0f} CPU minutes, if the time grows with the size, so a whole run takes about"
        f" {(measured + estimated) / 3600:.1f} CPU hours."
    )


def _size(part: Part, one: Mapping[str, Any]) -> str:
    return "" if part.unit in ("selection", "size") else f"{one['runs']:,} {part.unit}"


def verdict(one: Mapping[str, Any]) -> str:
    """Return the verdict on a part in words."""
    if one["skipped"]:
        return f"skipped: {one['skipped']}"
    if one["exit"]:
        return f"**failed** with exit code {one['exit']}"
    out = sum(len(bound["out"]) for bound in one["bounds"])
    return f"**{out} out**" if out else "as expected"


def _figures(kept: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = ["| part | what | figures | range | bound | out |", "|---|---|---|---|---|---|"]
    for part in PARTS:
        for bound in kept.get(part.name, {}).get("bounds", ()):
            shown = "; ".join(bound["out"]).replace("|", "\\|")
            lines.append(
                f"| {part.name} | {bound['claim']} | {bound['count']} | {_range(bound)} | {bound['bound']} | {shown} |"
            )
    return lines


def _range(bound: Mapping[str, Any]) -> str:
    least, most = bound["least"], bound["most"]
    if least is None or math.isnan(least):
        return ""
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def write(kept: Kept) -> None:
    """Write the page and its data, one part per line."""
    ordered = {size: {p.name: kept[size][p.name] for p in PARTS if p.name in kept[size]} for size in SIZES}
    blocks = []
    for size, parts in ordered.items():
        rows = [
            f"{json.dumps(name)}: {json.dumps(one, ensure_ascii=False, allow_nan=False)}"
            for name, one in parts.items()
        ]
        blocks.append(f"{json.dumps(size)}: {{" + ",".join(f"\n {row}" for row in rows) + "\n}")
    DATA.write_text("{\n" + ",\n".join(blocks) + "\n}\n", "utf-8")
    PAGE.write_text(page(ordered), "utf-8")
