"""Executor `Processes`: chunks in worker processes, which are started as separate programs."""

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

# Time that a worker has to end by itself after it closed a pipe.
_GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Processes:
    """Executor with NLGAUGE_THREADS worker processes; scripts need no `__main__` guard.

    Metrics that cannot be sent to a worker (`messages.divided`) are computed in this process.
    """

    characters: int = 50_000

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """Yield the arrays and the costs of each chunk."""
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
                # All workers exist at once, so their peaks are added.
                costs.memory = sum(worker.memory for worker in workers)
                yield rows, costs
        finally:
            for worker in workers:
                worker.close()
            pool.shutdown(cancel_futures=True)


class _Worker:
    """Process that computes chunks, and the framed messages to and from it.

    The process runs `python -m nlgauge.engine.executors.processes.worker`.
    """

    def __init__(self, setup: Mapping[str, Any], its_threads: int) -> None:
        self.memory = 0.0
        environment = {**os.environ, "NLGAUGE_THREADS": str(its_threads)}
        # -P: a module in the working directory must not replace a module that the worker imports.
        command = [sys.executable, "-P", "-m", "nlgauge.engine.executors.processes.worker"]
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
        except OSError as error:
            raise NlgaugeError(
                f"cannot start a worker process with {sys.executable!r}: {error}",
                python="pass executor='serial'",
                cli="use --executor serial without --jobs",
            ) from None
        try:
            self._send(setup)
        except BaseException:
            self.close()
            raise

    def compute(self, chunk: Chunk) -> tuple[Rows, Costs]:
        """Return the rows and the costs that the worker computes for a chunk."""
        self._send(of_chunk(chunk))
        assert self._process.stdout is not None
        try:
            answer = receive(self._process.stdout)
        except WireError as error:
            raise NlgaugeError(
                f"cannot read the answer of a worker process ({error})",
                python="pass executor='serial'",
                cli="use --executor serial without --jobs",
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
            f"a worker process stopped with exit code {code} (its error message, if any, is above)",
            python="pass executor='serial'",
            cli="use --executor serial without --jobs",
        )

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # data for a worker that died
                    stream.close()
