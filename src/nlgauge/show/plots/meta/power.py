"""power: how many systems it takes to find a difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import GREY, LINE, needed, titled
from nlgauge.show.plots.meta.lines import draw_lines, name_lines

_SETTINGS = ("metric", "other", "human", "effect", "inputs", "r1", "r2", "r12", "accuracy", "agreement")


def power(found: Findings, *, target: float = 0.8, figure: Any = None) -> Any:
    """The rows of `power` (Williams, data or McNemar): one line per difference over the number of systems or
    items, and a dashed one at the target.

    The band is two standard errors of the simulation.
    """
    needed(found, "power", "power")
    size = next((name for name in ("systems", "n") if name in found.names), None)
    if size is None:
        raise InputError("power needs a column 'n' or 'systems', the sizes for which the power is known.")
    varying = [name for name in _SETTINGS if len({row.get(name) for row in found.rows}) > 1]
    series: dict[str, list[dict[str, Any]]] = {}
    for row in found.rows:
        error = 2 * row.get("standard_error", 0.0)
        bounds = {"low": max(0.0, row["power"] - error), "high": min(1.0, row["power"] + error)}
        series.setdefault(_named(row, varying or [name for name in _SETTINGS if name in row]), []).append(
            {**row, **bounds}
        )
    figure, ax = draw_lines(figure, series, size, "power")
    ax.set_ylim(0, 1.02)
    ax.axhline(target, color=GREY, linewidth=LINE * 0.7, linestyle="--", label="target")
    title = found.title or "Power" if len(series) > 1 else next(iter(series)) or found.title
    items = "items" if found.made.get("test") == "mcnemar" else "systems"
    titled(
        ax,
        title,
        f"number of {items}",
        f"power at alpha {found.made['alpha']:g}" if "alpha" in found.made else "power",
    )
    name_lines(ax, series, size, "power")
    return figure


def _named(row: Mapping[str, Any], names: list[str]) -> str:
    return ", ".join(
        f"{name} {row[name]:g}" if isinstance(row.get(name), float) else f"{name} {row.get(name)}"
        for name in names
    )
