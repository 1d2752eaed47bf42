"""Options and arguments of commands: declared once, in the annotations of a function or of `Options`.

    metrics: Annotated[list[str] | None, option("--metric", "-m", help="Metrics.", metavar="METRIC...")] = None

The type defines how a value is read: `bool` is a flag, a list is repeatable, `| None` is optional.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args, get_origin

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Completer = Callable[[click.Context, click.Parameter, str], Sequence[str | CompletionItem]]

# The panels of help pages, in their order.
ARGUMENTS, OPTIONS, FILES, METRICS, BENCHMARK, OUTPUT, STATISTICS, RUNNING, SACREBLEU = PANELS = (
    "Arguments",
    "Options",
    "Files",
    "Metrics",
    "Benchmark",
    "Output",
    "Statistics",
    "Running",
    "sacreBLEU options",
)


class Declared(NamedTuple):
    """The facts about a parameter that its type and its default do not show; arguments have no names."""

    names: tuple[str, ...]
    help: str
    metavar: str | None
    panel: str
    at_least: float | None = None
    at_most: float | None = None
    convert: Callable[[str], str] | None = None
    complete: Completer | None = None
    existing_directory: bool = False
    existing_file: bool = False
    # Accepted, but not in the help: British spellings.
    aliases: tuple[str, ...] = ()


def option(
    *names: str,
    help: str,  # noqa: A002
    metavar: str | None = None,
    panel: str = OPTIONS,
    **settings: Any,
) -> Declared:
    """Declare an option; `settings` are further fields of `Declared`."""
    return Declared(names, help, metavar, panel, **settings)


def argument(
    help: str = "",  # noqa: A002
    *,
    metavar: str | None = None,
    panel: str = ARGUMENTS,
    **settings: Any,
) -> Declared:
    """Declare an argument; `settings` are further fields of `Declared`."""
    return Declared((), help, metavar, panel, **settings)


class Options:
    """A group of options that several commands take: annotated class attributes, whose values are the
    defaults.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)
        self.check()

    def check(self) -> None:
        """Raise an error of usage if options are invalid or contradict each other."""

    def changed(self, **values: Any) -> Self:
        """Return the options with other values."""
        return type(self)(**{**vars(self), **values})


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number with bounds."""

    def __init__(self, kind: type[int] | type[float], at_least: float | None, at_most: float | None) -> None:
        self.kind, self.at_least, self.at_most = kind, at_least, at_most
        self.name = "whole number" if kind is int else "number"

    @property
    def range(self) -> str:
        """The bounds in words, such as "1 or more"; empty if there are none."""
        if self.at_least is None:
            return "" if self.at_most is None else f"{self.at_most} or less"
        return f"{self.at_least} or more" if self.at_most is None else f"{self.at_least} to {self.at_most}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or refuse the text."""
        try:
            number = self.kind(value)
        except ValueError:
            self.fail(f"it must be a {self.name}, got {value!r}.", param, ctx)
        low = self.at_least is not None and number < self.at_least
        high = self.at_most is not None and number > self.at_most
        if low or high or math.isnan(number):
            self.fail(f"it must be {self.range or f'a {self.name}'}, got {value}.", param, ctx)
        return number


class Option(click.Option):
    """An option that knows its panel in the help, and names that are not in the help."""

    def __init__(self, names: list[str], aliases: tuple[str, ...], panel: str, **settings: Any) -> None:
        super().__init__([*names, *aliases], **settings)
        self.panel, self.aliases = panel, aliases


class Argument(click.Argument):
    """An argument that knows its help and its panel there."""

    def __init__(self, *names: Any, panel: str, help: str, **settings: Any) -> None:  # noqa: A002
        super().__init__(*names, **settings)
        self.panel, self.help = panel, help


def parameter(name: str, hint: Any, default: Any) -> click.Parameter:
    """Return click's parameter for an annotated parameter; a default of `...` makes it required."""
    kind, declared = get_args(hint)
    if isinstance(kind, UnionType):
        [kind] = (part for part in get_args(kind) if part is not NoneType)
    several = get_origin(kind) is list
    if several:
        [kind] = get_args(kind)
    settings: dict[str, Any] = {
        "type": _type(kind, declared),
        "required": default is ...,
        "metavar": declared.metavar,
        "panel": declared.panel,
        "shell_complete": declared.complete
        or (_complete_file if "FILE" in (declared.metavar or "") else None),
        "help": declared.help,
    }
    if default is not ... and not several:
        settings["default"] = default
    convert = declared.convert
    if convert is not None:
        settings["callback"] = lambda _, __, value: convert(value)
    if not declared.names:
        return Argument([name], nargs=-1 if several else 1, **settings)
    if kind is bool:
        settings["is_flag"] = True
    return Option([name, *declared.names], declared.aliases, multiple=several, **settings)


def _complete_file(_: click.Context, __: click.Parameter, start: str) -> list[CompletionItem]:
    """Let the shell complete files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(start, type="file")]


def _type(kind: Any, declared: Declared) -> click.ParamType[Any]:
    if kind in (int, float):
        return Number(kind, declared.at_least, declared.at_most)
    if kind is Path:
        exists = declared.existing_directory or declared.existing_file
        return click.Path(
            path_type=Path,
            exists=exists,
            dir_okay=not declared.existing_file,
            file_okay=not declared.existing_directory,
        )
    return click.BOOL if kind is bool else click.STRING
