"""Plan: how many segments, answers and judge runs a comparison of two systems needs, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nlgauge._core.frames import as_frame
from nlgauge._core.page import Page
from nlgauge._core.shown import Exported
from nlgauge.errors import ParameterError
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.sample_size import PlanRow, Prices, Spread, Target, cheapest, plan_rows
from nlgauge.stats.sequential.spending import expected_share

if TYPE_CHECKING:
    from nlgauge.results.plans.pilot import Pilot
    from nlgauge.results.result import Result

# 20 planned looks with t^2 spending need this many times the units of one test for the same power: 80% needs 1.091,
# 90% 1.087 (400,000 paths of `expected_share`).
INFLATION = 1.09


@dataclass(frozen=True, repr=False)
class Plan(Exported):
    """Plans by number of answers and judge runs, and the cheapest plan.

    Parameters
    ----------
    rows : list of PlanRow
        Plans: answers per segment and system, judge runs per answer, units, requests and cost.
    cheapest : PlanRow or None
        Cheapest plan with up to 20 answers and judge runs; None without prices.
    spread : Spread
        Standard deviations.
    target : Target
        Difference to detect, power and level.
    unit : {"segments", "documents"}
        What the plans count.
    prices : Prices or None
        Costs of a segment, an answer and a judge run.
    expected_share : float
        Expected share of the units that a sequential test uses if the difference is real; NaN for one test at the end.
    design_effect : float
        Factor by which documents increase the variance of the difference in the pilot; NaN without documents.
    remarks : tuple of str
        What the pilot cannot show.
    """

    rows: list[PlanRow]
    cheapest: PlanRow | None
    spread: Spread
    target: Target
    unit: str = "segments"
    prices: Prices | None = None
    expected_share: float = math.nan
    design_effect: float = math.nan
    remarks: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """Return the plans as plain dictionaries.

        Returns
        -------
        list of dict
            One dictionary per plan, with the cheapest plan marked.
        """
        return [self._record(row) for row in self.shown()]

    def shown(self) -> list[PlanRow]:
        """Return all plans in the order of answers and judge runs.

        Returns
        -------
        list of PlanRow
            The rows and the cheapest plan, without duplicates.
        """
        return sorted({*self.rows, *([] if self.cheapest is None else [self.cheapest])})

    def _record(self, row: PlanRow) -> dict[str, Any]:
        numbers = {
            "answers": row.answers,
            "judge_runs": row.judge_runs,
            self.unit: row.units,
            "requests": row.requests,
        }
        return numbers | {"cost": row.cost, "cheapest": row == self.cheapest}

    def frame(self, frame: str | None = None) -> Any:
        """Return the plans as a data frame.

        Parameters
        ----------
        frame : {"pandas", "polars"}, optional
            Library of the frame. Default: the installed library, else a list of dictionaries.

        Returns
        -------
        DataFrame or list of dict
            One row per plan.
        """
        return as_frame(self.records(), frame)

    def _page(self, decimals: int | None = None) -> Page:
        from nlgauge.show.pages.plan import plan_page

        return plan_page(self, decimals)

    _short_page = _page
    _csv_records = records


def plan(
    pilot: Result | Mapping[str, Sequence[Any]] | None = None,
    metric: str | None = None,
    *,
    detect: float,
    power: float = 0.8,
    alpha: float = 0.05,
    systems: Sequence[str] = (),
    sd_items: float | None = None,
    sd_answers: float | None = None,
    sd_judge: float | None = None,
    cost_item: float | None = None,
    cost_answer: float | None = None,
    cost_judge: float | None = None,
    answers: Sequence[int] = (1, 2, 3, 5, 10),
    judge_runs: Sequence[int] = (1, 2, 4),
    until_sure: bool = False,
) -> Plan:
    """Plan how many segments, answers and judge runs show a difference of two systems.

    Parameters
    ----------
    pilot : Result or mapping, optional
        Scores of two systems, from which the standard deviations are estimated. A mapping has, for each system, one entry
        per segment: a number, a list of numbers (answers), or a list of lists of numbers (judge runs of each answer).
    metric : str, optional
        Metric of the pilot result. Default: its first metric.
    detect : float
        Difference of the means to detect.
    power : float, default 0.8
        Probability with which the difference is to be detected.
    alpha : float, default 0.05
        Two-sided significance level.
    systems : sequence of str, optional
        Two systems of the pilot. Default: its systems, if there are two.
    sd_items : float, optional
        Standard deviation, over segments, of the true difference of the systems. Default: from the pilot.
    sd_answers : float, optional
        Standard deviation of answers of a system to the same segment. Default: from the pilot, else 0.
    sd_judge : float, optional
        Standard deviation of judge runs on the same answer. Default: from the pilot, else 0.
    cost_item : float, optional
        Cost of a segment, such as writing its reference.
    cost_answer : float, optional
        Cost of an answer.
    cost_judge : float, optional
        Cost of a judge run.
    answers : sequence of int
        Numbers of answers per segment and system in the table.
    judge_runs : sequence of int
        Numbers of judge runs per answer in the table.
    until_sure : bool, default False
        Plan a test that stops early: it has up to 9% more segments, and uses a smaller share of them on average.

    Returns
    -------
    Plan
        Table of plans, and the cheapest plan if costs are known.

    Raises
    ------
    ParameterError
        If a number is out of its domain, or no standard deviation is known.

    Examples
    --------
    >>> import nlgauge
    >>> planned = nlgauge.plan(detect=0.05, sd_items=0.15, sd_answers=0.20, sd_judge=0.15, answers=[1, 3], judge_runs=[1, 4])
    >>> [(row.answers, row.judge_runs, row.units) for row in planned.rows]
    [(1, 1, 464), (1, 4, 358), (3, 1, 202), (3, 4, 167)]
    """
    target = _target(detect, power, alpha)
    read = None if pilot is None else _read(pilot, metric, systems)
    spread = _spread(read, sd_items, sd_answers, sd_judge)
    _check_counts(answers, "answers")
    _check_counts(judge_runs, "judge_runs")
    prices = _prices(cost_item, cost_answer, cost_judge)
    inflation = INFLATION if until_sure else 1.0
    rows = plan_rows(spread, target, answers, judge_runs, prices, inflation)
    best = None if prices is None else cheapest(spread, target, prices, inflation)
    share = expected_share(target.effect * math.sqrt(inflation), alpha=alpha)[0] if until_sure else math.nan
    if read is None:
        return Plan(rows, best, spread, target, prices=prices, expected_share=share)
    return Plan(rows, best, spread, target, read.unit, prices, share, read.design_effect, read.remarks)


def _target(detect: float, power: float, alpha: float) -> Target:
    check_confidence(alpha, "alpha")
    check_confidence(power, "power")
    if not _is_number(detect) or not detect > 0:
        raise ParameterError(f"detect must be a positive number, got {detect!r:.60}.")
    if not power > alpha:
        raise ParameterError(f"power must be greater than alpha ({alpha:g}), got {power:g}.")
    return Target(float(detect), power, alpha)


def _read(pilot: Result | Mapping[str, Sequence[Any]], metric: str | None, systems: Sequence[str]) -> Pilot:
    from nlgauge.results.plans.pilot import pilot_of_result, pilot_of_scores
    from nlgauge.results.result import Result

    if isinstance(pilot, Result):
        return pilot_of_result(pilot, metric, systems)
    if not isinstance(pilot, Mapping):
        raise ParameterError(
            f"pilot must be a Result or a mapping from systems to scores, got {type(pilot).__name__}."
        )
    return pilot_of_scores(pilot, systems)


def _spread(read: Pilot | None, items: float | None, answers: float | None, judge: float | None) -> Spread:
    """Return the standard deviations: the values of the caller before the values of the pilot."""
    for name, value in (("sd_items", items), ("sd_answers", answers), ("sd_judge", judge)):
        if value is not None and (not _is_number(value) or value < 0):
            raise ParameterError(f"{name} must be 0 or more, got {value!r:.60}.")
    if read is None and items is None:
        raise ParameterError(
            "a plan needs standard deviations",
            python="pass a pilot, or sd_items=, sd_answers= and sd_judge=",
            cli="name a pilot result, or use --sd-items, --sd-answers and --sd-judge",
        )
    spread = Spread(0.0, 0.0, 0.0) if read is None else _separated(read.spread, answers, judge)
    changed = {"items": items, "answers": answers, "judge": judge}
    spread = spread._replace(**{name: float(value) for name, value in changed.items() if value is not None})
    if not spread.variance(1, 1):
        raise ParameterError("all standard deviations are 0, so no plan is needed to detect a difference.")
    return spread


def _separated(spread: Spread, answers: float | None, judge: float | None) -> Spread:
    """Return the spread of a pilot without the noise that it could not separate and the caller knows."""
    items, within = spread.items**2, spread.answers**2
    for noise in (
        answers if math.isnan(spread.answers) else None,
        judge if math.isnan(spread.judge) else None,
    ):
        if noise is not None and math.isnan(within):
            items -= 2 * noise**2 / spread.per_unit
        elif noise is not None:
            within -= noise**2
    return spread._replace(
        items=math.sqrt(max(0.0, items)),
        answers=within if math.isnan(within) else math.sqrt(max(0.0, within)),
    )


def _prices(*costs: float | None) -> Prices | None:
    if all(cost is None for cost in costs):
        return None
    for name, cost in zip(("cost_item", "cost_answer", "cost_judge"), costs, strict=True):
        if cost is not None and (not _is_number(cost) or cost < 0):
            raise ParameterError(f"{name} must be 0 or more, got {cost!r:.60}.")
    return Prices(*(float(cost or 0.0) for cost in costs))


def _check_counts(counts: Sequence[int], name: str) -> None:
    if not counts or not all(
        isinstance(count, int) and not isinstance(count, bool) and count > 0 for count in counts
    ):
        raise ParameterError(f"{name} must be whole numbers from 1, got {counts!r:.60}.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
