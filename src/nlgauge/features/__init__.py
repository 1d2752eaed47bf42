"""Features: what metrics share, computed once a chunk for all metrics and systems, or once for all runs on the same texts where that is small.

A Feature is a frozen dataclass: a batched, deterministic function of keys. A key is a text, or a tuple of texts
(prompt parts, then the text). A metric asks `Features.get` for a feature by value; keys that nobody asked for before
are computed in one call.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus.columns import Array, Ragged
from nlgauge.corpus.texts import Texts


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

    def compute(self, keys: list[Any], memory: dict[str, int], options: RunOptions) -> Any:
        """A Ragged, or a NamedTuple of them, with one row a key; `memory` is the feature's own within a chunk."""
        raise NotImplementedError


@dataclass
class _Column:
    """What is known of one feature: its rows, where each key's row is, and the feature's own memory."""

    data: Any = None
    positions: dict[Any, int] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)


@dataclass
class Features:
    """The features of one chunk: each distinct key computed once."""

    texts: Texts
    options: RunOptions
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    _columns: dict[Feature, _Column] = field(default_factory=dict)

    def get(self, feature: Feature, *keys: Array | Ragged) -> tuple[Any, ...]:
        """The feature's column, then for each argument the positions of its keys in that column.

        Keys are an array of text ids, or a Ragged of ids where each row is a tuple of texts.
        """
        asked = [column.tolist() if isinstance(column, np.ndarray) else [tuple(row) for row in column.lists()] for column in keys]
        column = (self.texts.kept if feature.kept else self._columns).setdefault(feature, _Column())
        positions = column.positions
        missing = list(dict.fromkeys(key for part in asked for key in part if key not in positions))
        if missing or column.data is None:
            started = time.perf_counter()
            strings = [self._strings(key) for key in missing]
            new = feature.compute(strings, column.memory, self.options)
            if feature.derives_texts:
                new = Ragged(np.array([self.texts.intern(text) for text in new.values.tolist()], dtype=np.int64), new.offsets)
            column.data = new if column.data is None else _joined(column.data, new)
            for key in missing:
                positions[key] = len(positions)
            self.seconds[str(feature)] += time.perf_counter() - started
        return (column.data, *(np.array([positions[key] for key in part], dtype=np.int64) for part in asked))

    def _strings(self, key: int | tuple[int, ...]) -> str | tuple[str, ...]:
        return tuple(self.texts[part] for part in key) if isinstance(key, tuple) else self.texts[key]


def _joined(old: Any, new: Any) -> Any:
    if isinstance(old, Ragged):
        return Ragged.concatenate([old, new])
    return type(old)(*(Ragged.concatenate([a, b]) for a, b in zip(old, new, strict=True)))
