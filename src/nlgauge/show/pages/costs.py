"""The cost of a run, as a table: seconds, memory and, if tracked, energy and CO2."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nlgauge._core.numbers import counted
from nlgauge._core.page import Cell, Footnotes, Sheet, column

if TYPE_CHECKING:
    from nlgauge.engine.costs import Costs

# Units by their factor, the largest first.
_TIMES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
_BYTES = {"GB": 1e9, "MB": 1e6, "kB": 1e3}
_ENERGIES = {"kWh": 1.0, "Wh": 1e-3, "mWh": 1e-6}
_WEIGHTS = {"kg": 1.0, "g": 1e-3, "mg": 1e-6}


def costs_sheet(costs: Costs, footnotes: Footnotes) -> Sheet:
    """Return one row per cost, with the most expensive metrics and features first; remarks on a number are
    footnotes.
    """
    rows = [[Cell(label), Cell(amount(seconds, _TIMES))] for label, seconds in _by_size(costs.metrics)]
    rows += [
        [Cell(feature, "quiet"), Cell(amount(seconds, _TIMES), "quiet")]
        for feature, seconds in _by_size(costs.features)
    ]
    rows += [[Cell(name), Cell(f"{used:g}")] for name, used in costs.used.items()]
    rows += [[Cell(name), Cell(value, notes=footnotes.mark(note))] for name, value, note in whole_run(costs)]
    return Sheet([column("spent on"), column("", "number")], rows, "Cost")


def whole_run(costs: Costs) -> list[tuple[str, str, str]]:
    """Return the costs of the whole run: name, amount, and remark."""
    found = [("peak memory", amount(costs.memory, _BYTES), costs.memory_note)]
    carbon = costs.carbon
    if carbon is not None:
        energy, co2 = amount(carbon.energy, _ENERGIES), amount(carbon.co2, _WEIGHTS)
        found.append(("energy", energy, carbon.reason or f"of the whole machine: {carbon.method}"))
        found.append((f"CO2-equivalents, {carbon.country}", co2, carbon.reason))
    return found


def not_sent(costs: Costs) -> list[str]:
    """Return a sentence on the requests to judges that a dry run counted, or none."""
    used = {name.removeprefix("judge "): number for name, number in costs.used.items()}
    if "requests not sent" not in used:
        return []
    tokens = (
        f"{counted(used['estimated prompt tokens'], 'token', spec=',.0f')} of prompts and up to"
        f" {used['estimated reply tokens']:,.0f} of replies"
    )
    price = (
        f"at most about {used['estimated cost']:.4g}"
        if "estimated cost" in used
        else 'not known without calls="prices=IN,OUT"'
    )
    return [
        "Dry run: nothing was sent to a judge. Expected:"
        f" {counted(int(used['requests not sent']), 'request')}, about {tokens}; price {price}."
    ]


def amount(value: float, units: Mapping[str, float]) -> str:
    """Return a number with the largest unit in which it is 1 or more, else the smallest; NaN is n/a.

    >>> amount(0.0123, {"s": 1.0, "ms": 1e-3}), amount(2.5e9, {"GB": 1e9, "MB": 1e6})
    ('12.3 ms', '2.5 GB')
    """
    if math.isnan(value):
        return "n/a"
    unit, factor = next(
        ((name, factor) for name, factor in units.items() if value >= factor), list(units.items())[-1]
    )
    return f"{value / factor:.3g} {unit}" if value / factor < 1000 else f"{value / factor:,.0f} {unit}"


def _by_size(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda item: -item[1])
