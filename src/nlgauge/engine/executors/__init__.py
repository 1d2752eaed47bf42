"""Executors: compute chunks in this process, in threads, in other processes, or on a Ray cluster.

An executor is any object with `characters` (the size of its chunks) and `map`. Pass it, or a name in
`EXECUTORS`, as `executor=` to `nlgauge.score`, `nlgauge.Scorer` or `Result.add`. An executor with state that
lasts for all stages of a run, such as workers with loaded models, also has `opened()`: a context manager that
returns the executor of this run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from importlib import import_module
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol

from nlgauge._core.backend import chosen, kernel_threads, stop_kernels
from nlgauge._core.threads import threads
from nlgauge.engine.chunk import CHARACTERS, Chunk, Rows, Task
from nlgauge.engine.costs import Costs
from nlgauge.errors import ParameterError, did_you_mean
from nlgauge.metric import AnyMetric

if TYPE_CHECKING:
    from concurrent.futures import Future

# Maximum number of chunks that `Threads` computes at once, for any number of threads.
_MOST_AT_ONCE = 4
# Names for `executor=`, with the module and the class; a module is imported when its name is used.
EXECUTORS = {
    "serial": ("nlgauge.engine.executors", "Serial"),
    "threads": ("nlgauge.engine.executors", "Threads"),
    "processes": ("nlgauge.engine.executors.processes", "Processes"),
    "ray": ("nlgauge.engine.executors.ray", "Ray"),
}


class Executor(Protocol):
    """Protocol of an executor, which computes the chunks of a corpus in order."""

    @property
    def characters(self) -> int:
        """Approximate number of characters of text per chunk."""
        ...

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """Yield the arrays and the costs that the task computes for each chunk.

        Each chunk is taken once, when it is needed.
        """
        ...


@dataclass(frozen=True, eq=False)
class Serial:
    """Executor that computes one chunk after another in this process."""

    characters: int = CHARACTERS

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """Yield the arrays and the costs of each chunk."""
        for chunk in chunks:
            yield task.run(chunk)


@dataclass(frozen=True, eq=False)
class Threads:
    """Executor that computes several chunks at once in threads of this process.

    Compiled kernels run without the interpreter's lock. NLGAUGE_THREADS sets the number of threads.
    """

    characters: int = 400_000

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """Yield the arrays and the costs of each chunk."""
        count, chunks = counted(chunks, _MOST_AT_ONCE)
        if count <= 1 or chosen() == "python" or (count := min(count, threads())) == 1:
            yield from Serial().map(task, chunks)
            return
        from concurrent.futures import ThreadPoolExecutor

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


def executor_of(executor: str | Executor) -> Executor:
    """Return the executor of this name, or the executor itself; raise ParameterError for other values."""
    if isinstance(executor, str):
        if executor not in EXECUTORS:
            raise ParameterError(
                f"unknown executor {executor!r}{did_you_mean(executor, EXECUTORS)}; choose one of"
                f" {', '.join(EXECUTORS)}."
            )
        module, name = EXECUTORS[executor]
        named: Executor = getattr(import_module(module), name)()
        return named
    if isinstance(executor, type) or not (
        isinstance(getattr(executor, "characters", None), int) and callable(getattr(executor, "map", None))
    ):
        names = ", ".join(EXECUTORS)
        raise ParameterError(
            f"executor must be one of {names}, or have `characters` and `map`, as in"
            f" nlgauge.engine.executors; got {executor!r:.60}."
        )
    return executor


def opened(executor: Executor) -> AbstractContextManager[Executor]:
    """Return a context manager that yields the executor for all stages of one run."""
    open_for_run: Callable[[], AbstractContextManager[Executor]] | None = getattr(executor, "opened", None)
    return nullcontext(executor) if open_for_run is None else open_for_run()


def counted(chunks: Iterable[Chunk], most: int) -> tuple[int, Iterator[Chunk]]:
    """Count the chunks, up to `most`; return the number, and an iterator over all chunks."""
    rest = iter(chunks)
    first = list(islice(rest, most))
    return len(first), chain(first, rest)


def in_order(
    start: Callable[[Chunk], Future[Any]], chunks: Iterable[Chunk], most: int
) -> Iterator[tuple[Chunk, Future[Any]]]:
    """Yield every chunk with its future, in order.

    One more than `most` chunks are under way, so that no worker has to wait.
    """
    started: deque[tuple[Chunk, Future[Any]]] = deque()
    for chunk in chunks:
        started.append((chunk, start(chunk)))
        if len(started) > most:
            yield started.popleft()
    while started:
        yield started.popleft()


def default_executor(metrics: Iterable[AnyMetric]) -> Executor:
    """Return Threads for built-in metrics without a model, else Serial.

    The data that a model computes for texts take much memory, and custom metrics may not be thread-safe.
    """
    return Threads() if all(map(_bears_threads, metrics)) else Serial()


def _bears_threads(metric: AnyMetric) -> bool:
    return type(metric).__module__.startswith("nlgauge.metrics.") and not any(
        field.name == "model"
        for field in fields(metric)  # type: ignore[arg-type]
    )
