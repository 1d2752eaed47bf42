"""Every error that nlgauge raises on purpose.

    NlgaugeError
    ├── InputError           texts, shapes or files that cannot be scored as given   (also a ValueError)
    ├── ParameterError       a metric's parameter or an option outside its domain     (also a ValueError)
    ├── UnknownMetricError   no metric of that name                                   (also a LookupError)
    ├── UnknownNameError     no metric, system or segment of that name in a result    (also a KeyError)
    ├── MetricError          a metric that does not give what it must                 (also a TypeError)
    │   └── RowError         ... for one of its rows
    ├── ModelError           weights that are missing, damaged or of the wrong kind   (also a RuntimeError)
    ├── JudgeError           a judge that cannot be asked                             (also a RuntimeError)
    ├── MissingExtraError    an optional dependency that is not installed             (also an ImportError)
    ├── NotYetError          something that comes with a later release                (also a NotImplementedError)
    └── ResultError          a result that is damaged or lacks what was asked of it   (also a ValueError)

A message states what is wrong, with the value, and then what to do. If the second part differs between Python and the
command line, it is passed once for each.
"""

import difflib
import traceback
from collections.abc import Iterable, Sequence
from types import TracebackType


class NlgaugeError(Exception):
    """Base class of all errors that nlgauge raises on purpose.

    Parameters
    ----------
    message : str
        Statement of what is wrong.
    python : str, optional
        Action to take in Python.
    cli : str, optional
        Action to take on the command line. Default: `python`.

    Examples
    --------
    >>> error = NlgaugeError("out contains a result", python="pass overwrite=True to replace it", cli="use --overwrite")
    >>> print(error)
    out contains a result; pass overwrite=True to replace it.
    >>> print(error.for_cli())
    out contains a result; use --overwrite.
    """

    def __init__(self, message: str, *, python: str = "", cli: str = "") -> None:
        super().__init__(_sentence(message, python))
        self.message, self.python, self.cli = message, python, cli or python

    def for_cli(self) -> str:
        """Return the message with the hint for the command line.

        Returns
        -------
        str
            Sentence that states what is wrong and what to do.
        """
        return _sentence(self.message, self.cli)

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: the calls outside nlgauge, then the message."""
        lines = [*_calls(self.__traceback__), f"{type(self).__name__}: {self}"]
        cause = self.__cause__
        while cause is not None:
            if calls := _calls(cause.__traceback__):
                lines = [*calls, f"{type(cause).__name__}: {cause}", "", "which caused:", "", *lines]
            cause = cause.__cause__
        return lines


class InputError(NlgaugeError, ValueError):
    """Texts, shapes or files that cannot be scored as given."""


class ParameterError(NlgaugeError, ValueError):
    """A metric's parameter or an option outside its domain."""


class UnknownMetricError(NlgaugeError, LookupError):
    """No metric of that name."""


class UnknownNameError(NlgaugeError, KeyError):
    """No metric, system or segment of that name in a result."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would put it in quotes


class MetricError(NlgaugeError, TypeError):
    """A metric that does not give what it must: statistics of another shape, outputs of other names."""


class RowError(MetricError):
    """What a metric could not do with one of its rows; the engine says which segment that is."""

    def __init__(self, problem: str, row: int, texts: Sequence[str]) -> None:
        super().__init__(f"{problem} (texts: {', '.join(f'{text!r:.60}' for text in texts)}).")
        self.row = row


class ModelError(NlgaugeError, RuntimeError):
    """Weights that are missing, damaged or of the wrong kind."""


class JudgeError(NlgaugeError, RuntimeError):
    """A judge that cannot be asked: an endpoint that refuses, a limit that is reached, a reply that is
    not in the cache.
    """


class MissingExtraError(NlgaugeError, ImportError):
    """An optional dependency that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs {package}; run: pip install "nlgauge[{extra}]"')


class NotYetError(NlgaugeError, NotImplementedError):
    """Something that comes with a later release."""


class ResultError(NlgaugeError, ValueError):
    """A result that is damaged or lacks what was asked of it."""


def _sentence(message: str, hint: str) -> str:
    return f"{message}; {hint}." if hint else message


def _calls(trace: TracebackType | None) -> list[str]:
    """Return two lines for each call of a traceback that is neither in nlgauge nor in IPython: the place,
    and the code.
    """
    lines = []
    for frame, number in traceback.walk_tb(trace):
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] not in ("nlgauge", "IPython"):
            [call] = traceback.StackSummary.extract([(frame, number)])
            # The file name of a notebook's cell says nothing.
            place = "cell" if module == "__main__" else frame.f_code.co_filename
            lines += [f"{place}, line {number}:", f"    {call.line}"]
    return lines


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """ " (did you mean ...?)" with the nearest known names, to stand behind what was given; nothing where
    none is near.
    """
    near = difflib.get_close_matches(given.lower(), list(known), n=2, cutoff=0.6)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""


def no_such(kind: str, name: object, known: Iterable[object], place: str = "") -> str:
    """Return the message for an unknown name, with the known names.

    >>> no_such("level", "systems", ["system", "input"])
    "unknown level 'systems' (did you mean 'system'?); choose one of system, input."
    """
    names = [str(each) for each in known]
    near = did_you_mean(str(name), names)
    advice = f"choose one of {', '.join(names)}" if names else "none exist"
    return f"unknown {kind} {name!r:.60}{place}{near}; {advice}."
