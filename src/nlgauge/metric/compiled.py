"""Compiled metrics: from strings to scores in one call, without code per metric.

A metric's own `statistics` and `score` are executed once on symbols (`nlgauge.metric.symbols`). The features that
`statistics` reads become row kernels, and the arithmetic becomes two programs:

    levels       how a text becomes tokens                  ("13a", lower case or not, stems or not)
    kernels      counts of a pair of texts                  clipped_matches of level 0, 4 orders: 12 columns
    statistics   program: columns -> K statistics           9 instructions for bleu
    scores       program: K statistics -> all outputs       102 instructions for a segment's bleu

`CompiledMetric` of the compiled module takes Python's strings, numbers the tokens of each pair in a small table, and
executes kernels and programs on blocks of 64 pairs. It makes no corpus, features or arrays, so a pair costs microseconds.

The metric's file stays the only definition. Three rules, which `nlgauge.testing` states, make a metric traceable:

1. `score` works over the last axis of float64 arrays that are C-contiguous (`outputs_of` sees to that).
2. `score`, and the arithmetic of `statistics`, do not branch on values, assign to elements, or index by values.
3. `statistics` reads rows with `view.rows(feature)`, and the feature has a `kernel()`. A kernel that matches words by
   keys asks the feature for the keys of each word once (`RowKernel.keys`).

A metric that breaks a rule works in the ordinary way; `why_not_compiled` names the reason. So do metrics with a fit or a
model, metrics that read sources or no references, texts that are not exactly `str`, and the Python kernels.

All numbers equal those of the ordinary way bit for bit: kernels are the same code; exp, log and power are NumPy's inner
loops; sums are in NumPy's order. tests/metric/test_compiled.py compares both ways for every metric.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.backend import NATIVE
from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature
from nlgauge.features.findings import Findings
from nlgauge.features.tokens.code_points import CodePoints
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric import AnyMetric, Metric
from nlgauge.metric.program import Program
from nlgauge.metric.symbols import Graph, Symbols, Untraceable
from nlgauge.metric.table import PROGRAMS

# Number of metrics whose compiled forms are remembered.
_MOST = 256
# Segments of one call of the compiled module, which cannot be interrupted.
_BLOCK = 1 << 18


class Compiled(NamedTuple):
    """The compiled form of a metric: plain data, and the object of the compiled module that executes it."""

    tokens: tuple[Tokens | CodePoints, ...]
    features: tuple[RowFeature, ...]
    statistics: Program
    # Program of the outputs of a segment.
    scores: Program
    # Names of all outputs, in order.
    outputs: tuple[str, ...]
    # Parts of the metric with the number of their statistics.
    parts: dict[str, int]
    # CompiledMetric, and the Program of the outputs of the whole corpus.
    native: Any
    corpus: Any

    def rows_of(
        self, predictions: list[str], references: list[Any]
    ) -> tuple[Array, list[float], bool] | None:
        """Return the statistics of each segment, side by side, the seconds of levels and kernels, and whether all
        texts are ASCII; None if the ordinary way has to take the texts.
        """
        count = len(predictions)
        if count <= _BLOCK or len(references) != count:
            found: tuple[Array, list[float], bool] | None = self.native.statistics(predictions, references)
            return found
        rows, seconds, are_ascii = np.empty((count, sum(self.parts.values()))), np.zeros(1), True
        for start in range(0, count, _BLOCK):
            block = slice(start, start + _BLOCK)
            scored = self.native.statistics(predictions[block], references[block])
            # A block has either strings or lists of references, and all blocks need the same.
            if scored is None or type(references[start]) is not type(references[0]):
                return None
            rows[block] = scored[0]
            seconds = seconds + scored[1]
            are_ascii = are_ascii and scored[2]
        return rows, seconds.tolist(), are_ascii

    def split(self, rows: Array) -> dict[str, Array]:
        """Return the statistics of each part from rows of all statistics side by side."""
        ends = np.cumsum(list(self.parts.values())).tolist()
        return {
            part: rows[:, end - width : end]
            for (part, width), end in zip(self.parts.items(), ends, strict=True)
        }

    def seconds(self, spent: list[float]) -> dict[str, float]:
        """Return the seconds by feature, from the seconds of levels and kernels."""
        return dict(zip(map(str, (*self.tokens, *self.features)), spent, strict=True))


class ScoreProgram(NamedTuple):
    """The program that computes all outputs of a metric from the statistics of its parts."""

    outputs: tuple[str, ...]
    parts: tuple[str, ...]
    native: Any

    def run(self, statistics: dict[str, Array]) -> dict[str, Array]:
        """Return every output of rows of statistics."""
        rows = [statistics[part] for part in self.parts]
        values = self.native.run(np.ascontiguousarray(rows[0] if len(rows) == 1 else np.hstack(rows)))
        return dict(zip(self.outputs, values.T, strict=True))


class _Texts:
    """A placeholder for the texts of the rows, which a traced metric must not look at."""

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        raise Untraceable("reads a feature's column")

    def __getitem__(self, key: Any) -> Any:
        raise Untraceable("reads a feature's column")

    __array__ = __eq__ = __ne__ = __iter__ = __getitem__
    __hash__ = None  # type: ignore[assignment]


class TracedView:
    """A view of one row whose features are inputs of a program."""

    lang = None
    parts = None
    predictions = reference = _Texts()
    # One row with one reference.
    references = reference_groups = Ragged.single(np.zeros(1, dtype=np.int64))

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tokens: list[Tokens | CodePoints] = []
        self.keys: list[Any] = []
        self.kernels: list[tuple[str, int, int]] = []
        self.columns: dict[RowFeature, Symbols] = {}
        self._values: dict[RowFeature, Any] = {}

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        raise Untraceable(f"reads {name} of the view")

    def get(self, feature: Any, *keys: Any) -> Any:
        """Raise Untraceable: the texts of a column are not known."""
        raise Untraceable("reads a feature's column")

    def rows(self, feature: RowFeature) -> Any:
        """Return the values of a row feature, as symbols."""
        if feature not in self._values:
            self._values[feature] = (
                feature.metric.findings(self) if isinstance(feature, Findings) else self._inputs(feature)
            )
        return self._values[feature]

    def _inputs(self, feature: RowFeature) -> Any:
        kernel = feature.kernel()
        if kernel is None or type(kernel.tokens) not in (Tokens, CodePoints):
            raise Untraceable(f"reads {type(feature).__name__}, which has no compiled kernel")
        level = kernel.tokens, kernel.keys
        levels = list(zip(self.tokens, self.keys, strict=True))
        if level not in levels:
            self.tokens.append(kernel.tokens)
            self.keys.append(kernel.keys)
            levels.append(level)
        self.kernels.append((kernel.name, levels.index(level), kernel.number))
        self.columns[feature] = self.graph.new_inputs(1, kernel.width)
        return kernel.shape(self.columns[feature])


def level_of(tokens: Tokens | CodePoints) -> tuple[str, bool, bool]:
    """Return how compiled code makes the tokens: the tokenizer, and whether words are in lower case and stemmed."""
    if isinstance(tokens, CodePoints):
        return tokens.form, False, False
    return tokens.tokenizer, tokens.lowercase, tokens.stem


# By class and value, because equal values of two classes are different metrics.
_FORMS: dict[tuple[type, AnyMetric], Compiled | str] = {}


def compiled(metric: AnyMetric) -> Compiled | None:
    """Return the compiled form of a metric; None if it works in the ordinary way only."""
    form = _form(metric)
    return form if isinstance(form, Compiled) else None


def why_not_compiled(metric: AnyMetric) -> str:
    """Return the reason why a metric has no compiled form; "" if it has one."""
    form = _form(metric)
    return form if isinstance(form, str) else ""


def _form(metric: AnyMetric) -> Compiled | str:
    key = (type(metric), metric)
    form = _FORMS.get(key)
    if form is None:
        form = _compiled(metric)
        if len(_FORMS) >= _MOST:
            _FORMS.clear()
            PROGRAMS.clear()
        _FORMS[key] = form
        if isinstance(form, Compiled) and isinstance(metric, Metric):
            for scored, program in (
                (metric, form.corpus),
                (metric.for_segments(), NATIVE.Program(*form.scores)),
            ):
                PROGRAMS[type(scored), scored] = ScoreProgram(form.outputs, tuple(form.parts), program)
    return form


def _compiled(metric: AnyMetric) -> Compiled | str:
    if NATIVE is None:
        return "nothing was compiled"
    if not isinstance(metric, Metric):
        return "has no statistics of rows"
    if metric.takes == "alone" or metric.source or metric.record_fields:
        return "does not read exactly a prediction and its references"
    if metric.costly or metric.fit() is not None:
        return "has a model or a fit"
    try:
        return _traced(metric)
    except Untraceable as error:
        return str(error)
    except Exception as error:
        # Symbols are not arrays in every respect, and metrics of other packages may expect more.
        return f"cannot be traced: {type(error).__name__}: {error}"


def _traced(metric: Metric) -> Compiled:
    graph = Graph()
    view = TracedView(graph)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = metric.statistics(view, {})  # type: ignore[arg-type]
    rows = {part: graph.ids(values) for part, values in statistics.items()}
    if list(rows) != list(metric.outputs()) or any(row.ndim != 2 or len(row) != 1 for row in rows.values()):
        raise Untraceable("has statistics that are not one row for each pair")
    parts = {part: row.shape[1] for part, row in rows.items()}
    statistics_program = graph.program(np.concatenate([row[0] for row in rows.values()]).tolist())
    outputs, scores = score_program(metric.for_segments(), parts)
    _, corpus = score_program(metric, parts)
    first = {part: kinds[0] for part, kinds in metric.outputs().items()}
    native = NATIVE.CompiledMetric(
        [(*level_of(tokens), keys) for tokens, keys in zip(view.tokens, view.keys, strict=True)],
        view.kernels,
        NATIVE.Program(*statistics_program),
        NATIVE.Program(*scores),
        [
            (width, outputs.index(first[part].name), first[part].higher_is_better is not False)
            for part, width in parts.items()
        ],
        metric.takes == "pair",
    )
    return Compiled(
        tuple(view.tokens),
        tuple(view.columns),
        statistics_program,
        scores,
        outputs,
        parts,
        native,
        NATIVE.Program(*corpus),
    )


def score_program(metric: Metric, parts: dict[str, int]) -> tuple[tuple[str, ...], Program]:
    """Return the names of all outputs, and the program that computes them from the statistics of all parts.

    Parameters
    ----------
    metric : Metric
        A metric; `metric.for_segments()` for the scores of segments.
    parts : dict of str to int
        The number of statistics of each part.

    Raises
    ------
    Untraceable
        If `score` of the metric breaks a rule.
    """
    graph = Graph()
    names: list[str] = []
    nodes: list[int] = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for part, width in parts.items():
            for name, value in metric.score(part, graph.new_inputs(width)).items():  # type: ignore[arg-type]
                number: Array = graph.ids(value)
                if number.ndim:
                    raise Untraceable(f"has an output {name} that is not one number")
                names.append(name)
                nodes.append(int(number))
    return tuple(names), graph.program(nodes)


def plain_scores(metric: Metric, parts: dict[str, int]) -> dict[str, Any] | None:
    """Return `score` of a metric as plain data, so that other programs compute its outputs from statistics.

    Parameters
    ----------
    metric : Metric
        A metric, for the score of a corpus from sums of statistics; `metric.for_segments()` for scores of segments.
    parts : dict of str to int
        The number of statistics of each part.

    Returns
    -------
    dict or None
        `Program.plain` (`nlgauge.metric.program` explains the form) with two differences: `outputs` is a dictionary
        from the name of each output to the number of its value, and `parts` is added. The inputs are the statistics of
        all parts, side by side, in the order of `parts`. None if `score` breaks a rule.
    """
    try:
        names, program = score_program(metric, parts)
    except Exception:
        # Symbols are not arrays in every respect, and metrics of other packages may expect more.
        return None
    return program.plain() | {"parts": parts, "outputs": dict(zip(names, program.outputs, strict=True))}
