"""Processes: chunks in worker processes, which are started as programs of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from nlgauge._core.threads import threads
from nlgauge.engine.chunk import Chunk, Rows, Task
from nlgauge.engine.costs import Costs
from nlgauge.engine.executors import Serial, counted, in_order
from nlgauge.engine.executors.processes.messages import divided, found_in, of_chunk, of_task, with_local
from nlgauge.engine.executors.processes.wire import WireError, receive, send
from nlgauge.errors import NlgaugeError

# How long a worker that has closed a pipe may take to end by itself.
_GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Processes:
    """Chunks in worker processes, NLGAUGE_THREADS of them; no `__main__` guard is needed.

    Metrics that cannot travel (`messages.divided`) are computed in this process.
    """

    characters: int = 50_000

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        remote, local = divided(task)
        count, chunks = counted(chunks, threads())
        if not remote.job.metrics or not count:
            yield from Serial().map(task, chunks)
            return
        setup = of_task(remote)
        workers: list[_Worker] = []
        free: SimpleQueue[_Worker] = SimpleQueue()
        pool = ThreadPoolExecutor(count)

        def compute(chunk: Chunk) -> tuple[Rows, Costs]:
            worker = free.get()
            try:
                return worker.compute(chunk)
            finally:
                free.put(worker)

        try:
            for _ in range(count):
                workers.append(_Worker(setup, max(1, threads() // count)))
                free.put(workers[-1])
            for chunk, future in in_order(lambda chunk: pool.submit(compute, chunk), chunks, count):
                rows, costs = with_local(local, chunk, future.result())
                # All workers are there at once, each with what it took at the most.
                costs.memory = sum(worker.memory for worker in workers)
                yield rows, costs
        finally:
            for worker in workers:
                worker.close()
            pool.shutdown(cancel_futures=True)


class _Worker:
    """A process that computes chunks: `python -m nlgauge.engine.executors.processes.worker`, spoken to in
    framed messages.
    """

    def __init__(self, setup: Mapping[str, Any], its_threads: int) -> None:
        self.memory = 0.0
        environment = {**os.environ, "NLGAUGE_THREADS": str(its_threads)}
        # -P: a module in the working directory must not take the place of one that the worker imports.
        command = [sys.executable, "-P", "-m", "nlgauge.engine.executors.processes.worker"]
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
        except OSError as error:
            raise NlgaugeError(
                f"cannot start a worker process with {sys.executable!r}: {error}",
                python="score without run_concurrent",
                cli="score without --jobs",
            ) from None
        try:
            self._send(setup)
        except BaseException:
            self.close()
            raise

    def compute(self, chunk: Chunk) -> tuple[Rows, Costs]:
        """What the worker's task gives for a chunk."""
        self._send(of_chunk(chunk))
        assert self._process.stdout is not None
        try:
            answer = receive(self._process.stdout)
        except WireError as error:
            raise NlgaugeError(
                f"cannot read the answer of a worker process ({error})",
                python="score without run_concurrent",
                cli="score without --jobs",
            ) from None
        if answer is None:
            raise self._ended()
        rows, costs = found_in(answer, "a worker process")
        self.memory = costs.memory
        return rows, costs

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, message)
        except BrokenPipeError:
            raise self._ended() from None

    def _ended(self) -> NlgaugeError:
        try:
            code = self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return NlgaugeError(
            f"a worker process stopped with exit code {code}, and its message is above",
            python="score without run_concurrent",
            cli="score without --jobs",
        )

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # what was not sent to a worker that died
                    stream.close()
