"""Output of commands: tables and JSON on standard output, messages on standard error."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result

# The name that stands for standard output if a file is expected.
STDOUT = "-"


def say(message: str) -> None:
    """Print a message on standard error."""
    from nlgauge._core.safe_text import visible

    click.echo("\n".join(visible(line) for line in message.split("\n")), err=True)


def confirmed(question: str) -> bool:
    """Ask a question that --yes answers; raise if standard input has no answer."""
    try:
        return click.confirm(question, err=True)
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise
        click.echo(err=True)  # ends the line of the question
        raise click.UsageError("standard input has no answer; use --yes to confirm.") from None


def emit(content: str | bytes, err: bool = False) -> None:
    """Print a text, or its UTF-8: unchanged to a file or a pipe; on a terminal, control characters are
    escaped as in JSON.
    """
    from nlgauge._core.safe_text import escaped

    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        stream.write(escaped(content.decode() if isinstance(content, bytes) else content))
    elif isinstance(content, bytes):
        click.echo(content, nl=False, err=err)
    else:
        stream.write(content)


def show(*renderables: RenderableType, err: bool = False) -> None:
    """Print tables and texts on standard output, or on standard error; wide lines are not cropped."""
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False, stderr=err, force_jupyter=False)
    for renderable in renderables:
        console.print(renderable, crop=False)


def show_json(document: Any, err: bool = False) -> None:
    """Print one JSON document in UTF-8; NaN and infinity become null."""
    import msgspec

    emit(msgspec.json.format(msgspec.json.encode(document, enc_hook=_plain)) + b"\n", err=err)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # arrays and their scalars
        return value.tolist()
    return str(value)


def result_document(
    result: Result, intervals: Mapping[str, Any] | None, comparison: Comparison | None, confidence: float
) -> dict[str, Any]:
    """Return a result as plain data."""
    several = len(result.systems) > 1
    systems: dict[str, Any] = {system: {} for system in result.systems}
    for (system, label), table in result._tables.items():
        bounds = {} if intervals is None else (intervals[system] if several else intervals)[label]
        systems[system][label] = {
            "scores": table.scores(),
            "intervals": {
                name: {"low": interval.low, "high": interval.high, "reason": interval.reason}
                for name, interval in bounds.items()
            },
            "higher_is_better": {output.name: output.higher_is_better for output in table.outputs()},
        }
    return {
        "segments": len(result.corpus),
        "confidence": confidence,
        "systems": systems,
        "reasons": [
            {"system": system, "metric": label, "output": output, "reason": reason}
            for (system, label, output), reason in result.reasons().items()
        ],
        "undefined": [
            {"system": system, "metric": label, "output": output, "segments": count}
            for (system, label, output), count in result.undefined().items()
        ],
        "comparison": None if comparison is None else comparison_document(comparison),
        "signatures": dict(result.signatures),
    }


def costs_document(result: Result) -> dict[str, Any]:
    """Return the costs of the run as plain data: seconds, bytes, kilowatt-hours and kilograms."""
    from dataclasses import asdict

    return asdict(result.costs)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data."""
    return {
        "baseline": comparison.baseline,
        "test": comparison.test,
        "confidence": comparison.confidence,
        "resamples": comparison.resamples,
        "seed": comparison.seed,
        "caution": comparison.caution,
        "rows": comparison.records(),
    }
