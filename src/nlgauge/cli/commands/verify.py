"""nlgauge verify: numbers that other programs printed on real weights, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command
from nlgauge.cli.options import FormOptions
from nlgauge.cli.output import confirmed, emit, say
from nlgauge.cli.parameters import OUTPUT, RUNNING, argument, option
from nlgauge.cli.program import FAILURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nlgauge.verification.cases import Case

_SHOWN = ("metric", "weights", "numbers", "verdict", "difference", "mode")


def _complete(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    from nlgauge.verification.cases import cases

    return sorted({case.metric for case in cases().values() if case.metric.startswith(start)})


@Command
def verify(
    metrics: Annotated[
        list[str] | None,
        argument("Metrics to verify (default: all).", metavar="[METRIC]...", complete=_complete),
    ] = None,
    *,
    fetch: Annotated[
        bool,
        option(
            "--fetch", help="Download missing weights after a question with the size of each.", panel=RUNNING
        ),
    ] = False,
    models: Annotated[
        list[str] | None,
        option(
            "--model",
            help="Use the model in a directory instead of a named one.",
            metavar="NAME=DIR",
            panel=RUNNING,
        ),
    ] = None,
    by: Annotated[
        str,
        option("--by", help="Your name or project, for the report of --json.", metavar="NAME", panel=OUTPUT),
    ] = "unnamed",
    read: Annotated[
        Path | None,
        option(
            "--read",
            help="Judge the numbers of a report instead of computing them.",
            metavar="FILE",
            panel=OUTPUT,
        ),
    ] = None,
    shown: FormOptions,
) -> None:
    """Compare numbers that other programs printed on real weights with nlgauge.

        nlgauge verify
        nlgauge verify bertscore comet --fetch
        nlgauge verify --json --by "Example Lab" > report.json

    The numbers are from test suites, README files and programs that are not nlgauge, each with its source. Only
    cases whose weights are on this machine run. The verdict is equal (to the printed decimals), near (0.1 percent), different,
    not comparable (with the reason) or no weights (with the command to install them). If a metric has several
    modes, the nearest one is shown. Exit with code 1 if a number is different.

    --json prints a report with the numbers, the hashes of the weights and the versions, which can be contributed to the page of
    verified numbers; --read judges the numbers of such a report.
    """
    from nlgauge.cli.commands.meta.study import FindingOptions
    from nlgauge.cli.findings import show_findings
    from nlgauge.verification import reports, tables
    from nlgauge.verification.cases import chosen
    from nlgauge.verification.running import verify as run

    wanted = chosen(metrics)
    if read is not None:
        if fetch or models or shown.form == "json":
            raise click.UsageError("--read computes nothing; use it without --fetch, --model and --json.")
        kept = {case.id for case in wanted}
        outcomes = [outcome for outcome in reports.load(read).outcomes() if outcome.case.id in kept]
    else:
        instead = _instead(models or ())
        if fetch:
            _fetch(wanted, instead)
        outcomes = run(wanted, instead, None if shown.quiet else _announce)
    if shown.form == "json":
        emit(reports.encoded(reports.report_of(outcomes, by)))
    else:
        show_findings(tables.findings(outcomes), _SHOWN, FindingOptions(**vars(shown), details=False))
    if any(outcome.word == "different" for outcome in outcomes):
        raise click.exceptions.Exit(FAILURE)


def _announce(case: Case) -> None:
    say(
        f"running {case.metric} on {case.checkpoint}: {counted(len(case.numbers), 'number')} of {case.program}"
    )


def _instead(models: Sequence[str]) -> dict[str, str]:
    """Return the directories of models by the name that they replace."""
    pairs = [model.partition("=") for model in models]
    for name, _, directory in pairs:
        if not name or not directory:
            raise click.UsageError(f"--model {name!r} names no directory; write it as NAME=DIR.")
    return {name: directory for name, _, directory in pairs}


def _fetch(cases: Sequence[Case], instead: dict[str, str]) -> None:
    """Ask for each missing model whether to download it, with its size."""
    from nlgauge.models.weights import fetch, store
    from nlgauge.verification.running import missing_models
    from nlgauge.verification.tables import how_to_get

    missing = dict.fromkeys(name for case in cases if not case.why for name in missing_models(case, instead))
    for name in missing:
        entry = store.entry_of(name)
        if (entry is not None and entry.elsewhere) or (entry is None and "/" not in name):
            say(how_to_get(name))
        elif confirmed(f"Download {name} ({entry.size if entry is not None else 'size unknown'})?"):
            say(f"downloading {name}")
            fetch.get(name, hub=True)
