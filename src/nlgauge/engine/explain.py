"""Explanations of segment scores, from the rows that determined them; all rows share features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from nlgauge._core.ragged import Array, offsets_of
from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Chunk, Job, statistics_of
from nlgauge.explanations import Explanation
from nlgauge.explanations.spans import located
from nlgauge.metric import Arrays, Metric, View
from nlgauge.metric.reduction import Reducer


def explained(
    corpus: Corpus, segments: Sequence[int], systems: Sequence[str], labels: Sequence[str], job: Job
) -> Iterator[tuple[str, str, int, list[Explanation]]]:
    """Yield label, system, segment and explanations, for each metric, system and segment.

    Each part of a metric is explained by the row that determined it. The texts of all segments and systems
    are tokenized and encoded once, for all metrics together.
    """
    chunk = Chunk(corpus.only(*systems), np.array(segments, dtype=np.int64), job.options)
    reducer = Reducer.of(job.reduce_fn, corpus)
    for label in labels:
        metric = job.metrics[label]
        assert isinstance(metric, Metric)
        for view, places in chunk.rows(metric):
            fitted = job.fitted(label, next(iter(places)))
            statistics = statistics_of(metric, view, fitted)
            for system, row_numbers in places.items():
                references, predictions = chunk.groups(metric, system)
                of_prediction, of_segment = offsets_of(predictions), offsets_of(references)
                for at, segment in enumerate(segments):
                    counts = references[of_prediction[at] : of_prediction[at + 1]]
                    rows = row_numbers[of_segment[of_prediction[at]] : of_segment[of_prediction[at + 1]]]
                    explanations = _of_segment(
                        metric,
                        view,
                        fitted,
                        reducer,
                        {part: values[rows] for part, values in statistics.items()},
                        rows,
                        counts,
                    )
                    yield label, system, segment, explanations


def _of_segment(
    metric: Metric,
    view: View,
    fitted: Arrays,
    reducer: Reducer,
    statistics: Arrays,
    rows: Array,
    references: Array,
) -> list[Explanation]:
    """Return the explanations of one segment of a system.

    `rows` are the segment's rows in the view; `references` is the number of rows of each prediction.
    """
    winners = reducer.winners(metric, statistics, references, np.array([len(references)]))
    parts_of_row: dict[int, list[str]] = {
        row: [] for row in (range(len(rows)) if winners is None else winners.values())
    }
    for part in metric.outputs():
        for row in parts_of_row if winners is None else [winners[part]]:
            parts_of_row[row].append(part)
    of_prediction = np.repeat(np.arange(len(references)), references)
    of_reference = np.arange(len(rows)) - offsets_of(references)[of_prediction]
    explanations: list[Explanation] = []
    for row, parts in parts_of_row.items():
        row_view = view.only(int(rows[row]), tuple(parts))
        for explanation in metric.explain(row_view, fitted):
            part_statistics = {part: explanation.statistics[part] for part in parts}
            reference = int(of_reference[row]) if metric.takes == "pair" else explanation.reference_number
            numbered = replace(
                explanation,
                statistics=part_statistics,
                prediction_number=int(of_prediction[row]),
                reference_number=reference,
            )
            explanations.append(located(numbered, _texts(row_view, reference), row_view.text))
    return explanations


def _texts(view: View, number: int | None) -> dict[str, int]:
    """Return the text ids of a single row, with the reference that counted, if any."""
    texts = {"prediction": int(view.predictions[0])}
    if number is not None and view.references is not None:
        # A row of a pair has only the reference that counted.
        texts["reference"] = int(view.reference[number if len(view.reference) > 1 else 0])
    if view.sources is not None:
        texts["source"] = int(view.sources[0])
    return texts
