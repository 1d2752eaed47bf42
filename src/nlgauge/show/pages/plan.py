"""The page of a plan: answers, judge runs, segments, requests and costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nlgauge._core.page import Cell, Page, Sheet, column

if TYPE_CHECKING:
    from nlgauge.results.plans.plan import Plan


def plan_page(plan: Plan, decimals: int | None = None) -> Page:
    """Return one row per plan, and below the target, the standard deviations and the remarks on the pilot."""
    digits = 2 if decimals is None else decimals
    priced = plan.prices is not None
    names = ["answers", "judge runs", plan.unit, "requests", *(["cost"] if priced else [])]
    rows = []
    for row in plan.shown():
        is_best = row == plan.cheapest
        numbers = [f"{number:,}" for number in row[:4]] + ([f"{row.cost:,.{digits}f}"] if priced else [])
        cells = [Cell(text, "best" if is_best else "") for text in numbers]
        rows.append([*cells, *([Cell("cheapest" if is_best else "")] if priced else [])])
    columns = [column(name, "number") for name in names] + ([column("")] if priced else [])
    return Page([Sheet(columns, rows)], notes=_notes(plan))


def _notes(plan: Plan) -> list[str]:
    target, spread = plan.target, plan.spread
    deviations = [
        f"{name} {value:.3g}"
        for name, value in (("items", spread.items), ("answers", spread.answers), ("judge", spread.judge))
        if not math.isnan(value)
    ]
    notes = [
        f"To detect a difference of {target.detect:g} with a probability of {100 * target.power:g}%, by a"
        f" two-sided test at {100 * target.alpha:g}%.",
        f"Standard deviations: {', '.join(deviations)}. Answers are per segment and system, judge runs per"
        " answer; requests count judge runs of both systems.",
    ]
    if plan.prices is not None:
        item, answer, judge = plan.prices
        notes.append(f"Costs: item {item:g}, answer {answer:g}, judge {judge:g}.")
    if not math.isnan(plan.expected_share):
        notes.append(
            f"The test may stop early: {plan.unit} are the largest number, and if the difference is real, it"
            f" uses about {100 * plan.expected_share:.0f}% of them."
        )
    if not math.isnan(plan.design_effect):
        notes.append(
            f"Documents are the units, with {spread.per_unit:.1f} segments each; the design effect of the pilot"
            f" is {plan.design_effect:.2f}."
        )
    return [*notes, *(f"{remark[0].upper()}{remark[1:]}." for remark in plan.remarks)]
