"""The workers of a run on a cluster, and which chunk each of them has; what is lost with a worker is
given to another.
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
# A chunk that so many workers died with is taken to be what they died of.
_TRIES = 4
# A worker has the next chunk at hand when it is done with one.
_CHUNKS_EACH = 2
# So many chunks for each worker are under way, or done and waiting for an earlier one, however many there are
# in all.
_WINDOW = 4
# What decides how work is done on every node; where models are kept is each node's own affair.
_TRAVELLING = ("NLGAUGE_OFFLINE", "NLGAUGE_KERNELS")

Answer = dict[str, Any]


@dataclass(order=True)
class Errand:
    """A chunk that is under way: where it stands, and how many workers died with it."""

    number: int
    chunk: Chunk = field(compare=False)
    deaths: int = field(default=0, compare=False)


@dataclass(eq=False)
class Member:
    """A worker, whether it has taken the task on, and how many chunks it has."""

    actor: Any
    ready: bool = False
    chunks: int = 0


class Crew:
    """Up to `count` workers with so many cores and GPUs each, which are started as chunks ask for them
    and end with the crew.
    """

    def __init__(self, ray: Any, count: int, cores: int, gpus: float) -> None:
        self.ray, self.count = ray, count
        self.members: list[Member] = []
        # Ray is not to repeat calls: it would wait for a worker that has no place any more, where another may
        # be free.
        self._actors = ray.remote(Worker).options(
            num_cpus=cores, num_gpus=gpus, max_restarts=0, max_task_retries=0
        )
        self._arguments = cores, {name: os.environ[name] for name in _TRAVELLING if name in os.environ}
        self._deaths = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *error: object) -> None:
        for member in self.members:
            self._kill(member)

    def answers(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Answer]]:
        """Every chunk with the answer of the worker that computed it, in the order of the chunks."""
        return _Run(self, self.ray.put(setup_of(task)), chunks).answers()

    def hire(self, wanted: int) -> list[Member]:
        """New workers, where there are fewer than are wanted and than there may be."""
        hired = [
            Member(self._actors.remote(*self._arguments))
            for _ in range(min(wanted, self.count) - len(self.members))
        ]
        self.members.extend(hired)
        return hired

    def answer(self, reference: Any) -> Answer | Exception:
        """What a worker answered, or why it cannot answer any more; raises what would be the same with
        any other worker.
        """
        try:
            found: Answer = decode(self.ray.get(reference))
        except self.ray.exceptions.RayTaskError as error:
            raise NlgaugeError(f"in {WHERE}: {error.cause!r}; Ray's logs have the traceback.") from error
        except self.ray.exceptions.RayError as error:
            if getattr(error, "actor_init_failed", False):
                raise NlgaugeError(
                    f"{WHERE} could not start; every node needs the same nlgauge as this one. {error}"
                ) from error
            return error  # type: ignore[no-any-return]
        self._deaths = 0
        return found

    def lose(self, member: Member, error: Exception) -> None:
        """Counts a worker as dead; raises where one after the other dies."""
        self.members.remove(member)
        self._kill(member)  # it may only be out of reach
        self._deaths += 1
        if self._deaths >= _TRIES * self.count:
            raise NlgaugeError(
                f"{self._deaths} workers of the cluster died in a row before any of them answered; the last:"
                f" {error}"
            ) from error

    def _kill(self, member: Member) -> None:
        with suppress(self.ray.exceptions.RayError):  # a cluster that is gone itself
            self.ray.kill(member.actor)


class _Run:
    """One task on the chunks of a corpus. A chunk is with no worker, with one, or done; never two of
    these.
    """

    def __init__(self, crew: Crew, setup: Any, chunks: Iterable[Chunk]) -> None:
        self._crew, self._setup = crew, setup
        self._coming = (Errand(number, chunk) for number, chunk in enumerate(chunks))
        # The chunks that no worker has; the first of them goes first, because others may be done and wait for
        # it.
        self._waiting: list[Errand] = []
        # What each worker was asked, by the reference of its answer: a chunk, or (None) to take the task on.
        self._asked: dict[Any, tuple[Member, Errand | None]] = {}
        self._done: dict[int, tuple[Chunk, Answer]] = {}
        self._under_way = self._yielded = 0

    def answers(self) -> Iterator[tuple[Chunk, Answer]]:
        """Every chunk with its answer, in their order."""
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
        """Takes further chunks on, as far as there is room; whether any are under way."""
        more = list(islice(self._coming, _WINDOW * self._crew.count - self._under_way))
        for errand in more:
            heappush(self._waiting, errand)
        self._under_way += len(more)
        return self._under_way > 0

    def _hand_out(self) -> None:
        """Gives chunks to workers, a second one only where all others have or will have one; starts
        workers where there are too few.
        """
        for member in self._crew.hire(self._under_way - len(self._done)):
            self._begin(member)
        for has in range(_CHUNKS_EACH):
            for member in self._crew.members:
                kept = sum(not other.ready for other in self._crew.members) if has else 0
                if member.ready and member.chunks == has and len(self._waiting) > kept:
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
        """Takes back the chunks of a worker that died; it computes them in their order, so it died with
        the first.
        """
        self._crew.lose(member, error)
        references = [reference for reference, (asked, _) in self._asked.items() if asked is member]
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
                f"{errand.deaths} workers of the cluster died with the segments {first!r} to {last!r},"
                " perhaps for want of memory (a smaller batch_size or smaller chunks, characters=, need"
                f" less); the last: {error}"
            ) from error
