"""Reference of the command line: one page per command, from the objects of the program."""

from __future__ import annotations

import re
from typing import Any

import typer

from nlgauge.cli import app
from tools.site.files import Target, table

INDEX = """# Command line

`nlgauge COMMAND --help` prints the same text. [The command line by example](../../howto/command-line.md) shows commands
in use, and [exit codes](../exit-codes.md) lists how a command can end.

"""


def program() -> Any:
    """Return the program as a command with subcommands."""
    return typer.main.get_command(app)


def write(target: Target) -> None:
    """Write the pages of all commands."""
    top = program()
    rows, pages = [], []
    for name, command in top.commands.items():
        if command.hidden:
            continue
        target.write(f"reference/cli/{name}.md", "\n\n".join(sections(command, f"nlgauge {name}", 1)) + "\n")
        rows.append((f"[`nlgauge {name}`]({name}.md)", summary(command)))
        pages.append(name)
    everywhere = f"## Options before a command\n\n{options(top)}\n"
    toctree = "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    target.write(
        "reference/cli/index.md",
        INDEX + table(("command", "purpose"), rows) + "\n" + everywhere + "\n" + toctree,
    )


def sections(command: Any, path: str, depth: int) -> list[str]:
    """Return the sections of a command and of its subcommands in Markdown."""
    subcommands = {
        name: child for name, child in getattr(command, "commands", {}).items() if not child.hidden
    }
    parts = [
        f"{'#' * depth} {path}",
        prose(command.help or ""),
        f"```text\n{usage(command, path)}\n```",
        options(command),
    ]
    parts += [
        section
        for name, child in subcommands.items()
        for section in sections(child, f"{path} {name}", depth + 1)
    ]
    return [part for part in parts if part]


def summary(command: Any) -> str:
    """Return the first sentence of the help of a command."""
    return re.split(
        r"(?<=\.)\s", _escaped(" ".join((command.help or "").split("\n\n")[0].split())), maxsplit=1
    )[0]


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


def usage(command: Any, path: str) -> str:
    """Return the line that shows how a command is called."""
    arguments = [_argument(parameter) for parameter in command.params if not _is_option(parameter)]
    more = ["COMMAND"] if hasattr(command, "commands") else []
    return " ".join([path, "[OPTIONS]", *arguments, *more])


def options(command: Any) -> str:
    """Return the tables of arguments and options, one per group."""
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or parameter.name == "help":
            continue
        default = "Arguments" if not _is_option(parameter) else "Options"
        group = getattr(parameter, "rich_help_panel", None) or default
        meaning = prose(getattr(parameter, "help", "") or "").replace("\n", " ")
        groups.setdefault(group, []).append((_names(parameter), _default(parameter), meaning))
    return "\n\n".join(
        f"**{group}**\n\n{table(('name', 'default', 'meaning'), rows)}".strip()
        for group, rows in groups.items()
    )


def _is_option(parameter: Any) -> bool:
    return bool(parameter.opts[0].startswith("-"))


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    name += "..." if parameter.nargs == -1 and not name.endswith("...") else ""
    return name if parameter.required else f"[{name}]"


def _names(parameter: Any) -> str:
    if not _is_option(parameter):
        return f"`{_argument(parameter)}`"
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False) or getattr(parameter, "count", False):
        return names
    return f"{names} `{parameter.metavar or parameter.name.upper()}`"


def _default(parameter: Any) -> str:
    value = parameter.default
    if (
        value is None
        or value is False
        or value in ((), [], "")
        or callable(value)
        or "Sentinel" in type(value).__name__
    ):
        return ""
    return f"`{parameter.opts[0]}`" if value is True else f"`{value}`"
