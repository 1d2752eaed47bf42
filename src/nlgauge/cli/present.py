"""Output of `score`, `show` and `add`: a result in every format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.options import ShownOptions
from nlgauge.cli.output import STDOUT, costs_document, emit, result_document, say, show, show_json
from nlgauge.errors import JudgeError

if TYPE_CHECKING:
    from nlgauge._core.shown import Exported
    from nlgauge.results.asking import Progress
    from nlgauge.results.groups import Groups
    from nlgauge.results.result import Result
    from nlgauge.results.table_options import ExportedTable


def present(result: Result, shown: ShownOptions) -> None:
    """Print the scores in the format of the options, and write segment scores if they are requested."""
    tables: Result | Groups = result if shown.by is None else result.by(shown.by)
    options = shown.of_tables()
    if shown.segments is not None:
        from nlgauge.cli.segment_files import write_segments

        write_segments(result, shown.segments, texts=shown.texts, wide=shown.wide)
    if shown.segments == STDOUT and shown.quiet:
        return
    # If segments go to standard output, scores are messages.
    err = shown.segments == STDOUT
    if shown.score_only:
        click.echo(_numbers(result, shown.width), err=err)
    elif shown.form == "json":
        show_json(_document(tables, options), err=err)
    elif shown.form == "table":
        _show_table(tables, options, err)
    else:
        latex = {"caption": shown.caption, "label": shown.label} if shown.form == "latex" else {}
        emit(written(tables, shown.form, shown.quiet, **latex, **options), err=err)
    if not shown.quiet and not shown.score_only and shown.form in ("table", "tsv", "csv", "json"):
        from nlgauge.results.table_options import TableOptions
        from nlgauge.show.pages.result import small_print_of

        for line in small_print_of(result, TableOptions(**options)):
            say(line)


def _show_table(tables: Result | Groups, options: dict[str, Any], err: bool) -> None:
    from nlgauge.show.writers.text import Printed

    show(Printed(tables._page(**options)), err=err)


def written(table: Exported | ExportedTable, form: str, quiet: bool = False, **options: Any) -> str:
    """Return a table as Markdown, LaTeX, TSV or CSV, without signatures if `quiet`."""
    if form == "markdown":
        return table.to_markdown(small_print=not quiet, **options)
    if form == "latex":
        return table.to_latex(small_print=not quiet, **options)
    return table.to_csv(delimiter="\t" if form == "tsv" else ",", **options)


def _numbers(result: Result, decimals: int | None) -> str:
    """Return one line per system: the first output of each metric, separated by tabs."""
    from nlgauge._core.numbers import number

    lines = []
    for system in result.systems:
        cells = []
        for label in result.labels:
            table = result._tables[system, label]
            output = table.outputs()[0]
            cells.append(
                number(
                    table.scores()["score"],
                    output.with_decimals(decimals),
                )
            )
        lines.append("\t".join(cells))
    return "\n".join(lines)


def _document(tables: Result | Groups, options: dict[str, Any]) -> dict[str, Any]:
    """Return a result as plain data; of groups one document each, with tests corrected for all groups."""
    from nlgauge.results.groups import Groups
    from nlgauge.results.result import Result
    from nlgauge.results.table_options import TableOptions

    chosen = TableOptions(**options)
    costs = (
        {"costs": costs_document(next(iter(tables.values())) if isinstance(tables, Groups) else tables)}
        if chosen.costs
        else {}
    )
    if isinstance(tables, Result):
        return {
            **result_document(
                tables, chosen.intervals_of(tables), chosen.comparison_of(tables), chosen.confidence
            ),
            **costs,
        }
    comparisons = (
        tables.compare(**chosen.of_comparison()) if chosen.has_tests(next(iter(tables.values()))) else {}
    )
    groups = [
        {
            "value": value,
            **result_document(result, chosen.intervals_of(result), comparisons.get(value), chosen.confidence),
        }
        for value, result in tables.items()
    ]
    return {"by": tables.field, "groups": groups, **costs}


def reporter(quiet: bool) -> Callable[[Progress], None]:
    """Return the function that prints the progress after a look of --until-sure."""
    return (lambda progress: None) if quiet else _say_progress


def _say_progress(progress: Progress) -> None:
    cost = f", cost {progress.cost:.4g}" if progress.cost else ""
    say(
        f"asked about {progress.asked} of {counted(progress.segments, 'segment')} (look {progress.look} of {progress.looks}){cost}"
    )


def say_how_to_ask_on(result: Result, directory: Path) -> None:
    """Print the command that continues a run that stopped at its budget."""
    if result.sequential is not None and result.sequential["stopped"] == "budget":
        say(f"continue with: nlgauge add {directory} --until-sure --budget MONEY")


def require_replies(result: Result) -> None:
    """Raise if a judge replied to no text at all, so that a command fails however few texts there are."""
    if "nlgauge.metrics._shared.judged" not in sys.modules:
        return
    from nlgauge.judges.calls import Calls
    from nlgauge.metrics._shared.judged import Judged

    for label, metric in result._job.metrics.items():
        if isinstance(metric, Judged) and not Calls.of(metric.calls).dry_run:
            scores = [result._tables[system, label].scores() for system in result.systems]
            asked = len(scores) * len(result.corpus) - sum(row["empty"] for row in scores)
            if asked and sum(row["failed"] for row in scores) == asked:
                raise JudgeError(
                    f"{label}: the judge replied to none of {counted(asked, 'text', spec='.0f')}; see the warning above for the"
                    " reason."
                )
