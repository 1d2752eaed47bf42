"""nlgauge compare: test the systems of a saved result against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_systems
from nlgauge.cli.options import (
    Baseline,
    Confidence,
    FormOptions,
    PairedTest,
    Resamples,
    ResultDirectory,
    Seed,
    Selecting,
    checked_confidence,
    narrowed,
    one_of,
)
from nlgauge.cli.output import comparison_document, emit, say, show, show_json
from nlgauge.cli.parameters import STATISTICS, argument, option
from nlgauge.cli.present import written

if TYPE_CHECKING:
    from nlgauge.results.result import Result


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
    where: Selecting = None,
    baseline: Baseline = None,
    all_pairs: Annotated[
        bool,
        option("--all", help="Compare each system with each; correct p by max-T.", panel=STATISTICS),
    ] = False,
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

    Compare the baseline (by default the first system) with each of the others, or each pair of the systems
    you name: gain, confidence interval and p-values. The gain is positive if a system is better, whatever the
    direction of the metric. p-values against a baseline are corrected by Holm, p-values of all pairs by max-T.
    """
    from nlgauge.errors import ResultError
    from nlgauge.results.storage.load import load
    from nlgauge.show.pages.comparison import comparison_page
    from nlgauge.show.writers.text import Printed

    checked_confidence(confidence)
    one_of(test, ("randomization", "bootstrap"), "--test")
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
    if shown.form == "json":
        show_json(comparison_document(comparison))
    elif shown.form == "table":
        show(Printed(comparison_page(comparison)))
    else:
        emit(written(comparison, shown.form, shown.quiet))


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
