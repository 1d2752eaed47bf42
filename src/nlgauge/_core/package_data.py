"""Files that ship with nlgauge."""

from __future__ import annotations

import os

# The import of pathlib would take milliseconds at the start.
_DATA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")  # noqa: PTH118, PTH120


def data_text(*names: str) -> str:
    """Return the text of a file in the folder data."""
    with open(os.path.join(_DATA, *names), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()
