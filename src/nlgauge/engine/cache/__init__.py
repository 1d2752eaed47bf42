"""Statistics cache: rows that a costly metric has computed are reused in later runs.

A row is looked up by everything that determines its numbers: its texts, and the metric with its parameters,
weights, fit, language, seed, code and libraries (`identity`). The rest of the corpus, the systems, the order,
the chunks and the label do not matter. Batch size and device do not matter either, because they can change
only the last digits. A metric that is fitted on a system's rows (`Fit.over == "system"`) is not cached,
because its numbers depend on the position of a row among all rows of that system.
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

# Key of `Costs.used` for the number of rows that came from the cache.
CACHED = "rows cached"


@dataclass(frozen=True, eq=False)
class Recalled:
    """Rows of a view, and the statistics that the cache has for them."""

    view: View
    _store: Store
    _identity: Identity
    _keys: Array
    _found: CacheHit

    @property
    def is_whole(self) -> bool:
        """True if no row has to be computed."""
        return bool(self._found.known.all())

    def statistics(self, compute: Callable[[View], Arrays]) -> Arrays:
        """Return the statistics of all rows; `compute` the missing rows and cache them.

        If `compute` returns arrays of another width than the cache has, all rows are computed, and none is
        cached.
        """
        if self.is_whole:
            return _parts(self._found.values, self._found.widths)
        missing = np.flatnonzero(~self._found.known)
        if len(missing) == len(self.view):
            computed = compute(self.view)
            self._keep(missing, computed)
            return computed
        try:
            computed = compute(self.view.take(missing))
        except RowError as error:
            error.row = int(missing[error.row])
            raise
        if _widths(computed) != self._found.widths:
            return compute(self.view)
        self._keep(missing, computed)
        values = self._found.values.copy()
        values[missing] = np.column_stack(list(computed.values()))
        return _parts(values, self._found.widths)

    def _keep(self, rows: Array, statistics: Arrays) -> None:
        values = np.column_stack(list(statistics.values()))
        # A NaN may come from a failure, which is not a property of the row.
        whole = ~np.isnan(values).any(axis=1)
        self._store.keep(self._identity, _widths(statistics), self._keys[rows[whole]], values[whole])


def recalled(metric: Metric, view: View, fitted: Arrays) -> Recalled | None:
    """Look up the rows of a view in the cache; return None if the cache is off or not used for the metric."""
    if not metric.costly or view.positions is not None or not len(view):
        return None
    store = common_store()
    identity = None if store is None else identity_of(metric, fitted, view.lang, view.features.options)
    if store is None or identity is None:
        return None
    keys = row_keys(view, identity.digest)
    hit = store.find(identity, keys)
    if hit.known.any():
        view.features.used[CACHED] += int(hit.known.sum())
    return Recalled(view, store, identity, keys, hit)


def _widths(statistics: Arrays) -> dict[str, int]:
    """Return the number of columns of each part."""
    return {part: values.shape[1] for part, values in statistics.items()}


def _parts(values: Array, widths: dict[str, int]) -> Arrays:
    """Split columns into one array per part."""
    bounds = np.cumsum(list(widths.values()))[:-1]
    return dict(zip(widths, np.split(values, bounds, axis=1), strict=True))
