"""The numbers that other programs printed on real weights: each with its texts, its source and its weights.

`published.json` has numbers of other people's pages and test suites, `measured.json` numbers of programs that the
developers ran on weights that are free to install (`tools/verify_peers.py` writes it).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from nlgauge.errors import UnknownNameError, did_you_mean

_FOLDER = files("nlgauge") / "data" / "verification"
_FILES = ("published.json", "measured.json")


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Printed numbers of one output: one per segment, or one of the whole system; "" is the leading output."""

    output: str
    values: list[float]
    level: Literal["segments", "system"] = "segments"


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed error span of a prediction."""

    severity: str
    text: str
    start: int
    end: int
    confidence: float


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts and the numbers that a program printed for them.

    `models` are the models that the metric reads, by parameter, and `checkpoint` the weights as the source
    names them. `modes` are further parameters: each mode is tried, and the nearest decides. `decimals` is
    the number of decimals that can be compared. `why` is the reason why the numbers cannot be compared at all.
    `command` is the command that printed the numbers, if the developers ran it.
    """

    id: str
    metric: str
    models: dict[str, str]
    checkpoint: str
    program: str
    source: str
    decimals: int
    predictions: list[str]
    values: list[Values]
    references: list[list[str]] | None = None
    sources: list[str] | None = None
    parameters: dict[str, Any] = {}
    modes: list[dict[str, Any]] = msgspec.field(default_factory=lambda: [{}])
    reduce: str | None = None
    spans: list[list[Span]] | None = None
    note: str = ""
    why: str = ""
    command: str = ""

    @property
    def numbers(self) -> list[float]:
        """All printed numbers, in the order of `values`."""
        return [number for values in self.values for number in values.values]


@cache
def cases() -> dict[str, Case]:
    """Return all cases by id.

    Returns
    -------
    dict of str to Case
        Cases in the order of the files.
    """
    known = [
        case
        for name in _FILES
        for case in msgspec.json.decode((_FOLDER / name).read_bytes(), type=list[Case])
    ]
    return {case.id: case for case in known}


def chosen(metrics: list[str] | None = None) -> list[Case]:
    """Return the cases of some metrics.

    Parameters
    ----------
    metrics : list of str, optional
        Names of metrics. Default: all.

    Returns
    -------
    list of Case
        Cases in the order of the files.

    Raises
    ------
    UnknownNameError
        If no number of a metric is known.
    """
    known = {case.metric for case in cases().values()}
    for name in metrics or ():
        if name not in known:
            raise UnknownNameError(
                f"no printed number of {name!r} is known{did_you_mean(name, known)}; there are numbers of"
                f" {', '.join(sorted(known))}."
            )
    return [case for case in cases().values() if not metrics or case.metric in metrics]
