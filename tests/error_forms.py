"""Check that every error that a test causes addresses the user of each interface in its own words."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable

from nlgauge.errors import NlgaugeError

# Commands to run in a shell have options in either interface.
_COMMAND = re.compile(r"\b(?:nlgauge|ray|pip|git|npm) [a-z].*")
_OPTION = re.compile(r"(?<![\w-])--[a-z]")
# `rouge(stemmer=True)` names a metric on the command line too.
_KEYWORD = re.compile(r"(?<![\w(,.])(?<!, )\b[a-z_]+=(?:True|False|None)\b")


def mixed(python: str, cli: str) -> list[str]:
    """Return the forms of a message that use the words of the other interface."""
    return [
        *([f"for Python: {python}"] if _OPTION.search(_COMMAND.sub("", python)) else []),
        *([f"for the command line: {cli}"] if _KEYWORD.search(cli) else []),
    ]


def checked(init: Callable[..., None], problems: set[str]) -> Callable[..., None]:
    """Return a constructor of errors that adds messages with the words of the other interface to `problems`."""

    @functools.wraps(init)
    def construct(self: NlgaugeError, *args: object, **options: object) -> None:
        init(self, *args, **options)
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        problems.update(f"{problem}  ({test})" for problem in mixed(str(self), self.for_cli()))

    return construct
