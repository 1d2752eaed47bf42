"""Executors: how the chunks of a corpus are computed. Numbers do not depend on which one runs.

An executor is anything with `characters` (the size of its chunks) and `map`; give it as `executor=` to `nlgauge.score` or `nlgauge.Scorer`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Protocol

from nlgauge.kernels.backend import chosen, kernel_threads
from nlgauge.metric import AnyMetric
from nlgauge.models.threads import threads
from nlgauge.run.chunk import Chunk, Rows, Task
from nlgauge.run.costs import Costs

# So many chunks are in memory at once, however many threads there are.
_MOST_AT_ONCE = 4


class Executor(Protocol):
    """Computes the chunks of a corpus, in order."""

    @property
    def characters(self) -> int:
        """About how many characters of text a chunk has."""
        ...

    def map(self, task: Task, chunks: Sequence[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk: its arrays and its costs."""
        ...


@dataclass(frozen=True)
class Serial:
    """One chunk after the other, in this process."""

    characters: int = 200_000

    def map(self, task: Task, chunks: Sequence[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        for chunk in chunks:
            yield task.run(chunk)


@dataclass(frozen=True)
class Threads:
    """Several chunks at once in this process, because compiled kernels run without the interpreter's lock; NLGAUGE_THREADS says how many."""

    characters: int = 400_000

    def map(self, task: Task, chunks: Sequence[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        count = min(len(chunks), _MOST_AT_ONCE)
        if count == 1 or chosen() == "python" or (count := min(count, threads())) == 1:
            yield from Serial().map(task, chunks)
            return
        pool = ThreadPoolExecutor(count)
        started: deque[Future[tuple[Rows, Costs]]] = deque()
        try:
            with kernel_threads(max(1, threads() // count)):
                for chunk in chunks:
                    started.append(pool.submit(task.run, chunk))
                    if len(started) > count:  # one more than there are threads, so that none has to wait
                        yield started.popleft().result()
                for future in started:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def default_executor(metrics: Iterable[AnyMetric]) -> Executor:
    """Threads for metrics of ours without a model: what a model makes of a text takes much memory, and other people's code may not bear threads."""
    return Threads() if all(map(_bears_threads, metrics)) else Serial()


def _bears_threads(metric: AnyMetric) -> bool:
    return type(metric).__module__.startswith("nlgauge.metrics.") and not any(field.name == "model" for field in fields(metric))  # type: ignore[arg-type]
