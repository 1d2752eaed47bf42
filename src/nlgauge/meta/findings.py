"""Findings: the rows of an analysis as plain values, and how they were made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nlgauge._core.frames import as_frame
from nlgauge._core.numbers import p_value
from nlgauge._core.page import Cell, Page, Sheet, column
from nlgauge._core.shown import Exported
from nlgauge.errors import InputError, UnknownNameError, no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nlgauge.show.plots.canvas import Panels

# Counts that are usually 0, and are shown only if they are not.
_USUALLY_0 = ("n_undefined", "undefined_resamples")


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Exported):
    """Rows of plain values with the settings of the analysis that computed them.

    Parameters
    ----------
    rows : sequence of mapping
        One dictionary per row, all with the same keys.
    made : mapping, optional
        Settings of the analysis: seed, resamples, rule, versions.
    title : str, optional
        Title of the table.
    notes : sequence of str, optional
        Notes below the table.
    p_values : sequence of str
        Columns with p-values, which tables show as <.0001 instead of 0.0000.
    drawn_as : str, optional
        Name of the plot in `nlgauge.plots`.

    Examples
    --------
    >>> findings = Findings([{"metric": "chrf", "value": 0.5}], {"seed": 1}, "Correlations")
    >>> findings.column("value"), len(findings), findings.where(metric="bleu").rows
    ([0.5], 1, [])
    """

    rows: Sequence[Mapping[str, Any]]
    made: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    notes: Sequence[str] = ()
    p_values: Sequence[str] = ("p", "p_adjusted")
    drawn_as: str = ""

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        return self.rows[place]

    @property
    def names(self) -> list[str]:
        """Names of the columns, in order."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def column(self, name: str) -> list[Any]:
        """Return the values of a column.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        list
            One value per row.

        Raises
        ------
        UnknownNameError
            If there is no such column.
        """
        if self.rows and name not in self.names:
            raise UnknownNameError(no_such("column", name, self.names))
        return [row.get(name) for row in self.rows]

    def where(self, **conditions: Any) -> Self:
        """Return the rows that meet all conditions.

        Parameters
        ----------
        **conditions
            Columns and their values, such as `metric="bleu"`; a list matches any of its items.

        Returns
        -------
        Findings
            The matching rows, possibly none, with the same settings.

        Raises
        ------
        UnknownNameError
            If there is no such column.
        """
        wanted = {
            name: one if isinstance(one, list | tuple | set | frozenset) else [one]
            for name, one in conditions.items()
        }
        columns = [[value in wanted[name] for value in self.column(name)] for name in wanted]
        return replace(
            self, rows=[row for row, *right in zip(self.rows, *columns, strict=True) if all(right)]
        )

    def frame(self, frame: str | None = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        frame : {"pandas", "polars", "records"}, optional
            Type of the table; "records" is a list of dictionaries. Default: the
            installed library, or "records" without one.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or list of dict
            The rows. The settings are in `.attrs` of a pandas data frame.
        """
        found = as_frame([dict(row) for row in self.rows], frame)
        if hasattr(found, "attrs"):
            found.attrs.update(self.made)
        return found

    def plot(self, path: str | Path | None = None, *, ax: Axes | None = None) -> Axes | Panels:
        """Draw the rows with the plot that `drawn_as` names.

        Parameters
        ----------
        path : str or Path, optional
            File to write the figure to: .pdf, .png or .svg.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; several panels replace them. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes or array of Axes
            Axes of the plot.

        Raises
        ------
        InputError
            If these rows have no plot.
        """
        from nlgauge import plots

        if not self.drawn_as:
            raise InputError("these findings have no plot; see nlgauge.plots for the plots that exist.")
        axes: Axes | Panels = getattr(plots, self.drawn_as)(self, ax=ax)
        if path is not None:
            plots.save(axes, path)
        return axes

    def _page(self, decimals: int | None = None) -> Page:
        """Return one table of all rows; the small print shows the settings of the analysis."""
        names = self.names
        numeric = {
            name
            for name in names
            if all(isinstance(row.get(name), int | float | np.number | None) for row in self.rows)
        }
        columns = [column(name, "number" if name in numeric else "words") for name in names]
        cells = [
            [
                Cell(_shown(row.get(name), 4 if decimals is None else decimals, name in self.p_values))
                for name in names
            ]
            for row in self.rows
        ]
        small_print = (
            [", ".join(f"{name}: {_shown(value, 6)}" for name, value in self.made.items())]
            if self.made
            else []
        )
        return Page([Sheet(columns, cells, self.title)], (), tuple(self.notes), small_print)

    def _short_page(self) -> Page:
        """Return the page of a console: without empty columns, and with text that all rows share in the title."""
        columns = {name: self.column(name) for name in self.names}
        told = [
            name
            for name, values in columns.items()
            if not all(_says_nothing(name, value) for value in values)
        ]
        same = [
            name
            for name in told
            if len(self) > 1 and isinstance(columns[name][0], str) and len(set(columns[name])) == 1
        ]
        rows = [{name: row.get(name) for name in told if name not in same} for row in self.rows]
        shared = ", ".join(f"{name} {columns[name][0]}" for name in same)
        return replace(self, rows=rows, title=": ".join(filter(None, [self.title, shared])))._page()

    def _csv_records(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.rows]


def made(**how: Any) -> dict[str, Any]:
    """Return the settings of an analysis with the versions of packages; settings of None are left out."""
    from nlgauge._core.versions import installed_version

    versions = {package: installed_version(package) for package in ("nlgauge", "numpy", "scipy")}
    return {
        **{name: value for name, value in how.items() if value is not None},
        "versions": " ".join(f"{name} {text}" for name, text in versions.items()),
    }


def _says_nothing(column: str, value: Any) -> bool:
    unknown = value is None or (isinstance(value, float | np.floating) and math.isnan(value))
    return unknown or value == "" or (column in _USUALLY_0 and value == 0)


def _shown(value: Any, decimals: int, is_p: bool = False) -> str:
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        if is_p:
            return p_value(float(value), decimals)
        return "n/a" if math.isnan(value) else f"{value:.{decimals}f}"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def listed(names: str | Sequence[str]) -> list[str]:
    """Return one name or several as a list."""
    return [names] if isinstance(names, str) else list(names)
