"""The errors that nlgauge raises on purpose.

    NlgaugeError
    ├── InputError           texts, shapes or files that cannot be scored             (also a ValueError)
    ├── ParameterError       a parameter or an option outside its domain              (also a ValueError)
    ├── UnknownMetricError   no metric with that name                                 (also a LookupError)
    ├── UnknownNameError     no metric, system or segment with that name in a result  (also a KeyError)
    ├── MetricError          a metric that returns invalid statistics or outputs      (also a TypeError)
    │   └── RowError         an error of a metric in one row
    ├── ModelError           weights that are missing, damaged or of the wrong kind   (also a RuntimeError)
    ├── JudgeError           a judge that cannot reply                                (also a RuntimeError)
    ├── MissingExtraError    an optional dependency that is not installed             (also an ImportError)
    ├── NotYetError          a feature of a later release                             (also a NotImplementedError)
    └── ResultError          a result that is damaged or lacks the requested data     (also a ValueError)

A message states what is wrong, with the value, and then what to do. If the second part differs between Python and the
command line, it is passed once for each.
"""

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
    """Texts, shapes or files that cannot be scored."""


class ParameterError(NlgaugeError, ValueError):
    """A metric's parameter or an option outside its domain."""


class UnknownMetricError(NlgaugeError, LookupError):
    """An unknown name of a metric."""


class UnknownNameError(NlgaugeError, KeyError):
    """The name of a metric, system or segment that a result does not contain."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would put it in quotes


class MetricError(NlgaugeError, TypeError):
    """A metric that returns statistics of the wrong shape or outputs with undeclared names."""


class RowError(MetricError):
    """An error of a metric in one of its rows; the engine adds the segment to the message."""

    def __init__(self, problem: str, row: int, texts: Sequence[str]) -> None:
        super().__init__(f"{problem} (texts: {', '.join(f'{text!r:.60}' for text in texts)}).")
        self.row = row


class ModelError(NlgaugeError, RuntimeError):
    """Weights that are missing, damaged or of the wrong kind."""


class JudgeError(NlgaugeError, RuntimeError):
    """A judge that cannot reply: refused requests, an exceeded limit, or a reply that is not cached."""


class MissingExtraError(NlgaugeError, ImportError):
    """An optional dependency that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs {package}; run: pip install "nlgauge[{extra}]"')


class NotYetError(NlgaugeError, NotImplementedError):
    """A feature of a later release."""


class ResultError(NlgaugeError, ValueError):
    """A result that is damaged or lacks the requested data."""


def _sentence(message: str, hint: str) -> str:
    return f"{message}; {hint}." if hint else message


def _calls(trace: TracebackType | None) -> list[str]:
    """Return the place and the code of each call of a traceback outside nlgauge and IPython."""
    import traceback

    lines = []
    for frame, number in traceback.walk_tb(trace):
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] not in ("nlgauge", "IPython"):
            [call] = traceback.StackSummary.extract([(frame, number)])
            # The file name of a notebook cell is not informative.
            place = "cell" if module == "__main__" else frame.f_code.co_filename
            lines += [f"{place}, line {number}:", f"    {call.line}"]
    return lines


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" with the nearest known names; "" if no name is similar."""
    import difflib

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
