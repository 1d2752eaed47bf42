"""Rows and facts of a harness log, in the same form for every tool."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from nlgauge._core.numbers import counted

Reason = Literal["empty", "error", "unreadable", "absent"]
Score = float | str | list[float]


class ScoreColumn(msgspec.Struct, frozen=True):
    """Description of a score that a harness computed.

    Parameters
    ----------
    name : str
        Name of the score, such as "match" or "details.words".
    better : {"higher", "lower", "neither"}
        Direction.
    low, high : float
        Bounds; infinite if they are unknown.
    kind : {"number", "binary", "levels"}
        Values of the rows: numbers, 0 and 1, or texts.
    levels : tuple of str
        Texts of a score of kind "levels", in alphabetical order, because a log does not contain their order.
    """

    name: str
    better: Literal["higher", "lower", "neither"] = "higher"
    low: float = -math.inf
    high: float = math.inf
    kind: Literal["number", "binary", "levels"] = "number"
    levels: tuple[str, ...] = ()


class LogRow(msgspec.Struct, kw_only=True):
    """A prediction of a system with its scores.

    Parameters
    ----------
    item : str
        Identifier of the segment.
    repeat : int
        Number of the prediction among the predictions of the system for this segment, from 1.
    system, task : str
        Names of system and task.
    source, prediction : str or None
        Texts; None if the log does not contain them.
    references : list of str
        Reference texts.
    scores : dict
        Values by score. A score of kind "levels" has a text.
    missing : dict
        Reasons by score for each score without a value: "empty" (the prediction is blank), "error" (the run failed),
        "unreadable" (the scorer failed) or "absent".
    fields : dict
        Metadata, explanations, errors, costs and times.
    digest : str
        Hash of the segment by the harness; "" if the log has none.
    """

    item: str
    repeat: int = 1
    system: str = ""
    task: str = ""
    source: str | None = None
    references: list[str] = []
    prediction: str | None = None
    scores: dict[str, Score] = {}
    missing: dict[str, Reason] = {}
    fields: dict[str, Any] = {}
    digest: str = ""


class LogFacts(msgspec.Struct, kw_only=True):
    """Facts about the run of a log.

    Parameters
    ----------
    tool, version : str
        Name of the harness, as in `READERS`, and its version; "" if it is unknown.
    system : str
        Name of the system: the name of the model until `tasks_of` assigns distinct names.
    task : str
        Name of the task.
    status : str
        "success", "started" (the run did not end), "truncated" (the file is incomplete), or a status of the harness.
    file : str
        Path of the log.
    details : dict
        Facts that distinguish runs of the same model, in the order in which names use them.
    columns : dict
        Descriptions of the scores, by name.
    own_scores : dict
        Scores that the harness computed for the whole run, by name.
    own_remarks : dict
        Methods by which the harness computed these scores, if they are not means over segments.
    notes : list of str
        Sentences about data that were not read or need attention.
    renamed : bool
        True if the user chose the name of the system.
    """

    tool: str
    file: str
    version: str = ""
    system: str = ""
    task: str = ""
    status: str = "success"
    details: dict[str, str] = {}
    columns: dict[str, ScoreColumn] = {}
    own_scores: dict[str, float] = {}
    own_remarks: dict[str, str] = {}
    notes: list[str] = []
    renamed: bool = False


class Log(msgspec.Struct):
    """A run of one system on one task: facts and rows."""

    facts: LogFacts
    rows: list[LogRow]


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of readers.

    Parameters
    ----------
    scores : tuple of str
        Names of scores to read in addition to the default scores; only HELM has such scores.
    references : str, optional
        Variable of promptfoo that contains the reference.
    passes : bool, default False
        True to read whether deepeval's metrics passed their thresholds.
    """

    scores: tuple[str, ...] = ()
    references: str | None = None
    passes: bool = False


def number_repeats(rows: Iterable[LogRow]) -> None:
    """Set the numbers of rows with the same segment, in the order of the file."""
    counts: dict[str, int] = {}
    for row in rows:
        row.repeat = counts[row.item] = counts.get(row.item, 0) + 1


def note_repetitions(facts: LogFacts, keys: Sequence[Hashable]) -> None:
    """Add a note if several rows have the same key, so that the log may contain several runs."""
    repeated = len(keys) - len(set(keys))
    if repeated:
        facts.notes.append(
            f"{facts.file} has {counted(repeated, 'row')} with the identifier of another row, so it may contain several"
            " runs; they are read as repeats."
        )


def flat_fields(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return texts, numbers and lists of texts of nested objects, by names with dots."""
    fields: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            fields |= flat_fields(value, f"{prefix}{name}.")
        elif isinstance(value, str | int | float) or (
            isinstance(value, list) and value and all(isinstance(text, str) for text in value)
        ):
            fields[f"{prefix}{name}"] = value
    return fields


def digest_of(*values: Any) -> str:
    """Return a short hash of JSON values, which identifies a segment without an identifier."""
    import hashlib

    data = msgspec.json.encode(values, order="deterministic")
    return hashlib.sha256(data).hexdigest()[:16]


def text_of(value: Any) -> str | None:
    """Return a text unchanged, None for None, and any other value as JSON."""
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()


def texts_of(value: Any) -> list[str]:
    """Return the texts of a text, a list, or nothing."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [text for text in map(text_of, values) if text is not None]
