"""Inverse document frequencies: log((N + 1) / (df + 1)) for a token in df of N documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge._core.ragged import Array, Ragged

Arrays = dict[str, Array]


def document_frequencies(documents: Ragged) -> Arrays:
    """Return the number of these documents that contain each token; counts of parts can be added."""
    seen = np.unique(np.column_stack([documents.values, documents.owners]), axis=0)[:, 0]
    ids, frequency = np.unique(seen, return_counts=True)
    return {"ids": ids, "frequency": frequency, "documents": np.array([len(documents)])}


def inverse(partials: Sequence[Arrays]) -> Arrays:
    """Return the weight of every token from the counts of all parts of the corpus.

    `unseen` is the weight of a token that no document contains, log(N + 1).
    """
    count = sum(int(part["documents"][0]) for part in partials)
    ids, places = np.unique(np.concatenate([part["ids"] for part in partials]), return_inverse=True)
    frequency = np.bincount(places, np.concatenate([part["frequency"] for part in partials]), len(ids))
    return {
        "ids": ids,
        "weights": np.log((count + 1) / (frequency + 1)),
        "unseen": np.array([np.log(count + 1)]),
    }


def weights(table: Arrays, ids: Array) -> Array:
    """Return the weight of each of these tokens.

    >>> table = inverse([document_frequencies(Ragged.of([[1, 2], [1, 1], [1, 3], [1, 3]]))])
    >>> weights(table, np.array([1, 2, 3, 4])).round(4).tolist()
    [0.0, 0.9163, 0.5108, 1.6094]
    """
    if not len(table["ids"]):
        return np.full(len(ids), table["unseen"][0])
    place = np.searchsorted(table["ids"], ids).clip(0, len(table["ids"]) - 1)
    return np.asarray(np.where(table["ids"][place] == ids, table["weights"][place], table["unseen"][0]))
