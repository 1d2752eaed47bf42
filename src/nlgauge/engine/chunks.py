"""Chunks: the chunks of a corpus, each made when it is needed, and what is found for the segments of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge.corpus import Corpus
from nlgauge.corpus.store.layout import is_stored, let_columns_go, stored_bounds
from nlgauge.engine.chunk import Chunk, Fits, Rows
from nlgauge.engine.costs import Costs
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays


@dataclass(eq=False)
class Chunks:
    """The chunks of a corpus, of about so many characters each, from the segment `first` on."""

    corpus: Corpus
    options: RunOptions
    characters: int
    first: int = 0

    @lazy
    def bounds(self) -> list[tuple[int, int]]:
        """Where each chunk starts and ends."""
        if is_stored(self.corpus):
            found = list(stored_bounds(self.corpus, self.characters))
        else:
            found = [
                (int(segments[0]), int(segments[-1]) + 1) for segments in self.corpus.chunks(self.characters)
            ]
        return [(max(start, self.first), end) for start, end in found if end > self.first]

    @lazy
    def whole(self) -> Chunk:
        """All segments as one chunk; of a corpus on disk, which has too many for that, none."""
        return Chunk(self.corpus, np.arange(0 if is_stored(self.corpus) else len(self.corpus)), self.options)

    def __len__(self) -> int:
        return len(self.bounds)

    def __iter__(self) -> Iterator[Chunk]:
        for start, end in self.bounds:
            if is_stored(self.corpus):
                part = self.corpus.bare().apart(np.arange(start, end))
                let_columns_go(self.corpus)
                yield Chunk(part, np.arange(len(part)), self.options)
            elif end - start == len(
                self.corpus
            ):  # one chunk is the whole: fits, rows and corpus metrics then share its features
                yield self.whole
            else:
                yield Chunk(self.corpus, np.arange(start, end), self.options)


class RowSink(Protocol):
    """What was found for the segments so far."""

    @property
    def done(self) -> int:
        """For how many segments there are rows already."""
        ...

    def append(self, rows: Rows, segments: int, costs: Costs) -> None:
        """Adds the rows of the next segments."""
        ...

    def arrays(self) -> Rows:
        """The rows of all segments."""
        ...

    def keep_fits(self, fits: Fits) -> None:
        """Takes what was fitted before the first row was computed."""
        ...


@dataclass
class InMemory:
    """Rows that stay in memory until all are there."""

    done: int = 0
    _parts: dict[tuple[str, str], list[Arrays]] = field(default_factory=dict)

    def append(self, rows: Rows, segments: int, costs: Costs) -> None:
        """Adds the rows of the next segments."""
        self.done += segments
        for key, arrays in rows.items():
            self._parts.setdefault(key, []).append(arrays)

    def arrays(self) -> Rows:
        """The rows of all segments."""
        return {
            key: arrays[0]
            if len(arrays) == 1
            else {part: np.concatenate([chunk[part] for chunk in arrays]) for part in arrays[0]}
            for key, arrays in self._parts.items()
        }

    def keep_fits(self, fits: Fits) -> None:
        """Nothing: the job has them."""
