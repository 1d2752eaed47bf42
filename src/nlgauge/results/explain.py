"""Explanations of the scores of many segments of a result at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nlgauge.engine.explain import explained
from nlgauge.explanations import Explanations
from nlgauge.metric import Metric
from nlgauge.results.imported.remarks import remark

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def explain_segments(
    result: Result,
    segments: Sequence[int],
    metrics: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
) -> dict[tuple[str, str, int], Explanations]:
    """Return the explanations of segments (numbers from 0) by label, system and segment: of all metrics and
    systems unless some are named.

    Texts are tokenized and encoded once for all of them. Metrics of whole corpora have no explanations. Imported scores
    have those of the program that gave them, if its fields are in the records, such as "match.explanation".
    """
    result._need_texts("explain")
    labels = list(result._job.metrics) if metrics is None else [result._label(metric) for metric in metrics]
    asked = list(result.systems) if systems is None else list(systems)
    for system in asked:
        result._check_system(system)
    explanations = {
        (label, system, segment): Explanations()
        for label in labels
        for system in asked
        for segment in segments
    }
    for (label, system, segment), those in explanations.items():
        if (told := remark(result, label, system, segment)) is not None:
            those.append(told)
    by_segment = [
        label
        for label in labels
        if isinstance(metric := result._job.metrics[label], Metric) and metric.listed
    ]
    if segments:
        for label, system, segment, more in explained(
            result.corpus, segments, asked, by_segment, result._job
        ):
            explanations[label, system, segment].extend(more)
    return explanations
