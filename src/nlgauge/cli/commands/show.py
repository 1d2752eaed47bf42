"""nlgauge show: the scores of a saved result."""

from __future__ import annotations

from typing import Annotated

from nlgauge.cli.command import Spelled
from nlgauge.cli.options import ResultDirectory, ShownOptions, Where, narrowed
from nlgauge.cli.parameters import option
from nlgauge.cli.present import present


@Spelled
def show_command(
    directory: ResultDirectory,
    *,
    shown: ShownOptions,
    where: Where = None,
    human: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Human scores to show before the metrics; NAME:lower if lower is better.",
            metavar="FIELD...",
        ),
    ] = None,
) -> None:
    """Show the scores of a saved result as a table, LaTeX, Markdown, CSV or JSON.

        nlgauge show out/ --format latex > table.tex
        nlgauge show out/ --human mqm --where "bleu < 5"

    `nlgauge score` has the same options for output and statistics. Nothing is scored again.
    """
    from nlgauge.results.imported.human import with_human_scores
    from nlgauge.results.storage.load import load

    result = narrowed(load(directory), where)
    present(with_human_scores(result, human).result if human else result, shown)
