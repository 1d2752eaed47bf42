"""Cases of expressions that select segments, for Python and for the browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.corpus.selecting import Columns

_OWN = Path(__file__).parent / "results" / "selection_cases.json"
_SHARED = Path(__file__).parents[2] / "shared" / "spec" / "people" / "vectors" / "selection_cases.json"
FILES = {"own": _OWN, "shared": _SHARED}


def CASES(file: str) -> dict[str, Any]:
    """Return the systems, rows, expressions and mistakes of a file."""
    if not FILES[file].exists():
        pytest.skip(f"{FILES[file].name} is not in ../shared")
    cases: dict[str, Any] = json.loads(FILES[file].read_text("utf-8"))
    # The shared cases are older than the wording of these two errors.
    for case in cases["errors"]:
        case["says"] = re.sub("^there is no (column|system)", r"unknown \1", case["says"])
    return cases


def columns_of_rows(cases: dict[str, Any]) -> Columns:
    """Return the rows as what an expression can name: lists are scores of the systems."""
    rows, systems = cases["rows"], cases["systems"]

    def numbers(name: str) -> Any:
        return lambda: np.array([[row[name][i] for row in rows] for i in range(len(systems))], dtype=float)

    other = [name for name in rows[0] if name not in ("id", "reference", "source", *systems)]
    scores = [name for name in other if isinstance(rows[0][name], list)]
    texts = {
        name: (lambda name=name: [row[name] if isinstance(row[name], list) else [row[name]] for row in rows])
        for name in ("id", "source", "reference")
        if name in rows[0]
    }
    return Columns(
        systems,
        len(rows),
        {name: numbers(name) for name in scores},
        {name: [row[name] for row in rows] for name in other if name not in scores},
        texts,
        lambda number: [[row[systems[number]]] for row in rows],
        range(len(systems)),
    )
