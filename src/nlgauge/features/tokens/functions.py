"""Tokenizers that are functions of the user: named in signatures, known only to the process that was given them.

The name has the module and the name of the function, and for Python functions a hash of their code, so that a
changed function has another name. A saved result has only the name; nothing is imported or run because of it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from nlgauge.errors import ParameterError

PREFIX = "function:"
_FUNCTIONS: dict[str, Callable[[str], Any]] = {}


def is_function(name: object) -> bool:
    """Return True if the name of a tokenizer means a function."""
    return isinstance(name, str) and name.startswith(PREFIX)


def name_of_function(function: Callable[[str], Any]) -> str:
    """Remember a function as a tokenizer, and return its name.

    >>> name_of_function(str.split)
    'function:str.split'
    """
    label = getattr(function, "__qualname__", "")
    if not label or "<lambda>" in label:
        raise ParameterError(
            f"a tokenizer must have a name for the signature, got {function!r:.60}; define a function with def."
        )
    module = getattr(function, "__module__", None)
    code = getattr(function, "__code__", None)
    name = PREFIX + (f"{module}.{label}" if module not in (None, "builtins") else label)
    if isinstance(code, CodeType):
        name += f"#{_hash(code)}"
    known = _FUNCTIONS.get(name, function)
    # A function with the same code does the same, unless it has variables of an outer function.
    same_code = isinstance(code, CodeType) and not getattr(function, "__closure__", None)
    if known != function and not same_code:
        raise ParameterError(
            f"two tokenizers are called {name.removeprefix(PREFIX)}; wrap one of them in a function with another name."
        )
    _FUNCTIONS[name] = function
    return name


def function_tokens(name: str) -> Callable[[str], list[str]]:
    """Return the function of a name; it raises ParameterError for tokens that are not texts."""
    function = _FUNCTIONS.get(name)
    if function is None:
        raise ParameterError(
            f"the tokenizer {name.removeprefix(PREFIX)!r} is a function that this process does not know",
            python="pass the function as tokenizer of the metric first; processes of other machines cannot use it",
            cli="use the name of a tokenizer; functions are only for Python",
        )

    def split(text: str) -> list[str]:
        tokens = function(text)
        if not isinstance(tokens, list | tuple) or not all(isinstance(token, str) for token in tokens):
            raise ParameterError(
                f"the tokenizer {name.removeprefix(PREFIX)} returned {tokens!r:.60}; it must return a list of texts."
            )
        return list(tokens)

    return split


def _hash(code: CodeType) -> str:
    """Return a hash of code, without file names and line numbers."""
    import hashlib

    return hashlib.sha256(repr(_parts(code)).encode()).hexdigest()[:8]


def _parts(code: CodeType) -> tuple[Any, ...]:
    return code.co_code, [_constant(each) for each in code.co_consts], code.co_names, code.co_varnames


def _constant(value: Any) -> Any:
    """Return a constant with the same printed form in every process."""
    if isinstance(value, CodeType):
        return _parts(value)
    return sorted(map(repr, value)) if isinstance(value, frozenset) else value
