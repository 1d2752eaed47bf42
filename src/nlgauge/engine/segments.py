"""Segment scores of one metric by the shortest way through the engine, for callers that ask for some of
them a thousand times.
"""

from __future__ import annotations

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.engine.checks import check
from nlgauge.engine.chunk import Chunk, Job, Task
from nlgauge.engine.executors import Serial
from nlgauge.metric import Arrays, Metric
from nlgauge.metric.reduction import Reducer
from nlgauge.metric.table import Table
from nlgauge.models.loader import held


def segment_scores(corpus: Corpus, job: Job) -> Arrays:
    """Every output for each segment, as `Result.segments` has them, of a job with one metric on a corpus with
    one system.

    What was fitted must be in the job; nothing else of a run is made: no costs, signatures, environment or
    warnings.
    """
    ((label, metric),) = job.metrics.items()
    assert isinstance(metric, Metric)
    (system,) = corpus.systems
    check(corpus, job.metrics)
    task = Task("score", job, Reducer.of(job.reduce_fn, corpus))
    with held():
        chunks = [
            task.reduced(Chunk(corpus, segments, job.options), label, metric)[system, label]
            for segments in corpus.chunks(Serial().characters)
        ]
    found = [Table(task.reducer.reduced(metric), rows).segments() for rows in chunks]
    return (
        found[0]
        if len(found) == 1
        else {name: np.concatenate([one[name] for one in found]) for name in found[0]}
    )
