"""nlgauge list: all metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from nlgauge.cli.command import Command
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import option

if TYPE_CHECKING:
    from nlgauge.metric.card import Card


@Command
def list_command(
    *,
    category: Annotated[
        list[str] | None,
        option(
            "--category", help="Category of the list above; repeat it for any of several.", metavar="NAME"
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        option("--task", help="Task of the list above; repeat it for any of several.", metavar="NAME"),
    ] = None,
    quality: Annotated[
        list[str] | None,
        option("--quality", help="Quality of the list above; repeat it for any of several.", metavar="NAME"),
    ] = None,
    trained: Annotated[
        bool | None,
        option(
            "--trained/--untrained",
            help="List only metrics with, or without, weights trained for the metric.",
        ),
    ] = None,
    unsupervised: Annotated[
        bool | None,
        option(
            "--unsupervised/--supervised", help="List only metrics trained without, or with, human scores."
        ),
    ] = None,
    references: Annotated[
        bool | None,
        option(
            "--needs-references/--no-references",
            help="List only metrics that need, or do not need, references.",
        ),
    ] = None,
    source: Annotated[
        bool | None,
        option(
            "--needs-source/--no-source", help="List only metrics that need, or do not need, source texts."
        ),
    ] = None,
    compiled: Annotated[
        bool, option("--compiled", help="Show which metrics have a compiled form, or why not.")
    ] = False,
    as_json: Annotated[bool, option("--json", help="Print the fields of the cards as JSON.")] = False,
) -> None:
    """List metrics, with what each needs and whether higher or lower is better.

    List all metrics, or only the metrics that meet every condition.

    Categories: Embedding, Overlap, Distance, Grammar, Statistics.

    Tasks: DataToText (D2T), MachineTranslation (MT), DocumentSummarization (SUM), ImageCaptioning (IC),
    SpeechRecognition (SR), DocumentGeneration (DG), QuestionGeneration (QG), ResponseGeneration (RG),
    TextCompletion (TC).

    Qualities: Informativeness, Relevance, Fluency, Coherence, Factuality, SemanticCoverage, Adequacy.
    """
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge.metric.card import list_metrics
    from nlgauge.show.writers.text import Printed

    names = list_metrics(
        category=category or None,
        appl_task=task or None,
        quality_dim=quality or None,
        trained=trained,
        unsupervised=unsupervised,
        needs_references=references,
        needs_source=source,
    )
    rows = [_row(name) for name in names]
    if compiled:
        rows = [row | {"compiled": _compiled(row["name"])} for row in rows]
    if as_json:
        show_json(rows)
        return
    last = "compiled" if compiled else "needs"
    cells = []
    for row in rows:
        needs = ", ".join(what for what in ("references", "source", "model") if row[what])
        words = row["compiled"] if compiled else needs
        cells.append(
            [Cell(row["name"]), Cell(better=row["higher_is_better"]), Cell(row.get("title", "")), Cell(words)]
        )
    columns = [column("metric"), column(""), column("title", "words"), column(last, "words")]
    show(Printed(Page([Sheet(columns, cells)])))


def _compiled(name: str) -> str:
    """Return "yes", or the reason why a metric with default parameters has no compiled form."""
    from nlgauge.errors import NlgaugeError
    from nlgauge.metric.compiled import why_not_compiled
    from nlgauge.metric.registry import find

    try:
        reason = why_not_compiled(find(name)())
    except NlgaugeError:  # a parameter has no default
        return "no: a parameter has no default"
    return f"no: {reason}" if reason else "yes"


def _row(name: str) -> dict[str, Any]:
    """Return the facts of a metric from its code and its card; a metric of another package may have no card."""
    from nlgauge.errors import NlgaugeError
    from nlgauge.metric import first_output
    from nlgauge.metric.card import card
    from nlgauge.metric.registry import find

    metric = find(name)
    row: dict[str, Any] = {
        "name": name,
        "references": metric.takes != "alone",
        "source": metric.source,
        "model": False,
        "higher_is_better": None,
    }
    try:
        row["higher_is_better"] = first_output(metric()).higher_is_better
        described = front_matter(card(name))
        return {**row, **described, "model": bool(described["default_model"])}
    except (
        NlgaugeError,
        TypeError,
        StopIteration,
    ):  # parameters without a default, or outputs that depend on parameters
        return row


def front_matter(card: Card) -> dict[str, Any]:
    """Return the fields of a card without its text, enumerations by name, and its citation in BibTeX."""
    from dataclasses import fields
    from enum import Enum

    values = {field.name: getattr(card, field.name) for field in fields(card) if field.name != "text"}
    values["citation"] = card.citation
    return {
        name: [item.name if isinstance(item, Enum) else item for item in value]
        if isinstance(value, tuple)
        else value
        for name, value in values.items()
    }
