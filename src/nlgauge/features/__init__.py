"""Features: values that metrics share, computed once per chunk for all metrics and systems.

A Feature is a frozen dataclass: a batched, deterministic function of keys. A key is a text, or a tuple of
texts (prompt parts, then the text). A metric requests a feature by value; new keys are computed in one call.
A feature may request other features in turn. A RowFeature is a function of the rows of a view, such as the
alignment of each prediction with its reference.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.defaults import SEED
from nlgauge._core.ragged import Array, GrowingColumn, Ragged, offsets_of
from nlgauge.corpus.texts import DerivedTexts, Texts

# The memory that small features may take with the texts of a corpus; a larger feature is dropped with the
# chunk.
KEPT_BYTES = 1 << 30


@dataclass(frozen=True)
class RunOptions:
    """Options of a run besides texts and metrics; only the seed may change a number."""

    seed: int = SEED
    batch_size: int | None = None
    device: str | None = None


class Feature:
    """A batched, deterministic function of keys; subclasses are frozen dataclasses."""

    derives_texts: ClassVar[bool] = False
    # True if it is small and of fixed size: it is then stored with the texts, beyond the chunk.
    kept: ClassVar[bool] = False

    def new_memory(self) -> Any:
        """Return the memory of the feature between calls within a chunk, such as a vocabulary."""
        return {}

    def compute(self, keys: list[Any], work: Work) -> Any:
        """Return a Ragged, or a NamedTuple of them, with one row per key; with `derives_texts`, a list of
        texts for each key.
        """
        raise NotImplementedError

    def together(self, expected: Sequence[Feature], options: RunOptions) -> list[Feature]:
        """Return the announced features that can be computed together with this feature at little cost, such
        as other layers of one pass.
        """
        return []

    def compute_with(self, others: Sequence[Feature], keys: list[Any], work: Work) -> list[Any]:
        """Return the values of this feature, then of each other feature that `together` has returned."""
        raise NotImplementedError


class RowKernel(NamedTuple):
    """The compiled function of a row feature: what it reads and what it writes for a prediction and one reference.

    `compute` of the feature returns the same numbers; `shape` makes its return value from the columns.
    """

    name: str
    # The feature that tokenizes both texts: `Tokens` or `CodePoints`.
    tokens: Any
    # The number of columns that the kernel writes.
    width: int
    # From (rows, width) columns to the return value of `compute`.
    shape: Callable[[Any], Any]
    # The number of orders of n-grams, the budget of a search; for other kernels 1 if they follow the rules of another program.
    number: int = 0
    # For kernels that match words by keys: from new words to their stems or None, columns with keys in further modules, and
    # whether each is a function word. The keys are remembered, so equal words must always have equal keys.
    keys: Callable[[list[str]], tuple[list[str] | None, list[Ragged], list[bool]]] | None = None


class RowFeature:
    """A function of the rows of a view that several metrics read; subclasses are frozen dataclasses."""

    def compute(self, view: Any) -> Any:
        """Return the values of every row of the view, in its order."""
        raise NotImplementedError

    def kernel(self) -> RowKernel | None:
        """Return the compiled function of a pair of texts; None if there is none (see nlgauge.metric.compiled)."""
        return None


class Work:
    """The resources of a feature while it computes: the options of the run, its memory, and other
    features.
    """

    __slots__ = ("features", "memory", "options")

    def __init__(self, options: RunOptions, memory: Any = None, features: Features | None = None) -> None:
        self.options = options
        self.memory: Any = {} if memory is None else memory
        self.features = features

    def get(self, feature: Feature, keys: Sequence[Any]) -> Any:
        """Return another feature of these keys, one row per key."""
        features = self.features or Features(Texts(), self.options)
        column, rows = features.get(feature, features.ids_of(keys))
        return _taken(column, rows)


@compiled
def new_ids(ids: Array, rows: Array) -> Array:
    """Return the ids whose row is unknown (-1), each once, in order of first appearance."""
    new = ids[rows[ids] < 0]
    # The last of several assignments to a place stays: backwards, that is the first appearance.
    numbers = np.arange(len(new))
    rows[new[::-1]] = numbers[::-1]
    found: Array = new[rows[new] == numbers]
    rows[new] = -1
    return found


class _Known:
    """The state of one feature: its rows, the row of each key, and the memory of the feature.

    The key that almost every feature has, the id of a text, is looked up in an array; tuples and the strings
    of retained features are in a dict.
    """

    def __init__(self, feature: Feature) -> None:
        self.rows = GrowingColumn()
        self.count = 0
        self.memory = feature.new_memory()
        self._by_id = np.empty(0, dtype=np.int64)
        self._by_key: dict[Any, int] = {}

    def missing_ids(self, ids: Array, texts: int) -> Array:
        """Return the ids that have no row yet, each once, in order of first appearance; there are about
        `texts` texts in total.
        """
        size = int(ids.max(initial=-1)) + 1
        if size > len(self._by_id):
            grown = np.full(max(size, texts, 2 * len(self._by_id)), -1)
            grown[: len(self._by_id)] = self._by_id
            self._by_id = grown
        return new_ids(ids, self._by_id)

    def missing_keys(self, keys: Sequence[Any]) -> list[Any]:
        """Return the keys that have no row yet, each once, in order of first appearance."""
        return [key for key in dict.fromkeys(keys) if key not in self._by_key]

    def add(self, keys: Array | list[Any], rows: Any) -> None:
        """Add the rows of keys that were missing."""
        self.rows.append(rows)
        if isinstance(keys, np.ndarray):
            self._by_id[keys] = np.arange(self.count, self.count + len(keys))
        else:
            self._by_key.update(zip(keys, range(self.count, self.count + len(keys)), strict=True))
        self.count += len(keys)

    def places(self, keys: Array | list[Any]) -> Array:
        """Return the row of each key."""
        if isinstance(keys, np.ndarray):
            found: Array = self._by_id[keys]
            return found
        return np.fromiter(map(self._by_key.__getitem__, keys), np.int64, len(keys))


class Features:
    """The features of one chunk: each distinct key computed once."""

    def __init__(self, texts: Texts, options: RunOptions) -> None:
        self.texts = DerivedTexts(texts)
        self.options = options
        # Seconds by feature, without the seconds of the features that it requested.
        self.seconds: dict[str, float] = defaultdict(float)
        # Resources that features used besides time, such as requests to a judge.
        self.used: dict[str, float] = defaultdict(float)
        # Features that metrics have announced.
        self.expected: tuple[Feature, ...] = ()
        self._inner = 0.0
        # Features that each reader, the label of a metric or a feature, has requested.
        self.reads: dict[Any, set[Any]] = defaultdict(set)
        self._reader: Any = None
        self._known: dict[Feature, _Known] = {}

    def get(self, feature: Feature, *keys: Array | Ragged) -> tuple[Any, ...]:
        """Return the feature's column, then for each argument the positions of its keys in that column.

        Keys are an array of text ids, or a Ragged of ids whose rows are tuples of texts.
        """
        self.note(feature)
        known = self._known_of(feature)
        if feature.kept or not all(isinstance(column, np.ndarray) for column in keys):
            asked: list[Any] = [self._keys(column, feature.kept) for column in keys]
            missing: Any = known.missing_keys(list(chain.from_iterable(asked)))
        else:
            asked = list(keys)
            missing = known.missing_ids(
                asked[0] if len(asked) == 1 else np.concatenate(asked), self.texts.given
            )
        if len(missing) or known.rows.column is None:
            with self.timed(feature):
                work, strings = Work(self.options, known.memory, self), self._strings(missing, feature.kept)
                if others := self._others(feature, missing):
                    for other, rows in zip(
                        (feature, *others), feature.compute_with(others, strings, work), strict=True
                    ):
                        self._known_of(other).add(missing, rows)
                else:
                    new = feature.compute(strings, work)
                    known.add(missing, self._interned(new) if feature.derives_texts else new)
        if feature.kept and known.rows.nbytes > KEPT_BYTES:
            self._known[feature] = self.texts.kept.pop(feature, known)
        return (known.rows.column, *map(known.places, asked))

    def _others(self, feature: Feature, missing: Any) -> list[Feature]:
        """Return the expected features that are computed with this one: of the same texts, and of all of
        them.
        """
        if feature not in self.expected or not isinstance(missing, np.ndarray) or not len(missing):
            return []
        others = feature.together([other for other in self.expected if other != feature], self.options)
        return [
            other
            for other in others
            if len(self._known_of(other).missing_ids(missing, self.texts.given)) == len(missing)
        ]

    def memory_of(self, feature: Feature) -> Any:
        """Return the memory of a feature in this chunk, such as the vocabulary of its numbers."""
        return self._known_of(feature).memory

    def ids_of(self, keys: Sequence[Any]) -> Array | Ragged:
        """Return the ids of texts, or of tuples of texts."""
        if keys and isinstance(keys[0], tuple):
            return self._interned(keys)
        return self.texts.intern_all(keys)

    def _interned(self, rows: Sequence[Sequence[str]]) -> Ragged:
        """Return the ids of rows of texts."""
        return Ragged(
            self.texts.intern_all(list(chain.from_iterable(rows))), offsets_of(list(map(len, rows)))
        )

    @contextmanager
    def timed(self, feature: Any) -> Iterator[None]:
        """Count the time inside the block for a feature, without the time of other features."""
        started, outer = time.perf_counter(), self._inner
        self._inner = 0.0
        try:
            with self.read_by(feature):
                yield
        finally:
            spent = time.perf_counter() - started
            self.seconds[str(feature)] += spent - self._inner
            self._inner = outer + spent

    @contextmanager
    def read_by(self, reader: Any) -> Iterator[None]:
        """Record every feature that the block requests as read by a metric, named by its label, or by a
        feature.
        """
        before, self._reader = self._reader, reader
        try:
            yield
        finally:
            self._reader = before

    def note(self, feature: Any) -> None:
        """Record that a feature is read by the current reader."""
        self.reads[self._reader].add(feature)

    def read_for(self, label: str) -> list[str]:
        """Return the features that a metric read, and the features that these read in turn."""
        found: dict[Any, None] = {}
        waiting: list[Any] = [label]
        while waiting:
            for feature in self.reads.get(waiting.pop(), ()):
                if feature not in found:
                    found[feature] = None
                    waiting.append(feature)
        return sorted(map(str, found))

    def _known_of(self, feature: Feature) -> _Known:
        if feature in self._known:
            return self._known[feature]
        place = self.texts.kept if feature.kept else self._known
        if feature not in place:
            place[feature] = _Known(feature)
        found: _Known = place[feature]
        return found

    def _keys(self, column: Array | Ragged, kept: bool) -> list[Any]:
        """Return the keys of a column: ids or tuples of ids; strings for a retained feature, since ids of
        derived texts are valid only in this chunk.
        """
        if isinstance(column, np.ndarray):
            return self.texts.strings_of(column) if kept else column.tolist()
        keys = [tuple(row) for row in column.lists()]
        return [self._parts(key) for key in keys] if kept else keys

    def _strings(self, keys: Any, kept: bool) -> list[Any]:
        """Compute the missing keys of a feature."""
        if isinstance(keys, np.ndarray):
            return self.texts.strings_of(keys)
        return keys if kept else [self._parts(key) for key in keys]

    def _parts(self, key: int | tuple[int, ...]) -> str | tuple[str, ...]:
        return tuple(self.texts[part] for part in key) if isinstance(key, tuple) else self.texts[key]


def _taken(column: Any, rows: Array) -> Any:
    return (
        column.take(rows)
        if isinstance(column, Ragged)
        else type(column)(*(part.take(rows) for part in column))
    )
