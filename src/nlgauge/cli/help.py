"""Help pages: paragraphs wrapped to the terminal, indented lines unchanged, options in panels."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from nlgauge.cli.parameters import ARGUMENTS, OPTIONS, PANELS, SACREBLEU, Number
from nlgauge.cli.program import Program

# Wider lines are hard to read.
_WIDEST = 100
# Longer names have their help on the next line.
_NAMES = 28
# A space at which no line is broken.
_BLANK = "\xa0"
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def page(command: click.Command, context: click.Context) -> str:
    """Return the help page of a command, a group, or the program."""
    width = max(40, min(shutil.get_terminal_size().columns, _WIDEST))
    lines = [
        line
        for usage in usages(command, context)
        for line in wrap(usage, width, subsequent_indent=" " * 7, **_WHOLE_WORDS)
    ]
    blocks = ["\n".join(lines), filled(command.help or "", width)]
    if isinstance(command, click.Group):
        blocks += [_table(title, rows, width) for title, rows in _summaries(command, context).items()]
    blocks += [_table(title, rows, width) for title, rows in panels(command, context).items()]
    if command.epilog:
        blocks.append(filled(command.epilog.strip("\n"), width))
    return "\n\n".join(blocks)


def filled(text: str, width: int) -> str:
    """Wrap the paragraphs of a text; indented lines stay unchanged.

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


def summary(command: click.Command) -> str:
    """Return the first paragraph of the help, in one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def usages(command: click.Command, context: click.Context) -> list[str]:
    """Return the forms of a command line; a group may have a command without a name."""
    unnamed = command.commands.get("") if isinstance(command, click.Group) else None
    return [
        " ".join(filter(None, ["Usage:", context.command_path.strip(), *form.collect_usage_pieces(context)]))
        for form in ([command] if unnamed is None else [unnamed, command])
    ]


def _summaries(group: click.Group, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the names and the summaries of the commands, by title."""
    if isinstance(group, Program):
        return {
            title: [(name, entry.summary) for name, entry in entries.items()]
            for title, entries in group.groups.items()
        }
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {"Commands": [(name, summary(command)) for name, command in commands.items() if command]}


def panels(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the names and the help of options in each panel, in the order of the panels; --help is the last
    general option.
    """
    if isinstance(command, click.Group):
        command = command.commands.get("", command)
    rows: dict[str, list[tuple[str, str]]] = {}
    *parameters, help_option = command.get_params(context)
    for parameter in parameters:
        if getattr(parameter, "help", ""):
            panel = getattr(parameter, "panel", OPTIONS)
            rows.setdefault(panel, []).append((_names(parameter, context), _help(parameter)))
    rows = {panel: rows[panel] for panel in PANELS if panel in rows}
    general = [panel for panel in rows if panel not in (ARGUMENTS, SACREBLEU)]
    last = OPTIONS if OPTIONS in rows or not general else general[-1]
    rows.setdefault(last, []).append((_names(help_option, context), _help(help_option)))
    return rows


def _names(parameter: click.Parameter, context: click.Context) -> str:
    """Return the names of an option with its metavar, short names first; or the metavar of an argument."""
    if not isinstance(parameter, click.Option):
        return parameter.make_metavar(context)
    shown = [name for name in parameter.opts if name not in getattr(parameter, "aliases", ())]
    names = ", ".join(sorted(shown, key=lambda name: name.startswith("--")))
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
        elif parameter.secondary_opts and parameter.default is True:
            facts.append(f"default: {parameter.opts[0]}")
        elif (
            isinstance(parameter.default, str | int | float | Path)
            and parameter.default != ""
            and not parameter.is_flag
            and "(default: " not in (parameter.help or "")
        ):
            facts.append(f"default: {parameter.default}")
    text = getattr(parameter, "help", None) or ""
    return f"{text} [{'; '.join(facts).replace(' ', _BLANK)}]" if facts else text


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
    return "\n".join(lines).replace(_BLANK, " ")
