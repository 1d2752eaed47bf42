"""The command line: data on standard output, everything else on standard error.

Exit codes: 0 done, 1 failed, 2 asked for wrongly, 130 interrupted. What a command needs is imported when it runs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli import models
from nlgauge.cli.card import card
from nlgauge.cli.compare import compare
from nlgauge.cli.demo import demo
from nlgauge.cli.explain import explain
from nlgauge.cli.list import list_command
from nlgauge.cli.program import Program
from nlgauge.cli.score import score

app = typer.Typer(
    cls=Program,
    name="nlgauge",
    help="Scores generated text, with confidence intervals, significance tests and explanations.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(score)
app.command()(compare)
app.command()(explain)
app.command("list")(list_command)
app.command()(card)
app.add_typer(models.app, name="models")
app.command()(demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from nlgauge.kernels.backend import chosen

        typer.echo(f"nlgauge {version('nlgauge')} ({chosen()} kernels)")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may be given anywhere on the command line.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """The console entry."""
    app()
