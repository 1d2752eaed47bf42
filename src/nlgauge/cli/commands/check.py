"""nlgauge check: a gate for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.options import (
    AsJson,
    Confidence,
    PairedTest,
    ResultDirectory,
    Seed,
    Where,
    checked_confidence,
    conditions,
    one_of,
)
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import option
from nlgauge.cli.program import INCONCLUSIVE, WORSE

if TYPE_CHECKING:
    from nlgauge._core.page import Page
    from nlgauge.results.gate import Change, Limit
    from nlgauge.results.result import Result


@Command
def check(
    directory: ResultDirectory,
    *,
    baseline: Annotated[
        str | None,
        option(
            "--baseline",
            help="A system of the result, or the directory of another result on the same segments.",
            metavar="NAME|RESULT",
        ),
    ] = None,
    baseline_system: Annotated[
        str | None,
        option(
            "--baseline-system", help="The baseline's system where its result has several.", metavar="NAME"
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        option(
            "--system",
            help="System to check; repeat for more (default: all but the baseline).",
            metavar="NAME",
        ),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        option(
            "--fail-if",
            help=(
                'Condition, such as "bleu drops", "wer rises by 0.01" or "any worsens" (default); met if the'
                " change is significant."
            ),
            metavar="CONDITION",
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        option(
            "--fail-under", help="Least score, such as bleu=30; repeat for more.", metavar="METRIC=NUMBER"
        ),
    ] = None,
    fail_over: Annotated[
        list[str] | None,
        option(
            "--fail-over", help="Greatest score, such as wer=0.2; repeat for more.", metavar="METRIC=NUMBER"
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        option(
            "--margin",
            help=(
                "Loss that does not matter: a system passes if its loss is surely smaller. A number,"
                " METRIC=NUMBER, or a share such as 1%."
            ),
            metavar="MARGIN",
        ),
    ] = None,
    inconclusive: Annotated[
        str,
        option(
            "--inconclusive",
            help="Exit code of an inconclusive verdict: report (4), pass (0) or fail (3).",
            metavar="report|pass|fail",
        ),
    ] = "report",
    max_missing: Annotated[
        float,
        option(
            "--max-missing",
            help="Share of missing scores that a verdict may ignore, even if they could turn it.",
            metavar="SHARE",
        ),
    ] = 0.05,
    alpha: Annotated[
        float, option("--alpha", help="p-values below this are significant.", metavar="LEVEL")
    ] = 0.05,
    where: Where = None,
    summary: Annotated[
        Path | None,
        option(
            "--summary",
            help="Append the table as Markdown to this file, such as $GITHUB_STEP_SUMMARY.",
            metavar="FILE",
        ),
    ] = None,
    as_json: AsJson = False,
    confidence: Confidence = 0.95,
    resamples: Annotated[
        int, option("--resamples", at_least=1, help="Resamples of the test.", metavar="N")
    ] = 1000,
    test: PairedTest = "randomization",
    seed: Seed = None,
) -> None:
    """Exit with code 3 if a system of a saved result is worse than it may be: significantly worse than a
    baseline, or below a limit.

    nlgauge check out/ --baseline main --fail-if "bleu drops" --fail-under bleu=30

    nlgauge check new/ --baseline old/ --summary "$GITHUB_STEP_SUMMARY"

    Exit codes: 0 all conditions passed, 3 a system failed one, 4 a verdict is inconclusive (too few segments,
    missing scores, an interval that reaches beyond the margin), 1 the command failed, 2 wrong usage.
    """
    from nlgauge.results.gate import Margin, Rule, verdicts
    from nlgauge.results.storage.load import load
    from nlgauge.show.pages.gate import gate_page
    from nlgauge.show.writers.text import Printed

    checked_confidence(confidence)
    one_of(test, ("randomization", "bootstrap"), "--test")
    one_of(inconclusive, ("report", "pass", "fail"), "--inconclusive")
    if not 0 < alpha < 1:
        raise click.BadParameter(f"{alpha} is not between 0 and 1.", param_hint="'--alpha'")
    if not 0 <= max_missing <= 1:
        raise click.BadParameter(f"{max_missing} is not between 0 and 1.", param_hint="'--max-missing'")
    rule = Rule(alpha, tuple(map(Margin.read, margin or ())), max_missing)
    changes, limits = _conditions(baseline, fail_if or (), fail_under or (), fail_over or ())
    result = load(directory)
    for system in systems or ():
        result._check_system(system)
    checked = list(systems or result.systems)
    if baseline is not None:
        result, baseline = _with_baseline(result, baseline, baseline_system, checked)
        checked = [system for system in checked if system != baseline]
        if not checked:
            raise click.BadParameter(
                f"{directory} holds no system to check beside the baseline {baseline!r}.",
                param_hint="'--baseline'",
            )
    if where:
        result = result.where(**conditions(where))
    options = {"test": test, "confidence": confidence, "resamples": resamples, "seed": seed}
    found, comparison = verdicts(result, baseline, checked, changes, limits, rule, **options)
    outcome = _outcome([verdict.failed for verdict in found])
    if summary is not None:
        _append(summary, outcome, gate_page(found, comparison, alpha))
    if as_json:
        show_json(
            {"alpha": alpha, "baseline": baseline, "conditions": [verdict.record() for verdict in found]}
        )
    else:
        show(Printed(gate_page(found, comparison, alpha, whole=False)))
    say(outcome)
    if any(verdict.failed for verdict in found):
        raise click.exceptions.Exit(WORSE)
    if any(verdict.failed is None for verdict in found) and inconclusive != "pass":
        raise click.exceptions.Exit(WORSE if inconclusive == "fail" else INCONCLUSIVE)


def _conditions(
    baseline: str | None, fail_if: Sequence[str], fail_under: Sequence[str], fail_over: Sequence[str]
) -> tuple[list[Change], list[Limit]]:
    """The changes and limits that were asked for; with a baseline alone, that nothing worsens."""
    from nlgauge.results.gate import ANY, Change, Limit

    limits = [
        *(Limit.read(text, above=False) for text in fail_under),
        *(Limit.read(text, above=True) for text in fail_over),
    ]
    changes = [Change.read(text) for text in fail_if or ([f"{ANY} worsens"] if baseline is not None else [])]
    if not changes and not limits:
        raise click.BadParameter(
            "give --baseline NAME or RESULT to compare with, or --fail-under METRIC=NUMBER.",
            param_hint="'--baseline'",
        )
    if changes and baseline is None:
        raise click.BadParameter(
            f"{str(changes[0])!r} needs --baseline NAME or RESULT to compare with.", param_hint="'--fail-if'"
        )
    return changes, limits


def _append(summary: Path, outcome: str, page: Page) -> None:
    """Adds the table to a file of Markdown."""
    from nlgauge.show.writers.markdown import markdown_of

    with summary.open("a", encoding="utf-8", newline="") as stream:
        stream.write(f"### nlgauge check: {outcome}\n\n{markdown_of(page)}\n")


def _outcome(failed: list[bool | None]) -> str:
    counts = {"failed": failed.count(True), "inconclusive": failed.count(None), "passed": failed.count(False)}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _with_baseline(
    result: Result, baseline: str, system: str | None, checked: list[str]
) -> tuple[Result, str]:
    """The result with the baseline among its systems, and what that is called there."""
    from nlgauge.errors import ParameterError, did_you_mean
    from nlgauge.results.joined import joined
    from nlgauge.results.storage.load import load

    if baseline in result.systems:
        if Path(baseline).is_dir():
            raise ParameterError(
                f"{baseline!r} is a system of the result and a directory; write ./{baseline} for the"
                " directory."
            )
        return result, baseline
    if not Path(baseline).is_dir():
        near = did_you_mean(baseline, result.systems)
        raise ParameterError(
            f"{baseline!r} is neither a system of the result{near} nor a directory; there are"
            f" {', '.join(result.systems)}."
        )
    other = load(baseline)
    same = [name for name in checked if name in other.systems]
    chosen = system or (
        other.systems[0] if len(other.systems) == 1 else same[0] if len(checked) == len(same) == 1 else None
    )
    if chosen is None:
        raise ParameterError(
            f"{baseline} has several systems; name one with --baseline-system: {', '.join(other.systems)}."
        )
    other._check_system(chosen)
    name = f"{chosen} ({baseline})"
    both = joined(result, other, chosen, name)
    for label in both.labels:
        if both.signatures[label] != other.signatures[label]:
            say(
                f"warning: {label} was made otherwise in {baseline}: {other.signatures[label]}; here:"
                f" {both.signatures[label]}"
            )
    return both, name
