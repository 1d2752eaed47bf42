"""The command line: data on standard output, everything else on standard error. What a command needs is
imported when it runs.

Exit codes: 0 done, 1 failed, 2 asked for wrongly, 3 a check found a system worse than it may be, 130
interrupted.
"""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.command import Spelled
from nlgauge.cli.commands import benchmarks, cache, judge, meta, models
from nlgauge.cli.commands.add import add
from nlgauge.cli.commands.card import card
from nlgauge.cli.commands.check import check
from nlgauge.cli.commands.compare import compare
from nlgauge.cli.commands.demo import demo
from nlgauge.cli.commands.eval import eval_command, version, version_line
from nlgauge.cli.commands.explain import explain
from nlgauge.cli.commands.list import list_command
from nlgauge.cli.commands.plot import plot
from nlgauge.cli.commands.report import report
from nlgauge.cli.commands.score import score
from nlgauge.cli.commands.segments import segments
from nlgauge.cli.commands.serve import serve
from nlgauge.cli.commands.show import show_command
from nlgauge.cli.program import Program

app = typer.Typer(
    cls=Program,
    name="nlgauge",
    help="Scores generated text, with confidence intervals, significance tests and explanations.",
    add_completion=False,
    # Paragraphs are wrapped to the terminal, and square brackets stay.
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Spelled)(score)
app.command("show", cls=Spelled)(show_command)
app.command("segments", cls=Spelled)(segments)
app.command(cls=Spelled)(add)
app.command()(compare)
app.command()(report)
app.command()(serve)
app.command()(plot)
app.command()(explain)
app.command()(check)
app.command("list")(list_command)
app.command()(card)
app.add_typer(models.app, name="models")
app.add_typer(cache.app, name="cache")
app.add_typer(benchmarks.app, name="benchmarks")
app.add_typer(meta.app, name="meta")
app.add_typer(judge.app, name="judge")
app.command()(demo)
app.command("eval")(eval_command)
app.command()(version)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_line())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Show the traceback of an error; may be given anywhere on the command line."
        ),
    ] = False,
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv",
            help="In CSV and TSV, keep texts from being formulas of a spreadsheet; may be given anywhere.",
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """The console entry."""
    app()
