"""Commands with many options: options that several of them share, and words in the forms that users of
sacreBLEU type.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

from typer.core import TyperCommand

from nlgauge.cli.sacrebleu.words import translated
from nlgauge.cli.words import Names, arranged


class Spelled(TyperCommand):
    """A command whose words are brought into one form first; see `nlgauge.cli.words`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = [given for given in self.get_params(ctx) if given.param_type_name == "option"]
        names = {name: option.opts[0] for option in options for name in option.opts} | {
            name: name for o in options for name in o.secondary_opts
        }
        flags = [
            name
            for option in options
            if getattr(option, "is_flag", False)
            for name in (option.opts[0], *option.secondary_opts)
        ]
        own = translated(args, names)
        return super().parse_args(ctx, arranged(own, Names(names, frozenset(flags))))


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclass parameters as options of their own, so that commands
    share them.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name not in groups:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))
            continue
        group = groups[parameter.name]
        types = get_type_hints(group, include_extras=True)
        for option in fields(group):
            assert option.default is not MISSING
            parameters.append(
                inspect.Parameter(
                    option.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=option.default,
                    annotation=types[option.name],
                )
            )

    @wraps(command)
    def called(*positional: Any, **given: Any) -> None:
        made = {
            name: group(**{option.name: given.pop(option.name) for option in fields(group)})
            for name, group in groups.items()
        }
        command(*positional, **given, **made)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called
