"""nlgauge check: a gate for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.gate import GateOptions, decide, gate_rule, read_conditions
from nlgauge.cli.options import ResultDirectories, narrowed
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import option


@Command
def check(
    directories: ResultDirectories,
    *,
    aa: Annotated[
        bool,
        option("--aa", help="Report how often the gate fails a system that did not change; see above."),
    ] = False,
    gate: GateOptions,
) -> None:
    """Exit with code 3 if a system is worse than a baseline or a threshold.

    This is a gate for continuous integration. --fail-if tests a change against --baseline; --fail-under and
    --fail-over compare scores with a threshold.

        nlgauge check out/ --baseline main --fail-if "bleu drops"
        nlgauge check out/ --fail-under bleu=30 --fail-over wer=0.4
        nlgauge check new/ --baseline old/ --summary "$GITHUB_STEP_SUMMARY"
        nlgauge check --aa repeats/ --fail-if "chrf drops by 0.5"
        nlgauge check --aa monday/ tuesday/

    With --aa the gate compares a system with itself: it divides several predictions per segment, or several
    results of the same system, at random into two halves, and reports the share of each verdict. The exit code
    is 0.

    Exit codes: 0 all conditions passed; 3 a condition failed; 4 a verdict is inconclusive, because there are
    too few segments or resamples, scores are missing, or the interval of a gain reaches beyond the margin; 1
    failed; 2 incorrect usage.
    """
    from nlgauge.results.storage.load import load

    if aa:
        _show_aa(directories, gate)
        return
    read_conditions(gate)
    if len(directories) > 1:
        raise click.UsageError("several results require --aa; name the other result with --baseline.")
    decide(load(directories[0]), gate)


def _show_aa(directories: Sequence[Path], gate: GateOptions) -> None:
    """Print an A/A study."""
    from nlgauge.results.gate import Change
    from nlgauge.results.plans.aa import aa_study
    from nlgauge.results.storage.load import load

    systems = gate.systems or []
    if len(systems) > 1:
        raise click.UsageError("--aa takes one system; name it with --system.")
    results = [narrowed(load(directory), gate.where) for directory in directories]
    tests = {name: getattr(gate, name) for name in ("test", "confidence", "resamples")}
    seeds = {} if gate.seed is None else {"seed": gate.seed}
    changes = [Change.read(text) for text in gate.fail_if or ()]
    study = aa_study(results, systems[0] if systems else None, changes, gate_rule(gate), **seeds, **tests)
    if gate.as_json:
        show_json(study.record())
    else:
        show(study)
