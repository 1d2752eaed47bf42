"""sweep, topk and power: lines with bands, each named at its right end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.show.plots import canvas
from nlgauge.show.plots.labels import name_ends

Series = Mapping[str, Sequence[Mapping[str, Any]]]
# Column with the other parameters of a grid.
_LINE = "setting"
_MOST_TICKS = 10
_SETTINGS = ("metric", "other", "human", "effect", "inputs", "r1", "r2", "r12", "accuracy", "agreement")


def sweep(
    findings: Findings,
    parameter: str | None = None,
    *,
    by: str | None = None,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a value against a parameter, such as temperature, as lines with bands.

    Parameters
    ----------
    findings : Findings
        Rows with the columns `parameter`, `by` and value, such as rows of `nlgauge.meta.correlate` with a further column. The
        columns low and high define the band.
    parameter : str, optional
        Column of the parameter. Default for the points of `nlgauge.meta.sweep`: the numeric parameter with most values.
    by : str, optional
        Column that has one line per value. Default: the other parameters of `nlgauge.meta.sweep`, otherwise "metric".
    log : bool, default False
        Use a logarithmic axis for the parameter.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Raises
    ------
    InputError
        If a line has several rows with the same value of the parameter, or no parameter has numbers.

    Notes
    -----
    InfoLM 4 and 5 vary temperature and measure, Shannon 3 and 4 the size of the model and the number of preceding sentences,
    COSMIC 11 and 12 the length of summaries.

    Examples
    --------
    >>> from nlgauge.meta import Findings
    >>> rows = [{"metric": "chrf", "references": n, "value": value} for n, value in ((1, 0.4), (2, 0.5))]
    >>> sweep(Findings(rows), "references").get_lines()[0].get_ydata().tolist()
    [0.4, 0.5]
    """
    if parameter is None or (by is None and findings.made.get("analysis") == "sweep"):
        findings, parameter, by = _of_grid(findings, parameter, by)
    by = by or "metric"
    canvas.needed(findings, "sweep", parameter, by, "value")
    fixed = (name for name in ("human", "group", "level", "coefficient") if name not in (parameter, by))
    canvas.the_only(findings, *fixed)
    series = _series(findings, by)
    for name, rows in series.items():
        if len({row[parameter] for row in rows}) < len(rows):
            raise InputError(
                f"sweep needs one row for each value of {parameter!r}, but {name} has several; select some with"
                " .where(...)."
            )
    ax = _draw_lines(ax, series, parameter, "value")
    if log:
        ax.set_xscale("log")
        _name_values(ax, sorted({row[parameter] for row in findings.rows}))
    title = next(iter(series)) if len(series) == 1 else f"Agreement by {parameter}"
    canvas.titled(ax, title, parameter, _kind(findings, by) or "value")
    _name_lines(ax, series, parameter, "value")
    values = [row["value"] for row in findings.rows if np.isfinite(row["value"])] or [np.nan]
    return canvas.described(
        ax, f"{counted(len(findings), 'value')} by {parameter}, from {min(values):.3g} to {max(values):.3g}."
    )


def _name_values(ax: Axes, values: Sequence[float]) -> None:
    """Put ticks at the values if they are few; powers of ten would overlap or miss them."""
    if len(values) <= _MOST_TICKS:
        ax.minorticks_off()
        ax.set_xticks(values, [f"{value:g}" for value in values])


def _of_grid(findings: Findings, parameter: str | None, by: str | None) -> tuple[Findings, str, str]:
    """Return the points of a grid with their other parameters in one column, and the parameter of the axis."""
    parameters = list(findings.made.get("parameters", ()))
    numeric = [name for name in parameters if _has_numbers(findings.column(name))]
    if parameter is None and not numeric:
        raise InputError(
            "these rows have no parameter with numbers; name a column, or draw them with plots.forest."
        )
    parameter = parameter or max(numeric, key=lambda name: len(set(findings.column(name))))
    if by is not None:
        return findings, parameter, by
    others = [name for name in parameters if name != parameter]
    rows = [
        {**row, _LINE: ", ".join(f"{name} {row[name]}" for name in others) or "agreement"}
        for row in findings.rows
    ]
    return replace(findings, rows=rows), parameter, _LINE


def _has_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def topk(findings: Findings, *, ax: Axes | None = None) -> Axes:
    """Draw the agreement among the k best systems, one line per metric.

    Parameters
    ----------
    findings : Findings
        Rows of `nlgauge.meta.top_systems`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    canvas.needed(findings, "topk", "k", "metric", "value")
    canvas.the_only(findings, "human", "level", "coefficient")
    series = _series(findings, "metric")
    ax = _draw_lines(ax, series, "k", "value")
    ax.axhline(0, color=canvas.GRAY, linewidth=canvas.THIN, label="zero")
    title = next(iter(series)) if len(series) == 1 else "Agreement among the best k systems"
    canvas.titled(ax, title, "k best systems by people", _kind(findings))
    _name_lines(ax, series, "k", "value")
    return canvas.described(ax, f"Agreement among the best k systems of {', '.join(series)}.")


def power(findings: Findings, *, target: float = 0.8, ax: Axes | None = None) -> Axes:
    """Draw the power to detect a difference against the number of systems or items.

    Parameters
    ----------
    findings : Findings
        Rows of `nlgauge.meta.williams_power`, `nlgauge.meta.data_power` or `nlgauge.meta.mcnemar_power`.
    target : float, default 0.8
        Power at which a dashed line is drawn.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    Each difference has one line. The band is two standard errors of the simulation.
    """
    canvas.needed(findings, "power", "power")
    size = next((name for name in ("systems", "n") if name in findings.names), None)
    if size is None:
        raise InputError("power needs a column 'n' or 'systems', the sizes for which the power is known.")
    varying = [name for name in _SETTINGS if len({row.get(name) for row in findings.rows}) > 1]
    series: dict[str, list[dict[str, Any]]] = {}
    for row in findings.rows:
        error = 2 * row.get("standard_error", 0.0)
        bounds = {"low": max(0.0, row["power"] - error), "high": min(1.0, row["power"] + error)}
        name = _setting(row, varying or [name for name in _SETTINGS if name in row])
        series.setdefault(name, []).append({**row, **bounds})
    ax = _draw_lines(ax, series, size, "power")
    ax.set_ylim(0, 1.02)
    ax.axhline(target, color=canvas.GRAY, linewidth=canvas.LINE * 0.7, linestyle="--", label="target")
    title = findings.title or "Power" if len(series) > 1 else next(iter(series)) or findings.title
    items = "items" if findings.made.get("test") == "mcnemar" else "systems"
    alpha = f"power at alpha {findings.made['alpha']:g}" if "alpha" in findings.made else "power"
    canvas.titled(ax, title, f"number of {items}", alpha)
    _name_lines(ax, series, size, "power")
    return canvas.described(ax, f"Power by number of {items}.")


def _series(findings: Findings, by: str) -> dict[str, list[Mapping[str, Any]]]:
    return {
        str(name): [row for row in findings.rows if row[by] == name]
        for name in canvas.distinct(findings.rows, by)
    }


def _kind(findings: Findings, but: str = "") -> str:
    """Say which correlations the rows are."""
    first = findings.rows[0]
    names = (name for name in ("coefficient", "level", "human") if name in first and name != but)
    return ", ".join(str(first[name]) for name in names)


def _setting(row: Mapping[str, Any], names: list[str]) -> str:
    return ", ".join(
        f"{name} {row[name]:g}" if isinstance(row.get(name), float) else f"{name} {row.get(name)}"
        for name in names
    )


def _draw_lines(ax: Axes | None, series: Series, x: str, y: str) -> Axes:
    """Return the axes with one line per series, in the order of x; NaN leaves a gap, and known bounds make
    a band.
    """
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.5, max(2.5, 0.14 * len(series) + 0.8), "y")
    for (name, rows), look in zip(series.items(), canvas.looks(len(series)), strict=True):
        ordered = sorted(rows, key=lambda row: row[x])
        at, values, lower, upper = (_column(ordered, column) for column in (x, y, "low", "high"))
        ax.fill_between(at, lower, upper, color=look.color, alpha=0.1, linewidth=0.5, label=f"band {name}")
        marks: Any = {"marker": look.marker, "markersize": 3, "markevery": max(1, len(at) // 12)}
        ax.plot(
            at, values, color=look.color, linestyle=look.dashes, linewidth=canvas.LINE, label=name, **marks
        )
    canvas.few_ticks(
        ax.xaxis, 6, whole=all(float(row[x]).is_integer() for rows in series.values() for row in rows)
    )
    canvas.few_ticks(ax.yaxis)
    return ax


def _name_lines(ax: Axes, series: Series, x: str, y: str) -> None:
    """Name lines at their last known points; the name of a single line is in the title."""
    ends = []
    for rows in series.values():
        known = [(row[x], row[y]) for row in sorted(rows, key=lambda row: row[x]) if np.isfinite(row[y])]
        ends.append(known[-1] if known else (np.nan, np.nan))
    if len(series) > 1:
        name_ends(ax, ends, list(series), canvas.looks(len(series)))


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> Array:
    return np.array([row.get(name, np.nan) for row in rows], dtype=np.float64)
