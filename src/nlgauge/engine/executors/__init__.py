"""Executors: chunks are computed in this process, in threads, in other processes, or on a Ray cluster.

An executor is anything with `characters` (the size of its chunks) and `map`; give it, or one of the names in
`EXECUTORS`, as `executor=` to `nlgauge.score`, `nlgauge.Scorer` or `Result.add`. One that keeps something
between the stages of a run, such as workers with loaded models, has `opened()` too: a context manager that
gives the executor of this run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from importlib import import_module
from itertools import chain, islice
from typing import Any, Protocol

from nlgauge._core.backend import chosen, kernel_threads, stop_kernels
from nlgauge._core.threads import threads
from nlgauge.engine.chunk import Chunk, Rows, Task
from nlgauge.engine.costs import Costs
from nlgauge.errors import ParameterError, did_you_mean
from nlgauge.metric import AnyMetric

# So many chunks are in memory at once, however many threads there are.
_MOST_AT_ONCE = 4
# What `executor=` may be called, and where the class of that name is, imported only when it is asked for.
EXECUTORS = {
    "serial": ("nlgauge.engine.executors", "Serial"),
    "threads": ("nlgauge.engine.executors", "Threads"),
    "processes": ("nlgauge.engine.executors.processes", "Processes"),
    "ray": ("nlgauge.engine.executors.ray", "Ray"),
}


class Executor(Protocol):
    """Computes the chunks of a corpus, in order."""

    @property
    def characters(self) -> int:
        """About how many characters of text a chunk has."""
        ...

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk: its arrays and its costs.

        Chunks are taken as they are needed, each once.
        """
        ...


@dataclass(frozen=True)
class Serial:
    """One chunk after the other, in this process."""

    characters: int = 200_000

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        for chunk in chunks:
            yield task.run(chunk)


@dataclass(frozen=True)
class Threads:
    """Several chunks at once in this process, because compiled kernels run without the interpreter's
    lock; NLGAUGE_THREADS says how many.
    """

    characters: int = 400_000

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        count, chunks = counted(chunks, _MOST_AT_ONCE)
        if count <= 1 or chosen() == "python" or (count := min(count, threads())) == 1:
            yield from Serial().map(task, chunks)
            return
        pool = ThreadPoolExecutor(count)
        try:
            with kernel_threads(max(1, threads() // count)):
                for _, future in in_order(lambda chunk: pool.submit(task.run, chunk), chunks, count):
                    yield future.result()
        except KeyboardInterrupt:
            stop_kernels()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def executor_of(given: str | Executor) -> Executor:
    """The executor of this name, or the executor itself; an error that says what there is where it is
    neither.
    """
    if isinstance(given, str):
        if given not in EXECUTORS:
            raise ParameterError(
                f"unknown executor {given!r}{did_you_mean(given, EXECUTORS)}; choose one of {', '.join(EXECUTORS)}."
            )
        module, name = EXECUTORS[given]
        made: Executor = getattr(import_module(module), name)()
        return made
    if isinstance(given, type) or not (
        isinstance(getattr(given, "characters", None), int) and callable(getattr(given, "map", None))
    ):
        names = ", ".join(EXECUTORS)
        raise ParameterError(
            f"executor must be one of {names}, or have `characters` and `map`, as in"
            f" nlgauge.engine.executors; got {given!r:.60}."
        )
    return given


def opened(executor: Executor) -> AbstractContextManager[Executor]:
    """The executor for one run, with what it keeps between the stages of the run."""
    own: Callable[[], AbstractContextManager[Executor]] | None = getattr(executor, "opened", None)
    return nullcontext(executor) if own is None else own()


def counted(chunks: Iterable[Chunk], most: int) -> tuple[int, Iterator[Chunk]]:
    """How many chunks there are, up to `most`, and all of them again."""
    rest = iter(chunks)
    first = list(islice(rest, most))
    return len(first), chain(first, rest)


def in_order(
    start: Callable[[Chunk], Future[Any]], chunks: Iterable[Chunk], most: int
) -> Iterator[tuple[Chunk, Future[Any]]]:
    """Every chunk with its future, in their order; one more than `most` are under way, so that nobody has
    to wait.
    """
    started: deque[tuple[Chunk, Future[Any]]] = deque()
    for chunk in chunks:
        started.append((chunk, start(chunk)))
        if len(started) > most:
            yield started.popleft()
    while started:
        yield started.popleft()


def default_executor(metrics: Iterable[AnyMetric]) -> Executor:
    """Threads for metrics of ours without a model: what a model makes of a text takes much memory, and
    other people's code may not bear threads.
    """
    return Threads() if all(map(_bears_threads, metrics)) else Serial()


def _bears_threads(metric: AnyMetric) -> bool:
    return type(metric).__module__.startswith("nlgauge.metrics.") and not any(
        field.name == "model"
        for field in fields(metric)  # type: ignore[arg-type]
    )
