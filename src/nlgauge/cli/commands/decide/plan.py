"""nlgauge plan: the size of a test set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_metrics, complete_results, complete_systems
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import STATISTICS, Options, argument, option


class Deviations(Options):
    """Standard deviations that replace those of a pilot."""

    sd_items: Annotated[
        float | None,
        option(
            "--sd-items",
            at_least=0,
            help="Standard deviation of the true difference over segments.",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = None
    sd_answers: Annotated[
        float | None,
        option(
            "--sd-answers",
            at_least=0,
            help="Standard deviation of answers to the same segment.",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = None
    sd_judge: Annotated[
        float | None,
        option(
            "--sd-judge",
            at_least=0,
            help="Standard deviation of judge runs on the same answer.",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = None


class Costs(Options):
    """Costs of a plan, to find the cheapest."""

    cost_item: Annotated[
        float | None, option("--cost-item", at_least=0, help="Cost of a segment.", metavar="NUMBER")
    ] = None
    cost_answer: Annotated[
        float | None, option("--cost-answer", at_least=0, help="Cost of an answer.", metavar="NUMBER")
    ] = None
    cost_judge: Annotated[
        float | None, option("--cost-judge", at_least=0, help="Cost of a judge run.", metavar="NUMBER")
    ] = None


@Command
def plan(
    pilot: Annotated[
        Path | None,
        argument(
            "Directory of a saved result with two systems, to estimate standard deviations.",
            metavar="[RESULT]",
            complete=complete_results,
        ),
    ] = None,
    *,
    detect: Annotated[float, option("--detect", help="Difference of the means to detect.", metavar="NUMBER")],
    metric: Annotated[
        str | None,
        option(
            "--metric",
            "-m",
            help="Metric of the pilot (default: the first).",
            metavar="METRIC",
            complete=complete_metrics,
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        option(
            "--system",
            help="System of the pilot; name two if it has more.",
            metavar="SYSTEM",
            complete=complete_systems,
        ),
    ] = None,
    deviations: Deviations,
    costs: Costs,
    answers: Annotated[
        list[int] | None,
        option(
            "--answers",
            at_least=1,
            help="Answers per segment and system; repeatable (default: 1 2 3 5 10).",
            metavar="N",
        ),
    ] = None,
    judge_runs: Annotated[
        list[int] | None,
        option(
            "--judge-runs",
            at_least=1,
            help="Judge runs per answer; repeatable (default: 1 2 4).",
            metavar="N",
        ),
    ] = None,
    until_sure: Annotated[
        bool, option("--until-sure", help="Plan a test that stops as soon as the difference is significant.")
    ] = False,
    power: Annotated[
        float,
        option("--power", help="Probability to detect the difference.", metavar="NUMBER", panel=STATISTICS),
    ] = 0.8,
    alpha: Annotated[
        float, option("--alpha", help="Significance level of p-values.", metavar="NUMBER", panel=STATISTICS)
    ] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Plan how many segments, answers and judge runs show a difference.

    Estimate the standard deviations from a pilot, or use yours, and print how many segments a paired test of two
    systems needs, by the number of answers per segment and of judge runs per answer. With costs, the cheapest
    plan is marked.

        nlgauge plan run/ --metric faithfulness --detect 0.05
        nlgauge plan --sd-items 0.15 --sd-answers 0.2 --detect 0.05 --power 0.8

    A pilot has repeats if its segments have several predictions. Without repeats, only segments are planned. If the
    pilot has documents, the plan counts documents.
    """
    from nlgauge.results.plans.plan import plan as planned
    from nlgauge.results.storage.load import load

    table = planned(
        None if pilot is None else load(pilot),
        metric,
        detect=detect,
        power=power,
        alpha=alpha,
        systems=systems or (),
        **vars(deviations),
        **vars(costs),
        answers=answers or (1, 2, 3, 5, 10),
        judge_runs=judge_runs or (1, 2, 4),
        until_sure=until_sure,
    )
    if as_json:
        numbers = {"unit": table.unit, "design_effect": table.design_effect, "remarks": table.remarks}
        numbers |= {"expected_share": table.expected_share, "spread": table.spread._asdict()}
        show_json({**table.target._asdict(), **numbers, "plans": table.records()})
    else:
        show(table)
