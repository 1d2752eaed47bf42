"""The benchmarks: gzipped JSON lines, one per segment and system, in the directory NLGAUGE_BENCHMARKS, else in ../shared/benchmarks."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(os.environ.get("NLGAUGE_BENCHMARKS") or Path(__file__).resolve().parents[2] / "shared" / "benchmarks")
Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    """The rows that machines wrote."""
    path = FOLDER / f"{name}.jsonl.gz"
    if not path.is_file():
        raise SystemExit(f"{path.name} is not in {FOLDER}; set NLGAUGE_BENCHMARKS to the folder that holds it")
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        found = [json.loads(line) for line in stream]
    return [row for row in found if not row["meta"].get("human_reference")]


def segments(name: str, count: int | None = None) -> dict[str, dict[str, Row]]:
    """Segment -> system -> row, in an order drawn once, so that the first ones are a fair sample."""
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows(name):
        found[row["segment"]][row["system"]] = row
    ids = sorted(found)
    random.Random(1).shuffle(ids)
    return {segment: found[segment] for segment in ids[:count]}


def human(study: dict[str, dict[str, Row]], dimension: str) -> np.ndarray:
    """(systems, segments) judgements; NaN where one is missing."""
    systems = sorted({system for by_system in study.values() for system in by_system})
    missing: Row = {"human": {}}
    return np.array(
        [[by_system.get(system, missing)["human"].get(dimension, np.nan) for by_system in study.values()] for system in systems], dtype=float
    )
