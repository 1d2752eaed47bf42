"""Ask judges only until a difference is significant: planned looks at random segments.

The segments are scored in a random order, look by look, with the metrics that ask a judge or run a model. After each
look a sequential test (`nlgauge.stats.sequential`) decides whether two systems differ; its p-value is valid
although the data are looked at several times. Other metrics are computed on all segments at the end. Segments that were not asked
about have no score of the asked metrics. They were drawn at random, so their scores are missing at random.

Replies of judges are cached, so a run that was killed continues from the cache if its command is repeated, with the same
order and the same verdict. A result without a decision, such as a result of a run that stopped at its budget, has the
state of the test: the plan, the order and the swap vectors that were used. `ask_on` makes the next looks with the
same plan, as if the run had never stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.engine.costs import Costs
from nlgauge.errors import InputError, ParameterError
from nlgauge.judges.calls import Calls
from nlgauge.judges.limits import Budget, BudgetReached, within
from nlgauge.metric import AnyMetric, Metric
from nlgauge.metric.table import Table
from nlgauge.results.labels import output_among
from nlgauge.results.sequential import PairLook, look_at
from nlgauge.stats.sequential.planned import PlannedLooks
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result

_COST, _SENT, _CACHED = "judge cost", "judge requests", "judge cached"
# Scores a corpus with the metrics of some labels.
ScorePart = Callable[["Corpus", Sequence[str]], "Result"]


@dataclass(frozen=True)
class Sure:
    """When to stop asking.

    Parameters
    ----------
    alpha : float, default 0.05
        Level of the whole test: the probability of calling equal systems different at any look.
    looks : int, default 20
        Largest number of looks.
    spending : {"t2", "obf"}
        How the level is spent over the looks: alpha t^2, or O'Brien and Fleming's function.
    budget : float, optional
        Money to spend in this call, in the unit of the prices of the judge. A look that would exceed it, by the
        cost of the requests so far, is not made, and no request is sent that could exceed it. Replies from the
        cache cost nothing.
    decide_on : str, optional
        Metric or output that decides, of a metric that asks a judge or runs a model. Default: the first of these.
    """

    alpha: float = 0.05
    looks: int = 20
    spending: str = "t2"
    budget: float | None = None
    decide_on: str | None = None


class Progress(NamedTuple):
    """The state after a look, for display."""

    asked: int
    segments: int
    look: int
    looks: int
    cost: float


def asks(metric: AnyMetric) -> bool:
    """Return True if scores of a metric are worth asking for one by one: judges and models."""
    return isinstance(metric, Metric) and (metric.costly or hasattr(metric, "judge"))


def ask_until_sure(
    corpus: Corpus,
    metrics: Mapping[str, AnyMetric],
    score: ScorePart,
    sure: Sure,
    seed: int,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Result:
    """Return the result of a run that stops when the first two systems differ significantly.

    Parameters
    ----------
    corpus : Corpus
        Segments of two or more systems; the first two are tested.
    metrics : mapping of str to metric
        Metrics by label.
    score : callable
        Function of a corpus and labels that returns the result of these metrics.
    sure : Sure
        When to stop.
    seed : int
        Seed of the order and of the test.
    report : callable, optional
        Function that is called after each look.

    Returns
    -------
    Result
        Scores of all segments that were asked about; `sequential` of the result has the verdict.
    """
    labels = [label for label, metric in metrics.items() if asks(metric)]
    _check(corpus, metrics, labels, sure)
    first, second = corpus.systems[:2]
    test = PlannedLooks(
        Clusters(corpus.documents, len(corpus)),
        alpha=sure.alpha,
        looks=sure.looks,
        spending=sure.spending,
        seed=seed,
    )
    rows = _Rows(corpus, labels)
    result, last, stopped = _ask(test, rows, score, (first, second), sure, report)
    if result is None or last is None:
        raise ParameterError(_too_dear(test, rows, sure))
    others = [label for label in metrics if label not in labels]
    if others:
        result = _joined(result, score(corpus, others), list(metrics))
    return replace(result, sequential=_verdict(test, last, (first, second), rows, stopped), _last=[])


def _too_dear(test: PlannedLooks, rows: _Rows, sure: Sure) -> str:
    """Return the message about a budget that is too small for the first look."""
    segments, total = len(test.segments()), f"the budget {sure.budget:.4g}"
    if rows.was_cut:
        return (
            f"the first look has {segments} segments, and {rows.cost + rows.unfinished:.4g} of {total} was spent before"
            " it was complete: the next request may cost more than the rest. Raise the budget."
        )
    return (
        f"the first look has {segments} segments and would cost about {rows.next_cost(segments):.4g}, more than"
        f" {total}; raise the budget."
    )


def ask_on(
    earlier: Result,
    score: ScorePart,
    budget: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Result:
    """Return the result of a run that stopped without a decision, after its next looks.

    Parameters
    ----------
    earlier : Result
        Result of `ask_until_sure` without a decision. Its plan, its order and the level spent so far stay.
    score : callable
        Function of a corpus and labels that returns the result of these metrics.
    budget : float, optional
        Money to spend in this call.
    report : callable, optional
        Function that is called after each look.

    Returns
    -------
    Result
        Scores of all segments that were asked about in both runs, with the verdict of one uninterrupted run.
    """
    before = earlier.sequential
    if before is None:
        raise ParameterError(
            "the result is not from a run that stops when sure, so it cannot be continued; score all segments."
        )
    if before["stopped"] != "budget":
        end = f"{before['better']} was better at look" if before["better"] else "the last look was look"
        raise ParameterError(
            f"the sequential test has ended: {end} {before['look']} of {before['looks']}. Further looks would change"
            " no verdict."
        )
    earlier._need_texts("ask about further segments of")
    corpus, labels = earlier.corpus, list(before["asked_metrics"])
    systems = before["systems"][0], before["systems"][1]
    sure = Sure(budget=budget, decide_on=f"{before['metric']}.{before['output']}")
    _check_budget(earlier._job.metrics, labels, sure)
    test = PlannedLooks.resumed(Clusters(corpus.documents, len(corpus)), before["state"])
    rows = _Rows(corpus, labels, earlier)
    result, last, stopped = _ask(test, rows, score, systems, sure, report)
    if result is None or last is None:
        more = {"cost": rows.cost + rows.unfinished, "price": rows.price}
        return replace(earlier, costs=rows.all_costs(), sequential={**before, **more}, _last=[])
    others = {label: metric for label, metric in earlier._job.metrics.items() if label not in labels}
    if others:
        rest = replace(
            earlier,
            _tables={key: table for key, table in earlier._tables.items() if key[1] in others},
            # The costs of the earlier run are among the costs of the looks.
            costs=Costs(),
            _job=replace(earlier._job, metrics=others),
            _last=[],
        )
        result = _joined(result, rest, list(earlier.labels))
    return replace(result, sequential=_verdict(test, last, systems, rows, stopped), _last=[])


def _ask(
    test: PlannedLooks,
    rows: _Rows,
    score: ScorePart,
    systems: tuple[str, str],
    sure: Sure,
    report: Callable[[Progress], None],
) -> tuple[Result | None, PairLook | None, str]:
    """Make looks until the test ends or the budget is used up; return the result, the last look, and "budget" if
    that is why asking stopped.
    """
    last: PairLook | None = None
    result: Result | None = None
    budget = None if sure.budget is None else Budget(sure.budget)
    while test.is_open:
        segments = test.segments()
        try:
            with within(budget):
                if budget is not None:
                    if rows.price is None:
                        # The reply to the last segment is the reply that an interrupted run is least likely to
                        # have cached.
                        rows.spend(score(rows.corpus.take(segments[-1:]), rows.labels).costs, 1)
                    if rows.next_cost(len(segments)) > budget.limit:
                        return result, last, "budget"
                part = score(rows.corpus.take(segments), rows.labels)
        except BudgetReached:
            assert budget is not None
            rows.was_cut, rows.unfinished = True, budget.spent - rows.paid
            return None if result is None else rows.with_costs(result), last, "budget"
        result = rows.added(part, segments)
        last = look_at(result, test, *systems, sure.decide_on)
        report(Progress(rows.asked, len(rows.corpus), test.at, len(test.sizes), rows.cost))
    return result, last, ""


def _check(corpus: Corpus, metrics: Mapping[str, AnyMetric], labels: list[str], sure: Sure) -> None:
    if len(corpus.systems) < 2:
        raise InputError(f"stopping when sure needs two systems, got only {corpus.systems[0]!r}.")
    if not labels:
        raise ParameterError(
            f"none of the metrics ({', '.join(metrics)}) asks a judge or runs a model, so nothing is saved by"
            " stopping early; score all segments."
        )
    asked: dict[str, Metric] = {label: metrics[label] for label in labels}  # type: ignore[misc]
    _, output = output_among(
        asked,
        sure.decide_on or labels[0],
        lambda label: [each for part in asked[label].outputs().values() for each in part],
    )
    if output.higher_is_better is None:
        raise ParameterError(
            f"{output.name} has no better direction, so it cannot decide; choose another output."
        )
    _check_budget(metrics, labels, sure)


def _check_budget(metrics: Mapping[str, AnyMetric], labels: Sequence[str], sure: Sure) -> None:
    if sure.budget is None:
        return
    if not 0 < sure.budget < math.inf:
        raise ParameterError(f"the budget must be a number above 0, got {sure.budget:g}.")
    for label in labels:
        calls = getattr(metrics[label], "calls", None)
        if calls is None or Calls.of(calls).prices is None:
            raise ParameterError(
                f"a budget needs the prices of {label}; set them in its parameter calls, such as"
                " calls='prices=0.15,0.60'."
            )


class _Rows:
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
        """Return the costs, with the costs of a look that the budget ended."""
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


def _joined(asked: Result, others: Result, labels: list[str]) -> Result:
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


def _verdict(
    test: PlannedLooks, last: PairLook, systems: tuple[str, str], rows: _Rows, stopped: str
) -> dict[str, Any]:
    """Return the outcome of the test, as plain data."""
    numbers = {"gain": last.gain, "gain_low": last.gain_low, "gain_high": last.gain_high, "p": last.look.p}
    return {
        "asked_metrics": rows.labels,
        "metric": last.label,
        "output": last.output.name,
        "systems": list(systems),
        "better": last.better,
        "asked": rows.asked,
        "segments": len(rows.corpus),
        "look": test.at,
        "looks": len(test.sizes),
        "stopped": "decided" if test.sign else stopped or "all looks made",
        "confidence": 1 - test.alpha,
        "cost": rows.cost + rows.unfinished,
        **({"price": rows.price} if stopped == "budget" else {}),
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        "state": test.state(),
    }


def sentences(sequential: Mapping[str, Any]) -> list[str]:
    """Return sentences about the verdict of a sequential test, for tables and messages."""
    first, second = sequential["systems"]
    asked = (
        f"{sequential['metric']}: asked about {sequential['asked']:,} of {sequential['segments']:,} segments, drawn"
        f" at random (look {sequential['look']} of {sequential['looks']})"
    )
    p = sequential["p"]
    shown = "n/a" if p is None else "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
    if sequential["better"] is None:
        reason = "the budget is used up" if sequential["stopped"] == "budget" else "no look was significant"
        verdict = (
            f"{first} and {second} are not significantly different ({reason}; p {shown}, sequential test)."
        )
    else:
        other = second if sequential["better"] == first else first
        verdict = (
            f"{sequential['better']} is better than {other} (p {shown}, sequential test). A run that stops early"
            " overstates the difference a little."
        )
    bounds = [sequential["gain_low"], sequential["gain_high"]]
    interval = (
        ""
        if None in bounds or sequential["gain"] is None
        else f" Gain of {second}: {sequential['gain']:+.4f} [{bounds[0]:+.4f}, {bounds[1]:+.4f}]"
        f" ({sequential['confidence']:.1%} interval)."
    )
    return [f"{asked}.", verdict + interval]
