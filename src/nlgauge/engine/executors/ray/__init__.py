"""Executor `Ray`: chunks on the nodes of a cluster, in workers that load their models once.

The messages are the MessagePack bytes that `Processes` sends too
(`nlgauge.engine.executors.processes.messages`): nlgauge pickles no object of the caller. Ray itself pickles
these bytes and the worker's class (by the name of its module) to send them between nodes that trust each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from nlgauge.engine.chunk import Chunk, Rows, Task
from nlgauge.engine.costs import Costs
from nlgauge.engine.executors import Executor, Serial
from nlgauge.engine.executors.processes.messages import divided, found_in, with_local
from nlgauge.engine.executors.ray.cluster import connected, shares
from nlgauge.engine.executors.ray.crew import WHERE, Crew
from nlgauge.errors import MissingExtraError, ParameterError


@dataclass(frozen=True)
class Ray:
    """Executor that computes chunks on a Ray cluster.

    A worker gets its share of the cores of its node. If a worker or a node dies, its chunks are computed
    elsewhere. Metrics that cannot be sent to a worker are computed in this process.

    Parameters
    ----------
    address : str, optional
        Address of a running cluster, or "auto"; the cluster keeps running after the run. Default: the
        cluster that this process has joined, else RAY_ADDRESS, else a cluster that is started on this machine
        and stopped at the end of the run.
    workers : int, optional
        Number of workers; the run waits until nodes have room for them. Default: as many as the cluster has
        room for, and an error if it has none.
    gpus_per_worker : float
        1 for a GPU per worker, 0.5 for half a GPU, 0 for none.
    characters : int
        Approximate number of characters of text per chunk.
    """

    address: str | None = None
    workers: int | None = None
    gpus_per_worker: float = 0
    # The same as `Serial`: models then see the same batches, and their numbers agree to the last bit on equal
    # processors.
    characters: int = Serial.characters

    def __post_init__(self) -> None:
        if self.address is not None and not (isinstance(self.address, str) and self.address):
            raise ParameterError(
                "address must be the address of a Ray cluster, such as '10.0.0.1:6379', or 'auto', got"
                f" {self.address!r:.60}."
            )
        if self.workers is not None and not (_is_number(self.workers, int) and self.workers >= 1):
            raise ParameterError(f"workers must be a whole number from 1, got {self.workers!r:.60}.")
        if not (_is_number(self.gpus_per_worker, int | float) and 0 <= self.gpus_per_worker < float("inf")):
            raise ParameterError(
                f"gpus_per_worker must be a number from 0, got {self.gpus_per_worker!r:.60}."
            )
        if self.gpus_per_worker > 1 and self.gpus_per_worker != int(self.gpus_per_worker):
            raise ParameterError(
                f"gpus_per_worker must be a whole number if it is above 1, got {self.gpus_per_worker!r}."
            )
        if not (_is_number(self.characters, int) and self.characters >= 1):
            raise ParameterError(f"characters must be a whole number from 1, got {self.characters!r:.60}.")
        if find_spec("ray") is None:
            raise MissingExtraError("ray", "ray", "scoring on a Ray cluster")

    @contextmanager
    def opened(self) -> Iterator[Executor]:
        """Connect, and yield the executor for one run, whose workers stay from the fits to the scores.

        At the end, the workers and a cluster that was started here are stopped.
        """
        with connected(self.address, self.workers) as ray:
            count, cores = shares(ray.nodes(), self.workers, self.gpus_per_worker)
            with Crew(ray, count, cores, self.gpus_per_worker) as crew:
                yield _Open(self.characters, crew)

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """Yield the arrays and the costs of each chunk."""
        with self.opened() as executor:
            yield from executor.map(task, chunks)


@dataclass(frozen=True)
class _Open:
    """Executor of one run, with the workers of a connected cluster."""

    characters: int
    crew: Crew = field(repr=False)

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """Yield the arrays and the costs of each chunk."""
        remote, local = divided(task)
        if not remote.job.metrics:
            yield from Serial().map(task, chunks)
            return
        for chunk, answer in self.crew.answers(remote, chunks):
            yield with_local(local, chunk, found_in(answer, WHERE))


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
