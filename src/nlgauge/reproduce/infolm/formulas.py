"""Table 1 of the InfoLM paper: the printed formulas and nlgauge's measures on two distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nlgauge.estimators import divergences
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer

FORMULAS = "infolm-table-1"
_P, _Q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
# Parameters of the formulas in Table 1 for the example.
_A, _B = 0.5, 0.25


def formulas(settings: Settings) -> Answer:
    """Return Table 1: the printed formulas and nlgauge's measures on two distributions."""
    table = printed(FORMULAS)
    remarks = {
        "alpha": "The sign is reversed in print: values of different distributions are negative.",
        "AB": "As printed, equal distributions have a value other than 0; the terms lack a factor 1/alpha.",
        "gamma": "p and q are exchanged against Fujisawa and Eguchi; nlgauge follows the paper.",
        "Fisher-Rao": "Divided by pi in print, so that the largest value is 1.",
    }
    rows = []
    for name in table.names:
        as_printed, ours = _as_printed(name), _ours(name)
        rows.append(
            {
                "measure": name,
                "formula": table.value(name, "formula"),
                "domain": table.value(name, "domain"),
                "printed, p and q": as_printed(_P, _Q),
                "printed, p and p": as_printed(_P, _P),
                "nlgauge, p and q": ours(_P, _Q),
                "nlgauge, p and p": ours(_P, _P),
                "remark": remarks.get(name, ""),
            }
        )
    where = f"p = {tuple(_P.tolist())}, q = {tuple(_Q.tolist())}, alpha = {_A}, beta = {_B}"
    return Answer(
        tables=[
            Table(
                table.id, table.number, table.caption, table.units, rows=rows, remarks=[*table.remarks, where]
            )
        ]
    )


def _as_printed(name: str) -> Any:
    """Return the formula as it is printed, as a function of two distributions."""

    def ab(p: Any, q: Any, a: float) -> float:
        c = a + _B
        first = np.log((p**c).sum()) / (_B * c) + np.log((q**c).sum()) / c
        return float(first - np.log((p**a * q**_B).sum()) / _B)

    return {
        "alpha": lambda p, q: float((1 - (q ** (1 - _A) * p**_A).sum()) / (_A * (_A - 1))),
        "gamma": lambda p, q: float(
            np.log((p ** (_B + 1)).sum()) / (_B * (_B + 1))
            + np.log((q ** (_B + 1)).sum()) / (_B + 1)
            - np.log((p * q**_B).sum()) / _B
        ),
        "AB": lambda p, q: ab(p, q, _A),
        "L1": lambda p, q: float(np.abs(p - q).sum()),
        "L2": lambda p, q: float(np.sqrt(((p - q) ** 2).sum())),
        "L infinity": lambda p, q: float(np.abs(p - q).max()),
        "Fisher-Rao": lambda p, q: float(2 / np.pi * np.arccos(min(1.0, np.sqrt(p * q).sum()))),
    }[name]


def _ours(name: str) -> Any:
    """Return the measure of nlgauge as a function of two distributions."""
    own = {"AB": "ab", "L1": "l1", "L2": "l2", "L infinity": "l_infinity", "Fisher-Rao": "fisher_rao"}
    measure = divergences.MEASURES[own.get(name, name)]
    values = {"alpha": _A, "beta": _B}
    arguments = [values[each] for each in measure.parameters]
    return lambda p, q: float(measure.compute(np.log(p), np.log(q), *arguments))
