"""Figures in the Markdown tables that a part prints, and whether they keep their bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.nightly.parts import Bound, Part

_NUMBER = re.compile(r"[+-]?\d[\d,]*\.?\d*(e[+-]\d+)?%?|[+-]?\.\d+%?")
# The chance of a figure that is out although its bound holds.
UNLIKELY = 1e-4


class Figure(NamedTuple):
    """A number of a table."""

    row: str
    column: str
    value: float


class Judged(NamedTuple):
    """The figures of one bound: their range, and which are out."""

    claim: str
    bound: str
    count: int
    least: float
    most: float
    out: list[str]


def figures(output: str) -> Iterator[Figure]:
    """Yield the numbers of all tables of a text; a row is named by its cells that are no numbers, or by its first cell.

    >>> list(figures("| test | share |\\n|---|---|\\n| one | 5.0% |"))
    [Figure(row='one', column='share', value=0.05)]
    """
    head: list[str] = []
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if number + 1 < len(lines) and re.match(r"^\|[ -]*-+[ |-]*$", lines[number + 1]):
            head = cells
            continue
        if not head or set("".join(cells)) <= {"-"}:
            continue
        for column, cell in zip(head[1:], cells[1:], strict=False):
            if _NUMBER.fullmatch(cell):
                yield Figure(cells[0], column, _value(cell))


def _value(cell: str) -> float:
    plain = cell.replace(",", "")
    return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)


def judged(part: Part, found: Sequence[Figure], runs: int) -> list[Judged]:
    """Return every bound of a part with its figures; a bound without figures is out, because its check did not run."""
    return [
        _judged(bound, [one for one in found if bound.meets(one.row, one.column)], runs)
        for bound in part.bounds
    ]


def _judged(bound: Bound, found: Sequence[Figure], runs: int) -> Judged:
    out = [f"{one.row}, {one.column}: {one.value:g}" for one in found if is_out(bound, one.value, runs)]
    shown = bound.kind if bound.kind == "shown" else f"{bound.kind} {bound.value:g}"
    if not found:
        return Judged(bound.claim, shown, 0, float("nan"), float("nan"), ["no figure was printed"])
    values = [one.value for one in found]
    return Judged(bound.claim, shown, len(values), min(values), max(values), out)


def is_out(bound: Bound, value: float, runs: int) -> bool:
    """Return True if a figure of so many runs is too far beyond its bound to be chance.

    >>> bound = Bound("test", ".*", ".*", "at most", 0.05)
    >>> is_out(bound, 0.08, 100), is_out(bound, 0.08, 10_000)
    (False, True)
    """
    from scipy.stats import binom

    if bound.kind == "shown":
        return False
    if bound.kind == "equal":
        return value != bound.value
    count = round(value * runs)
    chance = (
        binom.sf(count - 1, runs, bound.value)
        if bound.kind == "at most"
        else binom.cdf(count, runs, bound.value)
    )
    return bool(chance < UNLIKELY)
