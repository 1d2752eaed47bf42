"""The page of figures with dates, docs/statistics/nightly.md, and its data, nightly.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.nightly.parts import CLAIMS, PARTS, Part

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


def page(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page of the kept parts."""
    lines = [_HEAD, "## Parts", "", *_parts(kept), "", "## Figures", "", *_figures(kept), ""]
    lines += ["## Tests and intervals", "", "Each option of the product and the parts that simulate it.", ""]
    lines += ["| option | parts |", "|---|---|"]
    lines += [f"| {name} | {', '.join(parts)} |" for name, parts in CLAIMS.items()]
    return "\n".join(lines) + "\n"


def _parts(kept: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = ["| part | size | date | commit | CPU s | verdict |", "|---|---|---|---|---|---|"]
    total = 0.0
    for part in PARTS:
        one = kept.get(part.name)
        if one is None:
            lines.append(f"| {part.name}: {part.title} | | | | | not run |")
            continue
        total += one["seconds"]
        lines.append(
            f"| {part.name}: {part.title} | {_size(part, one)} | {one['date']} | {one['commit']} |"
            f" {one['seconds']:.0f} | {verdict(one)} |"
        )
    return [*lines, "", f"{total / 60:.1f} minutes of CPU in all."]


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


def write(kept: Mapping[str, Mapping[str, Any]], names: Sequence[str] = ()) -> None:
    """Write the page and its data."""
    ordered = {part.name: kept[part.name] for part in PARTS if part.name in kept}
    DATA.write_text(json.dumps(ordered, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
    PAGE.write_text(page(ordered), "utf-8")
