"""Tables of cells: what all documents share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.reproduce.printed_tables import Printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.verdicts import Computed, cell


def cells_of(
    table: Printed,
    computed: Mapping[tuple[str, str], Computed],
    why: str = "not part of the run",
    calls: Sequence[str] = (),
) -> Table:
    """Return a printed table with its computed values by row and column; `why` is the reason of the others."""
    cells = [
        cell(table, row, column, computed.get((row, column), Computed(why=why)))
        for row in table.names
        for column in table.columns
    ]
    return Table(
        table.id, table.number, table.caption, table.units, cells, remarks=table.remarks, calls=list(calls)
    )


def computed_from(row: Mapping[str, Any], scale: float, why: str, systems: int | None = None) -> Computed:
    """Return a row of `correlate` as a computed value, multiplied by `scale`; an undefined value has its reason."""
    if math.isnan(row["value"]):
        return Computed(why=row["reason"] or "undefined", metric=row["metric"])
    low, high = sorted((scale * row["low"], scale * row["high"]))
    return Computed(scale * row["value"], low, high, why, metric=row["metric"], n=row["n"], systems=systems)
