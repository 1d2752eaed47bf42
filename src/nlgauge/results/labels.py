"""Names of metrics and outputs in a result: how they are called, and which of them a name stands for (the
label itself, the metric as printed, an alias, or a bare name if that is unique).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from nlgauge.errors import NlgaugeError, UnknownNameError, no_such
from nlgauge.metric import AnyMetric, Output
from nlgauge.metric.registry import SUFFIX, parse, without_parameters

if TYPE_CHECKING:
    from nlgauge.results.result import Result

Metrics = Mapping[str, AnyMetric]


def label_of(name: str, metrics: Metrics) -> str:
    """Return the label that a name stands for, or raise an error that lists the labels."""
    matches = [name] if name in metrics else labels_found(name, metrics)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UnknownNameError(f"{name!r} may be {' or '.join(map(repr, matches))}; name one of them.")
    raise UnknownNameError(no_such("metric", name, metrics, " in this result"))


def labels_found(name: Any, metrics: Metrics) -> list[str]:
    """Return the labels of all metrics that a name which is not a label may stand for.

    An imported score whose name is the name of a metric has a prefix, which may be omitted.
    """
    if not isinstance(name, str):
        return []
    imported = [label for label in metrics if label.endswith(f".{name}") and label == str(metrics[label])]
    try:
        wanted = parse(name)
        equal = [label for label, metric in metrics.items() if str(metric) == str(wanted)]
        if equal or "(" in name:
            return equal
        bare = wanted.name
    except NlgaugeError:
        return imported
    return [label for label, metric in metrics.items() if bare_name(metric) == bare] or imported


def bare_name(metric: AnyMetric) -> str:
    """Return the metric's name without parameters."""
    return without_parameters(str(metric))


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Return each label without its parameters, or the whole label if another would be called the same."""
    bare = {label: without_parameters(label) for label in labels}
    counts = Counter(bare.values())
    return {label: name if counts[name] == 1 else label for label, name in bare.items()}


def output_name(name: str, output: str, metric: str = "") -> str:
    """Return the name of an output: the metric's name and, unless it adds nothing, the output's after a dot.

    `name` is the metric's label or short name; `metric` is needed if that does not begin with the metric's
    registered name. Frames, files, tables, plots and messages use this name.

    >>> output_name("rouge", "rougeL"), output_name("wer(lowercase=True)", "wer"), output_name("errors", "wer", "wer")
    ('rouge.rougeL', 'wer(lowercase=True)', 'errors')
    """
    own = (metric or without_parameters(name)).removesuffix(SUFFIX)
    return name if output in ("score", own) else f"{name}.{output}"


def output_names(result: Result) -> dict[tuple[str, str], str]:
    """Return the name of every output by label and output, with parameters only if they are needed to
    distinguish metrics.
    """
    tables = {label: result._tables[result.systems[0], label] for label in result.labels}
    return {
        (label, output.name): output_name(name, output.name, bare_name(tables[label].metric))
        for label, name in short_names(tables).items()
        for output in tables[label].outputs()
    }


def output_named(result: Result, name: str) -> tuple[str, Output]:
    """Return the label and the output that a metric's name (its first output) or name.output stands for.

    An output comes before an alias of the same name: rouge.rouge1 of a result with several kinds of ROUGE is
    its output rouge1.
    """
    tables = {label: result._tables[result.systems[0], label] for label in result.labels}
    return output_among(
        {label: table.metric for label, table in tables.items()}, name, lambda label: tables[label].outputs()
    )


def output_among(
    metrics: Metrics, name: str, outputs_by_label: Callable[[str], Iterable[Output]]
) -> tuple[str, Output]:
    """Return the label and the output of metrics that a name stands for; see `output_named`."""
    is_label = name in metrics or not isinstance(name, str)
    metric, dot, output = (name, "", "") if is_label else name.rpartition(".")
    try:
        label = label_of(metric if dot else name, metrics)
    except UnknownNameError:
        label, dot = label_of(name, metrics), ""
    outputs = {each.name: each for each in outputs_by_label(label)}
    if dot and output not in outputs:
        raise UnknownNameError(f"{label} has no output {output!r}; its outputs are {', '.join(outputs)}.")
    if dot:
        return label, outputs[output]
    first = next(iter(outputs.values()))
    return label, first if is_label else outputs.get(name, first)


class OutputRow(Protocol):
    """A row of a comparison or of ranks."""

    @property
    def label(self) -> str: ...

    @property
    def output(self) -> Output: ...


Row = TypeVar("Row", bound=OutputRow)


def rows_named(key: str | tuple[str, str], rows: Sequence[Row], label: Callable[[str], str]) -> list[Row]:
    """Return the rows of a metric ("bleu"), or of one of its outputs ("rouge.rouge2" or ("rouge", "rouge2")).

    `label` returns the label that a name or an alias stands for.
    """
    wanted = [(key, "")] if isinstance(key, str) else [key]
    if isinstance(key, str) and "." in key:
        metric, _, output = key.rpartition(".")
        wanted.append((metric, output))
    for metric, output in wanted:
        try:
            found = metric if any(row.label == metric for row in rows) else label(metric)
        except UnknownNameError:
            continue
        if chosen := [row for row in rows if row.label == found and output in ("", row.output.name)]:
            return chosen
    names = dict.fromkeys(output_name(row.label, row.output.name) for row in rows)
    raise UnknownNameError(f"{key!r} was not tested; the tested outputs are {', '.join(names)}.")
