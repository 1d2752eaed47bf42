"""The human-judgment sets that tests read.

They may not be redistributed. They are looked for in the folder NLGAUGE_BENCHMARKS, else in shared/benchmarks
beside the repository; tests that need one are skipped without it.
"""

from __future__ import annotations

import gzip
import json
import os
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get("NLGAUGE_BENCHMARKS") or Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
)


def path_of(name: str) -> Path:
    """Return the file of a set, or skip the test."""
    path = FOLDER / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in {FOLDER}; set NLGAUGE_BENCHMARKS to the folder that holds it")
    return path


def rows_of(name: str, most: int | None = None) -> list[dict[str, Any]]:
    """Read the rows of a set, or its first ones."""
    with gzip.open(path_of(name), "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in islice(stream, most)]
