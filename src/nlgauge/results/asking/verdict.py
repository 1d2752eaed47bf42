"""The verdict of a sequential test, as plain data and as sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge.results.asking.rows import Rows
from nlgauge.results.sequential import PairLook
from nlgauge.stats.sequential.planned import PlannedLooks


def verdict_of(
    test: PlannedLooks, last: PairLook, systems: tuple[str, str], rows: Rows, stopped: str
) -> dict[str, Any]:
    """Return the outcome of the test, as plain data."""
    numbers = {"gain": last.gain, "gain_low": last.gain_low, "gain_high": last.gain_high, "p": last.look.p}
    return {
        "asked_metrics": rows.labels,
        "metric": last.label,
        "output": last.output.name,
        "systems": list(systems),
        "better": last.better,
        "asked": rows.asked,
        "segments": len(rows.corpus),
        "look": test.at,
        "looks": len(test.sizes),
        "stopped": "decided" if test.sign else stopped or "all looks made",
        "confidence": 1 - test.alpha,
        "cost": rows.cost + rows.unfinished,
        **({"price": rows.price} if stopped == "budget" else {}),
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        "state": test.state(),
    }


def sentences(sequential: Mapping[str, Any]) -> list[str]:
    """Return sentences about the verdict of a sequential test, for tables and messages."""
    first, second = sequential["systems"]
    asked = (
        f"{sequential['metric']}: asked about {sequential['asked']:,} of {counted(sequential['segments'], 'segment', spec=',')}, drawn"
        f" at random (look {sequential['look']} of {sequential['looks']})"
    )
    p = sequential["p"]
    shown = "n/a" if p is None else "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
    if sequential["better"] is None:
        reason = "the budget is used up" if sequential["stopped"] == "budget" else "no look was significant"
        verdict = (
            f"{first} and {second} are not significantly different ({reason}; p {shown}, sequential test)."
        )
    else:
        other = second if sequential["better"] == first else first
        verdict = (
            f"{sequential['better']} is better than {other} (p {shown}, sequential test). A run that stops early"
            " overstates the difference a little."
        )
    bounds = [sequential["gain_low"], sequential["gain_high"]]
    interval = (
        " They have the same score on each of these segments."
        if sequential["gain"] == 0 and bounds == [0, 0]
        else ""
        if None in bounds or sequential["gain"] is None
        else f" Gain of {second}: {sequential['gain']:+.4f} [{bounds[0]:+.4f}, {bounds[1]:+.4f}]"
        f" ({sequential['confidence']:.1%} interval)."
    )
    return [f"{asked}.", verdict + interval]
