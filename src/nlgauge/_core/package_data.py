"""Files that ship with nlgauge."""

from __future__ import annotations


def data_text(*names: str) -> str:
    """Return the text of a file in the folder data."""
    from pathlib import Path

    return Path(__file__).parents[1].joinpath("data", *names).read_text(encoding="utf-8")
