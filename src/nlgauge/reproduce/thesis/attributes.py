"""Tables of the thesis that need no data: the attributes of metrics, the bands of two indices, libraries, sizes."""

from __future__ import annotations

from typing import Any

from nlgauge.metric.card import ApplTasks, card
from nlgauge.reproduce.printed_tables import Printed, printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer

ATTRIBUTES = ("thesis-table-a-2", "thesis-table-a-3")
BANDS = {"thesis-table-2-2": "flesch_reading_ease", "thesis-table-2-3": "gunning_fog"}
LIBRARIES, SIZES = "thesis-table-2-1", "thesis-section-4-1"
_TECHNIQUES = {"G": "Grammar", "N": "Overlap", "D": "Distance", "E": "Embedding", "S": "Statistics"}
# Row -> metric, if its name is not the row's in lower case.
_METRICS = {
    "Gunning Fog Index": "gunning_fog",
    "Flesch-Kincaid": "flesch_kincaid",
    "Coleman-Liau Index": "coleman_liau",
    "ORANGE (SentBLEU)": "orange",
    "ChrF(++)": "chrf",
    "METEOR++": "meteor",
    "FactCC(X)": "factcc",
}


def attributes(settings: Settings) -> Answer:
    """Return the tables with what nlgauge's cards say."""
    own = [_attributes(printed(name)) for name in ATTRIBUTES]
    own += [_bands(printed(name), metric) for name, metric in BANDS.items()]
    return Answer(tables=[*own, _libraries(printed(LIBRARIES))])


def _attributes(table: Printed) -> Table:
    rows = []
    for name, (technique, tasks, trained, unsupervised) in zip(table.names, table.values, strict=True):
        found = card(_METRICS.get(name, name.lower()))
        techniques = {category.name for category in found.categories}
        lacking = [task for task in tasks.split(", ") if ApplTasks[task] not in found.tasks]
        differences = [
            *(["technique"] if techniques != {_TECHNIQUES[each] for each in technique.split(", ")} else []),
            *(f"task {task}" for task in lacking),
            *(["trained"] if found.trained != bool(trained) else []),
            *(["unsupervised"] if found.unsupervised != bool(unsupervised) else []),
        ]
        rows.append(
            {
                "metric": name,
                "technique": technique,
                "tasks": tasks,
                "trained": trained,
                "unsupervised": unsupervised,
                "nlgauge": found.name,
                "differences": ", ".join(differences) or "none",
            }
        )
    return _table(table, rows, ["The cards of nlgauge may name further tasks."])


def _bands(table: Printed, metric: str) -> Table:
    rows: list[dict[str, Any]] = [
        {table.units: name, **dict(zip(table.columns, values, strict=True))}
        for name, values in zip(table.names, table.values, strict=True)
    ]
    return _table(table, rows, [f"nlgauge card {metric} shows how to read the index."])


def _libraries(table: Printed) -> Table:
    rows: list[dict[str, Any]] = [
        {"library": library, **{name: str(table.value(name, library)) for name in table.names}}
        for library in table.columns
    ]
    return _table(table, rows, ["The documentation of nlgauge has this comparison brought up to date."])


def _table(table: Printed, rows: list[dict[str, Any]], remarks: list[str]) -> Table:
    return Table(
        table.id, table.number, table.caption, table.units, rows=rows, remarks=[*table.remarks, *remarks]
    )
