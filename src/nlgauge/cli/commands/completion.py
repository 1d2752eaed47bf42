"""nlgauge completion: the completion script of a shell."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.options import one_of
from nlgauge.cli.parameters import argument

_SHELLS = ("bash", "zsh", "fish")


def _complete_shells(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    return [shell for shell in _SHELLS if shell.startswith(start)]


@Command
def completion(
    shell: Annotated[str, argument("bash, zsh or fish.", metavar="SHELL", complete=_complete_shells)],
) -> None:
    """Print the completion script of a shell.

    Add one line to the start-up file of your shell, then open a new shell:

        eval "$(nlgauge completion bash)"          # ~/.bashrc
        eval "$(nlgauge completion zsh)"           # ~/.zshrc
        nlgauge completion fish | source           # ~/.config/fish/config.fish

    The Tab key then completes commands, options, metrics, saved results, and the systems and metrics of a
    result.
    """
    from click.shell_completion import get_completion_class

    from nlgauge.cli import app

    one_of(shell, _SHELLS, "SHELL")
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(app, {}, "nlgauge", "_NLGAUGE_COMPLETE").source())
