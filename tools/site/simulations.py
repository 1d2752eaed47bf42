"""Pictures of simulations, drawn from the tables of the pages in docs/statistics."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge import plots
from nlgauge.show.plots import canvas
from tools.site.files import ROOT, Target

PAGES = ROOT / "docs" / "statistics"
WIDTH = 4.8  # inches; names stay readable on a phone
# A value, or the lowest and the highest value of several metrics.
Range = tuple[float, float]
Series = Mapping[str, Mapping[str, Range]]


def write(target: Target) -> None:
    """Draw all pictures."""
    for name, draw in PICTURES.items():
        with tempfile.TemporaryDirectory() as scratch:
            file = plots.save(draw(), Path(scratch) / f"{name}.svg")
            target.write(f"statistics/pictures/{name}.svg", file.read_bytes())


def rows(page: str, first: str) -> list[dict[str, str]]:
    """Return the rows of a table of a page, by heading; `first` is the heading of its first column."""
    text = (PAGES / page).read_text("utf-8")
    found = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-| ]*\n((?:\|.*\n)+)", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{page} has no table whose first column is {first}")
    headings = _cells(found[0].splitlines()[0])
    return [dict(zip(headings, _cells(line), strict=True)) for line in found[1].splitlines()]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def numbers(cell: str) -> Range | None:
    """Return the numbers of a cell such as "0.79 to 0.86" or "4.9%" as shares; None if the cell is empty.

    >>> numbers("0.79 to 0.86"), numbers("4.9%"), numbers("")
    ((0.79, 0.86), (0.049, 0.049), None)
    """
    values = [float(number) for number in re.findall(r"[\d.]+", cell)]
    if not values:
        return None
    scale = 100 if cell.endswith("%") else 1
    return values[0] / scale, values[-1] / scale


def series(table: Iterable[Mapping[str, str]], name: str, columns: Mapping[str, str]) -> Series:
    """Return the values of some columns, each with the name that a legend shows, by the row's cell `name`."""
    lines: dict[str, dict[str, Range]] = {legend: {} for legend in columns.values()}
    for row in table:
        for column, legend in columns.items():
            value = numbers(row[column])
            if value is not None:
                lines[legend][row[name]] = value
    return lines


def dots(ax: Any, values: Series, x: str, expected: float | None, title: str = "") -> list[Any]:
    """Draw one row per name and one mark per series, ranges as lines; return the marks for a legend."""
    names = list(dict.fromkeys(name for line in values.values() for name in line))
    canvas.bare(ax, grid="x")
    if expected is not None:
        ax.axvline(expected, color=canvas.GRAY, linewidth=canvas.LINE * 0.7, linestyle="--")
    handles = []
    for index, (look, line) in enumerate(zip(canvas.looks(len(values)), values.values(), strict=True)):
        shift = 0.5 * (index - (len(values) - 1) / 2) / max(len(values), 2)
        for name, (low, high) in line.items():
            place = names.index(name) + shift
            canvas.interval(ax, low, high, place, look.color)
            marks = ax.plot([low, high], [place] * 2, look.marker, color=look.color, markersize=4)
        handles.append(marks[0])
    canvas.named_ticks(ax.yaxis, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    canvas.titled(ax, title, x)
    return handles


def picture(values: Series, x: str, expected: float | None, limits: Range) -> Any:
    """Return one panel with a legend below it."""
    count = len({name for line in values.values() for name in line})
    ax = canvas.one_axes(None, WIDTH, 1.0 + 0.26 * count)
    handles = dots(ax, values, x, expected)
    ax.set_xlim(*limits)
    if len(values) > 1:
        canvas.legend_below(ax, handles, min(len(values), 2), labels=list(values))
    return ax


# The settings of the tables on correlations that pictures show.
LEVELS = {
    "16, Pearson": "system level, Pearson",
    "16, Kendall": "system level, Kendall",
    "input Pearson": "input level, Pearson",
    "global Pearson": "global level, Pearson",
}


def coverage() -> Any:
    """Draw the coverage of intervals of scores."""
    table = [row for row in rows("simulations.md", "segments") if row["coverage of 95% intervals"]]
    values = series(
        _counted(table), "segments", {"coverage of 95% intervals": "lowest and highest of four metrics"}
    )
    return picture(values, "coverage of 95% intervals", 0.95, (0.75, 1.0))


def type_one_error() -> Any:
    """Draw how often tests of equal systems are significant."""
    columns = {f"type I error: {test}": test for test in ("randomization", "bootstrap")}
    table = [row for row in rows("simulations.md", "segments") if row["type I error: bootstrap"]]
    values = series(_counted(table), "segments", columns)
    return picture(values, "type I error at the 5% level", 0.05, (0.0, 0.15))


def _counted(table: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{**row, "segments": f"{row['segments']} segments"} for row in table]


def errors() -> Any:
    """Draw how often tests between equal metrics are significant."""
    first = "test, share of p <= .05"
    values = series(rows("meta-tests.md", first), first, LEVELS)
    return picture(values, "type I error at the 5% level, claim about new systems", 0.05, (0.0, 0.5))


def noise() -> Any:
    """Draw how the type I error of tests depends on the noise of one of two metrics."""
    first = "16 systems, system level, share of p <= .05"
    columns = {f"noise 1 and {factor}": f"noise 1 and {factor}" for factor in (1, 3, 6, 10)}
    return picture(
        series(rows("meta-scale.md", first), first, columns), "type I error at the 5% level", 0.05, (0.0, 0.1)
    )


def correlations() -> Any:
    """Draw the coverage of intervals of correlations."""
    table = [row for row in rows("meta-intervals.md", "interval") if "BCa" not in row["interval"]]
    return picture(series(table, "interval", LEVELS), "coverage of 95% intervals", 0.95, (0.5, 1.01))


def corrections() -> Any:
    """Draw false and true claims by correction."""
    table = rows("meta-many.md", "correction")
    axes = canvas.panels(None, 2, 1, WIDTH, 4.8)
    for ax, column, title, expected in (
        (axes[0, 0], "16 systems", "Any false claim about 15 equal pairs", 0.05),
        (axes[1, 0], "found of 9 differences", "Share of 9 true differences that is found", None),
    ):
        dots(ax, series(table, "correction", {column: ""}), "share", expected, title)
    axes[0, 0].set_xlim(0.0, 0.5)
    axes[1, 0].set_xlim(0.0, 1.02)
    return axes


def power() -> Any:
    """Draw how often tests find a better metric."""
    first = "24 systems, share of p <= .05"
    columns = {
        "noise 1 of the better, 1 of the worse": "equal noise",
        "noise 1 of the better, 4 of the worse": "the worse metric has noise 4",
        "noise 4 of the better, 1 of the worse": "the better metric has noise 4",
    }
    return picture(
        series(rows("power.md", first), first, columns), "power at the 5% level", None, (0.0, 1.02)
    )


def missing() -> Any:
    """Draw how often rules for missing scores call one of two equal systems better or worse."""
    table = [
        {**row, **{rule: _either(row[rule]) for rule in ("own", "common", "worst", "nlgauge")}}
        for row in rows("missing-scores.md", "simulation")[:5]
    ]
    values = series(table, "simulation", {rule: rule for rule in ("own", "common", "worst", "nlgauge")})
    return picture(values, "type I error at the 5% level", 0.05, (-0.02, 1.0))


def _either(cell: str) -> str:
    """Return the sum of the shares of "better / worse"."""
    better, worse = map(float, cell.split(" / "))
    return f"{better + worse:.3f}"


def few_labels() -> Any:
    """Draw coverage and width of estimates from few labels."""
    table = [
        {**row, "labels": f"{row['labels']} labels"}
        for row in rows("few-labels-simulations.md", "scores")
        if (row["correlation"], row["drawn"], row["generalize_to"], row["estimated"])
        == ("0.6", "segments", "none", "means")
    ]
    axes = canvas.panels(None, 2, 1, WIDTH, 3.2)
    kinds = ("normal", "bounded", "skewed")
    for ax, column, title, expected in (
        (axes[0, 0], "coverage", "Coverage of 95% intervals", 0.95),
        (axes[1, 0], "width", "Width relative to only the labels", 1.0),
    ):
        values = {
            kind: series([row for row in table if row["scores"] == kind], "labels", {column: kind})[kind]
            for kind in kinds
        }
        handles = dots(ax, values, column, expected, title)
    canvas.legend_below(axes, handles, 3, labels=[f"{kind} scores" for kind in kinds])
    axes[0, 0].set_xlim(0.85, 1.0)
    axes[1, 0].set_xlim(0.5, 1.05)
    return axes


PICTURES: dict[str, Callable[[], Any]] = {
    "coverage": coverage,
    "type-one-error": type_one_error,
    "errors": errors,
    "noise": noise,
    "coverage-of-correlations": correlations,
    "corrections": corrections,
    "power": power,
    "missing-scores": missing,
    "few-labels": few_labels,
}
