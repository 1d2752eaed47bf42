"""Segment scores of one metric with little overhead, for callers that request them repeatedly."""

from __future__ import annotations

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.engine.checks import check
from nlgauge.engine.chunk import CHARACTERS, Chunk, Job, Task
from nlgauge.engine.prepare import models_held
from nlgauge.features import Features
from nlgauge.metric import Arrays, Metric
from nlgauge.metric.reduction import Reducer
from nlgauge.metric.table import Table


def segment_scores(corpus: Corpus, job: Job, *, share_features: bool = False) -> Arrays:
    """Return every output for each segment, as `Result.segments` returns them.

    The job must have one metric and its fit, and the corpus one system. Nothing else of a run is created: no
    costs, signatures, environment or warnings. With `share_features` all chunks share one set of features, so a
    model reads a text once that many segments have.
    """
    ((label, metric),) = job.metrics.items()
    assert isinstance(metric, Metric)
    (system,) = corpus.systems
    check(corpus, job.metrics)
    task = Task("score", job, Reducer.of(job.reduce_fn, corpus))
    with models_held([metric]):
        chunks = [Chunk(corpus, segments, job.options) for segments in corpus.chunks(CHARACTERS)]
        if share_features:
            features = Features(corpus.texts, job.options)
            for chunk in chunks:
                chunk.__dict__["features"] = features
        rows = [task.reduced(chunk, label, metric)[system, label] for chunk in chunks]
    scores = [Table(task.reducer.reduced(metric), part).segments() for part in rows]
    return (
        scores[0]
        if len(scores) == 1
        else {name: np.concatenate([part[name] for part in scores]) for name in scores[0]}
    )
