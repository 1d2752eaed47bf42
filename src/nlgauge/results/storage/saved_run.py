"""What run.json holds."""

from __future__ import annotations

from typing import Any

import msgspec

from nlgauge.corpus.store.layout import StoredFacts


class SavedMetric(msgspec.Struct):
    """A metric by name, package and every parameter, how it prints, and its outputs by part."""

    name: str
    package: str
    revision: int
    parameters: dict[str, Any]
    printed: str
    outputs: dict[str, list[dict[str, Any]]]


class SavedTable(msgspec.Struct):
    """One table's entry in run.json; `key` prefixes its arrays in statistics.npz."""

    system: str
    label: str
    key: str
    averaged: str | None
    scores: dict[str, Any]


class SavedFit(msgspec.Struct):
    """One fit's entry in run.json: the system that it was made on ("": none), and the labels that share
    it.
    """

    system: str
    labels: list[str]
    key: str


class StatisticsColumn(msgspec.Struct):
    """Whose statistics stand in so many columns of a row, where the rows of all tables stand side by side."""

    system: str
    label: str
    part: str
    width: int


class SavedCarbon(msgspec.Struct, frozen=True):
    """The energy and the CO2 of the run; null where they are not known."""

    country: str
    energy: float | None
    co2: float | None
    method: str
    reason: str


class SavedMemory(msgspec.Struct, frozen=True):
    """The highest memory of the run in bytes, null where it is not known, and what is to be said of it."""

    peak: float | None
    note: str


class SavedRun(msgspec.Struct):
    """run.json; `corpus` and `columns` are those of a result that was written while it ran."""

    format: int
    texts: bool
    lang: str | None
    config: dict[str, Any]
    metrics: dict[str, SavedMetric]
    signatures: dict[str, str]
    tables: list[SavedTable]
    fits: list[SavedFit]
    seconds: dict[str, dict[str, float]]
    environment: dict[str, str]
    reads: dict[str, list[str]] = {}
    corpus: StoredFacts | None = None
    columns: list[StatisticsColumn] = []
    memory: SavedMemory = SavedMemory(None, "it was not recorded")
    carbon: SavedCarbon | None = None
