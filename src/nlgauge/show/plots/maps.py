"""agreement, human_map and profiles: which metrics say the same, what people say to it, and on which task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import AVERAGE
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.results.result import Result
from nlgauge.show.plots.canvas import (
    COLUMN,
    DIVERGING,
    GREY,
    LINE,
    SMALL,
    THIN,
    decimals,
    distinct,
    few_ticks,
    looks,
    named_ticks,
    plain,
    room,
    titled,
)
from nlgauge.show.plots.columns import columns, given_numbers, human_judgments, segment_scores
from nlgauge.show.plots.place import on_figure, one_axes, told

_COEFFICIENTS = ("spearman", "pearson", "kendall")


def agreement(given: Result | Judgments | Findings, coefficient: str = "spearman", *, ax: Any = None) -> Any:
    """A map of metric by metric with their correlations, alike ones side by side, and their tree (thesis 4.2,
    InfoLM 2, COSMIC 5).

    Of a result the scores of all segments of all systems are pooled, turned so that more is better, and
    numbers that came with the texts (human scores) are among them. Judgments give `between_metrics`, and its
    rows can be given themselves.
    """
    from nlgauge.show.plots import meta as plots

    if coefficient not in _COEFFICIENTS:
        raise ParameterError(
            f"coefficient must be one of {', '.join(_COEFFICIENTS)}; got {coefficient!r:.60}."
        )
    if isinstance(given, Result):
        found = _pooled(given, coefficient)
    else:
        found = given.between_metrics(coefficient=coefficient) if isinstance(given, Judgments) else given
    ordered = sorted(found.rows, key=lambda row: -row["value"] if np.isfinite(row["value"]) else np.inf)
    said = f"Correlations between {len(distinct(found.rows, 'metric')) + 1} metrics"
    if ordered:
        ends = [
            f"{row['metric']} and {row['other']} {decimals(row['value'])}"
            for row in (ordered[0], ordered[-1])
        ]
        said += f": most alike {ends[0]}, least {ends[1]}"
    return on_figure(plots.heatmap, ax, found, said=f"{said}.")


def _pooled(result: Result, coefficient: str) -> Findings:
    from nlgauge.show.page_data.agreement import _correlation

    flat = {}
    for column in columns(result):
        values = segment_scores(result, column)
        if values is not None:
            flat[column.name] = values.ravel() * (-1 if column.output.higher_is_better is False else 1)
    flat.update({name: values.ravel() for name, values in given_numbers(result).items()})
    if len(flat) < 2:
        raise InputError("agreement needs two scores of segments.")
    names = list(flat)
    rows = [
        {
            "metric": one,
            "other": other,
            "level": "pooled",
            "coefficient": coefficient,
            "value": _correlation(flat[one], flat[other], coefficient),
        }
        for i, one in enumerate(names)
        for other in names[i + 1 :]
    ]
    return Findings(rows)


def human_map(
    given: Result | Judgments | Findings | Mapping[str, Mapping[str, float]],
    level: str | None = None,
    coefficient: str | None = None,
    *,
    humans: str | Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw a map of metric by human dimension (thesis A.4), or of any other two names: the biases of metrics
    (`nlgauge.meta.papers.shannon.biases`).

    The scores of a result are correlated with the fields that `humans` names, by default with all that hold
    human scores; those of judgments with every dimension: at the system level (one system: at the global
    level) by Kendall's coefficient, unless `level` and `coefficient` say otherwise. The rows of
    `nlgauge.meta.correlation` have their own; of several levels, coefficients or groups one must be chosen. A
    mapping has numbers by metric, then by name.
    """
    title = "Correlations"
    if isinstance(given, Result):
        given = human_judgments(given, humans)
    systems = len(given.systems) if isinstance(given, Judgments) else None
    if isinstance(given, Judgments):
        usual = "global" if systems == 1 else "system"
        given = given.correlate(level=level or usual, coefficient=coefficient or "kendall", interval=None)
        if given.rows and "group" in given.names:
            given = given.where(group=AVERAGE)
    if isinstance(given, Findings):
        rows = _single(given, level, coefficient)
        title = _map_title(rows, systems)
        table: Mapping[str, Mapping[str, float]] = {
            metric: {row["human"]: row["value"] for row in rows if row["metric"] == metric}
            for metric in distinct(rows, "metric")
        }
    else:
        table = given
    names = list(table)
    across = list(dict.fromkeys(name for row in table.values() for name in row))
    if not across:
        raise InputError("human_map needs rows, there are none.")
    values = np.array([[table[name].get(one, np.nan) for one in across] for name in names], dtype=np.float64)
    ax = one_axes(
        ax, max(2.6, 0.42 * len(across) + room(names) + 0.6), max(1.6, 0.24 * len(names) + room(across) + 0.5)
    )
    ax.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        ax.text(
            j,
            i,
            decimals(value).replace("0.", "."),
            ha="center",
            va="center",
            color="white" if abs(value) > 0.75 else "black",
            **plain(SMALL),
        )
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    named_ticks(ax.yaxis, names)
    named_ticks(ax.xaxis, across, rotation=90)
    titled(ax, title)
    best = [
        f"{one}: {names[int(np.nanargmax(column))]}"
        for one, column in zip(across, values.T, strict=True)
        if np.isfinite(column).any()
    ]
    return told(ax, f"{title}, {counted(len(names), 'metric')}; the highest for {', '.join(best) or 'none'}.")


def _single(found: Findings, level: str | None, coefficient: str | None) -> Sequence[Mapping[str, Any]]:
    """Return the rows of the level and coefficient asked for; refuse a table that has several values for
    one cell of the map.
    """
    if missing := [name for name in ("metric", "human", "value") if found.rows and name not in found.names]:
        raise InputError(
            f"human_map needs the columns metric, human and value; {', '.join(missing)} is missing."
        )
    rows = found.rows
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
        choices = [
            f"found.where({column}=...)" if column == "group" else f"{column}=..." for column in several
        ]
        raise InputError(
            f"the table has several values for each cell of the map ({listed}); choose one:"
            f" {', '.join(choices)}."
        )
    cells = [(row["metric"], row["human"]) for row in rows]
    if twice := next((cell for cell in cells if cells.count(cell) > 1), None):
        raise InputError(
            f"the table has several rows of {twice[0]} and {twice[1]}; human_map needs one for each cell."
        )
    if rows and not any(np.isfinite(row["value"]) for row in rows):
        why = next((row["reason"] for row in rows if row.get("reason")), "all are missing")
        raise InputError(
            f"human_map has no correlation to draw at the {rows[0].get('level', 'given')} level: {why};"
            " choose another with level=...."
        )
    return rows


def _map_title(rows: Sequence[Mapping[str, Any]], systems: int | None) -> str:
    """Return which correlations these rows hold and over how many points; `systems` is how many systems
    there are, None if unknown.
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


def profiles(
    found: Findings, over: str = "group", *, by: str = "metric", highlight: Sequence[str] = (), ax: Any = None
) -> Any:
    """One metric's correlations over tasks and data sets as a line, the others beside it (COSMIC 4);
    `highlight` names those that are drawn strong.

    Rows need the columns `over`, `by` and value.
    """
    if not found.rows or any(name not in found.names for name in (over, by, "value")):
        raise InputError(
            f"profiles needs rows with the columns {over}, {by} and value; there are"
            f" {', '.join(found.names) or 'none'}."
        )
    places = [str(value) for value in distinct(found.rows, over)]
    names = [str(value) for value in distinct(found.rows, by)]
    for name in highlight:
        if name not in names:
            raise ParameterError(f"there is no {by} {name!r}; there are {', '.join(names)}.")
    ax = one_axes(ax, max(COLUMN, 0.5 * len(places) + 1.2), 2.6 + room(places) * 0.7, "y")
    said = []
    for name, look in zip(names, looks(len(names)), strict=True):
        rows = {str(row[over]): row["value"] for row in found.rows if str(row[by]) == name}
        values = np.array([rows.get(place, np.nan) for place in places], dtype=np.float64)
        strong = not highlight or name in highlight
        width = LINE * (1.4 if strong and highlight else 1.0)
        style = {
            "color": look.colour if strong else GREY,
            "linestyle": look.dashes,
            "marker": look.marker,
            "linewidth": width if strong else THIN,
        }
        ax.plot(range(len(places)), values, markersize=3, label=name, **style)
        said.append(
            f"{name} from {decimals(float(np.nanmin(values)))} to {decimals(float(np.nanmax(values)))}"
            if np.isfinite(values).any()
            else name
        )
    ax.axhline(0, color=GREY, linewidth=THIN, label="_zero")
    named_ticks(ax.xaxis, places, rotation=90)
    few_ticks(ax.yaxis)
    first = found.rows[0]
    titled(ax, f"Correlations over {over}", "", str(first.get("coefficient", "correlation")))
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=SMALL)
    return told(ax, f"Correlations over {len(places)} of {over}: {'; '.join(said)}.")
