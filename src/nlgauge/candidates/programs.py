"""The arithmetic of a metric as one program: from the columns of its row kernels to one output of a segment."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.backend import NATIVE, chosen
from nlgauge._core.ragged import Array
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric import AnyMetric, Metric
from nlgauge.metric.compiled import TracedView, level_of
from nlgauge.metric.program import CODES, Program
from nlgauge.metric.symbols import Graph, Symbols, Untraceable

_INPUT = CODES.index("input")
# Programs that are remembered.
_MOST = 256
_PROGRAMS: dict[tuple[type, AnyMetric, str], OutputProgram | None] = {}


class Counts(NamedTuple):
    """The counts that a row kernel makes of the tokens of two texts."""

    kernel: str
    tokens: Tokens
    orders: int
    width: int


class OutputProgram(NamedTuple):
    """The program of one output of a segment, with the counts that it reads, side by side."""

    counts: tuple[Counts, ...]
    program: Program
    # The program in the compiled module; None if nothing was compiled.
    compiled: Any
    # TextSquare of the compiled module; None if a tokenizer or a kernel is not compiled.
    native: Any

    @property
    def reads_ngrams(self) -> bool:
        """True if all counts are clipped matches of n-grams."""
        return all(each.kernel == "clipped_matches" for each in self.counts)

    def run(self, columns: Array) -> Array:
        """Return the output of each row of counts."""
        program = self.compiled if chosen() == "native" else self.program
        outputs: Array = program.run(np.ascontiguousarray(columns))[:, 0]
        return outputs


def output_program(metric: AnyMetric, output: str) -> OutputProgram | None:
    """Return the program of an output of a metric; None if the metric cannot be traced."""
    key = (type(metric), metric, output)
    if key not in _PROGRAMS:
        if len(_PROGRAMS) >= _MOST:
            _PROGRAMS.clear()
        _PROGRAMS[key] = _output_program(metric, output)
    return _PROGRAMS[key]


def _output_program(metric: AnyMetric, output: str) -> OutputProgram | None:
    if not isinstance(metric, Metric) or metric.takes == "alone" or metric.source or metric.costly:
        return None
    try:
        return None if metric.fit() is not None else _traced(metric, output)
    except Exception:
        # Symbols are not arrays in every respect, and metrics of other packages may expect more.
        return None


def _traced(metric: Metric, output: str) -> OutputProgram:
    graph = Graph()
    view = TracedView(graph)
    part = next(
        part for part, outputs in metric.outputs().items() if output in [each.name for each in outputs]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = graph.ids(metric.statistics(view, {})[part])  # type: ignore[arg-type]
        if rows.ndim != 2 or len(rows) != 1:
            raise Untraceable("has statistics that are not one row for each pair")
        statistics: Any = Symbols(graph, rows[0])
        value = graph.ids(metric.for_segments().score(part, statistics)[output])
    if value.ndim:
        raise Untraceable(f"has an output {output} that is not one number")
    program = graph.program([int(value)])
    counts = [
        Counts(kernel.name, kernel.tokens, kernel.number, kernel.width)
        for kernel in (feature.kernel() for feature in view.columns)
        if kernel is not None
    ]
    return _made(counts, program)


def _made(counts: list[Counts], program: Program) -> OutputProgram:
    """Return the program without the counts that it does not read."""
    columns = {operand for code, operand, *_ in program.code if code == _INPUT}
    read: list[Counts] = []
    numbers: dict[int, int] = {}
    start = 0
    for each in counts:
        own = range(start, start + each.width)
        if columns & set(own):
            read.append(each)
            numbers |= {column: len(numbers) + k for k, column in enumerate(own)}
        start += each.width
    code = [(code, numbers[a] if code == _INPUT else a, b, c, value) for code, a, b, c, value in program.code]
    renumbered = Program(len(numbers), code, program.outputs)
    compiled = None if NATIVE is None else NATIVE.Program(*renumbered)
    return OutputProgram(tuple(read), renumbered, compiled, _text_square(read, compiled))


def _text_square(counts: list[Counts], program: Any) -> Any:
    levels = list(dict.fromkeys(each.tokens for each in counts))
    try:
        return program and NATIVE.TextSquare(
            [level_of(tokens) for tokens in levels],
            [(each.kernel, levels.index(each.tokens), each.orders) for each in counts],
            program,
        )
    except ValueError:  # a tokenizer or a kernel is not compiled
        return None
