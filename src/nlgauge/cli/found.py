"""What `nlgauge meta` prints of an analysis, in every form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from nlgauge.cli.commands.meta.study import FoundOptions
from nlgauge.cli.output import emit, say, show, show_json
from nlgauge.cli.present import written

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings

# What a table has even where it is not known in any row.
_ALWAYS = ("value", "delta", "better", "estimate", "needed")


def show_found(found: Findings, columns: Sequence[str], shown: FoundOptions, by: Sequence[str] = ()) -> None:
    """Prints all columns for programs (json, csv, tsv), these columns for readers, and how the rows were
    made.

    `by` names columns of which each combination has a table of its own.
    """
    form = shown.form
    if form == "json":
        show_json(
            {"made": dict(found.made), "notes": list(found.notes), "rows": [dict(row) for row in found.rows]}
        )
    elif form != "table":
        whole = shown.details or form in ("csv", "tsv")
        emit(written(found if whole else _with_columns(found, _told(found, columns)), form, shown.quiet))
    else:
        _show_tables(found, columns, shown.details, by)
        if not shown.quiet:
            say(", ".join(f"{name}: {value}" for name, value in found.made.items()))


def _show_tables(found: Findings, columns: Sequence[str], details: bool, by: Sequence[str]) -> None:
    """What is the same in all rows of a table stands in its title; reasons stand below."""
    from nlgauge._core.page import Page
    from nlgauge.show.writers.text import Printed

    sheets = []
    for key in dict.fromkeys(tuple(row.get(name) for name in by) for row in found.rows):
        part = replace(
            found,
            rows=[row for row in found.rows if tuple(row.get(name) for name in by) == key],
            made={},
            notes=(),
        )
        told = [name for name in part.names if name != "ceiling_reason"] if details else _told(part, columns)
        same = [
            name
            for name in ("human", "group", "level", "coefficient")
            if name in told and len(set(part.column(name))) == 1
        ]
        title = ": ".join(
            filter(None, ["" if by else found.title, ", ".join(str(part[0][name]) for name in same)])
        )
        sheets += (
            replace(_with_columns(part, [name for name in told if name not in same]), title=title)
            ._page(4 if details else 3)
            .sheets()
        )
    show(Printed(Page(sheets, (), (*found.notes, *_reasons(found)))))


def _told(found: Findings, columns: Sequence[str]) -> list[str]:
    """The columns that are shown, without those that say nothing in any row."""
    known = [name for name in columns if name in found.names]
    return [
        name for name in known if name in _ALWAYS or not all(_unknown(value) for value in found.column(name))
    ]


def _unknown(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and isnan(value))


def _with_columns(found: Findings, names: Sequence[str]) -> Findings:
    return replace(found, rows=[{name: row.get(name) for name in names} for row in found.rows])


def _reasons(found: Findings) -> list[str]:
    """Why something is not known or to be read with care, each reason once with what it is of."""
    by_reason: dict[tuple[str, str], dict[str, None]] = {}
    for row in found.rows:
        if row.get("reason"):
            called = " - ".join(str(row[name]) for name in ("metric", "system", "other") if row.get(name))
            by_reason.setdefault((row["reason"], row.get("level", "")), {})[called] = None
    of_rows = [
        f"{', '.join(called)}{level and f' ({level})'}: {reason}"
        for (reason, level), called in by_reason.items()
    ]
    return [*_without_ceiling(found), *of_rows]


def _without_ceiling(found: Findings) -> list[str]:
    """Which human scores have no ceiling and why; the levels are named where others have one."""
    levels: dict[tuple[str, str], dict[str, None]] = {}
    for row in found.rows:
        if row.get("ceiling_reason"):
            levels.setdefault((row["human"], row["ceiling_reason"]), {})[row["level"]] = None
    every = {row.get("level") for row in found.rows}
    where = {key: "" if set(at) == every else f" ({', '.join(at)})" for key, at in levels.items()}
    return [f"no ceiling for {human}{where[human, reason]}: {reason}" for human, reason in levels]
