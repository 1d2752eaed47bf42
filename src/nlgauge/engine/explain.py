"""Why segments got their scores: the rows that decided, explained on features that all of them share."""

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
    """Label, system, segment and explanations, for each part of a metric of the row that decided it.

    The texts of all segments and systems are tokenised and encoded once, for all metrics together.
    """
    chunk = Chunk(corpus.only(*systems), np.array(segments, dtype=np.int64), job.options)
    reducer = Reducer.of(job.reduce_fn, corpus)
    for label in labels:
        metric = job.metrics[label]
        assert isinstance(metric, Metric)
        for view, places in chunk.rows(metric):
            fitted = job.fitted(label, next(iter(places)))
            statistics = statistics_of(metric, view, fitted)
            for system, own in places.items():
                references, predictions = chunk.groups(metric, system)
                of_prediction, of_segment = offsets_of(predictions), offsets_of(references)
                for at, segment in enumerate(segments):
                    counts = references[of_prediction[at] : of_prediction[at + 1]]
                    rows = own[of_segment[of_prediction[at]] : of_segment[of_prediction[at + 1]]]
                    found = _of_segment(
                        metric,
                        view,
                        fitted,
                        reducer,
                        {part: values[rows] for part, values in statistics.items()},
                        rows,
                        counts,
                    )
                    yield label, system, segment, found


def _of_segment(
    metric: Metric,
    view: View,
    fitted: Arrays,
    reducer: Reducer,
    statistics: Arrays,
    rows: Array,
    references: Array,
) -> list[Explanation]:
    """The explanations of one segment of a system: `rows` are its rows in the view, `references` how many
    of them each of its predictions has.
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
    found: list[Explanation] = []
    for row, parts in parts_of_row.items():
        own = view.only(int(rows[row]), tuple(parts))
        for explanation in metric.explain(own, fitted):
            kept = {part: explanation.statistics[part] for part in parts}
            reference = int(of_reference[row]) if metric.takes == "pair" else explanation.reference_number
            numbered = replace(
                explanation,
                statistics=kept,
                prediction_number=int(of_prediction[row]),
                reference_number=reference,
            )
            found.append(located(numbered, _texts(own, reference)))
    return found


def _texts(view: View, number: int | None) -> dict[str, str]:
    """The texts of a single row; the reference where one counted."""
    found = {"prediction": view.text(view.predictions[0])}
    if number is not None and view.references is not None:
        # A row of a pair has just the reference that counted.
        found["reference"] = view.text(view.reference[number if len(view.reference) > 1 else 0])
    if view.sources is not None:
        found["source"] = view.text(view.sources[0])
    return found
