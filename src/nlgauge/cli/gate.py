"""The gate of `check` and `run`: options, verdicts, their table, summary and annotations, and the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.complete import complete_systems
from nlgauge.cli.options import (
    AsJson,
    Confidence,
    PairedTest,
    Resamples,
    Seed,
    Where,
    checked_confidence,
    narrowed,
    one_of,
)
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import STATISTICS, Options, option
from nlgauge.cli.program import INCONCLUSIVE, WORSE, command_line

if TYPE_CHECKING:
    from nlgauge._core.page import Page
    from nlgauge.results.gate import Change, CheckOutcome, Limit, Rule
    from nlgauge.results.result import Result

# Options for the targets of the outcome, with their numbers of words.
_TARGETS = {"--summary": 2, "--annotations": 1}

Summary = Annotated[
    Path | None,
    option(
        "--summary",
        help="Append the table as Markdown to a file, such as $GITHUB_STEP_SUMMARY.",
        metavar="FILE",
    ),
]
Annotations = Annotated[
    bool,
    option(
        "--annotations",
        help="Print failed and inconclusive conditions as annotations of GitHub Actions.",
    ),
]


class GateOptions(Options):
    """Conditions of a gate, and targets of its outcome."""

    baseline: Annotated[
        str | None,
        option(
            "--baseline",
            help="System of the result, or directory of another result on the same segments.",
            metavar="SYSTEM|RESULT",
            complete=complete_systems,
        ),
    ] = None
    baseline_system: Annotated[
        str | None,
        option(
            "--baseline-system", help="System of the --baseline result if it has several.", metavar="SYSTEM"
        ),
    ] = None
    systems: Annotated[
        list[str] | None,
        option(
            "--system",
            help="System to check; repeatable (default: all except the baseline).",
            metavar="SYSTEM",
            complete=complete_systems,
        ),
    ] = None
    fail_if: Annotated[
        list[str] | None,
        option(
            "--fail-if",
            help='Failing change (default: "any worsens"), such as "bleu drops by 1"; repeatable.',
            metavar="CONDITION",
        ),
    ] = None
    fail_under: Annotated[
        list[str] | None,
        option(
            "--fail-under",
            help="Lowest score that passes, such as bleu=30; repeatable.",
            metavar="METRIC=NUMBER",
        ),
    ] = None
    fail_over: Annotated[
        list[str] | None,
        option(
            "--fail-over",
            help="Highest score that passes, such as wer=0.2; repeatable.",
            metavar="METRIC=NUMBER",
        ),
    ] = None
    margin: Annotated[
        list[str] | None,
        option(
            "--margin",
            help="Acceptable loss: a number, METRIC=NUMBER, or a share such as 1%; repeatable.",
            metavar="MARGIN",
        ),
    ] = None
    inconclusive: Annotated[
        str,
        option(
            "--inconclusive",
            help="Exit code of an inconclusive verdict: report (4), pass (0) or fail (3).",
            metavar="report|pass|fail",
        ),
    ] = "report"
    max_missing: Annotated[
        float,
        option(
            "--max-missing",
            help="Share of missing scores, from 0 to 1, that a verdict may ignore.",
            metavar="SHARE",
        ),
    ] = 0.05
    alpha: Annotated[
        float, option("--alpha", help="Significance level of p-values.", metavar="NUMBER", panel=STATISTICS)
    ] = 0.05
    where: Where = None
    summary: Summary = None
    annotations: Annotations = False
    as_json: AsJson = False
    confidence: Confidence = 0.95
    resamples: Resamples = 1000
    test: PairedTest = "randomization"
    seed: Seed = None

    def check(self) -> None:
        checked_confidence(self.confidence)
        one_of(self.test, ("randomization", "bootstrap"), "--test")
        one_of(self.inconclusive, ("report", "pass", "fail"), "--inconclusive")
        if not 0 < self.alpha < 1:
            raise click.BadParameter(
                f"{self.alpha} is not between 0 and 1; 0.05 is usual.", param_hint="'--alpha'"
            )
        if not 0 <= self.max_missing <= 1:
            raise click.BadParameter(
                f"{self.max_missing} is not from 0 to 1; 0.05 means 5%.", param_hint="'--max-missing'"
            )
        if self.baseline is None and self.baseline_system is not None:
            raise click.UsageError(
                f"--baseline-system {self.baseline_system} requires --baseline RESULT; add it."
            )


def decide(result: Result, options: GateOptions) -> None:
    """Print the verdicts on a result, and exit with the code of the gate unless all conditions passed."""
    from nlgauge.results.gate import verdicts
    from nlgauge.show.pages.gate import gate_page
    from nlgauge.show.writers.text import Printed

    rule, changes, limits = read_conditions(options)
    for system in options.systems or ():
        result._check_system(system)
    checked = list(options.systems or result.systems)
    baseline = options.baseline
    if baseline is not None:
        result, baseline = _with_baseline(result, baseline, options.baseline_system, checked)
        checked = [system for system in checked if system != baseline]
        if not checked:
            raise click.BadParameter(
                f"the baseline {baseline!r} is the only system to check; name another system with --baseline or"
                " --system.",
                param_hint="'--baseline'",
            )
    result = narrowed(result, options.where)
    tests = {name: getattr(options, name) for name in ("test", "confidence", "resamples", "seed")}
    outcomes, comparison = verdicts(result, baseline, checked, changes, limits, rule, **tests)
    outcome = _outcome([verdict.failed for verdict in outcomes])
    if options.summary is not None:
        _append(options.summary, outcome, gate_page(outcomes, comparison, options.alpha))
    if options.as_json:
        show_json(
            {
                "alpha": options.alpha,
                "baseline": baseline,
                "conditions": [verdict.record() for verdict in outcomes],
            }
        )
    else:
        show(Printed(gate_page(outcomes, comparison, options.alpha, whole=False)))
    for verdict in outcomes if options.annotations else ():
        if verdict.failed is not False:
            say(annotation(verdict))
    say(outcome)
    if any(verdict.failed for verdict in outcomes):
        raise click.exceptions.Exit(WORSE)
    if any(verdict.failed is None for verdict in outcomes) and options.inconclusive != "pass":
        raise click.exceptions.Exit(WORSE if options.inconclusive == "fail" else INCONCLUSIVE)


def gate_rule(options: GateOptions) -> Rule:
    """Return the rule of the options: level, margins and the share of missing scores."""
    from nlgauge.results.gate import Margin, Rule

    return Rule(options.alpha, tuple(map(Margin.read, options.margin or ())), options.max_missing)


def read_conditions(options: GateOptions) -> tuple[Rule, list[Change], list[Limit]]:
    """Return the rule, changes and limits of the options; with only a baseline, no metric may worsen."""
    from nlgauge.results.gate import ANY, Change, Limit

    rule = gate_rule(options)
    limits = [
        *(Limit.read(text, above=False) for text in options.fail_under or ()),
        *(Limit.read(text, above=True) for text in options.fail_over or ()),
    ]
    default = [f"{ANY} worsens"] if options.baseline is not None else []
    changes = [Change.read(text) for text in options.fail_if or default]
    if not changes and not limits:
        raise click.UsageError(
            "missing condition; use --baseline SYSTEM, --baseline RESULT, --fail-under METRIC=NUMBER or"
            " --fail-over METRIC=NUMBER."
        )
    if changes and options.baseline is None:
        raise click.UsageError(f"{str(changes[0])!r} requires a baseline; add --baseline SYSTEM or RESULT.")
    return rule, changes, limits


def annotation(verdict: CheckOutcome) -> str:
    """Return a verdict as a workflow command of GitHub, which the page of the job shows next to its log.

    Percent signs and line breaks are escaped, in a title also colons and commas.
    """
    level = "error" if verdict.failed else "warning"
    title = _escaped(f"{verdict.condition} ({verdict.system})").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{_escaped(f'{verdict.word}: {verdict.why}')}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _append(summary: Path, outcome: str, page: Page) -> None:
    """Append the verdicts and the command to a Markdown file."""
    from nlgauge._core.safe_text import visible
    from nlgauge.show.writers.markdown import markdown_of

    command = visible(command_line(_TARGETS))
    with summary.open("a", encoding="utf-8", newline="") as stream:
        stream.write(
            f"### nlgauge check: {outcome}\n\n{markdown_of(page)}\nReproduce with:\n\n    {command}\n\n"
        )


def _outcome(failed: list[bool | None]) -> str:
    counts = {"failed": failed.count(True), "inconclusive": failed.count(None), "passed": failed.count(False)}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _with_baseline(
    result: Result, baseline: str, system: str | None, checked: list[str]
) -> tuple[Result, str]:
    """Return the result with the baseline among its systems, and the name of the baseline."""
    from nlgauge.errors import did_you_mean
    from nlgauge.results.joined import baseline_system, joined
    from nlgauge.results.storage.load import load

    if baseline in result.systems:
        if Path(baseline).is_dir():
            raise click.UsageError(
                f"{baseline!r} is both a system and a directory; use ./{baseline} for the directory."
            )
        if system is not None:
            raise click.UsageError(
                f"{baseline!r} is a system, and --baseline-system {system} is for a directory of a result; omit"
                " --baseline-system."
            )
        return result, baseline
    if not Path(baseline).is_dir():
        near = did_you_mean(baseline, result.systems)
        raise click.UsageError(
            f"{baseline!r} is neither a system{near} nor a directory; systems of the result:"
            f" {', '.join(result.systems)}."
        )
    other = load(baseline)
    chosen = system or baseline_system(other, checked)
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
