"""The page of an advice: the recommended metrics with their evidence, and what the evidence does not cover."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nlgauge._core.numbers import counted
from nlgauge._core.page import Block, Cell, Line, Page, Sheet, column
from nlgauge.advisor.settings import OVERALL

if TYPE_CHECKING:
    from nlgauge.advisor.advice import Advice, Recommendation
    from nlgauge.advisor.evidence import Row

_TITLES = {
    "good": "Recommended",
    "fair": "Best available; agreement with people is modest",
    "weak": "Weak evidence: use only together with human judgment",
    "none": "No recommendation",
}


def advice_page(advice: Advice, decimals: int) -> Page:
    """Return the question, the recommendations, the metrics that need a second metric, and the limits of the evidence."""
    question = advice.question
    blocks: list[Block] = [
        Line(
            f"Task: {question.task} ({question.lang}), {question.want}, to compare {question.level};"
            f" you have: {', '.join(question.have) or 'neither references nor source'}."
        ),
        Line(""),
        Line(_TITLES[advice.verdict], "best"),
    ]
    if advice.recommendations:
        rows = [
            row
            for place, advised in enumerate(advice.recommendations, 1)
            for row in _rows(advice, place, advised, decimals)
        ]
        columns = [
            column("metric"),
            column("benchmark"),
            column("agreement [95%]", "number"),
            column("s per 1,000 texts", "number"),
        ]
        blocks.append(Sheet(columns, rows))
    for indicator in advice.indicators:
        shown = "; ".join(
            f"{_benchmark(row, advice)} {_agreement(row, decimals)}" for row in indicator.evidence
        )
        blocks.append(
            Line(
                f"As a description, not as a score: {indicator.metric} measures {indicator.measures}; {shown}"
            )
        )
    if advice.never_alone:
        blocks += [Line(""), Line(f"Never alone: {', '.join(advice.never_alone)}")]
    blocks += [Line(""), Line("Limits of this evidence", "best")]
    blocks += [Line(f"- {item}") for item in advice.unknown]
    return Page([*blocks, Line(""), Line(f"Next: {advice.next}")])


def _rows(advice: Advice, place: int, advised: Recommendation, decimals: int) -> Iterator[list[Cell]]:
    """Yield one row per benchmark and dimension of the evidence; the first has the metric and its cost."""
    places = {metric.metric: at for at, metric in enumerate(advice.recommendations, 1)}
    remarks = [advised.family]
    if advised.tested:
        remarks.append(f"not beaten on {advised.unbeaten} of {counted(advised.tested, 'benchmark')}")
    if advised.not_separated:
        remarks.append(
            f"not separated by the evidence from {' and '.join(str(places[label]) for label in advised.not_separated)}"
        )
    remarks += [
        f"{places[better]} is significantly better than {places[worse]} on {_of(benchmark, sample)}"
        for better, worse, benchmark, sample in advised.separated
    ]
    for at, row in enumerate(advised.evidence):
        first = at == 0
        yield [
            Cell(f"{place}. {advised.metric}", "best", below="; ".join(remarks)) if first else Cell(),
            Cell(_benchmark(row, advice)),
            Cell(_agreement(row, decimals)),
            Cell(f"{advised.seconds_per_1000:.2g}" if first else ""),
        ]


def _of(benchmark: str, sample: int | None) -> str:
    return benchmark if sample is None else f"{benchmark} (sample of {sample})"


def _benchmark(row: Row, advice: Advice) -> str:
    """Return the benchmark of a row, with the dimension if it is not the main dimension."""
    name = _of(row.benchmark, row.sample)
    return name if advice.question.want == OVERALL else f"{name}, {row.dimension}"


def _agreement(row: Row, decimals: int) -> str:
    if row.low is None or row.high is None:
        return f"{row.value:.{decimals}f}"
    return f"{row.value:.{decimals}f} [{row.low:.{decimals}f}, {row.high:.{decimals}f}]"
