"""Claims that the printed numbers of the COSMIC paper decide."""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.reproduce.printed_tables import Printed, printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Verdict
from nlgauge.reproduce.verdicts import ClaimWord, difference_verdict
from nlgauge.stats.coefficients import spearman

_INFORMATION, _ENTROPY = "I(T;S)", "H(T|S)"
_TEST = (
    "mean over the three data sets of Spearman's rho in the printed Table 2; 95% interval over the 14 models"
)
# Column of Table 2 -> whether the paper claims that mutual information goes with it.
QUALITIES = {
    "Attribution": True,
    "Main ideas": True,
    "Comprehensible": False,
    "Grammar": False,
    "Repetition": False,
}
# Sums of the same data set differ by rounding and little else: most are within 0.05 of their median.
_CLOSE = 0.05


def claim_of(quality: str) -> str:
    """Return the id of the claim on a quality."""
    return f"information-{quality.lower().replace(' ', '-')}"


def from_print(settings: Settings) -> Answer:
    """Return the claims that the paper's own numbers decide."""
    second = printed("cosmic-table-2")
    return Answer(
        tables=[_sums(second)],
        verdicts=_verdicts(second, _Models(second, settings)),
        notes=[
            "The outputs of the 14 summarizers and the texts of the three data sets are not available. Claims about"
            " Table 2 are tested on its printed numbers, other claims on the systems of SummEval and REALSumm."
        ],
    )


class _Models:
    """The columns of Table 2 as (data sets, models), and correlations of two of them."""

    def __init__(self, table: Printed, settings: Settings) -> None:
        self.table, self.settings = table, settings
        self.sets = list(dict.fromkeys(row["dataset"] for row in table.rows))
        self.names = list(dict.fromkeys(row["model"] for row in table.rows))
        self.rows = np.array(
            [
                [
                    next(
                        i
                        for i, row in enumerate(table.rows)
                        if (row["dataset"], row["model"]) == (data, model)
                    )
                    for model in self.names
                ]
                for data in self.sets
            ]
        )

    def column(self, name: str) -> Array:
        """Return a column of numbers; "millions" is the size of a model."""
        if name == "millions":
            values = [float(row.get("millions") or np.nan) for row in self.table.rows]
        else:
            place = self.table.columns.index(name)
            values = [float(row[place]) for row in self.table.values]
        column: Array = np.array(values)[self.rows]
        return column

    def correlation(self, one: str, other: str) -> tuple[float, float, float]:
        """Return the mean correlation over data sets, with its interval over models."""
        first, second = self.column(one), self.column(other)
        known = ~np.isnan(first + second).any(axis=0)
        first, second = first[:, known], second[:, known]
        rng = np.random.default_rng(self.settings.seed)
        drawn = rng.integers(first.shape[1], size=(self.settings.resamples, first.shape[1]))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = [
                np.mean([spearman(a[at], b[at]) for a, b in zip(first, second, strict=True)]) for at in drawn
            ]
        low, high = np.nanpercentile(values, [2.5, 97.5])
        value = np.mean([spearman(a, b) for a, b in zip(first, second, strict=True)])
        return float(value), float(low), float(high)


def _sums(table: Printed) -> Table:
    """Return I(T;S) + H(T|S) of every row, which must be the entropy of its data set."""
    rows, usual = [], {}
    at = [table.columns.index(name) for name in (_INFORMATION, _ENTROPY)]
    sums = [sum(values[place] for place in at) for values in table.values]
    for data in dict.fromkeys(row["dataset"] for row in table.rows):
        usual[data] = float(
            np.median([s for s, row in zip(sums, table.rows, strict=True) if row["dataset"] == data])
        )
    for total, row in zip(sums, table.rows, strict=True):
        if abs(total - usual[row["dataset"]]) > _CLOSE:
            rows.append(
                {"model": row["model"], "data": row["dataset"], "sum": total, "others": usual[row["dataset"]]}
            )
    remarks = [
        f"The other {len(sums) - len(rows)} of {len(sums)} rows are within {_CLOSE} of the median of their data set."
    ]
    return Table(
        "sums",
        "From print",
        "Rows of Table 2 in which I(T;S) + H(T|S) is not the entropy of their data set",
        "nats",
        rows=rows,
        remarks=remarks,
    )


def _verdicts(table: Printed, models: _Models) -> dict[str, Verdict]:
    found = {}
    for name, claimed in QUALITIES.items():
        value, low, high = models.correlation(_INFORMATION, name)
        word = difference_verdict(low, high) if claimed else _absent(low, high)
        found[claim_of(name)] = Verdict(word, f"{value:.2f} [{low:.2f}, {high:.2f}]", _TEST)
    for claim, name in (("size", "millions"), ("attribution-text", "Attribution")):
        value, low, high = models.correlation(_INFORMATION, name)
        found[claim] = Verdict(_absent(low, high), f"{value:.2f} [{low:.2f}, {high:.2f}]", _TEST)
    for number in (3, 4):
        mean, most, cells = _differences(printed(f"cosmic-table-{number}"), models)
        found[f"table-{number}"] = Verdict(
            "supported" if most < 0.0051 else "contradicted",
            f"mean difference {mean:.2f}, largest {most:.2f}, over {cells} cells",
            "mean over data sets of Spearman's rho in Table 2, compared with print",
        )
    found["upper-bound"] = Verdict(
        "contradicted",
        "H(T|S) of Table 2 goes down to "
        f"{min(row[table.columns.index(_ENTROPY)] for row in table.values):.1f}, for which the bound is negative",
        "a differential entropy may be negative, and an error rate may not",
    )
    return found


def _absent(low: float, high: float) -> ClaimWord:
    """Return the verdict on the claim of no correlation; an interval with 0 cannot support it."""
    return "contradicted" if low > 0 or high < 0 else "undecided"


def _differences(table: Printed, models: _Models) -> tuple[float, float, int]:
    """Return the mean and the largest difference of printed correlations from the correlations in Table 2."""
    columns = {"I(S;T)": _INFORMATION}
    known = set(models.table.columns)
    found = []
    for name, values in zip(table.names, table.values, strict=True):
        for column, value in zip(table.columns, values, strict=True):
            other = columns.get(column, column)
            if name in known and other in known and value is not None and name != column:
                first, second = models.column(other), models.column(name)
                again = np.mean([spearman(a, b) for a, b in zip(first, second, strict=True)])
                if not np.isnan(again):
                    found.append(abs(float(value) - float(again)))
    return float(np.mean(found)), float(np.max(found)), len(found)
