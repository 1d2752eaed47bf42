"""Workers of a run on a cluster, and the chunks of each.

If a worker dies, other workers compute its chunks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from typing import Any

from nlgauge.engine.chunk import Chunk, Task
from nlgauge.engine.executors.processes.messages import found_in, of_chunk
from nlgauge.engine.executors.processes.wire import decode, encode
from nlgauge.engine.executors.ray.worker import Worker, setup_of
from nlgauge.errors import NlgaugeError

WHERE = "a worker of the cluster"
# If this number of workers died while they computed a chunk, the chunk is reported as the cause.
_TRIES = 4
# Chunks per worker: it has the next chunk when it finishes the current chunk.
_CHUNKS_EACH = 2
# Maximum number of chunks per worker that are under way, or done and waiting for an earlier chunk.
_WINDOW = 4
# Environment variables that are copied to every node. The directory of models is not, because each node has its
# own.
_COPIED_VARIABLES = ("NLGAUGE_OFFLINE", "NLGAUGE_KERNELS")

Answer = dict[str, Any]


@dataclass(order=True)
class Errand:
    """Chunk under way: its number in the run, and how many workers died while computing it."""

    number: int
    chunk: Chunk = field(compare=False)
    deaths: int = field(default=0, compare=False)


@dataclass(eq=False)
class Member:
    """Worker: whether it has accepted the task, and its number of chunks."""

    actor: Any
    ready: bool = False
    chunks: int = 0


class Crew:
    """Up to `count` workers with `cores` cores and `gpus` GPUs each.

    Workers are started when chunks need them, and end with the crew.
    """

    def __init__(self, ray: Any, count: int, cores: int, gpus: float) -> None:
        self.ray, self.count = ray, count
        self.members: list[Member] = []
        # Ray must not repeat calls: it would wait for room for the same worker, although another may be free.
        self._actors = ray.remote(Worker).options(
            num_cpus=cores, num_gpus=gpus, max_restarts=0, max_task_retries=0
        )
        self._arguments = cores, {name: os.environ[name] for name in _COPIED_VARIABLES if name in os.environ}
        self._deaths = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *error: object) -> None:
        for member in self.members:
            self._kill(member)

    def answers(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Answer]]:
        """Yield every chunk with the answer of the worker that computed it, in order."""
        return _Run(self, self.ray.put(setup_of(task)), chunks).answers()

    def hire(self, wanted: int) -> list[Member]:
        """Start workers until `wanted` exist, but at most `count`; return the new workers."""
        hired = [
            Member(self._actors.remote(*self._arguments))
            for _ in range(min(wanted, self.count) - len(self.members))
        ]
        self.members.extend(hired)
        return hired

    def answer(self, reference: Any) -> Answer | Exception:
        """Return the answer of a worker, or the Ray error if the worker died.

        An error that would also occur with any other worker is raised.
        """
        try:
            content: Answer = decode(self.ray.get(reference))
        except self.ray.exceptions.RayTaskError as error:
            raise NlgaugeError(f"in {WHERE}: {error.cause!r}; Ray's logs have the traceback.") from error
        except self.ray.exceptions.RayError as error:
            if getattr(error, "actor_init_failed", False):
                raise NlgaugeError(
                    f"{WHERE} could not start; install the same version of nlgauge on every node. {error}"
                ) from error
            return error  # type: ignore[no-any-return]
        self._deaths = 0
        return content

    def lose(self, member: Member, error: Exception) -> None:
        """Remove a dead worker; raise NlgaugeError if too many workers died without any answer."""
        self.members.remove(member)
        self._kill(member)  # it may run, but be out of reach
        self._deaths += 1
        if self._deaths >= _TRIES * self.count:
            raise NlgaugeError(
                f"{self._deaths} workers of the cluster died in a row before any of them answered; check the nodes"
                f" with `ray status`. The last error: {error}"
            ) from error

    def _kill(self, member: Member) -> None:
        with suppress(self.ray.exceptions.RayError):  # the cluster may have ended
            self.ray.kill(member.actor)


class _Run:
    """One task on the chunks of a corpus; each chunk is waiting, with one worker, or done."""

    def __init__(self, crew: Crew, setup: Any, chunks: Iterable[Chunk]) -> None:
        self._crew, self._setup = crew, setup
        self._coming = (Errand(number, chunk) for number, chunk in enumerate(chunks))
        # Heap of the chunks that no worker has. The first chunk is computed first, because later chunks may be
        # done and wait for it.
        self._waiting: list[Errand] = []
        # Calls to workers, by the reference of the answer: the chunk to compute, or None to accept the task.
        self._asked: dict[Any, tuple[Member, Errand | None]] = {}
        self._done: dict[int, tuple[Chunk, Answer]] = {}
        self._under_way = self._yielded = 0

    def answers(self) -> Iterator[tuple[Chunk, Answer]]:
        """Yield every chunk with its answer, in order."""
        for member in self._crew.members:
            self._begin(member)
        while self._fill():
            self._hand_out()
            (reference,), _ = self._crew.ray.wait(list(self._asked), num_returns=1)
            self._take(reference)
            while self._yielded in self._done:
                yield self._done.pop(self._yielded)
                self._yielded += 1
                self._under_way -= 1

    def _fill(self) -> bool:
        """Take more chunks, as far as there is room; return True if any chunk is under way."""
        more = list(islice(self._coming, _WINDOW * self._crew.count - self._under_way))
        for errand in more:
            heappush(self._waiting, errand)
        self._under_way += len(more)
        return self._under_way > 0

    def _hand_out(self) -> None:
        """Send chunks to workers, and start workers if there are too few.

        A worker gets a second chunk only if every other worker has a chunk, or a chunk is left for it.
        """
        for member in self._crew.hire(self._under_way - len(self._done)):
            self._begin(member)
        for has in range(_CHUNKS_EACH):
            for member in self._crew.members:
                reserved = sum(not other.ready for other in self._crew.members) if has else 0
                if member.ready and member.chunks == has and len(self._waiting) > reserved:
                    errand = heappop(self._waiting)
                    member.chunks += 1
                    self._asked[member.actor.compute.remote(encode(of_chunk(errand.chunk)))] = member, errand

    def _begin(self, member: Member) -> None:
        member.ready = False
        self._asked[member.actor.begin.remote(self._setup)] = member, None

    def _take(self, reference: Any) -> None:
        answer = self._crew.answer(reference)
        member, errand = self._asked[reference]
        if isinstance(answer, Exception):
            self._lose(member, answer)
            return
        del self._asked[reference]
        if errand is not None:
            member.chunks -= 1
            self._done[errand.number] = errand.chunk, answer
        elif answer:
            found_in(answer, WHERE)
        else:
            member.ready = True

    def _lose(self, member: Member, error: Exception) -> None:
        """Take back the chunks of a dead worker.

        A worker computes its chunks in order, so it died while computing the first chunk.
        """
        self._crew.lose(member, error)
        references = [reference for reference, (worker, _) in self._asked.items() if worker is member]
        errands = [
            errand for reference in references if (errand := self._asked.pop(reference)[1]) is not None
        ]
        for errand in errands:
            heappush(self._waiting, errand)
        if errands:
            self._blame(errands[0], error)

    def _blame(self, errand: Errand, error: Exception) -> None:
        errand.deaths += 1
        if errand.deaths >= _TRIES:
            corpus, segments = errand.chunk.corpus, errand.chunk.segments
            first, last = corpus.ids[segments[0]], corpus.ids[segments[-1]]
            raise NlgaugeError(
                f"{errand.deaths} workers of the cluster died while they computed the segments {first!r} to"
                f" {last!r}, perhaps because a node has too little memory; the last error: {error}",
                python="set a smaller batch_size, or fewer characters per chunk: Ray(characters=...)",
                cli="set a smaller --batch-size",
            ) from error
