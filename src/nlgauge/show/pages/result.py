"""The page of a Result: scores by metric and system, with intervals and with tests against a baseline if they
are passed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.numbers import bounds, counted, number, p_value, stars
from nlgauge._core.page import Cell, Column, Footnotes, Gauge, Line, Page, Sheet, column
from nlgauge.metric import CorpusMetric, Output
from nlgauge.metric.registry import SUFFIX, without_parameters
from nlgauge.results.asking import sentences
from nlgauge.results.equal_outputs import equal_note, equal_outputs
from nlgauge.results.inference import Interval
from nlgauge.results.labels import output_name
from nlgauge.results.missing import range_of
from nlgauge.results.resampling import caution, drawn_in_groups
from nlgauge.results.table_options import TableOptions
from nlgauge.show.pages.costs import costs_sheet, not_sent
from nlgauge.show.pages.missing import NOT_COMPARABLE, missing_note
from nlgauge.show.pages.names import paper_name, short_names, shortened_note
from nlgauge.show.pages.tested import any_tested, gain_note, p_note, tested_otherwise, too_few_resamples
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.metric.table import Table
    from nlgauge.results.comparison import Compared, Comparison
    from nlgauge.results.result import Result


# More columns of scores with intervals than these do not fit a page.
_PAGE_COLUMNS = 5
# Results of more systems than this have one row per system, with this many outputs in one table.
_MANY_SYSTEMS, _TERMINAL_COLUMNS = 5, 4


class ShownOutput(NamedTuple):
    """One output of a metric in a table, with True if the metric has others there, and True if it is a detail
    of the previous output.
    """

    label: str
    output: Output
    several: bool
    further: bool

    def name(self, better: bool = False) -> Cell:
        """Return the metric's name, with the output's if it has several, and its parameters below; with its
        direction if that has no column.
        """
        return named(self.label, self.output, self.several, better)

    def detail(self) -> Cell:
        """Return only the output's name, for a row below the metric's row."""
        return Cell(f"  {self.output.name}", "quiet")


@dataclass
class ScoreCells:
    """The cells of one result's scores; remarks are collected in the footnotes."""

    result: Result
    intervals: Mapping[str, Any] | None = None
    comparison: Comparison | None = None
    details: bool = False
    notes: Footnotes = field(default_factory=Footnotes)
    # Decimals of every score; None: the decimals of its output.
    decimals: int | None = None

    def __post_init__(self) -> None:
        self.names = short_names(self.result.systems)
        self.equal = {} if self.details else equal_outputs(self.result._tables)
        baseline = (self.comparison and self.comparison.baseline) or self.result.systems[0]
        self._tests = {
            (row.label, row.output.name, row.second): row
            for row in self.comparison or ()
            if row.first == baseline
        }

    def outputs(self) -> Iterator[ShownOutput]:
        """Yield the outputs with rows or columns: the leading output of each part except repetitions, or
        with details every output.
        """
        for label in self.result.labels:
            table = self.result._tables[self.result.systems[0], label]
            leading = table.leading()
            for output in table.outputs() if self.details else leading:
                if (label, output.name) in self.equal:
                    continue
                yield ShownOutput(
                    label,
                    output.with_decimals(self.decimals),
                    output not in leading or len(leading) > 1,
                    output not in leading,
                )

    def score(self, system: str, shown: ShownOutput) -> Cell:
        """Return the score; the best of several systems is marked."""
        label, output = shown.label, shown.output
        table = self.result._tables[system, label]
        score = table.scores().get(output.name, math.nan)
        mark = self.notes.mark(
            (table.unknown or output.nan) if math.isnan(score) else self._missing(table, output)
        )
        best = len(self.result.systems) > 1 and score == self._best(label, output)
        return Cell(number(score, output), "best" if best else "", notes=mark)

    def _missing(self, table: Table, output: Output) -> str:
        """Return how many segments have no value, and the range of the score over all values that they
        could have.
        """
        count = table.undefined().get(output.name, 0)
        if not count:
            return ""
        remark = (
            f"{count} of {counted(len(self.result.corpus), 'segment')} have no value ({output.nan}) and are"
            " left out"
        )
        low, high = range_of(table, output)
        return (
            remark
            if math.isnan(low)
            else (
                f"{remark}; whatever these are, the score is between {number(low, output)} and"
                f" {number(high, output)}"
            )
        )

    def unequal(self, label: str, output: Output) -> bool:
        """Return whether systems lack an output on different segments, so that their scores are not
        comparable.
        """
        tables = [self.result._tables[system, label] for system in self.result.systems]
        if not any(table.undefined().get(output.name) for table in tables) or not all(
            table.has_segments for table in tables
        ):
            return False
        first, *others = (np.isnan(table.segments_of(output.name)) for table in tables)
        return any(not np.array_equal(first, other) for other in others)

    def _best(self, label: str, output: Output) -> float | None:
        if self.unequal(label, output):
            return None
        scores: list[float] = [
            self.result._tables[system, label].scores().get(output.name, math.nan)
            for system in self.result.systems
        ]
        known = [score for score in scores if not math.isnan(score)]
        if output.higher_is_better is None or not known:
            return None
        return max(known) if output.higher_is_better else min(known)

    def interval(self, system: str, shown: ShownOutput) -> Cell:
        """Return the bounds of the interval."""
        found = self._interval(system, shown)
        text = bounds(found.low, found.high, shown.output)
        if text == "n/a":
            return Cell(text, notes=self.notes.mark(found.reason))
        every = [self._interval(other, shown) for other in self.result.systems]
        ends = [end for one in every for end in (one.score, one.low, one.high) if math.isfinite(end)]
        drawn = all(map(math.isfinite, (found.score, found.low, found.high)))
        return Cell(
            text, gauge=Gauge(found.score, found.low, found.high, min(ends), max(ends)) if drawn else None
        )

    def _interval(self, system: str, shown: ShownOutput) -> Interval:
        assert self.intervals is not None
        by_label = self.intervals[system] if len(self.result.systems) > 1 else self.intervals
        found: Interval = by_label[shown.label][shown.output.name]
        return found

    def test(self, system: str, shown: ShownOutput) -> Compared | None:
        """Return the test against the baseline."""
        return self._tests.get((shown.label, shown.output.name, system))

    def tested(self, system: str, shown: ShownOutput) -> list[Cell]:
        """Return the gain over the baseline, and its p-values, raw and corrected."""
        row = self.test(system, shown)
        if row is None or self.comparison is None:
            return [Cell(), Cell(), Cell()]
        mark = self.notes.mark(row.reason if math.isnan(row.p) else tested_otherwise(row, self.comparison))
        return [
            Cell(number(row.gain, shown.output, sign=True)),
            Cell(p_value(row.p)),
            Cell(p_value(self.comparison.corrected(row)), notes=mark),
        ]

    def row(self, system: str, shown: ShownOutput) -> list[Cell]:
        """Return score, interval and test, if they are shown."""
        score, test = self.score(system, shown), self.test(system, shown)
        missing = self.notes.mark(missing_note(test)) if test else ()
        cells = [replace(score, notes=(*score.notes, *missing))]
        if self.intervals is not None:
            cells.append(self.interval(system, shown))
        return cells if self.comparison is None else [*cells, *self.tested(system, shown)]


def named(label: str, output: Output, several: bool, better: bool = False) -> Cell:
    """Return a metric's label as a cell: parameters below its name, the output's name next to it if several
    of its outputs are shown.
    """
    name, (_, bracket, parameters) = without_parameters(label), label.removesuffix(SUFFIX).partition("(")
    text = output_name(name, output.name) if several else name
    title = paper_name(name, output.name if several and output.name != name else "")
    return Cell(
        text, better=output.higher_is_better if better else None, below=bracket + parameters, title=title
    )


def result_page(
    result: Result,
    intervals: Mapping[str, Any] | None = None,
    comparison: Comparison | None = None,
    confidence: float = 0.95,
    *,
    details: bool = False,
    wide: bool | None = None,
    decimals: int | None = None,
    title: str = "",
) -> Page:
    """Return one row per metric and system or, if `wide`, one row per system and one column per metric; with
    details every output has its own.

    If `wide` is None, a result of many systems has one row per system, the best first, in tables that a
    terminal has room for. `intervals` and `comparison` come from `Result.intervals` and `Result.compare`;
    without them they are not shown.
    """
    cells = ScoreCells(result, intervals, comparison, details, decimals=decimals)
    many = wide is None and len(result.systems) > _MANY_SYSTEMS
    if many:
        first, *others = _ranked_sheets(cells)
    else:
        first, others = _wide(cells) if wide else Sheet(long_columns(cells, confidence), long_rows(cells)), []
    gains = [gain_note(comparison)] if comparison is not None and any_tested(comparison) else []
    notes = _how_to_read(cells, confidence) if many or wide else gains
    blocks = [block for sheet in others for block in (Line(""), sheet)]
    return Page([replace(first, title=title), *blocks], cells.notes.texts, [*notes, *_remarks(cells)])


def page_of(result: Result, shown: TableOptions) -> Page:
    """Describe scores, intervals, tests against the baseline, and how they were made."""
    scores = (result, shown.intervals_of(result), shown.comparison_of(result), shown.confidence)
    page = result_page(*scores, details=shown.details, wide=shown.wide, decimals=shown.decimals)
    return with_costs(replace(page, small_print=small_print_of(result, shown)), result, shown)


def short_page(result: Result, intervals: dict[str, Any] | None = None) -> Page:
    """Describe the scores, and the intervals if there are any, without tests."""
    title = f"{counted(len(result.systems), 'system')}, {counted(len(result.corpus), 'segment')}"
    page = result_page(result, intervals, title=title)
    note = "to_text() adds intervals and tests." if intervals is None else "to_html() adds tests."
    return replace(page, notes=[*page.notes, note])


def with_costs(page: Page, result: Result, shown: TableOptions) -> Page:
    """Return the page, with a table of what the run cost if it is shown."""
    if not shown.costs:
        return page
    footnotes = Footnotes(list(page.footnotes))
    return replace(
        page, blocks=[*page.blocks, costs_sheet(result.costs, footnotes)], footnotes=footnotes.texts
    )


def small_print_of(result: Result, shown: TableOptions) -> list[str]:
    """Return the signatures, with the settings of intervals and tests."""
    seed = result._job.options.seed if shown.seed is None else shown.seed
    confidence = shown.confidence if shown.intervals else None
    return small_print(
        result, confidence, shown.resamples, seed, shown.test if shown.has_tests(result) else ""
    )


def long_rows(cells: ScoreCells) -> list[list[Cell]]:
    """Return one row per metric and system: name and direction, once per metric, then the system and its
    numbers.
    """
    rows = []
    for shown in cells.outputs():
        for i, system in enumerate(cells.result.systems):
            row = cells.row(system, shown)
            head = (
                [Cell(), Cell()]
                if i
                else [
                    shown.detail() if shown.further else shown.name(),
                    Cell(better=shown.output.higher_is_better),
                ]
            )
            rows.append([*head, Cell(cells.names[system], row[0].tone), *row])
    return rows


def long_columns(cells: ScoreCells, confidence: float) -> list[Column]:
    """Return the columns of `long_rows`."""
    names = [
        "score",
        *([f"{100 * confidence:g}% interval"] if cells.intervals is not None else []),
        *(["gain", "p", cells.comparison.corrected_name] if cells.comparison is not None else []),
    ]
    return [column("metric"), column(""), column("system"), *(column(name, "number") for name in names)]


def _wide(cells: ScoreCells) -> Sheet:
    """Return one row per system and one column per metric; transposed if that has fewer columns and there are
    too many for a page.
    """
    outputs, systems = list(cells.outputs()), cells.result.systems
    if len(outputs) > max(_PAGE_COLUMNS, len(systems)):
        rows = [
            [shown.name(better=True), *(_scored(cells, system, shown) for system in systems)]
            for shown in outputs
        ]
        return Sheet([column("metric"), *(column(cells.names[system], "number") for system in systems)], rows)
    return _by_system(cells, systems, outputs)


def _by_system(cells: ScoreCells, systems: Sequence[str], outputs: Sequence[ShownOutput]) -> Sheet:
    rows = [
        [Cell(cells.names[system]), *(_scored(cells, system, shown) for shown in outputs)]
        for system in systems
    ]
    return Sheet([column("system"), *(Column(shown.name(better=True), "number") for shown in outputs)], rows)


def _ranked_sheets(cells: ScoreCells) -> list[Sheet]:
    """Return one row per system, the best by the first output first, and one column per output, a few in
    each table.
    """
    outputs = list(cells.outputs())
    systems = _best_first(cells.result, outputs[0]) if outputs else cells.result.systems
    return [
        _by_system(cells, systems, outputs[i : i + _TERMINAL_COLUMNS])
        for i in range(0, max(1, len(outputs)), _TERMINAL_COLUMNS)
    ]


def _best_first(result: Result, shown: ShownOutput) -> list[str]:
    """Return the systems by their score, in the order of the result if neither direction is better;
    systems without a score are last.
    """
    sign = {True: -1, False: 1, None: 0}[shown.output.higher_is_better]
    scores = {
        system: sign * result._tables[system, shown.label].scores().get(shown.output.name, math.nan)
        for system in result.systems
    }
    return sorted(
        scores,
        key=lambda system: (math.isnan(scores[system]), 0 if math.isnan(scores[system]) else scores[system]),
    )


def _scored(cells: ScoreCells, system: str, shown: ShownOutput) -> Cell:
    """Return a score with its interval, stars if it differs from the baseline's, and all their remarks."""
    score, test = cells.score(system, shown), cells.test(system, shown)
    interval = cells.interval(system, shown) if cells.intervals is not None else Cell()
    remark = tested_otherwise(test, cells.comparison) if test and cells.comparison else ""
    missing = missing_note(test) if test else ""
    notes = dict.fromkeys(
        [*score.notes, *interval.notes, *cells.notes.mark(remark), *cells.notes.mark(missing)]
    )
    marks = "" if test is None else stars(test.p_holm)
    return replace(score, stars=marks, notes=tuple(notes), aside=interval.text, gauge=interval.gauge)


def _how_to_read(cells: ScoreCells, confidence: float) -> list[str]:
    """Return the remarks that a table of only scores needs."""
    found = []
    if cells.intervals is not None:
        found.append(f"In brackets: {100 * confidence:g}% intervals.")
    if len(cells.result.systems) > 1:
        found.append("The best score is bold.")
    if cells.comparison is not None and any_tested(cells.comparison):
        found.append(f"* < 0.05, ** < 0.01, *** < 0.001: {cells.comparison.corrected_name}.")
    return found


def _remarks(cells: ScoreCells) -> list[str]:
    result = cells.result
    found = [] if result.sequential is None else sentences(result.sequential)
    if repeated := equal_note(cells.equal, {(shown.label, shown.output.name) for shown in cells.outputs()}):
        found.append(repeated)
    for (system, label), table in result._tables.items():
        scores = table.scores()
        for output in table.outputs():
            if output.note and scores[output.name] > 0:
                found.append(f"{label}, {system}: {scores[output.name]:g} {output.note}.")
    found += not_sent(result.costs)
    apart = [
        shown
        for shown in cells.outputs()
        if len(result.systems) > 1 and cells.unequal(shown.label, shown.output)
    ]
    if apart:
        names = dict.fromkeys(output_name(shown.label, shown.output.name) for shown in apart)
        found.append(f"{', '.join(names)}: systems lack scores of different segments. {NOT_COMPARABLE}.")
    if cells.comparison is not None and any_tested(cells.comparison):
        found.append(p_note(cells.comparison))
        found += too_few_resamples(cells.comparison)
    found += shortened_note(result.systems)
    units = Clusters(result.corpus.documents, len(result.corpus))
    if cells.intervals is not None and caution(units.count, ""):
        found.append(f"Caution: {caution(units.count, '')}.")
    if cells.intervals is not None and units.grouped:
        found.append(f"Intervals and tests: {drawn_in_groups(units)}.")
    return found


def small_print(result: Result, confidence: float | None, resamples: int, seed: int, test: str) -> list[str]:
    """Return each metric's signature with the settings of intervals and tests: bs, halves, ar (numbers of
    resamples), seed, confidence.

    `confidence` is None if no intervals are shown, `test` is "" if no tests are shown.
    """
    found = []
    for label, signature in result.signatures.items():
        metric = result._job.metrics[label]
        whole = isinstance(metric, CorpusMetric)
        count = min(resamples, metric.resamples) if isinstance(metric, CorpusMetric) else resamples
        facts = {}
        if count and confidence is not None:
            facts["halves" if whole else "bs"] = f"{count}|confidence:{100 * confidence:g}"
        if count and test:
            facts["ar" if whole or test == "randomization" else "bs-test"] = str(count)
        drawn = "".join(f"|{name}:{value}" for name, value in facts.items())
        found.append(
            f"{label}: {signature}{drawn}" + (f"|seed:{seed}" if drawn and not metric.seeded else "")
        )
    return found
