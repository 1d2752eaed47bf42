"""How a Result and a Comparison look in a terminal; plain text reads as well as colour, in 80 columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from nlgauge.metric import Output
from nlgauge.results.inference import Interval
from nlgauge.results.resampling import Clusters, caution
from nlgauge.terminal.text import visible

if TYPE_CHECKING:
    from nlgauge.results.comparison import Compared, Comparison
    from nlgauge.results.result import Result

_TESTS = {"randomisation": "approximate randomisation", "bootstrap": "paired bootstrap"}
_NO_INTERVAL = "no interval: undefined in some resamples"


def result_table(
    result: Result, intervals: Mapping[str, Any] | None, comparison: Comparison | None = None, confidence: float = 0.95
) -> RenderableType:
    """Scores by metric and system, with intervals, and p-values against the first system where they are given."""
    return ResultTable(result, intervals, comparison, confidence)


def comparison_table(comparison: Comparison) -> RenderableType:
    """A table for each pair of systems: both scores, the difference with its interval, p-values."""
    return ComparisonTables(comparison)


@dataclass
class Footnotes:
    """Remarks under a table, each once, numbered as they are first needed."""

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> str:
        """The mark of a remark."""
        if text not in self.texts:
            self.texts.append(text)
        return f" [{self.texts.index(text) + 1}]"

    def lines(self) -> list[RenderableType]:
        """The remarks themselves."""
        return [_remark(f"[{number}] {text}") for number, text in enumerate(self.texts, 1)]


@dataclass(frozen=True)
class ResultTable:
    """What `result_table` gives: a row for each metric output and system."""

    result: Result
    intervals: Mapping[str, Any] | None
    comparison: Comparison | None
    confidence: float

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        result, notes = self.result, Footnotes()
        several = len(result.systems) > 1
        grid = _grid(options, "system", "score")
        if self.intervals is not None:
            grid.add_column(Text(f"{100 * self.confidence:g} % interval"), no_wrap=True, justify="right")
        if self.comparison is not None:
            grid.add_column(Text("p"), no_wrap=True, justify="right")
        for label in result.labels:
            outputs = result.tables[result.systems[0], label].leading()
            for output in outputs:
                scores = {system: result.tables[system, label].scores().get(output.name, math.nan) for system in result.systems}
                best = _best(list(scores.values()), output)
                for i, (system, score) in enumerate(scores.items()):
                    cells = self._cells(system, label, output, score, notes)
                    name = Text("") if i else _metric_name(label, output, len(outputs))
                    style = "bold" if several and score == best else ""
                    cells[0].stylize(style)
                    grid.add_row(name, Text("" if i else _direction(output, options)), Text(visible(system), overflow="fold", style=style), *cells)
        yield grid
        yield from notes.lines()
        yield from self._remarks()

    def _cells(self, system: str, label: str, output: Output, score: float, notes: Footnotes) -> list[Text]:
        mark = notes.mark(output.nan) if math.isnan(score) else self._left_out(system, label, output, notes)
        cells = [Text(number(score, output) + mark)]
        if self.intervals is not None:
            by_label = self.intervals[system] if len(self.result.systems) > 1 else self.intervals
            cells.append(Text(_bounds(by_label[label][output.name], output, notes)))
        if self.comparison is not None:
            rows = [row for row in self.comparison if (row.label, row.output.name, row.second) == (label, output.name, system)]
            cells.append(Text(_p(rows[0].p_holm, rows[0].reason, notes) + _other_test(rows[0], self.comparison, notes) if rows else ""))
        return cells

    def _left_out(self, system: str, label: str, output: Output, notes: Footnotes) -> str:
        count = self.result.tables[system, label].undefined().get(output.name, 0)
        return notes.mark(f"{count} of {len(self.result.corpus)} segments have no value ({output.nan}) and are left out") if count else ""

    def _remarks(self) -> Iterator[RenderableType]:
        for (system, label), table in self.result.tables.items():
            scores = table.scores()
            for output in table.outputs():
                if output.note and scores[output.name] > 0:
                    yield _remark(f"{label}, {system}: {scores[output.name]:g} {output.note}.")
        if self.comparison is not None and self.comparison.rows:
            yield _remark(f"p-values: against {self.comparison.rows[0].first}, {_how(self.comparison)}, {_corrected(self.comparison)}.")
        units = Clusters(self.result.corpus.documents, len(self.result.corpus)).count
        if self.intervals is not None and caution(units, ""):
            yield _remark(f"Caution: {caution(units, '')}.")


@dataclass(frozen=True)
class ComparisonTables:
    """What `comparison_table` gives: one table per pair."""

    comparison: Comparison

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        pairs: dict[tuple[str, str], list[Compared]] = {}
        for row in self.comparison:
            pairs.setdefault((row.first, row.second), []).append(row)
        notes = Footnotes()
        for (first, second), rows in pairs.items():
            yield Group(Text(""), Text(f"{visible(first)} against {visible(second)}", style="bold"), self._grid(first, second, rows, options, notes))
        yield from notes.lines()
        yield _remark(f"p: {_how(self.comparison)}; Holm: {_corrected(self.comparison)}.")
        if self.comparison.caution:
            yield _remark(f"Caution: {self.comparison.caution}.")

    def _grid(self, first: str, second: str, rows: list[Compared], options: ConsoleOptions, notes: Footnotes) -> Grid:
        grid = _grid(options)
        for header in (first, second):
            grid.add_column(Text(visible(header), overflow="fold"), justify="right", min_width=7, max_width=8)
        grid.add_column(Text("diff."), no_wrap=True, justify="right")
        grid.add_column(Text(f"{100 * self.comparison.confidence:g} % interval"), no_wrap=True, justify="right")
        grid.add_column(Text("p"), no_wrap=True, justify="right")
        grid.add_column(Text("Holm"), no_wrap=True, justify="right")
        counts = Counter(row.label for row in rows)
        for row in rows:
            scores = [Text(number(score, row.output), style="bold" if row.better == name else "") for score, name in _scores(row)]
            grid.add_row(
                _metric_name(row.label, row.output, counts[row.label]),
                Text(_direction(row.output, options)),
                *scores,
                Text(number(row.difference, row.output, sign=True)),
                Text(_bounds(Interval(row.difference, row.low, row.high, row.reason or _NO_INTERVAL), row.output, notes)),
                Text(_p(row.p, row.reason, notes)),
                Text(_p(row.p_holm, row.reason, notes)),
            )
        return grid


def number(value: float, output: Output, sign: bool = False) -> str:
    """A score with as many decimals as its output asks for; NaN is n/a."""
    if math.isnan(value):
        return "n/a"
    decimals = output.decimals if output.decimals is not None else 2 if output.high == 100 else 4
    return f"{value:{'+' if sign else ''}.{decimals}f}"


def _metric_name(label: str, output: Output, count: int) -> Text:
    """The label, its parameters on a line of their own, with the output's name where the metric has several in the table."""
    name, bracket, parameters = visible(label).partition("(")
    return Text(name if count == 1 else f"{name} {output.name}", overflow="fold").append(f"\n({parameters}" if bracket else "", style="dim")


def _scores(row: Compared) -> list[tuple[float, str]]:
    return [(row.first_score, row.first), (row.second_score, row.second)]


def _grid(options: ConsoleOptions, *columns: str) -> Grid:
    """A table whose first columns are the metric and the direction in which it is better."""
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column(Text("metric"), overflow="fold")
    grid.add_column(Text("better" if options.ascii_only else ""), no_wrap=True)
    for name in columns:
        grid.add_column(Text(name), overflow="fold", no_wrap=name == "score", justify="right" if name == "score" else "left")
    return grid


def _direction(output: Output, options: ConsoleOptions) -> str:
    if output.higher_is_better is None:
        return ""
    names = ("lower", "higher") if options.ascii_only else ("↓", "↑")
    return names[output.higher_is_better]


def _best(scores: list[float], output: Output) -> float | None:
    known = [score for score in scores if not math.isnan(score)]
    if output.higher_is_better is None or not known:
        return None
    return max(known) if output.higher_is_better else min(known)


def _bounds(interval: Interval, output: Output, notes: Footnotes) -> str:
    if math.isnan(interval.low):
        return "n/a" + (notes.mark(interval.reason) if interval.reason else "")
    return f"[{number(interval.low, output)}, {number(interval.high, output)}]"


def _p(value: float, reason: str, notes: Footnotes) -> str:
    if math.isnan(value):
        return "n/a" + (notes.mark(reason) if reason else "")
    return f"{value:.4f}"


def _other_test(row: Compared, comparison: Comparison, notes: Footnotes) -> str:
    """A remark where a metric was tested otherwise than the rest."""
    if math.isnan(row.p) or (row.test, row.resamples) == (comparison.test, comparison.resamples):
        return ""
    return notes.mark(f"p by {_TESTS[row.test]} with {row.resamples} resamples")


def _how(comparison: Comparison) -> str:
    return f"{_TESTS[comparison.test]} with {comparison.resamples} resamples"


def _corrected(comparison: Comparison) -> str:
    count = sum(not math.isnan(row.p) for row in comparison)
    return f"Holm-corrected for the {count} {'test' if count == 1 else 'tests'} shown"


def _remark(text: str) -> RenderableType:
    return Text(visible(text), style="dim")
