"""nlgauge check: a gate for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_systems
from nlgauge.cli.options import (
    AsJson,
    Confidence,
    PairedTest,
    Resamples,
    ResultDirectory,
    Seed,
    Where,
    checked_confidence,
    conditions,
    one_of,
)
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import STATISTICS, option
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
            help="System of the result, or directory of another result on the same segments.",
            metavar="SYSTEM|RESULT",
            complete=complete_systems,
        ),
    ] = None,
    baseline_system: Annotated[
        str | None,
        option(
            "--baseline-system", help="System of the --baseline result if it has several.", metavar="SYSTEM"
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        option(
            "--system",
            help="System to check; repeatable (default: all except the baseline).",
            metavar="SYSTEM",
            complete=complete_systems,
        ),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        option(
            "--fail-if",
            help='Significant change, such as "bleu drops" (default: "any worsens"); repeatable.',
            metavar="CONDITION",
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        option(
            "--fail-under",
            help="Lowest score that passes, such as bleu=30; repeatable.",
            metavar="METRIC=NUMBER",
        ),
    ] = None,
    fail_over: Annotated[
        list[str] | None,
        option(
            "--fail-over",
            help="Highest score that passes, such as wer=0.2; repeatable.",
            metavar="METRIC=NUMBER",
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        option(
            "--margin",
            help="Loss that is acceptable: a number, METRIC=NUMBER, or a share such as 1%.",
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
            help="Share of missing scores that a verdict may ignore.",
            metavar="SHARE",
        ),
    ] = 0.05,
    alpha: Annotated[
        float, option("--alpha", help="Significance level of p-values.", metavar="NUMBER", panel=STATISTICS)
    ] = 0.05,
    where: Where = None,
    summary: Annotated[
        Path | None,
        option(
            "--summary",
            help="Append the table as Markdown to a file, such as $GITHUB_STEP_SUMMARY.",
            metavar="FILE",
        ),
    ] = None,
    as_json: AsJson = False,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    test: PairedTest = "randomization",
    seed: Seed = None,
) -> None:
    """Exit with code 3 if a system is worse than a baseline or a threshold.

    This is a gate for continuous integration. --fail-if tests a change against --baseline; --fail-under and
    --fail-over compare scores with a threshold.

        nlgauge check out/ --baseline main --fail-if "bleu drops"
        nlgauge check out/ --fail-under bleu=30 --fail-over wer=0.4
        nlgauge check new/ --baseline old/ --summary "$GITHUB_STEP_SUMMARY"

    Exit codes: 0 all conditions passed; 3 a condition failed; 4 a verdict is inconclusive, because there are
    too few segments, scores are missing, or an interval exceeds the margin; 1 failed; 2 incorrect usage.
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
                f"{directory} has no system to check except the baseline {baseline!r}.",
                param_hint="'--baseline'",
            )
    if where:
        result = result.where(**conditions(where))
    options = {"test": test, "confidence": confidence, "resamples": resamples, "seed": seed}
    outcomes, comparison = verdicts(result, baseline, checked, changes, limits, rule, **options)
    outcome = _outcome([verdict.failed for verdict in outcomes])
    if summary is not None:
        _append(summary, outcome, gate_page(outcomes, comparison, alpha))
    if as_json:
        show_json(
            {"alpha": alpha, "baseline": baseline, "conditions": [verdict.record() for verdict in outcomes]}
        )
    else:
        show(Printed(gate_page(outcomes, comparison, alpha, whole=False)))
    say(outcome)
    if any(verdict.failed for verdict in outcomes):
        raise click.exceptions.Exit(WORSE)
    if any(verdict.failed is None for verdict in outcomes) and inconclusive != "pass":
        raise click.exceptions.Exit(WORSE if inconclusive == "fail" else INCONCLUSIVE)


def _conditions(
    baseline: str | None, fail_if: Sequence[str], fail_under: Sequence[str], fail_over: Sequence[str]
) -> tuple[list[Change], list[Limit]]:
    """Return the changes and limits of the options; with only a baseline, no metric may worsen."""
    from nlgauge.results.gate import ANY, Change, Limit

    limits = [
        *(Limit.read(text, above=False) for text in fail_under),
        *(Limit.read(text, above=True) for text in fail_over),
    ]
    changes = [Change.read(text) for text in fail_if or ([f"{ANY} worsens"] if baseline is not None else [])]
    if not changes and not limits:
        raise click.UsageError(
            "missing condition; use --baseline SYSTEM, --baseline RESULT or --fail-under METRIC=NUMBER."
        )
    if changes and baseline is None:
        raise click.UsageError(f"{str(changes[0])!r} requires --baseline SYSTEM or RESULT.")
    return changes, limits


def _append(summary: Path, outcome: str, page: Page) -> None:
    """Append the table to a Markdown file."""
    from nlgauge.show.writers.markdown import markdown_of

    with summary.open("a", encoding="utf-8", newline="") as stream:
        stream.write(f"### nlgauge check: {outcome}\n\n{markdown_of(page)}\n")


def _outcome(failed: list[bool | None]) -> str:
    counts = {"failed": failed.count(True), "inconclusive": failed.count(None), "passed": failed.count(False)}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _with_baseline(
    result: Result, baseline: str, system: str | None, checked: list[str]
) -> tuple[Result, str]:
    """Return the result with the baseline among its systems, and the name of the baseline."""
    from nlgauge.errors import did_you_mean
    from nlgauge.results.joined import joined
    from nlgauge.results.storage.load import load

    if baseline in result.systems:
        if Path(baseline).is_dir():
            raise click.UsageError(
                f"{baseline!r} is both a system and a directory; use ./{baseline} for the directory."
            )
        return result, baseline
    if not Path(baseline).is_dir():
        near = did_you_mean(baseline, result.systems)
        raise click.UsageError(
            f"{baseline!r} is neither a system{near} nor a directory; systems of the result:"
            f" {', '.join(result.systems)}."
        )
    other = load(baseline)
    same = [name for name in checked if name in other.systems]
    chosen = system or (
        other.systems[0] if len(other.systems) == 1 else same[0] if len(checked) == len(same) == 1 else None
    )
    if chosen is None:
        raise click.UsageError(
            f"{baseline} has several systems; choose one with --baseline-system: {', '.join(other.systems)}."
        )
    other._check_system(chosen)
    name = f"{chosen} ({baseline})"
    both = joined(result, other, chosen, name)
    for label in both.labels:
        if both.signatures[label] != other.signatures[label]:
            say(
                f"warning: {label} has another signature in {baseline} ({other.signatures[label]} instead of"
                f" {both.signatures[label]}), so the scores may not be comparable"
            )
    return both, name
