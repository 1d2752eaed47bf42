"""The cache of statistics: what a costly metric found of a row is kept from run to run, by the row's content,
so that nothing is paid for twice.

A row is looked up by what changes its numbers: its texts, and the metric with its parameters, weights, fit,
language, seed, code and libraries (`identity`). What else is in the corpus, the systems, the order, the
chunks and the label do not matter. Nor do the size of batches and the device: they may change last digits
alone. A metric that is fitted on a system's rows (`Fit.over == "system"`) is not cached, because its numbers
are those of a position among all rows of that system.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.engine.cache.identity import Identity, identity_of
from nlgauge.engine.cache.keys import row_keys
from nlgauge.engine.cache.location import common_store
from nlgauge.engine.cache.store import CacheHit, Store
from nlgauge.errors import RowError
from nlgauge.metric import Arrays, Metric, View

# What `Costs.used` calls the rows that were not computed.
CACHED = "rows cached"


@dataclass(frozen=True, eq=False)
class Recalled:
    """The rows of a view, and what the cache holds of them."""

    view: View
    _store: Store
    _identity: Identity
    _keys: Array
    _found: CacheHit

    @property
    def is_whole(self) -> bool:
        """Whether no row has to be computed."""
        return bool(self._found.known.all())

    def statistics(self, compute: Callable[[View], Arrays]) -> Arrays:
        """The statistics of all rows: those that were found, and those that `compute` gives of the
        others, which are kept from here on.
        """
        if self.is_whole:
            return _parts(self._found.values, self._found.widths)
        missing = np.flatnonzero(~self._found.known)
        if len(missing) == len(self.view):
            found = compute(self.view)
            self._keep(missing, found)
            return found
        try:
            found = compute(self.view.take(missing))
        except RowError as error:
            error.row = int(missing[error.row])
            raise
        if _widths(found) != self._found.widths:
            return compute(self.view)
        self._keep(missing, found)
        values = self._found.values.copy()
        values[missing] = np.column_stack(list(found.values()))
        return _parts(values, self._found.widths)

    def _keep(self, rows: Array, found: Arrays) -> None:
        values = np.column_stack(list(found.values()))
        # What is not a number may be so because something failed, which is not a property of the row.
        whole = ~np.isnan(values).any(axis=1)
        self._store.keep(self._identity, _widths(found), self._keys[rows[whole]], values[whole])


def recalled(metric: Metric, view: View, fitted: Arrays) -> Recalled | None:
    """What the cache holds of the rows of a view; None where they are not cached."""
    if not metric.costly or view.positions is not None or not len(view):
        return None
    store = common_store()
    identity = None if store is None else identity_of(metric, fitted, view.lang, view.features.options)
    if store is None or identity is None:
        return None
    keys = row_keys(view, identity.digest)
    found = store.find(identity, keys)
    if found.known.any():
        view.features.used[CACHED] += int(found.known.sum())
    return Recalled(view, store, identity, keys, found)


def _widths(statistics: Arrays) -> dict[str, int]:
    """How many numbers each part has."""
    return {part: values.shape[1] for part, values in statistics.items()}


def _parts(values: Array, widths: dict[str, int]) -> Arrays:
    """The columns of each part."""
    bounds = np.cumsum(list(widths.values()))[:-1]
    return dict(zip(widths, np.split(values, bounds, axis=1), strict=True))
