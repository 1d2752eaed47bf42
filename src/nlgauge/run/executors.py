"""Executors: how the chunks of a corpus are computed, one after the other or in other processes.

An executor is anything with `characters` (the size of its chunks) and this `map`; numbers do not depend on which one runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.run.chunk import Job, Rows, run_chunk
from nlgauge.run.costs import Costs
from nlgauge.run.reduction import Reducer


class Executor(Protocol):
    """Computes the chunks of a corpus, in order."""

    characters: int

    def map(self, corpus: Corpus, chunks: Sequence[Array], job: Job, reducer: Reducer) -> Iterator[tuple[Rows, Costs]]:
        """The reduced rows and the costs of each chunk."""
        ...


class Serial:
    """One chunk after the other, in this process."""

    characters = 200_000

    def map(self, corpus: Corpus, chunks: Sequence[Array], job: Job, reducer: Reducer) -> Iterator[tuple[Rows, Costs]]:
        for segments in chunks:
            yield run_chunk(corpus, segments, job, reducer)
