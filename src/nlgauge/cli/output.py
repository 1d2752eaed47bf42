"""What commands print: tables and JSON on standard output, messages on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result


def say(message: str) -> None:
    """A message on standard error."""
    from nlgauge.terminal.text import visible

    typer.echo("\n".join(visible(line) for line in message.split("\n")), err=True)


def show(*renderables: RenderableType) -> None:
    """Tables and texts on standard output; what is wider than the terminal is not cut."""
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False)
    for renderable in renderables:
        console.print(renderable, crop=False)


def table(headers: list[str], rows: list[list[str]]) -> RenderableType:
    """A plain table; its first column never breaks."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from nlgauge.terminal.text import visible

    found = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for i, header in enumerate(headers):
        found.add_column(header, no_wrap=i == 0, overflow="fold")
    for row in rows:
        found.add_row(*(Text(visible(cell)) for cell in row))
    return found


def show_json(document: Any) -> None:
    """One JSON document in UTF-8 on standard output; NaN and infinity become null."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(document, enc_hook=_plain)))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # arrays and their scalars
        return value.tolist()
    return str(value)


def result_document(result: Result, intervals: dict[str, Any], comparison: Comparison | None, confidence: float) -> dict[str, Any]:
    """Everything that the table shows and more, as plain data."""
    several = len(result.systems) > 1
    found: dict[str, Any] = {system: {} for system in result.systems}
    for (system, label), table in result.tables.items():
        bounds = (intervals[system] if several else intervals)[label]
        found[system][label] = {
            "scores": table.scores(),
            "intervals": {name: {"low": interval.low, "high": interval.high, "reason": interval.reason} for name, interval in bounds.items()},
            "higher_is_better": {output.name: output.higher_is_better for output in table.outputs()},
        }
    return {
        "segments": len(result.corpus),
        "confidence": confidence,
        "systems": found,
        "reasons": [
            {"system": system, "metric": label, "output": output, "reason": reason} for (system, label, output), reason in result.reasons().items()
        ],
        "undefined": [
            {"system": system, "metric": label, "output": output, "segments": count} for (system, label, output), count in result.undefined().items()
        ],
        "comparison": None if comparison is None else comparison_document(comparison),
        "signatures": dict(result.signatures),
    }


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A comparison as plain data."""
    return {
        "test": comparison.test,
        "confidence": comparison.confidence,
        "resamples": comparison.resamples,
        "caution": comparison.caution,
        "rows": comparison.records(),
    }
