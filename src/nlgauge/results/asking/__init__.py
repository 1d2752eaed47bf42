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
from typing import TYPE_CHECKING, NamedTuple

from nlgauge._core.numbers import counted
from nlgauge.engine.costs import Costs
from nlgauge.errors import InputError, ParameterError
from nlgauge.judges.calls import Calls
from nlgauge.judges.limits import Budget, BudgetReached, within
from nlgauge.metric import AnyMetric, Metric
from nlgauge.results.asking.rows import Rows, with_others
from nlgauge.results.asking.verdict import sentences, verdict_of
from nlgauge.results.labels import output_among
from nlgauge.results.sequential import PairLook, look_at
from nlgauge.stats.sequential.planned import PlannedLooks
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result

__all__ = ["Progress", "Sure", "ask_on", "ask_until_sure", "asks", "sentences"]

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
    rows = Rows(corpus, labels)
    result, last, stopped = _ask(test, rows, score, (first, second), sure, report)
    if result is None or last is None:
        raise ParameterError(_too_dear(test, rows, sure))
    others = [label for label in metrics if label not in labels]
    if others:
        result = with_others(result, score(corpus, others), list(metrics))
    return replace(result, sequential=verdict_of(test, last, (first, second), rows, stopped), _last=[])


def _too_dear(test: PlannedLooks, rows: Rows, sure: Sure) -> str:
    """Return the message about a budget that is too small for the first look."""
    segments, total = len(test.segments()), f"the budget {sure.budget:.4g}"
    if rows.was_cut:
        return (
            f"the first look has {counted(segments, 'segment')}, and {rows.cost + rows.unfinished:.4g} of {total} was spent before"
            " it was complete: the next request may cost more than the rest. Raise the budget."
        )
    return (
        f"the first look has {counted(segments, 'segment')} and would cost about {rows.next_cost(segments):.4g}, more than"
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
    rows = Rows(corpus, labels, earlier)
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
        result = with_others(result, rest, list(earlier.labels))
    return replace(result, sequential=verdict_of(test, last, systems, rows, stopped), _last=[])


def _ask(
    test: PlannedLooks,
    rows: Rows,
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
