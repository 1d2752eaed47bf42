"""nlgauge completion, nlgauge help and nlgauge version: commands about the program itself."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge._core.package_data import data_text
from nlgauge.cli.command import Command
from nlgauge.cli.output import show
from nlgauge.cli.parameters import argument

TOPICS = ("files", "parameters", "statistics", "environment", "exit-codes")
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

    from nlgauge.cli.commands import app
    from nlgauge.cli.options import one_of

    one_of(shell, _SHELLS, "SHELL")
    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(app, {}, "nlgauge", "_NLGAUGE_COMPLETE").source())


def _complete_topics(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    return [topic for topic in TOPICS if topic.startswith(start)]


def page(topic: str) -> str:
    """Return the page of a topic, in Markdown."""
    return data_text("help", f"{topic}.md")


@Command
def help_command(
    words: Annotated[
        list[str] | None,
        argument("Topic, or words of a command.", metavar="[TOPIC]", complete=_complete_topics),
    ] = None,
) -> None:
    """Print a page on a topic, or the help of a command.

        nlgauge help files
        nlgauge help meta compare

    Without a topic, list all topics: input files, parameters of metrics, statistics, environment variables,
    and exit codes.
    """
    from nlgauge.show.writers.terminal_markdown import markdown

    if not words:
        for topic in TOPICS:
            click.echo(f"nlgauge help {topic:<14}{page(topic).partition(chr(10))[0].removeprefix('# ')}")
    elif len(words) == 1 and words[0] in TOPICS:
        show(markdown(page(words[0])))
    else:
        click.echo(_help_of(words))


def _help_of(words: list[str]) -> str:
    """Return the help page of a command."""
    from nlgauge.errors import did_you_mean

    context = click.get_current_context().find_root()
    for word in words:
        group = context.command
        names = group.list_commands(context) if isinstance(group, click.Group) else []
        command = group.get_command(context, word) if isinstance(group, click.Group) else None
        if command is None:
            raise click.BadParameter(
                f"{' '.join(words)!r} is neither a topic nor a command"
                f"{did_you_mean(word, [*TOPICS, *names])}; topics: {', '.join(TOPICS)}.",
                param_hint="'TOPIC'",
            )
        context = command.context_class(command, info_name=word, parent=context)
    return context.get_help()


@Command
def version() -> None:
    """Print the version and the kernels in use."""
    click.echo(version_line())


def version_line() -> str:
    """Return the version and the kernels in use."""
    from nlgauge._core.backend import chosen
    from nlgauge._core.versions import installed_version

    return f"nlgauge {installed_version('nlgauge')} ({chosen()} kernels)"
