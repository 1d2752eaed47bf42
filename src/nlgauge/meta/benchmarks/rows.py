"""Row, Pair and GradedPair: one judged text, and one judgment of two texts; how they are written as JSON lines
and read again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.errors import InputError
from nlgauge.io.files import decoded, lines_of, read_bytes

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class BenchmarkRow:
    """A text of a system for a segment, with human scores and published metric scores.

    Parameters
    ----------
    segment : str
        Segment.
    system : str
        System.
    human : mapping of str to float, optional
        Human scores by dimension.
    prediction : str, optional
        Text; None if it is unknown.
    source : str, optional
        Source.
    references : tuple of str, optional
        References.
    ratings : mapping of str to tuple of float, optional
        Ratings of single raters by dimension.
    metrics : mapping of str to float, optional
        Published metric scores.
    meta : mapping, optional
        Further fields.
    """

    segment: str
    system: str
    human: Numbers = field(default_factory=dict)
    prediction: str | None = None
    source: str | None = None
    references: tuple[str, ...] = ()
    ratings: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    metrics: Numbers = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """Language pair; "" if there is none."""
        return str(self.meta.get("lp", ""))

    @property
    def by_human(self) -> bool:
        """True if a human wrote the text."""
        return bool(self.meta.get("human_reference"))


@dataclass(frozen=True)
class Pair:
    """A judgment that the text of one system is better than the text of another.

    Parameters
    ----------
    segment : str
        Segment.
    better : str
        System with the better text.
    worse : str
        System with the worse text.
    group : str, optional
        Language pair.
    """

    segment: str
    better: str
    worse: str
    group: str = ""


@dataclass(frozen=True)
class GradedPair:
    """A judgment of how much better the text of one system is than the text of another.

    Parameters
    ----------
    segment : str
        Segment.
    first : str
        System with the first text.
    second : str
        System with the second text.
    group : str, optional
        Language pair.
    human : mapping of str to float, optional
        Preference by dimension: positive if the second text is better, 0 for a tie.
    ratings : mapping of str to tuple of float, optional
        Preferences of single raters by dimension.
    """

    segment: str
    first: str
    second: str
    group: str = ""
    human: Numbers = field(default_factory=dict)
    ratings: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


AnyPair = Pair | GradedPair


class Side(msgspec.Struct):
    """The text of a system in a pair."""

    system: str
    text: str


@dataclass(frozen=True)
class PairLine:
    """A pair of texts with what they share, as a file has it: the better and the worse text, or, with
    preferences, the first and the second.
    """

    segment: str
    sides: tuple[Side, Side]
    source: str | None
    references: tuple[str, ...]
    meta: Mapping[str, Any]
    human: Numbers | None = None
    ratings: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


class _Line(msgspec.Struct):
    """One line of a benchmark file, of either form."""

    segment: str | int
    system: str | int = ""
    source: str | None = None
    prediction: str | None = None
    references: list[str] = []
    human: dict[str, float | None] = {}
    human_raw: dict[str, Any] = {}
    metrics: dict[str, float | None] = {}
    better: Side | None = None
    worse: Side | None = None
    first: Side | None = None
    second: Side | None = None
    meta: dict[str, Any] = {}


def read_lines(place: Path) -> tuple[list[BenchmarkRow], list[AnyPair]]:
    """Return the rows and pairs of a file of JSON lines, plain or packed."""
    rows: dict[tuple[str, str], BenchmarkRow] = {}
    pairs: list[AnyPair] = []
    decoder = msgspec.json.Decoder(_Line)
    for number, text in enumerate(lines_of(decoded(read_bytes(str(place)), str(place))), 1):
        if not text.strip():
            continue
        try:
            line = decoder.decode(text)
        except msgspec.DecodeError as error:
            raise InputError(f"{place}, line {number} is not a row of a benchmark: {error}.") from None
        where = f"{place}, line {number}"
        if not all(isinstance(values, list | dict) for values in line.human_raw.values()):
            raise InputError(f"{where}: 'human_raw' must have a list of ratings for each dimension.")
        pair = _pair_of(line)
        if pair is not None:
            pairs.append(_add_pair(rows, pair))
        elif line.system == "":
            raise InputError(
                f"{where} lacks a system; add the field 'system', or 'better' and 'worse', or 'first' and 'second'."
            )
        else:
            _add(rows, _row_of(line), where)
    if not rows:
        raise InputError(f"{place} has no rows.")
    return list(rows.values()), pairs


def _pair_of(line: _Line) -> PairLine | None:
    """Return the pair of a line, None if the line has one text."""
    shared = str(line.segment), line.source, tuple(line.references), line.meta
    if line.better is not None and line.worse is not None:
        return PairLine(shared[0], (line.better, line.worse), *shared[1:])
    if line.first is not None and line.second is not None:
        judged = _known(line.human), flat_ratings(line.human_raw)
        return PairLine(shared[0], (line.first, line.second), *shared[1:], *judged)
    return None


def rows_of_pairs(lines: Iterable[PairLine]) -> tuple[list[BenchmarkRow], list[AnyPair]]:
    """Return the rows and the pairs of lines with two texts each."""
    rows: dict[tuple[str, str], BenchmarkRow] = {}
    pairs = [_add_pair(rows, line) for line in lines]
    return list(rows.values()), pairs


def _add_pair(rows: dict[tuple[str, str], BenchmarkRow], line: PairLine) -> AnyPair:
    """Add the rows of a pair, and return the pair.

    If another pair of the segment has another text of one of the systems, the id is followed by ~2, ~3 and so on.
    """
    sides = line.sides
    names = (line.segment if number == 1 else f"{line.segment}~{number}" for number in count(1))
    segment = next(
        name
        for name in names
        if all(
            (row := rows.get((name, side.system))) is None or row.prediction == side.text for side in sides
        )
    )
    for side in sides:
        row = BenchmarkRow(segment, side.system, {}, side.text, line.source, line.references, meta=line.meta)
        rows.setdefault((segment, side.system), row)
    named = segment, sides[0].system, sides[1].system, str(line.meta.get("lp", ""))
    return Pair(*named) if line.human is None else GradedPair(*named, line.human, line.ratings)


def _add(rows: dict[tuple[str, str], BenchmarkRow], row: BenchmarkRow, where: str) -> None:
    if rows.setdefault((row.segment, row.system), row) is not row:
        raise InputError(f"{where}: segment {row.segment!r} of system {row.system!r} occurs twice.")


def _row_of(line: _Line) -> BenchmarkRow:
    return BenchmarkRow(
        str(line.segment),
        str(line.system),
        _known(line.human),
        line.prediction,
        line.source,
        tuple(line.references),
        flat_ratings(line.human_raw),
        _known(line.metrics),
        line.meta,
    )


def _known(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: math.nan if value is None else value for name, value in values.items()}


def flat_ratings(raw: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Return ratings by dimension; with several kinds of raters only the experts' have the dimension's name.

    >>> flat_ratings({"expert": {"fluency": [5, 4]}, "turker": {"fluency": [3]}})
    {'fluency': (5, 4), 'turker_fluency': (3,)}
    """
    found: dict[str, tuple[float, ...]] = {}
    for name, values in raw.items():
        if isinstance(values, Mapping):
            prefix = "" if name == "expert" else f"{name}_"
            found |= {prefix + dimension: tuple(each) for dimension, each in values.items()}
        else:
            found[name] = tuple(values)
    return found


def written(rows: Iterable[BenchmarkRow], pairs: Iterable[AnyPair] = ()) -> bytes:
    """Return rows, or pairs of them, as JSON lines that `read_lines` reads."""
    by_key = {(row.segment, row.system): row for row in rows}
    encode = msgspec.json.Encoder().encode
    judged = list(pairs)
    lines = [_pair_line(pair, by_key) for pair in judged] if judged else map(_row_line, by_key.values())
    return b"".join(encode(line) + b"\n" for line in lines)


def _pair_line(pair: AnyPair, rows: Mapping[tuple[str, str], BenchmarkRow]) -> dict[str, Any]:
    names = ("better", "worse") if isinstance(pair, Pair) else ("first", "second")
    one, other = (rows[pair.segment, getattr(pair, name)] for name in names)
    found: dict[str, Any] = {
        "segment": pair.segment,
        "source": one.source,
        "references": one.references,
        **{
            name: {"system": row.system, "text": row.prediction}
            for name, row in zip(names, (one, other), strict=True)
        },
    }
    if isinstance(pair, GradedPair):
        found |= {"human": dict(pair.human), "human_raw": dict(pair.ratings)}
    return {**found, "meta": dict(one.meta)}


def _row_line(row: BenchmarkRow) -> dict[str, Any]:
    found: dict[str, Any] = {"segment": row.segment, "system": row.system}
    if row.prediction is not None:
        found |= {"source": row.source, "prediction": row.prediction, "references": row.references}
    found["human"] = dict(row.human)
    if row.ratings:
        found["human_raw"] = dict(row.ratings)
    if row.metrics:
        found["metrics"] = dict(row.metrics)
    return {**found, "meta": dict(row.meta)}
