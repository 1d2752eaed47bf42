"""Found: what an analysis found, as rows of plain values, and how it was made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from nlgauge.errors import UnknownNameError, did_you_mean
from nlgauge.export.model import Cell, Page, Sheet, column
from nlgauge.export.shown import Exported
from nlgauge.results.frames import as_frame


@dataclass(frozen=True, eq=False, repr=False)
class Found(Exported):
    """Rows of plain values (one dictionary per row, all with the same names), and `made`: seed, draws, rule, versions.

    >>> found = Found([{"metric": "chrf", "value": 0.5}], {"seed": 1}, "Correlations")
    >>> found.column("value"), len(found), found.where(metric="bleu").rows
    ([0.5], 1, [])
    """

    rows: Sequence[Mapping[str, Any]]
    made: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    notes: Sequence[str] = ()

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        return self.rows[place]

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def column(self, name: str) -> list[Any]:
        """One value per row."""
        if self.rows and name not in self.names:
            raise UnknownNameError(f"there is no column {name!r}{did_you_mean(str(name), self.names)}; there are {', '.join(self.names)}.")
        return [row.get(name) for row in self.rows]

    def where(self, **conditions: Any) -> Self:
        """The rows whose columns have these values; a list asks for any of its items."""
        wanted = {name: one if isinstance(one, list | tuple | set | frozenset) else [one] for name, one in conditions.items()}
        columns = [[value in wanted[name] for value in self.column(name)] for name in wanted]
        return replace(self, rows=[row for row, *right in zip(self.rows, *columns, strict=True) if all(right)])

    def frame(self, frame: str | None = None) -> Any:
        """A pandas or polars frame, whichever is installed, else a list of dictionaries; pandas frames hold `made` in .attrs."""
        found = as_frame([dict(row) for row in self.rows], frame)
        if hasattr(found, "attrs"):
            found.attrs.update(self.made)
        return found

    def page(self, decimals: int = 4) -> Page:
        """One table of all rows; the small print says how they were made."""
        names = self.names
        numeric = {name for name in names if all(isinstance(row.get(name), int | float | np.number | None) for row in self.rows)}
        columns = [column(name, "number" if name in numeric else "words") for name in names]
        cells = [[Cell(_shown(row.get(name), decimals)) for name in names] for row in self.rows]
        small_print = [", ".join(f"{name}: {_shown(value, 6)}" for name, value in self.made.items())] if self.made else []
        return Page([Sheet(columns, cells, self.title)], (), tuple(self.notes), small_print)

    def _short_page(self) -> Page:
        return self.page()

    def _csv_records(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.rows]


def made(**how: Any) -> dict[str, Any]:
    """How something was made, with the versions that made it; what is None is left out."""
    from nlgauge.metric.versions import installed_version

    versions = {package: installed_version(package) for package in ("nlgauge", "numpy", "scipy")}
    return {
        **{name: value for name, value in how.items() if value is not None},
        "versions": " ".join(f"{name} {text}" for name, text in versions.items()),
    }


def _shown(value: Any, decimals: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return "n/a" if math.isnan(value) else f"{value:.{decimals}f}"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
