"""Ray: chunks on the nodes of a cluster, in workers that load their models once.

What travels is the same as between processes, MessagePack bytes
(`nlgauge.engine.executors.processes.messages`): no object of the caller is pickled by us. Ray itself pickles
the worker's class, by the name of its module, and the bytes, to carry them between nodes that trust each
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
    """Chunks on a Ray cluster: one that runs already (`address`, else RAY_ADDRESS, else the one that this
    process is connected to), which is left running, or one on this machine alone that ends with the run.

    workers: how many there are, by default as many as the cluster has room for; then a cluster without room
    is an error, while a number that is given waits for nodes to come. gpus_per_worker: 1 for a GPU each, 0.5
    for half of one. A worker gets its share of the cores of its node. A worker or a node that dies loses
    nothing: its chunks are computed elsewhere. Metrics that cannot travel are computed in this process.
    """

    address: str | None = None
    workers: int | None = None
    gpus_per_worker: float = 0
    # As many as `Serial` has: then models see the same batches, and their numbers agree to the last bit on
    # equal processors.
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
                f"gpus_per_worker over 1 must be a whole number, got {self.gpus_per_worker!r}."
            )
        if not (_is_number(self.characters, int) and self.characters >= 1):
            raise ParameterError(f"characters must be a whole number from 1, got {self.characters!r:.60}.")
        if find_spec("ray") is None:
            raise MissingExtraError("ray", "ray", "scoring on a Ray cluster")

    @contextmanager
    def opened(self) -> Iterator[Executor]:
        """The executor for one run, connected: its workers stay from the fits to the scores. Afterwards they
        are gone, and so is a cluster that was started here."""
        with connected(self.address, self.workers) as ray:
            count, cores = shares(ray.nodes(), self.workers, self.gpus_per_worker)
            with Crew(ray, count, cores, self.gpus_per_worker) as crew:
                yield _Open(self.characters, crew)

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        with self.opened() as executor:
            yield from executor.map(task, chunks)


@dataclass(frozen=True)
class _Open:
    """A cluster with workers."""

    characters: int
    crew: Crew = field(repr=False)

    def map(self, task: Task, chunks: Iterable[Chunk]) -> Iterator[tuple[Rows, Costs]]:
        """What the task gives for each chunk."""
        remote, local = divided(task)
        if not remote.job.metrics:
            yield from Serial().map(task, chunks)
            return
        for chunk, answer in self.crew.answers(remote, chunks):
            yield with_local(local, chunk, found_in(answer, WHERE))


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
