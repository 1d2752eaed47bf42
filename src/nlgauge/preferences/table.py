"""Preferences: strengths of systems as a table, with intervals, letters and ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge._core.frames import as_frame
from nlgauge._core.page import Cell, Page, Sheet, column
from nlgauge._core.ragged import Array
from nlgauge._core.shown import Exported, written


class Strength(NamedTuple):
    """One system: its strength with its interval and standard error, its win rate, letters and ranks.

    `win_rate` is the observed share of wins, a tie as half. `rate` is the predicted win rate against the baseline
    without the effects of covariates, with its interval. `elo` is the mean rating over random orders, and
    `elo_spread` the standard deviation between orders.
    """

    system: str
    strength: float
    low: float
    high: float
    error: float
    comparisons: int
    win_rate: float
    rate: float
    rate_low: float
    rate_high: float
    best_rank: int | None
    worst_rank: int | None
    letters: str | None
    elo: float
    elo_spread: float


class Effect(NamedTuple):
    """The effect of a covariate on the log odds of a win, with its interval."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Exported):
    """Strengths of systems from verdicts on pairs, the strongest system first.

    Parameters
    ----------
    rows : sequence of Strength
        One row per system.
    matrix : ndarray of float, shape (S, S)
        Predicted share of comparisons that the system of the row wins against the system of the column, a tie as half.
    p : ndarray of float, shape (S, S)
        p-value of each pair, corrected by max-T for all pairs; NaN without resamples.
    effects : sequence of Effect
        Effects of covariates.
    nu : float
        Parameter of ties in Davidson's model; 0 in Bradley-Terry's model.
    baseline : str, optional
        System whose strength is 0. Default: the strengths add up to 0.
    made : mapping
        Settings and counts of the analysis.
    notes : sequence of str
        Notes below the table.

    Examples
    --------
    >>> from nlgauge.preferences import rank
    >>> games = [{"item": i, "first": "A", "second": "B", "winner": "A" if i % 4 else "B"} for i in range(40)]
    >>> round(rank(games, resamples=100).strengths["A"], 4)
    0.5493
    """

    rows: Sequence[Strength]
    matrix: Array
    p: Array
    effects: Sequence[Effect] = ()
    nu: float = 0.0
    baseline: str | None = None
    made: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the S systems, the strongest first."""
        return tuple(row.system for row in self.rows)

    @property
    def strengths(self) -> dict[str, float]:
        """Strength of each system: the log odds of a win."""
        return {row.system: row.strength for row in self.rows}

    @property
    def win_rates(self) -> dict[str, float]:
        """Observed share of wins of each system, a tie as half."""
        return {row.system: row.win_rate for row in self.rows}

    @property
    def rates(self) -> dict[str, float]:
        """Predicted win rate of each system against the baseline; NaN without a baseline."""
        return {row.system: row.rate for row in self.rows}

    @property
    def ranks(self) -> dict[str, tuple[int, int] | None]:
        """Best and worst rank that each system may have; None without resamples."""
        return {
            row.system: None
            if row.best_rank is None or row.worst_rank is None
            else (row.best_rank, row.worst_rank)
            for row in self.rows
        }

    @property
    def letters(self) -> dict[str, str | None]:
        """Letters of each system; systems that share a letter do not differ significantly."""
        return {row.system: row.letters for row in self.rows}

    @property
    def elo(self) -> dict[str, float]:
        """Mean Elo rating of each system over random orders; NaN if it was not requested."""
        return {row.system: row.elo for row in self.rows}

    def records(self) -> list[dict[str, Any]]:
        """Return one dictionary per system.

        Returns
        -------
        list of dict
            Fields of `Strength`.
        """
        return [row._asdict() for row in self.rows]

    def frame(self, frame: str | None = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        frame : {"pandas", "polars", "records"}, optional
            Type of the table; "records" is a list of dictionaries. Default: the installed library, or "records"
            without one.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or list of dict
            One row per system.
        """
        return as_frame(self.records(), frame)

    def record(self) -> dict[str, Any]:
        """Return everything as plain data.

        Returns
        -------
        dict
            Rows, matrix, p-values, effects, nu, baseline, settings and notes.
        """
        return {
            "rows": self.records(),
            "systems": list(self.systems),
            "matrix": self.matrix.tolist(),
            "p": self.p.tolist(),
            "effects": [effect._asdict() for effect in self.effects],
            "nu": self.nu,
            "baseline": self.baseline,
            "made": dict(self.made),
            "notes": list(self.notes),
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Return everything as JSON; an undefined number is null.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        import msgspec

        return written(msgspec.json.format(msgspec.json.encode(self.record())).decode() + "\n", path)

    def _page(self, decimals: int | None = None) -> Page:
        """Return one table, with the columns that have values."""
        digits = 2 if decimals is None else decimals
        confidence = 100 * float(self.made.get("confidence", 0.95))
        columns = [
            column("system"),
            column("strength", "number"),
            column(f"{confidence:g}% interval", "number"),
        ]
        columns.append(column("win rate", "number"))
        if self.baseline is not None:
            columns.append(column(f"against {self.baseline}", "number"))
        columns += [column("ranks", "number"), column("letters")]
        has_elo = any(not math.isnan(row.elo) for row in self.rows)
        if has_elo:
            columns.append(column("Elo", "number"))
        cells = [self._cells(row, digits, has_elo) for row in self.rows]
        small_print = (
            [", ".join(f"{name}: {value}" for name, value in self.made.items())] if self.made else []
        )
        return Page([Sheet(columns, cells)], (), tuple(self.notes), small_print)

    def _cells(self, row: Strength, digits: int, has_elo: bool) -> list[Cell]:
        is_baseline = row.system == self.baseline
        cells = [
            Cell(row.system),
            Cell("0" if is_baseline else _number(row.strength, digits, "+")),
            Cell("" if is_baseline else _interval(row.low, row.high, digits, "+")),
            Cell(_number(row.win_rate, digits)),
        ]
        if self.baseline is not None:
            bounds = _interval(row.rate_low, row.rate_high, digits)
            cells.append(Cell("" if is_baseline else f"{_number(row.rate, digits)} {bounds}"))
        ranks = "n/a" if row.best_rank is None else f"{row.best_rank}-{row.worst_rank}"
        if row.best_rank is not None and row.best_rank == row.worst_rank:
            ranks = str(row.best_rank)
        letters = row.letters or "n/a"
        cells += [Cell(ranks), Cell(letters, "best" if "a" in letters and letters != "n/a" else "")]
        if has_elo:
            cells.append(Cell(f"{row.elo:.0f} ±{row.elo_spread:.0f}"))
        return cells

    def _short_page(self) -> Page:
        return self._page()

    _csv_records = records


def _number(value: float, digits: int, sign: str = "") -> str:
    return "n/a" if math.isnan(value) else f"{value:{sign}.{digits}f}"


def _interval(low: float, high: float, digits: int, sign: str = "") -> str:
    if math.isnan(low) or math.isnan(high):
        return "n/a"
    return f"[{_number(low, digits, sign)}, {_number(high, digits, sign)}]"
