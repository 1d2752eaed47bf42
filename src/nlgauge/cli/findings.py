"""Output of `nlgauge meta`: findings in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from nlgauge.cli.commands.meta.study import FindingOptions
from nlgauge.cli.output import emit, say, show, show_json
from nlgauge.cli.present import written

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings

# Columns of a table even if no row has a value.
_ALWAYS = ("value", "delta", "better", "estimate", "needed")


def show_findings(
    findings: Findings, columns: Sequence[str], shown: FindingOptions, by: Sequence[str] = ()
) -> None:
    """Print all columns for programs (json, csv, tsv), these columns for readers, and the settings.

    There is one table for each combination of values in the columns `by`.
    """
    form = shown.form
    if form == "json":
        rows = [dict(row) for row in findings.rows]
        show_json({"made": dict(findings.made), "notes": list(findings.notes), "rows": rows})
    elif form != "table":
        whole = shown.details or form in ("csv", "tsv")
        table = findings if whole else _with_columns(findings, _filled(findings, columns))
        emit(written(table, form, shown.quiet))
    else:
        _show_tables(findings, columns, shown.details, by)
        if not shown.quiet:
            say(", ".join(f"{name}: {value}" for name, value in findings.made.items()))


def _show_tables(findings: Findings, columns: Sequence[str], details: bool, by: Sequence[str]) -> None:
    """Print tables; values that all rows share are in the title, and reasons below the tables."""
    from nlgauge._core.page import Page
    from nlgauge.show.writers.text import Printed

    sheets = []
    for key in dict.fromkeys(tuple(row.get(name) for name in by) for row in findings.rows):
        part = replace(
            findings,
            rows=[row for row in findings.rows if tuple(row.get(name) for name in by) == key],
            made={},
            notes=(),
        )
        names = (
            [name for name in part.names if name != "ceiling_reason"] if details else _filled(part, columns)
        )
        same = [
            name
            for name in dict.fromkeys((*by, "human", "group", "level", "coefficient"))
            if name in names and len(set(part.column(name))) == 1
        ]
        title = ": ".join(
            filter(None, ["" if by else findings.title, ", ".join(str(part[0][name]) for name in same)])
        )
        table = replace(_with_columns(part, [name for name in names if name not in same]), title=title)
        sheets += table._page(4 if details else 3).sheets()
    show(Printed(Page(sheets, (), (*findings.notes, *_reasons(findings)))))


def _filled(findings: Findings, columns: Sequence[str]) -> list[str]:
    """Return the columns that have a value in some row."""
    return [
        name
        for name in columns
        if name in findings.names
        and (name in _ALWAYS or not all(_is_empty(value) for value in findings.column(name)))
    ]


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and isnan(value))


def _with_columns(findings: Findings, names: Sequence[str]) -> Findings:
    return replace(findings, rows=[{name: row.get(name) for name in names} for row in findings.rows])


def _reasons(findings: Findings) -> list[str]:
    """Return why values are missing or need care; each reason once, with the metrics or systems."""
    subjects: dict[tuple[str, str], dict[str, None]] = {}
    for row in findings.rows:
        if row.get("reason"):
            subject = " - ".join(
                str(row[name]) for name in ("metric", "sentinel", "system", "other") if row.get(name)
            )
            subjects.setdefault((row["reason"], row.get("level", "")), {})[subject] = None
    of_rows = [
        f"{', '.join(names)}{level and f' ({level})'}: {reason}"
        for (reason, level), names in subjects.items()
    ]
    return [*_without_ceiling(findings), *of_rows]


def _without_ceiling(findings: Findings) -> list[str]:
    """Return which human scores have no ceiling, and why; levels are named if other levels have one."""
    levels: dict[tuple[str, str], dict[str, None]] = {}
    for row in findings.rows:
        if row.get("ceiling_reason"):
            levels.setdefault((row["human"], row["ceiling_reason"]), {})[row["level"]] = None
    every = {row.get("level") for row in findings.rows}
    named = {key: "" if set(at) == every else f" ({', '.join(at)})" for key, at in levels.items()}
    return [f"no ceiling for {human}{named[human, reason]}: {reason}" for human, reason in levels]
