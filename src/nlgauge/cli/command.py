"""Commands, made from functions: the annotations of a function are the command's options and arguments,
and its docstring is the command's help.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import click
from click.core import augment_usage_errors

from nlgauge.cli.complete import WORDS
from nlgauge.cli.parameters import Options, parameter


class Command(click.Command):
    """A command that calls a function.

    Parameters whose type is a group of `Options` are filled in from these options, so that commands
    share them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function, include_extras=True)
        self.function = function
        self._groups: dict[str, type[Options]] = {}
        # The names of the options of each group.
        self._names: dict[str, list[str]] = {}
        params: list[click.Parameter] = []
        for name, declared in inspect.signature(function).parameters.items():
            hint = hints[name]
            if isinstance(hint, type) and issubclass(hint, Options):
                options = get_type_hints(hint, include_extras=True)
                params += [parameter(each, options[each], getattr(hint, each)) for each in options]
                self._groups[name], self._names[name] = hint, list(options)
            else:
                default = ... if declared.default is inspect.Parameter.empty else declared.default
                params.append(parameter(name, hint, default))
        super().__init__(function.__name__, callback=self._call, params=params, help=inspect.getdoc(function))

    def _call(self, **values: Any) -> None:
        """Call the function; a repeatable parameter without a value is None."""
        values = {
            name: (list(value) or None) if isinstance(value, tuple) else value
            for name, value in values.items()
        }
        groups = {
            name: group(**{option: values.pop(option) for option in self._names[name]})
            for name, group in self._groups.items()
        }
        collect_garbage()
        self.function(**values, **groups)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function; errors of usage know the command."""
        with augment_usage_errors(ctx):
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; errors of usage know the command."""
        with augment_usage_errors(ctx):
            return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page."""
        from nlgauge.cli.help import page

        return page(self, ctx)


def collect_garbage() -> None:
    """Start the garbage collector if the program has stopped it; objects in memory are not garbage."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


class Spelled(Command):
    """A command whose words are converted to one form first; see `nlgauge.cli.words`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words in their one form."""
        from nlgauge.cli.sacrebleu.words import translated
        from nlgauge.cli.words import Names, arranged

        options = [option for option in self.get_params(ctx) if option.param_type_name == "option"]
        names = {name: option.opts[0] for option in options for name in option.opts} | {
            name: name for option in options for name in option.secondary_opts
        }
        flags = [
            name
            for option in options
            if getattr(option, "is_flag", False)
            for name in (option.opts[0], *option.secondary_opts)
        ]
        if ctx.resilient_parsing:  # a shell asks for completions
            ctx.meta[WORDS] = tuple(args)
            return super().parse_args(ctx, args)
        with augment_usage_errors(ctx):
            words = arranged(translated(args, names), Names(names, frozenset(flags)))
        return super().parse_args(ctx, words)


class Group(click.Group):
    """A group of commands, listed in their order."""

    def __init__(self, help: str, commands: Mapping[str, click.Command], **settings: Any) -> None:  # noqa: A002
        super().__init__(
            help=inspect.cleandoc(help), commands=dict(commands), no_args_is_help=False, **settings
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in their order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words start with; if there is none, name similar commands."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            from nlgauge.errors import did_you_mean

            raise click.UsageError(
                f"unknown command {name!r}{did_you_mean(name, self.list_commands(ctx))}.", ctx
            )
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page."""
        from nlgauge.cli.help import page

        return page(self, ctx)
