"""Row and Pair: one judged text, and one judgment of two texts; how they are written as JSON lines and
read again.
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


class Side(msgspec.Struct):
    """The text of a system in a pair."""

    system: str
    text: str


@dataclass(frozen=True)
class PairLine:
    """A pair of texts with what they share, as a file has it."""

    segment: str
    better: Side
    worse: Side
    source: str | None
    references: tuple[str, ...]
    meta: Mapping[str, Any]


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
    meta: dict[str, Any] = {}


def read_lines(place: Path) -> tuple[list[BenchmarkRow], list[Pair]]:
    """Return the rows and pairs of a file of JSON lines, plain or packed."""
    rows: dict[tuple[str, str], BenchmarkRow] = {}
    pairs: list[Pair] = []
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
        if line.better is not None and line.worse is not None:
            pair = PairLine(
                str(line.segment), line.better, line.worse, line.source, tuple(line.references), line.meta
            )
            pairs.append(_add_pair(rows, pair))
        elif line.system == "":
            raise InputError(f"{where} lacks a system; add the field 'system', or 'better' and 'worse'.")
        else:
            _add(rows, _row_of(line), where)
    if not rows:
        raise InputError(f"{place} has no rows.")
    return list(rows.values()), pairs


def rows_of_pairs(lines: Iterable[PairLine]) -> tuple[list[BenchmarkRow], list[Pair]]:
    """Return the rows and the pairs of lines with two texts each."""
    rows: dict[tuple[str, str], BenchmarkRow] = {}
    pairs = [_add_pair(rows, line) for line in lines]
    return list(rows.values()), pairs


def _add_pair(rows: dict[tuple[str, str], BenchmarkRow], line: PairLine) -> Pair:
    """Add the rows of a pair, and return the pair.

    If another pair of the segment has another text of one of the systems, the id is followed by ~2, ~3 and so on.
    """
    sides = (line.better, line.worse)
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
    return Pair(segment, line.better.system, line.worse.system, str(line.meta.get("lp", "")))


def _add(rows: dict[tuple[str, str], BenchmarkRow], row: BenchmarkRow, where: str) -> None:
    if rows.setdefault((row.segment, row.system), row) is not row:
        raise InputError(f"{where}: segment {row.segment!r} of system {row.system!r} occurs twice.")


def _row_of(line: _Line) -> BenchmarkRow:
    return BenchmarkRow(
        str(line.segment),
        str(line.system),
        {name: math.nan if value is None else value for name, value in line.human.items()},
        line.prediction,
        line.source,
        tuple(line.references),
        flat_ratings(line.human_raw),
        {name: math.nan if value is None else value for name, value in line.metrics.items()},
        line.meta,
    )


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


def written(rows: Iterable[BenchmarkRow], pairs: Iterable[Pair] = ()) -> bytes:
    """Return rows, or pairs of them, as JSON lines that `read_lines` reads."""
    by_key = {(row.segment, row.system): row for row in rows}
    encode = msgspec.json.Encoder().encode
    judged = list(pairs)
    if judged:
        return b"".join(
            encode(_pair_line(pair, by_key[pair.segment, pair.better], by_key[pair.segment, pair.worse]))
            + b"\n"
            for pair in judged
        )
    return b"".join(encode(_row_line(row)) + b"\n" for row in by_key.values())


def _pair_line(pair: Pair, better: BenchmarkRow, worse: BenchmarkRow) -> dict[str, Any]:
    sides = {
        name: {"system": row.system, "text": row.prediction}
        for name, row in (("better", better), ("worse", worse))
    }
    return {
        "segment": pair.segment,
        "source": better.source,
        "references": better.references,
        **sides,
        "meta": dict(better.meta),
    }


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
