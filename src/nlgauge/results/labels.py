"""Which label of a result a name stands for: the label itself, the metric as printed, an alias, or a bare
name where that is unique.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.errors import NlgaugeError, UnknownNameError, did_you_mean
from nlgauge.metric import AnyMetric
from nlgauge.metric.registry import find, parse

Metrics = Mapping[str, AnyMetric]


def label_of(name: str, metrics: Metrics) -> str:
    """The label that a name stands for, or an error that names those that there are."""
    found = [name] if name in metrics else labels_found(name, metrics)
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownNameError(f"{name!r} may be {' or '.join(map(repr, found))}; name one of them.")
    near = did_you_mean(str(name), metrics)
    raise UnknownNameError(
        f"there is no metric {name!r} in this result{near}; there are {', '.join(metrics)}."
    )


def labels_found(name: Any, metrics: Metrics) -> list[str]:
    """The labels of all metrics that a name, beside the labels themselves, may stand for."""
    if not isinstance(name, str):
        return []
    try:
        wanted = str(parse(name))
        equal = [label for label, metric in metrics.items() if str(metric) == wanted]
        if equal or "(" in name:
            return equal
        bare = find(name).name
    except NlgaugeError:
        return []
    return [label for label, metric in metrics.items() if bare_name(metric) == bare]


def bare_name(metric: AnyMetric) -> str:
    """The metric's name without parameters."""
    return str(metric).partition("(")[0]


def short_names(metrics: Metrics) -> dict[str, str]:
    """What each label is called in columns: its part before the parameters where no other label would be
    called the same, else the label.
    """
    bare = {label: label.partition("(")[0] for label in metrics}
    counts = list(bare.values())
    return {label: name if counts.count(name) == 1 else label for label, name in bare.items()}
