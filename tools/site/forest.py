"""Forest plot of agreement: an SVG whose width follows the page and whose colors follow the theme."""

from __future__ import annotations

import html
from dataclasses import dataclass

ROW, TOP, BOTTOM = 42, 6, 34
TICKS = (-0.5, 0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Line:
    """One row: a value with its interval, and what it is compared with."""

    name: str
    text: str
    value: float
    low: float | None
    high: float | None
    control: float | None
    ceiling: float | None


def svg(lines: list[Line], title: str) -> str:
    """Return the plot as SVG; positions are percentages of the width."""
    ends = [number for line in lines for number in (line.value, line.low, line.control) if number is not None]
    start = min(-0.5, *ends)

    def at(value: float) -> str:
        return f"{2 + 96 * (value - start) / (1 - start):.2f}%"

    bottom = TOP + ROW * len(lines)
    parts = [
        f'<svg class="forest" role="img" width="100%" height="{bottom + BOTTOM}"'
        f' aria-label="{html.escape(title, quote=True)}">'
    ]
    for tick in TICKS:
        parts.append(f'<text class="tick" x="{at(tick)}" y="{bottom + 18}">{tick:g}</text>')
    for index, line in enumerate(lines):
        y = TOP + ROW * index + 30
        parts += [
            _stroke("zero" if tick == 0 else "grid", at(tick), y - 8, at(tick), y + 8) for tick in TICKS
        ]
        parts.append(f'<text class="name" x="0" y="{y - 12}">{html.escape(line.name)}</text>')
        parts.append(f'<text class="value" x="100%" y="{y - 12}">{html.escape(line.text)}</text>')
        if line.low is not None and line.high is not None:
            parts.append(_stroke("interval", at(line.low), y, at(line.high), y))
        if line.control is not None:
            parts.append(_stroke("control", at(line.control), y - 6, at(line.control), y + 6))
        if line.ceiling is not None:
            parts.append(_stroke("ceiling", at(line.ceiling), y - 6, at(line.ceiling), y + 6))
        parts.append(f'<circle class="point" cx="{at(line.value)}" cy="{y}" r="4.5"/>')
    return "".join([*parts, "</svg>"])


def _stroke(kind: str, x1: str, y1: float, x2: str, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
