"""Statistics and costs of the segments that were asked about, part by part."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.engine.costs import Costs
from nlgauge.errors import ParameterError
from nlgauge.metric import Metric
from nlgauge.metric.table import Table

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result

_COST, _SENT, _CACHED = "judge cost", "judge requests", "judge cached"


class Rows:
    """The statistics of all segments of the asked metrics; rows of zeros for segments that were not asked about."""

    def __init__(self, corpus: Corpus, labels: list[str], earlier: Result | None = None) -> None:
        self.corpus, self.labels = corpus, labels
        self.asked = 0
        # Cost, requests, replies and segments of all complete parts for which a request was sent; other parts are
        # in a cache.
        self._sums = np.zeros(4)
        self._statistics: dict[tuple[str, str], dict[str, Array]] = {}
        self.costs = Costs()
        # True if the budget ended a look, and the cost of its replies, which are in the cache.
        self.was_cut, self.unfinished = False, 0.0
        if earlier is not None and earlier.sequential is not None:
            self.asked = earlier.sequential["asked"]
            if (price := _known(earlier.sequential.get("price"))) is not None:
                self._sums[:] = price * self.asked, *[self.asked] * 3
            self.costs.add(earlier.costs)
            self._statistics = {
                key: {name: np.array(rows) for name, rows in table.statistics.items()}
                for key, table in earlier._tables.items()
                if key[1] in labels
            }
        self._cost_before = self.cost

    @property
    def cost(self) -> float:
        """Money that was spent on complete parts, and by an earlier run."""
        return self.costs.used.get(_COST, 0.0)

    @property
    def paid(self) -> float:
        """Money that was spent on complete parts in this call."""
        return self.cost - self._cost_before

    @property
    def price(self) -> float | None:
        """Cost of a segment if no reply is cached; None if nothing was sent."""
        cost, sent, replies, segments = self._sums.tolist()
        return cost / sent * replies / segments if sent else None

    def next_cost(self, segments: int) -> float:
        """Return the estimated cost of this call after asking about some more segments."""
        return self.paid + (self.price or 0.0) * segments

    def spend(self, costs: Costs, segments: int) -> None:
        """Add the costs of asking about some segments."""
        if sent := costs.used.get(_SENT):
            replies = sent + costs.used.get(_CACHED, 0.0)
            self._sums += costs.used.get(_COST, 0.0), sent, replies, segments
        self.costs.add(costs)

    def all_costs(self) -> Costs:
        """Return the costs, including a look that the budget ended."""
        total = Costs()
        total.add(self.costs)
        if self.unfinished:
            total.add(Costs(used={_COST: self.unfinished}))
        return total

    def with_costs(self, result: Result) -> Result:
        """Return a result with all costs."""
        return replace(result, costs=self.all_costs())

    def added(self, part: Result, segments: Array) -> Result:
        """Return the result of everything asked so far, from the result of the segments of a look."""
        self.asked += len(segments)
        self.spend(part.costs, len(segments))
        tables = {}
        for key, table in part._tables.items():
            metric = table.metric
            if not isinstance(metric, Metric) or any(
                not metric.missing(name, np.zeros((1, rows.shape[1])))[0]
                for name, rows in table.statistics.items()
            ):
                raise ParameterError(
                    f"{key[1]} has no missing scores, so its segments cannot be asked about one by one."
                )
            whole = self._statistics.setdefault(
                key,
                {
                    name: np.zeros((len(self.corpus), rows.shape[1]))
                    for name, rows in table.statistics.items()
                },
            )
            for name, rows in table.statistics.items():
                whole[name][segments] = rows
            tables[key] = Table(metric, whole, weights=self.corpus.weights, stopped=True)
        return replace(part, corpus=self.corpus, _tables=tables, costs=self.costs, _last=[])


def _known(price: Any) -> float | None:
    """Return the price of a saved result; None without one, or if it is damaged."""
    return float(price) if isinstance(price, int | float) and 0 <= price < math.inf else None


def with_others(asked: Result, others: Result, labels: list[str]) -> Result:
    """Return one result with the metrics of both, in this order."""
    costs = Costs()
    costs.add(asked.costs)
    costs.add(others.costs)
    tables = {**asked._tables, **others._tables}
    metrics = {**asked._job.metrics, **others._job.metrics}
    order = [label for label in labels if label in metrics] + [
        label for label in metrics if label not in labels
    ]
    return replace(
        asked,
        _tables={(system, label): tables[system, label] for system in asked.systems for label in order},
        signatures={label: {**asked.signatures, **others.signatures}[label] for label in order},
        costs=costs,
        _job=replace(
            others._job,
            metrics={label: metrics[label] for label in order},
            fits={**asked._job.fits, **others._job.fits},
        ),
    )
