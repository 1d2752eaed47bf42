"""Human scores of a result as tables of the metric `imported`, so that people have intervals, letters and tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from nlgauge.errors import InputError, did_you_mean
from nlgauge.metric.imported import RESERVED
from nlgauge.results.imported.building import VALUES, imported_label, is_imported, with_read_scores
from nlgauge.results.imported.columns import ScoreSpec
from nlgauge.results.result import Result

# Fields of benchmarks with human scores, and with the ratings behind them.
_PREFIXES = ("human.", "human_raw.")
_RATINGS = ".ratings"
ORIGIN = "people"


class HumanScores(NamedTuple):
    """A result with human scores among its metrics: their labels, and the fields that they come from."""

    result: Result
    labels: tuple[str, ...]
    fields: tuple[str, ...]


def with_human_scores(result: Result, names: str | Sequence[str] | None = None) -> HumanScores:
    """Return a result with its human scores as its first metrics.

    Parameters
    ----------
    result : Result
        Scores of S systems on N segments.
    names : str or sequence of str, optional
        Fields of the records or imported scores that are human scores, such as "coherence" or "mqm:lower"; "human" also
        names all fields human.NAME; an empty sequence means that nothing is a human score. Default: the fields
        human.NAME; if there is none, every field with a number for each system. With a single system a number may be
        any fact about the text, so that its field has to be named or be called human.NAME.

    Returns
    -------
    HumanScores
        The result, the labels of the human scores and their fields.

    Raises
    ------
    InputError
        If a name is unknown, or a field has one value for all systems of a segment.
    """
    specs = {name: ScoreSpec(name) for name in _usual(result)} if names is None else _named(result, names)
    labels: list[str] = []
    fields: list[str] = []
    for name, spec in specs.items():
        if name in result.labels and is_imported(result, name):
            labels.append(name)
            continue
        short = next((name[len(prefix) :] for prefix in _PREFIXES if name.startswith(prefix)), name)
        is_free = bool(short.strip()) and short not in (*result.labels, *RESERVED)
        label = short if is_free else f"{ORIGIN}.{name}"
        fields.append(name)
        before = result.labels
        result = with_read_scores(
            result,
            replace(spec, name=label, better=spec.better or "higher"),
            _cells(result, name),
            ORIGIN,
        )
        labels += [each for each in result.labels if each not in before]
    if not labels:
        return HumanScores(result, (), ())
    order = [*labels, *(label for label in result.labels if label not in labels)]
    job = replace(result._job, metrics={label: result._job.metrics[label] for label in order})
    tables = {(system, label): result._tables[system, label] for system in result.systems for label in order}
    return HumanScores(replace(result, _tables=tables, _job=job, _last=[]), tuple(labels), tuple(fields))


def unnamed_numbers(result: Result, fields: Sequence[str]) -> list[str]:
    """Return the fields of a single system with several different numbers that are not among `fields`."""
    if len(result.systems) > 1:
        return []
    return [
        name
        for name, values in result.corpus.fields.items()
        if name not in fields and _is_numeric(values) and len(set(map(str, values))) > 2
    ]


def _named(result: Result, names: str | Sequence[str]) -> dict[str, ScoreSpec]:
    """Return the score of each name; a name that is a prefix stands for all its fields."""
    corpus = result.corpus
    known = [*corpus.system_fields, *corpus.fields]
    specs: dict[str, ScoreSpec] = {}
    for text in [names] if isinstance(names, str) else names:
        spec = ScoreSpec(text) if text in (*known, *result.labels) else ScoreSpec.parse(text)
        inner = [field for field in _scores(known) if field.startswith(f"{spec.name}.")]
        label = None if spec.name in known else imported_label(result, spec.name)
        if spec.name in known or label is not None:
            specs[label or spec.name] = replace(spec, name=label or spec.name)
        elif f"{_PREFIXES[0]}{spec.name}" in known:
            specs[f"{_PREFIXES[0]}{spec.name}"] = spec
        elif inner:
            specs |= dict.fromkeys(inner, spec)
        else:
            fields = _scores(known)
            raise InputError(
                f"the records have no field {spec.name!r}{did_you_mean(spec.name, fields)}"
                f" (fields: {', '.join(fields) or 'none'})",
                python="pass names of fields with human scores as human",
                cli="use --human with the name of a field with human scores",
            )
    return specs


def _usual(result: Result) -> list[str]:
    """Return the fields with human scores if the caller names none."""
    corpus = result.corpus
    shared = corpus.fields if len(result.systems) == 1 else {}
    by_field: dict[str, Iterable[Sequence[Any]]] = {
        name: [values] for name, values in shared.items() if name.startswith(_PREFIXES)
    }
    by_field |= {name: by_system.values() for name, by_system in corpus.system_fields.items()}
    numeric = [
        name
        for name in _scores(by_field)
        if _is_numeric([value for each in by_field[name] for value in each])
    ]
    imported = [
        label for label in result.labels if label.startswith(_PREFIXES) and is_imported(result, label)
    ]
    for prefix in _PREFIXES:
        prefixed = [name for name in (*imported, *numeric) if name.startswith(prefix)]
        if prefixed:
            return prefixed
    return [name for name in numeric if name not in result.labels]


def _scores(fields: Iterable[str]) -> list[str]:
    """Return the fields that are not single ratings behind the scores of another field."""
    return [name for name in fields if not name.endswith((_RATINGS, VALUES))]


def _cells(result: Result, name: str) -> dict[str, list[Any]]:
    """Return the values of a field for each system; a number that is not finite is a missing score."""
    corpus = result.corpus
    if name in corpus.fields and len(result.systems) > 1:
        raise InputError(
            f"the field {name!r} has one value for all systems of a segment, so it does not judge their outputs;"
            " choose a field with a value for each system."
        )
    by_system: Mapping[str, Sequence[Any]] = corpus.system_fields.get(name) or {
        result.systems[0]: corpus.fields[name]
    }
    return {
        system: [None if isinstance(value, float) and not math.isfinite(value) else value for value in values]
        for system, values in by_system.items()
    }


def _is_numeric(values: Iterable[Any]) -> bool:
    """Return True if every value is a number, a list of numbers or missing, and some value is finite."""
    flat = [each for value in values for each in (value if isinstance(value, list | tuple) else (value,))]
    present = [value for value in flat if value is not None]
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in present) and any(
        math.isfinite(value) for value in present
    )
