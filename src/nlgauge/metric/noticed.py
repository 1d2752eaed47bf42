"""Shares of DEMETR's damage that metrics notice, kept for their cards; `tools/stress_suite.py` writes them."""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from nlgauge._core.numbers import counted
from nlgauge._core.package_data import data_text

SEVERITIES = ("critical", "major", "minor")
ALL_KINDS = "all kinds"


class Share(msgspec.Struct, frozen=True):
    """The share of damaged texts of one kind or severity that an output scores below the good text, with its interval."""

    output: str
    kind: str
    severity: str
    n: int
    detected: float
    low: float
    high: float
    tied: float


class Kept(msgspec.Struct, frozen=True):
    """The shares of a metric on some segments."""

    metric: str
    segments: int
    rows: list[Share]

    @property
    def name(self) -> str:
        """Name of the metric, without parameters."""
        return self.metric.partition("(")[0]


class _Suite(msgspec.Struct, frozen=True):
    """All shares; `left_out` has the reason for each metric without numbers."""

    suite: str
    date: str
    metrics: list[Kept]
    left_out: dict[str, str] = {}


@cache
def kept() -> _Suite:
    """Return the shares of all metrics."""
    return msgspec.json.decode(data_text("stress.json"), type=_Suite)


def noticed(name: str) -> list[Kept]:
    """Return the shares of a metric, with each of its parameters that was run; empty if it was not run."""
    from nlgauge.metric.registry import find

    return [entry for entry in kept().metrics if find(entry.name).name == name]


def lines(name: str, form: Literal["text", "markdown"] = "text") -> list[str]:
    """Return one line per output of a metric: shares by severity, and the kinds that it notices least; or one line with
    the reason if there are none.
    """
    if name in kept().left_out:
        return [f"not measured, because {kept().left_out[name]}"]
    found = []
    for entry in noticed(name):
        for output in dict.fromkeys(row.output for row in entry.rows):
            rows = [row for row in entry.rows if row.output == output]
            shares = {row.severity: row for row in rows if row.kind == ALL_KINDS}
            told = ", ".join(
                f"{severity} {_percent(shares[severity])}" for severity in SEVERITIES if severity in shares
            )
            kinds = sorted(
                (row for row in rows if row.kind != ALL_KINDS and row.severity in SEVERITIES),
                key=lambda row: row.detected,
            )
            least = ", ".join(f"{plain(row.kind)} {100 * row.detected:.0f}%" for row in kinds[:3])
            of = entry.metric if output == entry.name else f"{entry.metric}, {output}"
            label = f"`{of}`" if form == "markdown" else of
            texts = (
                "1,000 texts" if entry.segments >= 1000 else f"a sample of {counted(entry.segments, 'text')}"
            )
            found.append(f"{label}: {told}; least: {least} ({texts})")
    return found


def plain(kind: str) -> str:
    """Return a kind of DEMETR in words.

    >>> plain("minor_id5_lowercase")
    'lowercase'
    """
    return kind.partition("_id")[2].partition("_")[2].replace("_", " ") or kind


def _percent(share: Share) -> str:
    return f"{100 * share.detected:.0f}% [{100 * share.low:.0f}, {100 * share.high:.0f}]"
