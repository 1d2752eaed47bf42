"""The directory of a saved result: the names of its files, and the content of run.json.

    run.json          format, options, metrics with all their parameters, signatures, scores, costs,
                      environment, and a description of the other files
    statistics.bin    the statistics of all tables; `statistics_file` describes it
    fits.npz          the fits on the whole corpus
    spans.npz         the error spans of people and metrics, if the corpus has any
    texts.jsonl, ...  the corpus; `corpus.store.layout` describes it

A result of any size has these files. They are written during a run, or at once from memory, and are mapped when
they are read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import msgspec

from nlgauge.corpus.store.layout import StoredFacts

FORMAT = 4
RUN, STATISTICS, FITS, SPANS = "run.json", "statistics.bin", "fits.npz", "spans.npz"
_STEMS = r"run|statistics|fits|spans|texts|ids|sources|references|weights|documents|predictions-\d+|fields-\d+(?:-\d+)?"
_OWN_FILE = re.compile(rf"(?:{_STEMS})\.(?:json|jsonl|npz|bin|f64|ids|ends)")


class SavedMetric(msgspec.Struct):
    """A metric by name, package and every parameter, how it prints, and its outputs by part."""

    name: str
    package: str
    revision: int
    parameters: dict[str, Any]
    printed: str
    outputs: dict[str, list[dict[str, Any]]]


class SavedTable(msgspec.Struct):
    """The scores of a metric on a system."""

    system: str
    label: str
    averaged: str | None
    scores: dict[str, Any]


class SavedFit(msgspec.Struct):
    """A fit: the system that it was made on ("": none), and the labels that share it."""

    system: str
    labels: list[str]
    key: str


class StoredPart(msgspec.Struct):
    """The columns of one part of a table, by the types of their numbers; or, with `segments`, the segment
    scores of one output.
    """

    system: str
    label: str
    part: str
    types: list[str]
    segments: bool = False


class SavedCarbon(msgspec.Struct, frozen=True):
    """The energy and the CO2 of the run; null if they are not known."""

    country: str
    energy: float | None
    co2: float | None
    method: str
    reason: str


class SavedMemory(msgspec.Struct, frozen=True):
    """The highest memory of the run in bytes, null if it is not known, and a note about it."""

    peak: float | None
    note: str


class SavedVerdict(msgspec.Struct):
    """The verdict of a run that stopped when it was sure, and the state of its test."""

    asked_metrics: list[str]
    metric: str
    output: str
    systems: Annotated[list[str], msgspec.Meta(min_length=2, max_length=2)]
    better: str | None
    asked: int
    segments: int
    look: int
    looks: int
    stopped: str
    confidence: float
    cost: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    p: float | None
    state: dict[str, Any]
    price: float | msgspec.UnsetType | None = msgspec.UNSET


class SavedRun(msgspec.Struct):
    """run.json."""

    format: int
    texts: bool
    config: dict[str, Any]
    metrics: dict[str, SavedMetric]
    signatures: dict[str, str]
    tables: list[SavedTable]
    fits: list[SavedFit]
    seconds: dict[str, dict[str, float]]
    environment: dict[str, str]
    reads: dict[str, list[str]]
    corpus: StoredFacts
    statistics: list[StoredPart]
    memory: SavedMemory
    carbon: SavedCarbon | None
    # The verdict of a run that stopped when it was sure.
    sequential: SavedVerdict | None = None


def write_run(run: SavedRun, place: Path) -> None:
    """Write run.json."""
    (place / RUN).write_bytes(msgspec.json.format(msgspec.json.encode(run)) + b"\n")


def is_result(directory: Path) -> bool:
    """Return whether a directory is a result: other programs call files run.json too."""
    try:
        run = msgspec.json.decode((directory / RUN).read_bytes())
    except (OSError, msgspec.DecodeError):
        return False
    return isinstance(run, dict) and {"format", "metrics", "signatures", "tables"} <= run.keys()


def is_own_file(name: str) -> bool:
    """Return whether nlgauge gives this name to a file of a result; others are never removed with a result."""
    return bool(_OWN_FILE.fullmatch(name))
