"""Options of several functions: declared once, as a TypedDict, with the defaults that are not None."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def takes_options(declared: type, defaults: Mapping[str, Any]) -> Callable[[Function], Function]:
    """Show the options of a TypedDict in the signature of a function that takes them as `**options`.

    Type checkers read the options from `Unpack[...]`; the signature is for `help` and consoles.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        parameters = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        parameters += [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(name),
                annotation=getattr(annotation, "__forward_arg__", annotation),
            )
            for name, annotation in declared.__annotations__.items()
        ]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return function

    return decorate


def completed(
    function: str, declared: type, defaults: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the value of every declared option; raise TypeError if an option is not declared."""
    from nlgauge.errors import did_you_mean

    names = declared.__annotations__
    for name in options:
        if name not in names:
            raise TypeError(
                f"{function}() got an unexpected keyword argument {name!r}{did_you_mean(name, names)}"
            )
    return {name: options.get(name, defaults.get(name)) for name in names}
