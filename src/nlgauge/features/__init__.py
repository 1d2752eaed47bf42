"""Features: what metrics share, computed once per chunk for all metrics and systems.

A Feature is a frozen dataclass: a batched, deterministic function of keys. A key is a text, or a tuple of texts (prompt parts, then the
text). A metric asks for a feature by value; the keys that nobody asked for before are computed in one call. A feature may ask for other
features in turn. A RowFeature is a function of the rows of a view, such as the alignment of each prediction with its reference.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus.columns import Array, GrowingColumn, Ragged
from nlgauge.corpus.texts import DerivedTexts, Texts

# What small features may take with the texts of a corpus; a feature that is larger goes with the chunk.
KEPT_BYTES = 1 << 30


@dataclass(frozen=True)
class RunOptions:
    """What a run needs to know beside texts and metrics; none of it may change a number but the seed."""

    seed: int = 12345
    batch_size: int | None = None
    device: str | None = None


class Feature:
    """A batched, deterministic function of keys; subclasses are frozen dataclasses."""

    derives_texts: ClassVar[bool] = False
    # Whether it is small and of fixed size, so that it stays with the texts when the chunk goes.
    kept: ClassVar[bool] = False

    def new_memory(self) -> Any:
        """What the feature wants to remember from call to call within a chunk, such as a vocabulary."""
        return {}

    def compute(self, keys: list[Any], work: Work) -> Any:
        """A Ragged, or a NamedTuple of them, with one row per key; of texts where `derives_texts`."""
        raise NotImplementedError


class RowFeature:
    """A function of the rows of a view that several metrics read; subclasses are frozen dataclasses."""

    def compute(self, view: Any) -> Any:
        """What is found of every row of the view, in its order."""
        raise NotImplementedError


@dataclass(frozen=True)
class Work:
    """What a feature has at hand while it computes: the options of the run, its own memory, and other features."""

    options: RunOptions
    memory: Any = field(default_factory=dict)
    features: Features | None = None

    def get(self, feature: Feature, keys: Sequence[Any]) -> Any:
        """Another feature of these keys, one row per key."""
        features = self.features or Features(Texts(), self.options)
        column, rows = features.get(feature, features.ids_of(keys))
        return _taken(column, rows)


class _Known:
    """What is known of one feature: its rows, where each key's row is, and the feature's own memory."""

    def __init__(self, feature: Feature) -> None:
        self.rows = GrowingColumn()
        self.positions: dict[Any, int] = {}
        self.memory = feature.new_memory()


class Features:
    """The features of one chunk: each distinct key computed once."""

    def __init__(self, texts: Texts, options: RunOptions) -> None:
        self.texts = DerivedTexts(texts)
        self.options = options
        # Seconds by feature, without those of the features that it asked for.
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner = 0.0
        self._known: dict[Feature, _Known] = {}

    def get(self, feature: Feature, *keys: Array | Ragged) -> tuple[Any, ...]:
        """The feature's column, then for each argument the positions of its keys in that column.

        Keys are an array of text ids, or a Ragged of ids where each row is a tuple of texts.
        """
        asked = [column.tolist() if isinstance(column, np.ndarray) else [tuple(row) for row in column.lists()] for column in keys]
        if feature.kept:
            # Ids of derived texts mean something within this chunk only.
            asked = [[self._strings(key) for key in part] for part in asked]
        known = self._known_of(feature)
        missing = list(dict.fromkeys(key for part in asked for key in part if key not in known.positions))
        if missing or known.rows.column is None:
            with self.timed(str(feature)):
                strings = missing if feature.kept else [self._strings(key) for key in missing]
                new = feature.compute(strings, Work(self.options, known.memory, self))
                if feature.derives_texts:
                    new = Ragged(np.array([self.texts.intern(text) for text in new.values.tolist()], dtype=np.int64), new.offsets)
                known.rows.append(new)
                for key in missing:
                    known.positions[key] = len(known.positions)
        if feature.kept and known.rows.nbytes > KEPT_BYTES:
            self._known[feature] = self.texts.kept.pop(feature, known)
        return (known.rows.column, *(np.array([known.positions[key] for key in part], dtype=np.int64) for part in asked))

    def ids_of(self, keys: Sequence[Any]) -> Array | Ragged:
        """The ids of texts, or of tuples of texts."""
        if keys and isinstance(keys[0], tuple):
            return Ragged.of([[self.texts.intern(text) for text in key] for key in keys])
        return np.array([self.texts.intern(text) for text in keys], dtype=np.int64)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Books the time spent meanwhile on a feature, less what other features take of it."""
        started, outer = time.perf_counter(), self._inner
        self._inner = 0.0
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            self.seconds[name] += spent - self._inner
            self._inner = outer + spent

    def _known_of(self, feature: Feature) -> _Known:
        if feature in self._known:
            return self._known[feature]
        place = self.texts.kept if feature.kept else self._known
        if feature not in place:
            place[feature] = _Known(feature)
        found: _Known = place[feature]
        return found

    def _strings(self, key: int | tuple[int, ...]) -> str | tuple[str, ...]:
        return tuple(self.texts[part] for part in key) if isinstance(key, tuple) else self.texts[key]


def _taken(column: Any, rows: Array) -> Any:
    return column.take(rows) if isinstance(column, Ragged) else type(column)(*(part.take(rows) for part in column))
