"""The tables that all studies print."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def table(header: list[str], lines: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    body = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *body])
