"""Check that every error that a test causes addresses the user of each interface in its own words."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable

from nlgauge.errors import NlgaugeError

# Commands to run in a shell have options in either interface.
_COMMAND = re.compile(r"\b(?:nlgauge|ray|pip|git|npm) [a-z].*")
_OPTION = re.compile(r"(?:^|(?<=[\s(`'\"]))--[a-z]")
# `rouge(stemmer=True)` names a metric on the command line too, and NumPy's errors name allow_pickle.
_KEYWORD = re.compile(r"(?<![\w(,.])(?<!, )\b(?!allow_pickle)[a-z_]+=(?:True|False|None)\b")


# Errors of these packages are read in one interface only.
_CLI, _PYTHON = "nlgauge.cli.", "nlgauge.compat."


def mixed(python: str, cli: str, module: str = "") -> list[str]:
    """Return the forms of a message, raised in a module, that use the words of the other interface."""
    problems = []
    if not module.startswith(_CLI) and _OPTION.search(_COMMAND.sub("", python)):
        problems.append(f"for Python: {python}")
    if not module.startswith(_PYTHON) and _KEYWORD.search(cli):
        problems.append(f"for the command line: {cli}")
    return problems


def checked(init: Callable[..., None], problems: set[str]) -> Callable[..., None]:
    """Return a constructor of errors that adds messages with the words of the other interface to `problems`."""

    @functools.wraps(init)
    def construct(self: NlgaugeError, *args: object, **options: object) -> None:
        init(self, *args, **options)
        frame = sys._getframe(1)
        while frame.f_code.co_name == "__init__" and frame.f_back is not None:
            frame = frame.f_back
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        found = mixed(str(self), self.for_cli(), frame.f_globals.get("__name__", ""))
        problems.update(f"{problem}  ({test})" for problem in found)

    return construct
