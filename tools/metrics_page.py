"""Write docs/metrics.md, the table of all metrics, from their cards and code:

    python tools/metrics_page.py

A test compares the page with what this writes.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from nlgauge.metric import REGISTERED, AnyMetric, Output, first_output
from nlgauge.metric.card import Card, Categories, card
from nlgauge.metric.registry import metric_classes

PAGE = Path(__file__).parents[1] / "docs" / "metrics.md"
OPENING = """# Metrics

The cards and the code of the metrics are the source of this page; `python tools/metrics_page.py` writes it. `nlgauge card NAME` prints a card:
definition, interpretation, limits, parameters and an example.

- *Other names* are accepted wherever a metric is named; if a name implies other parameters, the table shows them.
- *Needs*: the required inputs in addition to the predictions. A model needs the extra `models` and weights; the default model is in brackets.
- *Scale*: the bounds of the first output with default parameters, and whether higher (↑) or lower (↓) values are better; – means neither.
- *Languages*: the languages that the metric is made for, as ISO codes.
- *Tested against*: the implementations that the tests compare with, and the parameters with which the scores are equal.
"""
SECTIONS = {
    Categories.Overlap: "Shared words and characters, and edits",
    Categories.Embedding: "Models: embeddings, distributions, information",
    Categories.Distance: "Edit distances and differences of distributions",
    Categories.Grammar: "Readability",
    Categories.Statistics: "Variety and repetition",
}
COLUMNS = ("metric", "title", "what it measures", "needs", "scale", "languages", "tested against")


def page() -> str:
    """The page: one table per category, in which a metric stands under the first category of its card."""
    own = {
        name: metric
        for name, metric in metric_classes().items()
        if metric.__module__.startswith("nlgauge.metrics.")
    }
    parts = [OPENING]
    for category, heading in SECTIONS.items():
        rows = [row(name, metric()) for name, metric in own.items() if card(name).categories[0] is category]
        parts.append(
            "\n".join([f"## {heading}\n", _line(COLUMNS), _line(["---"] * len(COLUMNS)), *map(_line, rows)])
            + "\n"
        )
    return "\n".join(parts)


def row(name: str, metric: AnyMetric) -> list[str]:
    """The cells of one metric."""
    found = card(name)
    languages = "any" if found.languages == "any" else ", ".join(found.languages)
    names = f"`{name}`" + "".join(f", `{alias}`" for alias in aliases(name))
    return [
        names,
        found.title,
        measures(found),
        needs(metric, found),
        scale(first_output(metric)),
        languages,
        found.tested_against,
    ]


def aliases(name: str) -> list[str]:
    """The other names of a metric, with the parameters that they stand for."""
    found = []
    for alias, (owner, parameters) in sorted(REGISTERED.aliases.items()):
        if owner == name:
            given = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
            found.append(f"{alias} = {name}({given})" if given else alias)
    return found


def measures(found: Card) -> str:
    """The first sentence of the card."""
    text = " ".join(found.text.partition("## What it measures\n")[2].partition("\n## ")[0].split())
    return re.split(r"(?<=[.])\s", text, maxsplit=1)[0]


def needs(metric: AnyMetric, found: Card) -> str:
    """What must be given beside the predictions."""
    given = ["references"] * (metric.takes != "alone") + ["sources"] * metric.source
    return (
        ", ".join(given + [f"a model ({found.default_model})"] * bool(found.default_model)) or "nothing else"
    )


def scale(output: Output) -> str:
    """The bounds and the direction of an output."""
    arrow = {True: "↑", False: "↓", None: "–"}[output.higher_is_better]
    low, high = math.isfinite(output.low), math.isfinite(output.high)
    if low and high:
        return f"{output.low:.4g} to {output.high:.4g} {arrow}"
    return (
        f"{f'from {output.low:.4g}' if low else f'up to {output.high:.4g}' if high else 'unbounded'} {arrow}"
    )


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
