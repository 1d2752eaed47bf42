"""Slices of the segments of a corpus: by a column with few values, or by length."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.numbers import counted

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

LENGTH = "length"
# Slices by length are about as large as each other.
_LENGTHS = 4
_MOST_SLICES = 50


def sliced_fields(corpus: Corpus, without: Collection[str] = ()) -> list[str]:
    """Return the columns with 2 to 50 values, without some."""
    return [
        name
        for name, values in corpus.fields.items()
        if name not in without and 1 < len(set(map(str, values))) <= _MOST_SLICES
    ]


def by_value(corpus: Corpus, field: str) -> dict[str, list[int]]:
    """Return the numbers of the segments by their value in a column."""
    groups: dict[str, list[int]] = {}
    for number, value in enumerate(corpus.fields[field]):
        groups.setdefault(str(value), []).append(number)
    return groups


def by_length(corpus: Corpus) -> dict[str, list[int]]:
    """Return the numbers of the segments in up to four classes of length, in words of the reference, or of
    the source or the first system's prediction if there is none.
    """
    lengths = np.array([len(text.split()) for text in _measured(corpus)])
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, _LENGTHS + 1), method="inverted_cdf"))
    groups = {}
    for number, (low, high) in enumerate(
        pairwise(edges.tolist() if len(edges) > 1 else [*edges.tolist(), *edges.tolist()])
    ):
        inside = (lengths >= low if number == 0 else lengths > low) & (lengths <= high)
        first = low + (number > 0)
        groups[f"{first} to {high} words" if first < high else counted(high, "word")] = np.flatnonzero(
            inside
        ).tolist()
    return {name: segments for name, segments in groups.items() if segments}


def _measured(corpus: Corpus) -> list[str]:
    if corpus.references is None and corpus.sources is not None:
        return [corpus.texts[text] for text in corpus.sources.tolist()]
    column = corpus.predictions[corpus.systems[0]] if corpus.references is None else corpus.references
    return [corpus.texts[int(row[0])] if len(row) else "" for row in column]
