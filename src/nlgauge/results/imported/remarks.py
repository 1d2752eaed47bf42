"""Explanations of imported scores: what the program that gave a score wrote about it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nlgauge._core.numbers import number
from nlgauge.explanations import Verdict
from nlgauge.metric.imported import Imported

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Suffixes of fields with texts about a score.
_SUFFIXES = ("explanation", "answer", "error")


def remark(result: Result, label: str, system: str, segment: int) -> Verdict | None:
    """Return the texts about an imported score, such as the explanation of a scorer; None if there are none."""
    metric = result._job.metrics[label]
    if not isinstance(metric, Imported):
        return None
    texts = [
        text if suffix == "explanation" else f"{suffix}: {text}"
        for suffix in _SUFFIXES
        for text in _texts(result, metric, suffix, system, segment)
    ]
    if not texts:
        return None
    score = float(result._tables[system, label].segments_of(label)[segment])
    return Verdict(
        f"{label} {number(score, metric.outputs()[label][0])}",
        {},
        criterion=f"{metric.column}, imported{f' from {metric.origin}' if metric.origin else ''}",
        score=score,
        levels={},
        covered=math.nan,
        reason="the log has no score" if math.isnan(score) else "",
        prompts=[],
        replies=[texts],
    )


def has_remarks(result: Result, label: str) -> bool:
    """Return True if the fields of a result have texts about an imported score."""
    metric = result._job.metrics[label]
    fields = {*result.corpus.fields, *result.corpus.system_fields}
    return isinstance(metric, Imported) and any(
        f"{name}.{suffix}" in fields for name in _owners(metric) for suffix in _SUFFIXES
    )


def _texts(result: Result, metric: Imported, suffix: str, system: str, segment: int) -> list[str]:
    """Return the texts of the first field that belongs to the score; several answers have several texts."""
    corpus = result.corpus
    for name in _owners(metric):
        field = f"{name}.{suffix}"
        by_system = corpus.system_fields.get(field)
        values: Any = corpus.fields.get(field) if by_system is None else by_system.get(system)
        if values is not None:
            value = values[segment]
            texts = value if isinstance(value, list | tuple) else [value]
            return [text for text in texts if isinstance(text, str) and text.strip()]
    return []


def _owners(metric: Imported) -> Iterator[str]:
    """Yield the names whose fields may explain the score: its own, without the name of the tool, and of its scorer."""
    tool = f"{metric.origin.partition(' ')[0] or 'imported'}."
    for column in dict.fromkeys((metric.column, metric.column.removeprefix(tool))):
        parts = column.split(".")
        yield from (".".join(parts[:count]) for count in range(len(parts), 0, -1))
