"""Reference of the command line: one page per command, from the objects of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from nlgauge.cli import app
from nlgauge.cli.help import panels, summary
from tools.site.files import Target, table

INDEX = """# Command line

`nlgauge COMMAND --help` prints the same text. [The command line by example](../../howto/command-line.md) shows commands
in use, and [exit codes](../exit-codes.md) lists how a command can end.
"""


def write(target: Target) -> None:
    """Write the page of each command, and an index by group."""
    top = click.Context(app, info_name="nlgauge")
    parts = [INDEX]
    for group, names in app.groups.items():
        rows = []
        for name in names:
            command = app.get_command(top, name)
            assert command is not None
            target.write(f"reference/cli/{name}.md", "\n\n".join(sections(command, name, top)) + "\n")
            rows.append((f"[`nlgauge {name}`]({name}.md)", _escaped(summary(command))))
        parts.append(f"## {group}\n\n{table(('command', 'purpose'), rows)}")
    parts.append(f"## Options before a command\n\n{options(app, top)}\n")
    parts.append(
        "```{toctree}\n:hidden:\n\n"
        + "\n".join(name for names in app.groups.values() for name in names)
        + "\n```\n"
    )
    target.write("reference/cli/index.md", "\n".join(parts))


def sections(command: click.Command, name: str, parent: click.Context, depth: int = 1) -> Iterator[str]:
    """Yield the sections of a command and of its subcommands in Markdown."""
    context = click.Context(command, parent=parent, info_name=name)
    subcommands = dict(command.commands) if isinstance(command, click.Group) else {}
    # A group may have a command without a name, to which other words belong.
    described = subcommands.pop("", command)
    yield f"{'#' * depth} {context.command_path}"
    yield prose(command.help or "")
    yield f"```text\n{context.command_path} {' '.join(described.collect_usage_pieces(context))}\n```"
    yield options(described, context)
    for subname, subcommand in subcommands.items():
        yield from sections(subcommand, subname, context, depth + 1)
    if command.epilog:
        yield prose(command.epilog)


def options(command: click.Command, context: click.Context) -> str:
    """Return a table of parameters for each panel of the help."""
    return "\n\n".join(
        f"**{panel}**\n\n{table(('name', 'meaning'), [(f'`{names}`', prose(text)) for names, text in rows])}".strip()
        for panel, rows in panels(command, context).items()
    )


def prose(text: str) -> str:
    """Return help as Markdown: paragraphs of commands, and indented lines, become code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line.rstrip() for line in paragraph.splitlines() if line.strip()]
        if lines and all(line.startswith(("nlgauge ", " ")) for line in lines):
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
