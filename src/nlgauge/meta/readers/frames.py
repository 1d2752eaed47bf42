"""Judgments from arrays, from tidy rows and from better/worse pairs, and several of them as groups of
one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, no_such
from nlgauge.io.files import Address
from nlgauge.io.reader import Reader
from nlgauge.meta.findings import listed

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

_MISSING = ("", "None", "NA", "N/A", "nan", "NaN")


def from_arrays(
    cls: type[Judgments],
    human: Any,
    metrics: Any,
    systems: Sequence[str] | None = None,
    segments: Sequence[Hashable] | None = None,
    *,
    higher_is_better: Mapping[str, bool | None] | None = None,
    groups: Sequence[Any] | None = None,
    ratings: Mapping[str, Any] | None = None,
    weights: Any = None,
    system_scores: Mapping[str, Any] | None = None,
    pairs: Any = None,
) -> Judgments:
    """Make judgments from arrays or nested lists, or from mappings of these by name.

    Parameters
    ----------
    human : array_like of shape (S, N) or (S, N, annotators), or mapping
        Human scores by dimension. An array without a name is called "human".
    metrics : array_like of shape (S, N), or mapping
        Metric scores by metric. An array without a name is called "metric".
    systems : sequence of str, optional
        Names of the S systems. Default: system1 to systemS.
    segments : sequence, optional
        Identifiers of the N segments. Default: 0 to N - 1.
    higher_is_better : mapping of str to bool or None, optional
        Direction of each metric; None means that the metric has no direction. Default: True.
    groups : sequence, optional
        Group (language pair) of each of the N segments. Systems are compared only within groups.
    ratings : mapping of str to array_like of shape (S, N, annotators), optional
        Ratings by dimension.
    weights : array_like of shape (N,), optional
        Weights of the segments.
    system_scores : mapping of str to array_like of shape (S,), optional
        Scores of whole systems by metric.
    pairs : array_like of shape (P, 3), optional
        Better/worse pairs: segment, better system, worse system.

    Returns
    -------
    Judgments
        Human and metric scores.

    Raises
    ------
    InputError
        If there are no scores, or shapes are inconsistent.
    """
    judged = {name: _array(values, f"humans[{name!r}]") for name, values in _named(human, "human").items()}
    scored = {
        name: _array(values, f"metrics[{name!r}]") for name, values in _named(metrics, "metric").items()
    }
    shapes = [values.shape for values in (*judged.values(), *scored.values()) if values.ndim >= 2]
    if not shapes:
        raise InputError("human or metric scores are needed, as arrays (systems, segments); got neither.")
    names = tuple(f"system{i + 1}" for i in range(shapes[0][0])) if systems is None else tuple(systems)
    numbers = tuple(range(shapes[0][1])) if segments is None else tuple(segments)
    by_annotator = {name: values for name, values in judged.items() if values.ndim == 3}
    return cls(
        names,
        numbers,
        {name: values for name, values in judged.items() if values.ndim != 3},
        scored,
        higher_is_better or {},
        None if groups is None else tuple(groups),
        {**by_annotator, **(ratings or {})},
        weights,
        system_scores or {},
        pairs,
    )


def _named(given: Any, name: str) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {} if given is None else {name: given}


def _array(values: Any, name: str) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be numbers in rows of equal length; use NaN for a missing value."
        ) from None


def records_of(frame: Any) -> list[Mapping[str, Any]]:
    """Return rows as dictionaries, of a pandas or polars frame, columns by name, rows, or a file of them
    (CSV, TSV, JSON, JSON Lines, Parquet).
    """
    if isinstance(frame, str | Path):
        return records_of(_columns_of(str(frame)))
    if hasattr(frame, "to_dicts"):
        return list(frame.to_dicts())
    if hasattr(frame, "to_dict"):
        return list(frame.to_dict("records"))
    if isinstance(frame, Mapping):
        lengths = {name: len(values) for name, values in frame.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(
                "columns must be of one length, got"
                f" {', '.join(f'{name}: {length}' for name, length in lengths.items())}."
            )
        return [dict(zip(frame, values, strict=True)) for values in zip(*frame.values(), strict=True)]
    rows = list(frame) if isinstance(frame, Iterable) else []
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            "rows are needed: a pandas or polars frame, dictionaries, or columns by name; got"
            f" {type(frame).__name__}."
        )
    return rows


def _columns_of(path: str) -> Mapping[str, list[Any]]:
    address = Address.of(path)
    if address.kind is None:
        raise InputError(
            f"{path!r} is not a file of columns; its name must end in .csv, .tsv, .jsonl, .json or .parquet."
        )
    return Reader().table(address).flat().columns


def from_frame(
    cls: type[Judgments],
    frame: Any,
    human: str | Sequence[str],
    metrics: str | Sequence[str] = (),
    *,
    system: str = "system",
    segment: str = "segment",
    group: str | None = None,
    annotator: str | None = None,
    weight: str | None = None,
    higher_is_better: Mapping[str, bool | None] | None = None,
) -> Judgments:
    """Make judgments from a table with one row per system and segment.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, records or mapping
        Data frame, records, or columns by name.
    human : str or sequence of str
        Columns with human scores. A value may be a list of numbers, one per annotator.
    metrics : str or sequence of str, optional
        Columns with metric scores.
    system : str, default "system"
        Column with the system.
    segment : str, default "segment"
        Column with the segment.
    group : str, optional
        Column with the group.
    annotator : str, optional
        Column with the annotator; the table then has several rows per system and segment.
    weight : str, optional
        Column with the weight of the segment.
    higher_is_better : mapping of str to bool or None, optional
        Direction of each metric; None means that the metric has no direction. Default: True.

    Returns
    -------
    Judgments
        Human and metric scores.

    Raises
    ------
    InputError
        If a column is missing or a score is not a number.
    """
    rows = records_of(frame)
    dimensions, labels = listed(human), listed(metrics)
    known = list(dict.fromkeys(name for row in rows for name in row))
    for name in [
        system,
        segment,
        *dimensions,
        *labels,
        *(one for one in (group, annotator, weight) if one is not None),
    ]:
        if name not in known:
            raise InputError(no_such("column", name, known))
    systems = list(dict.fromkeys(str(row[system]) for row in rows))
    keys = [(row[group], row[segment]) if group else row[segment] for row in rows]
    segments = list(dict.fromkeys(keys))
    numbers, order = ({name: i for i, name in enumerate(names)} for names in (systems, segments))
    cells = [(numbers[str(row[system])], order[key]) for row, key in zip(rows, keys, strict=True)]
    shape = len(systems), len(segments)
    of_segment = {key: row for row, key in zip(rows, keys, strict=True)}
    people = [str(row[annotator]) for row in rows] if annotator else None
    judged = {
        name: _ratings(name, cells, [row.get(name) for row in rows], shape, people) for name in dimensions
    }
    return cls(
        tuple(systems),
        tuple(segments),
        {name: values[..., 0] for name, values in judged.items() if people is None and values.shape[-1] == 1},
        {
            name: _scores(name, cells, [row.get(name) for row in rows], shape, several=people is not None)
            for name in labels
        },
        higher_is_better=dict(higher_is_better or {}),
        groups=tuple(of_segment[key][group] for key in segments) if group else None,
        ratings={
            name: values for name, values in judged.items() if people is not None or values.shape[-1] > 1
        },
        weights=(
            np.array([as_number(of_segment[key][weight], weight) for key in segments]) if weight else None
        ),
    )


def _ratings(
    name: str,
    cells: Sequence[tuple[int, int]],
    values: Sequence[Any],
    shape: tuple[int, int],
    people: Sequence[str] | None,
) -> Array:
    """Return ratings (S, N, annotators); one annotator if each cell has one number."""
    if people is not None:
        order = {person: i for i, person in enumerate(dict.fromkeys(people))}
        found = np.full((*shape, len(order)), np.nan)
        seen = set()
        for cell, person, value in zip(cells, people, values, strict=True):
            if (cell, person) in seen:
                raise InputError(
                    f"annotator {person!r} rated one output twice ({name}); pass one row per system, segment"
                    " and annotator."
                )
            seen.add((cell, person))
            found[(*cell, order[person])] = as_number(value, name)
        return found
    _check_once(name, cells)
    lists = [as_numbers(value, name) for value in values]
    found = np.full((*shape, max(map(len, lists), default=1) or 1), np.nan)
    for cell, numbers in zip(cells, lists, strict=True):
        found[cell][: len(numbers)] = numbers
    return found


def _scores(
    name: str, cells: Sequence[tuple[int, int]], values: Sequence[Any], shape: tuple[int, int], several: bool
) -> Array:
    if not several:
        _check_once(name, cells)
    found = np.full(shape, np.nan)
    for cell, value in zip(cells, values, strict=True):
        number = as_number(value, name)
        if not math.isnan(found[cell]) and not math.isnan(number) and found[cell] != number:
            raise InputError(
                f"the metric {name!r} has two scores of one output, {found[cell]:g} and {number:g}; repeat"
                " the same score in all rows of an output."
            )
        found[cell] = number if math.isnan(found[cell]) else found[cell]
    return found


def _check_once(name: str, cells: Sequence[tuple[int, int]]) -> None:
    if len(set(cells)) != len(cells):
        raise InputError(
            f"some outputs have several rows with {name!r}",
            python="pass one row per system and segment, or name the column of annotators with annotator",
            cli="write one row per system and segment",
        )


def as_number(value: Any, what: str) -> float:
    """Return a value as a number, also from text; NaN if it is missing."""
    if value is None or (isinstance(value, str) and value.strip() in _MISSING):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a number, got {value!r:.60}.") from None


def as_numbers(value: Any, what: str) -> list[float]:
    """Return the ratings of one output, NaN for an annotator who did not judge it; a single number is the rating
    of one annotator.

    >>> as_numbers([4, None], "adequacy"), as_numbers("3", "adequacy")
    ([4.0, nan], [3.0])
    """
    return [
        as_number(one, what) for one in (value if isinstance(value, list | tuple | np.ndarray) else [value])
    ]


def from_pairs(
    cls: type[Judgments],
    pairs: Any,
    metrics: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    segment: str = "segment",
    better: str = "better",
    worse: str = "worse",
    group: str | None = None,
    higher_is_better: Mapping[str, bool | None] | None = None,
) -> Judgments:
    """Make judgments from rows that name a segment, its better and its worse system.

    Parameters
    ----------
    pairs : pandas.DataFrame, polars.DataFrame, records or mapping
        One row per pair.
    metrics : mapping, optional
        Scores by metric, then system, then segment.
    segment : str, default "segment"
        Column with the segment.
    better : str, default "better"
        Column with the better system.
    worse : str, default "worse"
        Column with the worse system.
    group : str, optional
        Column with the group. A segment is then named (group, segment), also in `metrics`.
    higher_is_better : mapping of str to bool or None, optional
        Direction of each metric; None means that the metric has no direction. Default: True.

    Returns
    -------
    Judgments
        Metric scores and better/worse pairs.

    Raises
    ------
    InputError
        If a column is missing or a score is not a number.

    Examples
    --------
    >>> from nlgauge.meta import Judgments
    >>> scores = {"chrf": {"A": {1: 0.5, 2: 0.4}, "B": {1: 0.3, 2: 0.6}}}
    >>> Judgments.from_pairs([{"segment": 1, "better": "A", "worse": "B"}, {"segment": 2, "better": "A", "worse": "B"}], scores)
    Judgments(2 systems, 2 segments, 2 pairs; human: none; 1 metric: chrf)
    """
    rows = records_of(pairs)
    for name in (segment, better, worse, *([group] if group else [])):
        if any(name not in row for row in rows):
            raise InputError(f"every pair needs {name!r}; the first has {', '.join(map(str, rows[0]))}.")
    keys = [(row[group], row[segment]) if group else row[segment] for row in rows]
    segments = list(dict.fromkeys(keys))
    systems = list(dict.fromkeys(str(row[side]) for row in rows for side in (better, worse)))
    numbers, order = {name: i for i, name in enumerate(systems)}, {key: i for i, key in enumerate(segments)}
    scored = {}
    for label, by_system in (metrics or {}).items():
        scored[label] = np.array(
            [[as_number(by_system.get(name, {}).get(key), label) for key in segments] for name in systems]
        )
    groups = {key: row[group] for key, row in zip(keys, rows, strict=True)} if group else {}
    return cls(
        tuple(systems),
        tuple(segments),
        metrics=scored,
        higher_is_better=dict(higher_is_better or {}),
        groups=tuple(groups[key] for key in segments) if group else None,
        pairs=np.array(
            [
                [order[key], numbers[str(row[better])], numbers[str(row[worse])]]
                for row, key in zip(rows, keys, strict=True)
            ]
        ),
    )


def joined(cls: type[Judgments], parts: Mapping[Any, Judgments]) -> Judgments:
    """Join several judgments as groups.

    Parameters
    ----------
    parts : mapping
        Judgments by group.

    Returns
    -------
    Judgments
        All systems and segments; segments are named (group, segment). Scores that a group lacks are NaN.

    Raises
    ------
    InputError
        If there are no parts, or a metric has different directions.
    """
    if not parts:
        raise InputError("no judgments to join; pass at least one.")
    systems = list(dict.fromkeys(system for part in parts.values() for system in part.systems))
    rows = {group: [systems.index(system) for system in part.systems] for group, part in parts.items()}
    higher: dict[str, bool | None] = {}
    for part in parts.values():
        for label in part.metrics:
            direction = part.higher_is_better.get(label, True)
            if higher.setdefault(label, direction) != direction:
                raise InputError(
                    f"higher_is_better of the metric {label!r} differs between the parts; pass the same value."
                )

    def together(of: str, depth: tuple[int, ...] = ()) -> dict[str, Array]:
        found = {}
        for name in dict.fromkeys(name for part in parts.values() for name in getattr(part, of)):
            blocks = []
            for group, part in parts.items():
                block = np.full((len(systems), len(part.segments), *depth), np.nan)
                values = getattr(part, of).get(name)
                if values is not None:
                    cells = np.ix_(rows[group], *map(range, values.shape[1:]))
                    block[cells] = values
                blocks.append(block)
            found[name] = np.concatenate(blocks, axis=1)
        return found

    people = max((values.shape[2] for part in parts.values() for values in part.ratings.values()), default=0)
    weighted = any(part.weights is not None for part in parts.values())
    starts = np.cumsum([0, *(len(part.segments) for part in parts.values())]).tolist()
    pairs = []
    for (group, part), start in zip(parts.items(), starts, strict=False):
        if part.pairs is not None:
            places = np.array(rows[group])
            pairs.append(
                np.stack(
                    [part.pairs[:, 0] + start, places[part.pairs[:, 1]], places[part.pairs[:, 2]]], axis=1
                )
            )
    return cls(
        tuple(systems),
        tuple((group, segment) for group, part in parts.items() for segment in part.segments),
        together("humans"),
        together("metrics"),
        {label: direction for label, direction in higher.items() if direction is not True},
        tuple(group for group, part in parts.items() for _ in part.segments),
        together("ratings", (people,)),
        (
            np.concatenate(
                [
                    np.ones(len(part.segments)) if part.weights is None else part.weights
                    for part in parts.values()
                ]
            )
            if weighted
            else None
        ),
        pairs=np.concatenate(pairs) if pairs else None,
    )
