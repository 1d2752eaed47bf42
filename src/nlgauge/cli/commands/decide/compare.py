"""nlgauge compare: test the systems of a saved result against each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_systems
from nlgauge.cli.options import (
    Against,
    Baseline,
    Confidence,
    FormOptions,
    PairedTest,
    Pairs,
    Resamples,
    ResultDirectory,
    Seed,
    Where,
    checked_confidence,
    narrowed,
    one_of,
    pairs_of,
)
from nlgauge.cli.output import comparison_document, emit, say, show, show_json
from nlgauge.cli.parameters import STATISTICS, argument, option
from nlgauge.cli.present import written

if TYPE_CHECKING:
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result

# Segments and metrics of only one run that are listed.
_LISTED = 10


@Command
def compare(
    directory: ResultDirectory,
    *,
    systems: Annotated[
        list[str] | None,
        argument(
            "Systems to compare (default: all); three or more are compared each with each.",
            metavar="[SYSTEM]...",
            complete=complete_systems,
        ),
    ] = None,
    shown: FormOptions,
    where: Where = None,
    baseline: Baseline = None,
    all_pairs: Annotated[
        bool,
        option("--all", help="Compare each system with each; correct p by max-T.", panel=STATISTICS),
    ] = False,
    against: Against = None,
    pair: Pairs = None,
    ranks: Annotated[
        bool,
        option(
            "--ranks", help="Rank all systems and mark those that do not differ (max-T).", panel=STATISTICS
        ),
    ] = False,
    test: PairedTest = "randomization",
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Seed = None,
) -> None:
    """Test whether systems differ significantly.

        nlgauge compare out/ --baseline main
        nlgauge compare a.eval b.eval
        nlgauge compare new/ --against old/

    Compare the baseline (by default the first system) with each of the others, or each pair of the systems
    you name: gain, confidence interval and p-values. The gain is positive if a system is better, whatever the
    direction of the metric. p-values against a baseline are corrected by Holm, p-values of all pairs by max-T.
    """
    from nlgauge.errors import ResultError
    from nlgauge.results.storage.load import load

    checked_confidence(confidence)
    one_of(test, ("randomization", "bootstrap"), "--test")
    if pair and against is None:
        raise click.UsageError("--pair names systems of an older run; add --against.")
    if against is not None:
        if systems or baseline is not None or all_pairs or ranks or where or test != "randomization":
            raise click.UsageError(
                "--against compares each system with its older run; omit --baseline, --all, --ranks, --where,"
                " --test and the systems (see --pair)."
            )
        _show(_with_older_run(directory, against, pairs_of(pair), confidence, resamples, seed), shown)
        return
    if directory.is_file():
        result, systems = _of_logs([str(directory), *(systems or ())]), None
    else:
        result = load(directory)
    if len(result.systems) < 2:
        raise ResultError(
            f"cannot compare: {directory} contains only the system {result.systems[0]!r}; add another with:"
            f" nlgauge add {directory} --system FILE"
        )
    result = narrowed(result, where)
    if ranks:
        if systems or baseline is not None:
            raise click.UsageError(
                "--ranks compares all systems of the result; omit --baseline and the systems."
            )
        ranking = result.ranks(test=test, confidence=confidence, resamples=resamples, seed=seed)
        if shown.form == "json":
            show_json(
                {
                    "test": ranking.test,
                    "confidence": ranking.confidence,
                    "resamples": ranking.resamples,
                    "seed": ranking.seed,
                    "ranks": ranking.records(),
                }
            )
        elif shown.form == "table":
            show(ranking)
        else:
            emit(written(ranking, shown.form, shown.quiet))
        return
    if all_pairs and baseline is not None:
        raise click.UsageError("--all compares each system with each; omit --baseline.")
    comparison = result.compare(
        *(systems or ()),
        baseline=baseline,
        all_pairs=all_pairs,
        test=test,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    _show(comparison, shown)


def _show(comparison: Comparison, shown: FormOptions) -> None:
    from nlgauge.show.pages.comparison import comparison_page
    from nlgauge.show.writers.text import Printed

    if shown.form == "json":
        show_json(comparison_document(comparison))
    elif shown.form == "table":
        show(Printed(comparison_page(comparison)))
    else:
        emit(written(comparison, shown.form, shown.quiet))


def _with_older_run(
    directory: Path,
    against: Path,
    pairs: dict[str, str] | None,
    confidence: float,
    resamples: int,
    seed: int | None,
) -> Comparison:
    """Compare a result with an older run, and print what changed and what only one run has."""
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.runs.alignment import aligned
    from nlgauge.results.runs.testing import compare_runs
    from nlgauge.results.storage.load import load
    from nlgauge.show.page_data.runs import run_differences, run_sentences

    runs = aligned(load(directory), load(against), pairs)
    tests = compare_runs(runs, confidence=confidence, resamples=resamples, seed=seed)
    for sentence in run_sentences(runs, tests):
        say(sentence)
    for what, items in run_differences(runs).items():
        more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
        say(f"{what}: {', '.join(items[:_LISTED])}{more}")
    return Comparison(
        list(tests.rows), "randomization", confidence, resamples, tests.caution, tests.seed, tests.equal
    )


def _of_logs(files: list[str]) -> Result:
    """Return the result of evaluation logs, which are imported for this comparison only."""
    from nlgauge.errors import ResultError
    from nlgauge.results.imported.logs import imported_tasks

    tasks = imported_tasks(files)
    if len(tasks) > 1:
        raise ResultError(
            f"the logs have several tasks ({', '.join(tasks)}); save each as a result: nlgauge import"
            f" {' '.join(files)} -o DIR"
        )
    (task,) = tasks.values()
    for note in task.notes:
        say(note)
    return task.result
