"""nlgauge show: the scores of a saved result."""

from __future__ import annotations

from nlgauge.cli.command import Spelled
from nlgauge.cli.options import ResultDirectory, Selecting, ShownOptions, narrowed
from nlgauge.cli.present import present


@Spelled
def show_command(directory: ResultDirectory, *, shown: ShownOptions, where: Selecting = None) -> None:
    """Show the scores of a saved result as a table, LaTeX, Markdown, CSV or JSON.

        nlgauge show out/ --format latex > table.tex

    `nlgauge score` has the same options for output and statistics. Nothing is scored again.
    """
    from nlgauge.results.storage.load import load

    present(narrowed(load(directory), where), shown)
