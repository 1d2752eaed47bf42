"""Help pages: paragraphs wrapped to the terminal, indented lines unchanged, options in panels."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Any

import click

from nlgauge.cli.parameters import ARGUMENTS, OPTIONS, Number
from nlgauge.cli.program import Program

# Wider lines are hard to read.
_WIDEST = 100
# Names that are longer have their help on the next line.
_NAMES = 28
_LAST = "sacreBLEU options"


def page(command: click.Command, context: click.Context) -> str:
    """Return the help page of a command, a group, or the program."""
    width = max(40, min(shutil.get_terminal_size().columns, _WIDEST))
    # A group may have a command without a name, to which other words belong.
    unnamed = command.commands.get("") if isinstance(command, click.Group) else None
    described = command if unnamed is None else unnamed
    usages = [described, command] if unnamed else [command]
    blocks = [
        "\n".join(line for usage in usages for line in _usage(usage, context, width)),
        filled(command.help or "", width),
    ]
    if isinstance(command, Program):
        for group, names in command.groups.items():
            blocks.append(_table(group, _summaries(command, context, names), width))
    elif isinstance(command, click.Group):
        subcommands = command.list_commands(context)
        blocks.append(_table("Commands", _summaries(command, context, subcommands), width))
    for panel, rows in _panels(described, context).items():
        blocks.append(_table(panel, rows, width))
    if command.epilog:
        blocks.append(filled(command.epilog, width))
    return "\n\n".join(blocks)


def filled(text: str, width: int) -> str:
    """Wrap the paragraphs of a text; indented lines stay as they are.

    >>> print(filled("one two\\nthree\\n\\n    a  b", 10))
    one two
    three
    <BLANKLINE>
        a  b
    """
    blocks = []
    for block in text.split("\n\n"):
        indented = block.startswith("    ")
        blocks.append(block if indented else "\n".join(wrap(" ".join(block.split()), width, **_WHOLE_WORDS)))
    return "\n\n".join(blocks)


_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def summary(command: click.Command) -> str:
    """Return the first paragraph of the help, in one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def _usage(command: click.Command, context: click.Context, width: int) -> Iterator[str]:
    words = " ".join(command.collect_usage_pieces(context))
    start = f"Usage: {context.command_path.strip()} "
    yield from wrap(start + words, width, subsequent_indent=" " * len(start), **_WHOLE_WORDS)


def _summaries(group: click.Group, context: click.Context, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        command = group.get_command(context, name)
        assert command is not None
        yield name, summary(command)


def _panels(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the rows of each panel; the option --help closes the panel of general options."""
    panels: dict[str, list[tuple[str, str]]] = {}
    *parameters, ask_help = command.get_params(context)
    for parameter in parameters:
        if not getattr(parameter, "hidden", False):
            rows = panels.setdefault(getattr(parameter, "panel", OPTIONS), [])
            rows.append((_names(parameter, context), _help(parameter)))
    last = panels.pop(_LAST, None)
    home = OPTIONS if OPTIONS in panels or set(panels) <= {ARGUMENTS} else next(reversed(panels))
    panels.setdefault(home, []).append((_names(ask_help, context), _help(ask_help)))
    return panels if last is None else {**panels, _LAST: last}


def _names(parameter: click.Parameter, context: click.Context) -> str:
    """Return the names of an option with its metavar, short names first; or the metavar of an argument."""
    if not isinstance(parameter, click.Option):
        return parameter.make_metavar(context)
    names = ", ".join(sorted(parameter.opts, key=lambda name: name.startswith("--")))
    names += "".join(f" / {name}" for name in parameter.secondary_opts)
    return names if parameter.is_flag else f"{names} {parameter.make_metavar(context)}"


def _help(parameter: click.Parameter) -> str:
    """Return the help of a parameter with its range and its default."""
    facts = []
    if isinstance(parameter, click.Option):
        if isinstance(parameter.type, Number) and parameter.type.range:
            facts.append(parameter.type.range)
        if parameter.required:
            facts.append("required")
        elif isinstance(parameter.default, str | int | float) and not parameter.is_flag:
            facts.append(f"default: {parameter.default}")
    text = getattr(parameter, "help", None) or ""
    return f"{text} [{'; '.join(facts)}]" if facts else text


def _table(title: str, rows: Iterable[tuple[str, str]], width: int) -> str:
    """Return a titled table of two columns."""
    rows = list(rows)
    column = min(max(len(name) for name, _ in rows), _NAMES)
    indent = " " * (column + 4)
    lines = [f"{title}:"]
    for name, text in rows:
        start = f"  {name:<{column}}  "
        if len(name) > column:
            lines.append(f"  {name}")
            start = indent
        lines += wrap(text, width, initial_indent=start, subsequent_indent=indent, **_WHOLE_WORDS) or [
            start.rstrip()
        ]
    return "\n".join(lines)
