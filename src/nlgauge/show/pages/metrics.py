"""The page of a metric's card."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from nlgauge._core.page import Block, Document, Line, Page
from nlgauge.errors import NlgaugeError
from nlgauge.metric import AnyMetric, Output, noticed
from nlgauge.metric.card import Card
from nlgauge.metric.registry import find


def card_page(found: Card) -> Page:
    """Return the facts of a card, then its text and its citation."""
    facts = {
        "name": found.name,
        "scores": "; ".join(map(_described, _outputs(find(found.name)))),
        "paper": found.paper,
        "categories": _names(found.categories),
        "tasks": _names(found.tasks),
        "qualities": _names(found.qualities),
        "languages": found.languages if isinstance(found.languages, str) else ", ".join(found.languages),
        "license": found.license,
        "default model": found.default_model,
        "tested against": found.tested_against,
    }
    blocks: list[Block] = [Line(f"{found.title} ({found.year})", "best")]
    blocks += [Line(f"{name}: {value}") for name, value in facts.items() if value]
    blocks += [Line(f"damage noticed (DEMETR): {line}") for line in noticed.lines(found.name)]
    citation = f"\n## Citation\n\n```bibtex\n{found.citation}\n```\n" if found.citation else ""
    return Page([*blocks, Document(found.text + citation)])


def _outputs(metric: type[AnyMetric]) -> list[Output]:
    """Return the leading outputs of a metric with its default parameters; none if it needs parameters."""
    try:
        parts = metric().outputs()
    except (TypeError, NlgaugeError):
        return []
    return [outputs[0] for outputs in parts.values()]


def _described(output: Output) -> str:
    better = {True: ", higher is better", False: ", lower is better", None: ""}[output.higher_is_better]
    return f"{output.name} from {output.low:g} to {output.high:g}{better}"


def _names(members: Sequence[Any]) -> str:
    return ", ".join(member.name if isinstance(member, Enum) else str(member) for member in members)
