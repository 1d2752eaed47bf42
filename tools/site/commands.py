"""Reference of the command line: one page per command, and the pages of `nlgauge help`."""

from __future__ import annotations

import re

import click

from nlgauge.cli.commands import app
from nlgauge.cli.commands.about import TOPICS, page
from nlgauge.cli.help import panels, summary, usages
from tools.site.files import Target, table

INDEX = """# Command line

`nlgauge COMMAND --help` prints the same text. [The command line by example](../../howto/command-line.md) shows commands
in use, and [exit codes](../exit-codes.md) lists how a command can end.

"""


def write(target: Target) -> None:
    """Write the pages of all commands and topics."""
    for topic in TOPICS:
        target.write(f"reference/{topic}.md", page(topic))
    top = click.Context(app, info_name="nlgauge", help_option_names=["-h", "--help"])
    rows, pages = [], []
    for name, command in subcommands(top).items():
        text = "\n\n".join(sections(click.Context(command, top, name), 1))
        target.write(f"reference/cli/{name}.md", text + "\n")
        rows.append((f"[`nlgauge {name}`]({name}.md)", _escaped(summary(command))))
        pages.append(name)
    everywhere = f"## Options before a command\n\n{options(top)}\n"
    toctree = "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    target.write(
        "reference/cli/index.md",
        INDEX + table(("command", "purpose"), rows) + "\n" + everywhere + "\n" + toctree,
    )


def subcommands(context: click.Context) -> dict[str, click.Command]:
    """Return the commands of a group in their order; none for a command."""
    group = context.command
    if not isinstance(group, click.Group):
        return {}
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in commands.items() if command is not None}


def sections(context: click.Context, depth: int) -> list[str]:
    """Return the sections of a command and of its subcommands in Markdown."""
    usage = "\n".join(line.removeprefix("Usage: ") for line in usages(context.command, context))
    parts = [
        f"{'#' * depth} {context.command_path}",
        prose(context.command.help or ""),
        f"```text\n{usage}\n```",
        options(context),
    ]
    for name, command in subcommands(context).items():
        parts += sections(click.Context(command, context, name), depth + 1)
    return [part for part in parts if part]


def prose(text: str) -> str:
    """Return help as Markdown: paragraphs of commands, and indented lines, become code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\b", "").strip("\n")):
        lines = [line.rstrip() for line in paragraph.splitlines() if line.strip()]
        if lines and all(line.startswith(("nlgauge ", " ", "$ ")) for line in lines):
            parts.append("```sh\n" + "\n".join(line.strip() for line in lines) + "\n```")
        elif lines:
            parts.append(_escaped(" ".join(line.strip() for line in lines)))
    return "\n\n".join(parts)


def _escaped(text: str) -> str:
    """Escape characters that Markdown would read as markup, except in code."""
    pieces = re.split(r"(`[^`]*`)", text)
    plain = [
        piece if index % 2 else re.sub(r"([*_<\[\]{}$])", r"\\\1", piece)
        for index, piece in enumerate(pieces)
    ]
    return re.sub(r"^([-+#>]|\d+[.)])", r"\\\1", "".join(plain))


def options(context: click.Context) -> str:
    """Return the tables of arguments and options, one per panel."""
    return "\n\n".join(
        f"**{panel}**\n\n{table(('name', 'meaning'), [(f'`{names}`', prose(text)) for names, text in rows])}".strip()
        for panel, rows in panels(context.command, context).items()
    )
