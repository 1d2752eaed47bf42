"""human_map: how well metrics agree with each dimension of human scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError
from nlgauge.meta.correlation import AVERAGE
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.results.result import Result
from nlgauge.show.plots.canvas import SMALL, described, distinct, map_of, one_axes, room, titled
from nlgauge.show.plots.results.columns import human_judgments


def human_map(
    data: Result | Judgments | Findings | Mapping[str, Mapping[str, float]],
    level: str | None = None,
    coefficient: str | None = None,
    *,
    human: str | Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the correlations of metrics with human dimensions, or any numbers by two names.

    Parameters
    ----------
    data : Result, Judgments, Findings or mapping
        Results and judgments are correlated first. Rows of `nlgauge.meta.correlate` are drawn directly; if they have several
        levels, coefficients or groups, select one. A mapping has numbers by metric, then by name, such as the biases of
        metrics (`nlgauge.meta.papers.shannon.biases`).
    level : str, optional
        Level of the correlation. Default: system; global if there is one system.
    coefficient : str, optional
        Coefficient. Default: Kendall's tau-b.
    human : str or sequence of str, optional
        Fields of a result with human scores. Default: all fields with human scores.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    This is Figure A.4 of the NLG-Metricverse thesis.
    """
    title = "Correlations"
    if isinstance(data, Result):
        data = human_judgments(data, human)
    systems = len(data.systems) if isinstance(data, Judgments) else None
    if isinstance(data, Judgments):
        usual = "global" if systems == 1 else "system"
        data = data.correlate(level=level or usual, coefficient=coefficient or "kendall", interval=None)
        if data.rows and "group" in data.names:
            data = data.where(group=AVERAGE)
    if isinstance(data, Findings):
        rows = _single(data, level, coefficient)
        title = _map_title(rows, systems)
        table: Mapping[str, Mapping[str, float]] = {
            metric: {row["human"]: row["value"] for row in rows if row["metric"] == metric}
            for metric in distinct(rows, "metric")
        }
    else:
        table = data
    names = list(table)
    across = list(dict.fromkeys(name for row in table.values() for name in row))
    if not across:
        raise InputError("human_map needs rows, but the table is empty.")
    values = np.array([[table[name].get(other, np.nan) for other in across] for name in names])
    width, height = 0.42 * len(across) + room(names) + 0.6, 0.24 * len(names) + room(across) + 0.5
    ax = one_axes(ax, max(2.6, width), max(1.6, height))
    map_of(ax, values, names, across, SMALL)
    titled(ax, title)
    best = [
        f"{name}: {names[int(np.nanargmax(column))]}"
        for name, column in zip(across, values.T, strict=True)
        if np.isfinite(column).any()
    ]
    listed = ", ".join(best) or "none"
    return described(ax, f"{title}, {counted(len(names), 'metric')}; the highest for {listed}.")


def _single(findings: Findings, level: str | None, coefficient: str | None) -> Sequence[Mapping[str, Any]]:
    """Return the rows of the selected level and coefficient; refuse a table that has several values for
    one cell of the map.
    """
    if missing := [
        name for name in ("metric", "human", "value") if findings.rows and name not in findings.names
    ]:
        raise InputError(
            f"human_map needs the columns metric, human and value, but {', '.join(missing)} is missing."
        )
    rows = findings.rows
    for column, wanted in (("level", level), ("coefficient", coefficient)):
        if wanted is not None and (there := distinct(rows, column)) and wanted not in there:
            raise InputError(f"the table has no {column} {wanted!r}; it has {', '.join(map(str, there))}.")
        rows = [row for row in rows if wanted is None or row.get(column, wanted) == wanted]
    several = {
        column: there
        for column in ("level", "coefficient", "group")
        if len(there := distinct(rows, column)) > 1
    }
    if several:
        listed = "; ".join(f"{column} {', '.join(map(str, there))}" for column, there in several.items())
        choices = [f".where({column}=...)" if column == "group" else f"{column}=..." for column in several]
        raise InputError(
            f"the table has several values for each cell of the map ({listed})",
            python=f"choose one: {', '.join(choices)}",
            cli=f"choose one with {' and '.join(f'--{column}' for column in several)}",
        )
    cells = [(row["metric"], row["human"]) for row in rows]
    if twice := next((cell for cell in cells if cells.count(cell) > 1), None):
        raise InputError(
            f"the table has several rows of {twice[0]} and {twice[1]}; pass one per cell of the map."
        )
    if rows and not any(np.isfinite(row["value"]) for row in rows):
        why = next((row["reason"] for row in rows if row.get("reason")), "all are missing")
        raise InputError(
            f"human_map has no correlation to draw at the {rows[0].get('level', 'specified')} level ({why})",
            python="choose another with level=LEVEL",
            cli="choose another with --level",
        )
    return rows


def _map_title(rows: Sequence[Mapping[str, Any]], systems: int | None) -> str:
    """Return the name of the correlations of these rows and their number of points; `systems` is the number
    of systems, None if unknown.
    """
    first = rows[0] if rows else {}
    parts = [str(first.get("coefficient", "correlations")).capitalize()]
    if level := first.get("level"):
        parts.append(f"{level} level")
    averaged = (
        "group"
        if first.get("group") == AVERAGE
        else {"input": "input", "by_system": "system"}.get(str(level))
    )
    counts = sorted({int(row["n_groups" if averaged else "n"]) for row in rows if "n" in row})
    if counts:
        kind = averaged or ("system" if level == "system" else "text")
        many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        whose = " of one system" if systems == 1 and kind == "text" else ""
        parts.append(
            f"{'mean of' if averaged else 'n ='} {many} {kind}{'' if counts[-1] == 1 else 's'}{whose}"
        )
    return ", ".join(parts)
