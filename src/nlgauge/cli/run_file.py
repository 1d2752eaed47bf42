"""Run files: TOML that describes a whole evaluation, read into typed tables.

Unknown keys and values of another type are errors. Nothing is expanded, and paths are relative to the file.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from nlgauge.engine.prepare import MetricSpec, checked_name
from nlgauge.errors import InputError, did_you_mean
from nlgauge.judges.calls import Calls

Table = TypeVar("Table", bound=msgspec.Struct)
Texts = str | list[str]
Margins = float | str | dict[str, float | str]
# Keys of the table of a metric that are not parameters of the metric.
_OF_METRIC = ("metric", "judge")
_SECRETS = ("key", "api_key", "token", "secret", "password")


class InputsTable(msgspec.Struct):
    """Files, and how they are read."""

    systems: list[str] | dict[str, str]
    references: Texts = []
    source: str | None = None
    ids: str | None = None
    documents: str | None = None
    weights: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    columns: list[str] = []
    map: dict[str, str] = {}
    where: Texts = []
    skip_missing: bool = False
    common: bool = False
    pooled: bool = False
    lang: str | None = None
    reduce: str | None = None
    scores: list[str] = []
    item: str | None = None
    system_field: str | None = None
    repeat_field: str | None = None
    document_field: str | None = None
    ignore_inputs: bool = False

    def words(self, folder: Path) -> list[str]:
        """Return the systems as words of the command line: FILE or NAME=FILE."""
        if isinstance(self.systems, list):
            return [str(at(folder, word)) for word in self.systems]
        for name in self.systems:
            if not name or set(name) & set("=:/\\"):
                raise InputError(
                    f"a system must not be named {name!r:.60}; use a name without =, :, / and \\."
                )
        return [f"{name}={at(folder, word)}" for name, word in self.systems.items()]


class JudgeTable(msgspec.Struct):
    """Model of a judge and how it is asked; further keys are settings of `Calls`."""

    model: str
    base_url: str | None = None
    scoring: str | None = None
    n: int | None = None
    temperature: float | None = None
    seed: int | None = None


class CheckTable(msgspec.Struct):
    """Conditions of the gate."""

    baseline: str | None = None
    baseline_result: str | None = None
    baseline_system: str | None = None
    systems: list[str] = []
    fail_if: Texts = []
    fail_under: dict[str, float] = {}
    fail_over: dict[str, float] = {}
    margin: Margins | None = None
    inconclusive: str = "report"
    max_missing: float = 0.05
    alpha: float = 0.05

    def baseline_path(self, folder: Path) -> str:
        """Return the directory of the baseline, with a slash, so that it differs from a system."""
        return os.path.join(folder or ".", self.baseline_result or "")  # noqa: PTH118, a Path has no leading "./"

    def margins(self) -> list[str]:
        """Return the margins as words of the command line: NUMBER, PERCENT% or METRIC=NUMBER."""
        if isinstance(self.margin, dict):
            return [f"{metric}={value}" for metric, value in self.margin.items()]
        return [] if self.margin is None else [str(self.margin)]


class StatisticsTable(msgspec.Struct):
    """Intervals and tests."""

    confidence: float = 0.95
    resamples: int = 1000
    test: str = "randomization"
    seed: int | None = None


class RunningTable(msgspec.Struct):
    """Device, executor and cache of the run."""

    device: str | None = None
    batch_size: int | None = None
    cache: bool = True
    offline: bool = False
    executor: str | None = None
    jobs: int | None = None


class OutputTable(msgspec.Struct):
    """Files that are written."""

    result: str | None = None
    overwrite: bool = False
    texts: bool = True
    report: str | None = None
    segments: str | None = None


class RunFile(msgspec.Struct):
    """A whole run file."""

    inputs: InputsTable
    metrics: list[str] | dict[str, Any] = []
    judges: dict[str, dict[str, Any]] = {}
    check: CheckTable | None = None
    statistics: StatisticsTable = msgspec.field(default_factory=StatisticsTable)
    running: RunningTable = msgspec.field(default_factory=RunningTable)
    output: OutputTable = msgspec.field(default_factory=OutputTable)

    def specs(self) -> list[MetricSpec]:
        """Return the metrics, with the parameters of their judges."""
        if isinstance(self.metrics, list):
            return list(self.metrics)
        return [self._spec(name, value) for name, value in self.metrics.items()]

    def _spec(self, name: str, value: Any) -> MetricSpec:
        checked_name(name)
        if isinstance(value, str):
            return f"{name}={value}"
        place = f"metrics.{name}"
        if not isinstance(value, dict):
            raise InputError(f"{place} must be a text or a table, got {value!r:.60}.")
        metric, judge = (value.get(key) for key in _OF_METRIC)
        if not isinstance(metric, str):
            raise InputError(f'{place} has no metric; add a line such as metric = "yes_no".')
        parameters = {key: item for key, item in value.items() if key not in _OF_METRIC}
        if judge is not None:
            parameters = {**self._judge(place, judge), **parameters}
        return {"path": metric, "resulting_name": name, "compute_kwargs": parameters}

    def _judge(self, place: str, name: Any) -> dict[str, Any]:
        """Return the parameters of a judge by its name."""
        if not isinstance(name, str) or name not in self.judges:
            near = did_you_mean(str(name), self.judges)
            raise InputError(
                f"{place} names the unknown judge {name!r:.60}{near}; add the table [judges.{name}]."
            )
        table, place = self.judges[name], f"judges.{name}"
        settings = [field.name for field in fields(Calls)]
        for key in _SECRETS:
            if key in table:
                raise InputError(
                    f"{place} contains the key {key!r}, but run files contain no secrets; write the name of an"
                    ' environment variable: key_env = "MY_KEY".'
                )
        _check_keys(table, [*JudgeTable.__struct_fields__, *settings], place)
        own = {key: value for key, value in table.items() if key not in settings}
        judge = converted(own, JudgeTable, place)
        calls: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in table.items()
            if key in settings
        }
        parameters = {key: value for key, value in msgspec.structs.asdict(judge).items() if value is not None}
        return {**parameters, **({"calls": Calls(**calls).text()} if calls else {})}


def read_run_file(path: Path) -> RunFile:
    """Return the tables of a run file; errors name the file and the key."""
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
        return converted(document, RunFile, "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file in UTF-8: {error}") from None
    except InputError as error:
        raise InputError(f"{path}: {error.message}", python=error.python, cli=error.cli) from None


def converted(document: Any, kind: type[Table], place: str) -> Table:
    """Return a document as a table of this kind; raise InputError if a key is unknown or a value has another type."""
    _check_tables(document, kind, place)
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `$")
        key = f"{place}.{where.removesuffix('`').lstrip('.')}".strip(".")
        raise InputError(f"{key or 'the file'}: {_in_words(problem)}; correct it.") from None


def _check_tables(document: Any, kind: type[msgspec.Struct], place: str) -> None:
    """Raise InputError if a table, or a table inside it, has an unknown key."""
    if not isinstance(document, dict):
        return
    _check_keys(document, kind.__struct_fields__, place)
    hints = get_type_hints(kind)
    for key, value in document.items():
        for each in (hints[key], *get_args(hints[key])):
            if isinstance(each, type) and issubclass(each, msgspec.Struct):
                _check_tables(value, each, f"{place}.{key}".strip("."))


def _check_keys(table: dict[str, Any], known: Any, place: str) -> None:
    for key in table:
        if key not in known:
            where = f" in [{place}]" if place else ""
            raise InputError(
                f"unknown key {key!r:.60}{where}{did_you_mean(key, known)}; choose one of {', '.join(known)}."
            )


def _in_words(problem: str) -> str:
    """Return a message of msgspec in the words of TOML."""
    names = {
        "str": "a text",
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
        "object": "a table",
    }
    text = re.sub(
        r"`([^`]+)`",
        lambda match: " or ".join(names.get(kind, kind) for kind in match[1].split(" | ")),
        problem,
    )
    text = text.replace("Object missing required field", "the key is missing:")
    return text[:1].lower() + text[1:]


def texts_of(value: Texts) -> list[str]:
    """Return one text or several as a list."""
    return [value] if isinstance(value, str) else list(value)


def at(folder: Path, word: str | None) -> str | None:
    """Return a path, also with a column, relative to the directory of the run file; standard input is unchanged."""
    return word if word in (None, "-") else os.path.join(folder, word)  # noqa: PTH118, FILE:COLUMN is no path
