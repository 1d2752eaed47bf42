"""Chunks of a corpus, each created when it is needed, and the rows computed for their segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Chunk, Fits, Rows
from nlgauge.engine.costs import Costs
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays


@dataclass(eq=False)
class Chunks:
    """Chunks of a corpus with about `characters` characters each, from the segment `first` on."""

    corpus: Corpus
    options: RunOptions
    characters: int
    first: int = 0

    @lazy
    def bounds(self) -> list[tuple[int, int]]:
        """First segment of each chunk, and the first segment after it."""
        if self.corpus.texts.stored:
            from nlgauge.corpus.store.layout import stored_bounds

            pairs = list(stored_bounds(self.corpus, self.characters))
        else:
            pairs = [
                (int(segments[0]), int(segments[-1]) + 1) for segments in self.corpus.chunks(self.characters)
            ]
        return [(max(start, self.first), end) for start, end in pairs if end > self.first]

    @lazy
    def whole(self) -> Chunk:
        """All segments as one chunk; no segments if the corpus is on disk, which is too large for that."""
        count = 0 if self.corpus.texts.stored else len(self.corpus)
        return Chunk(self.corpus, np.arange(count), self.options)

    def __len__(self) -> int:
        return len(self.bounds)

    def __iter__(self) -> Iterator[Chunk]:
        for start, end in self.bounds:
            if self.corpus.texts.stored:
                from nlgauge.corpus.store.layout import let_columns_go

                part = self.corpus.bare().apart(np.arange(start, end))
                let_columns_go(self.corpus)
                yield Chunk(part, np.arange(len(part)), self.options)
            elif end - start == len(self.corpus):
                # The only chunk: fits, rows and corpus metrics share its features.
                yield self.whole
            else:
                yield Chunk(self.corpus, np.arange(start, end), self.options)


class RowSink(Protocol):
    """Receiver of the rows that have been computed so far."""

    @property
    def done(self) -> int:
        """Number of segments that already have rows."""
        ...

    def append(self, rows: Rows, segments: int, costs: Costs) -> None:
        """Add the rows of the next segments."""
        ...

    def arrays(self) -> Rows:
        """Return the rows of all segments."""
        ...

    def keep_fits(self, fits: Fits) -> None:
        """Receive the fits, before the first row is computed."""
        ...


class InMemory:
    """Rows that stay in memory until all have been computed."""

    def __init__(self) -> None:
        self.done = 0
        self._parts: dict[tuple[str, str], list[Arrays]] = {}

    def append(self, rows: Rows, segments: int, costs: Costs) -> None:
        """Add the rows of the next segments."""
        self.done += segments
        for key, arrays in rows.items():
            self._parts.setdefault(key, []).append(arrays)

    def arrays(self) -> Rows:
        """Return the rows of all segments."""
        return {
            key: arrays[0]
            if len(arrays) == 1
            else {part: np.concatenate([chunk[part] for chunk in arrays]) for part in arrays[0]}
            for key, arrays in self._parts.items()
        }

    def keep_fits(self, fits: Fits) -> None:
        """Do nothing: the job has the fits."""
