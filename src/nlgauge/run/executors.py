"""Executors: how the chunks of a corpus are computed. Numbers do not depend on which one runs.

An executor is anything with `characters` (the size of its chunks) and `map`; give it as `executor=` to `nlgauge.score` or `nlgauge.Scorer`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from nlgauge.run.chunk import Chunk, Rows, Task
from nlgauge.run.costs import Costs


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
