"""Scores all pairs of the human-judgment sets with every metric on strings, with compiled and with plain
kernels, and compares bit for bit.

    python tools/compare_kernels.py [SET ...] [--every 50]

The sets are looked for where NLGAUGE_BENCHMARKS points, else in shared/benchmarks beside the repository.
Pairs that differ in nothing are scored once. Metrics whose plain kernels take a second for a pair of stories
see every 50th pair, or as --every says; all others see all.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_native import labels

import nlgauge
from nlgauge._core.backend import NATIVE, using

FOLDER = Path(
    os.environ.get("NLGAUGE_BENCHMARKS") or Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
)
_SLOW = (
    *(
        "character",
        "character(compat='released')",
        "eed",
        "eed(compat='python')",
        "eed(compat='c++')",
        "meteor",
        "meteor(compat='jar')",
    ),
    *("ter", "ter(normalized=True, asian_support=True)"),
)
_CHUNK = 500
# A prediction, its references and its source.
Row = tuple[str, tuple[str, ...], str]


def different_rows(name: str) -> list[Row]:
    """The different rows of a set in its order; where there are no references the source stands for one."""
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    found: dict[Row, None] = {}
    for line in lines:
        source = line["source"] or ""
        for prediction in (
            [line[side]["text"] for side in ("better", "worse")] if "better" in line else [line["prediction"]]
        ):
            found[prediction, tuple(line["references"] or [source]), source] = None
    return list(found)


def numbers(rows: list[Row], metrics: list[str], kernels: str) -> dict[str, Any]:
    """Everything that these kernels give, by a name for it: statistics and scores of segments, scores of
    all.
    """
    predictions, references, sources = zip(*rows, strict=True)
    with using(kernels), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = nlgauge.score(predictions, references, sources, metrics)._tables
    found: dict[str, Any] = {}
    for (_, label), table in tables.items():
        found |= {f"{label}, statistics of {part}": values for part, values in table.statistics.items()}
        found |= {f"{label}, {output} of segments": values for output, values in table.segments().items()}
        found |= {f"{label}, {output} of all": value for output, value in table.scores().items()}
    return found


def differing(plain: Any, compiled: Any) -> list[int]:
    """The rows whose bits differ, where a number is a row; all rows where even types or shapes do."""
    left, right = np.atleast_1d(plain), np.atleast_1d(compiled)
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        return list(range(len(left)))
    return [i for i in range(len(left)) if left[i].tobytes() != right[i].tobytes()]


def compare(rows: list[Row], metrics: list[str]) -> Iterator[str]:
    """A line about each number that differs, for chunks of the rows in turn."""
    for first in range(0, len(rows), _CHUNK):
        chunk = rows[first : first + _CHUNK]
        plain, compiled = (numbers(chunk, metrics, kernels) for kernels in ("python", "native"))
        if list(plain) != list(compiled):
            yield f"the names of what is given: {plain.keys() ^ compiled.keys()}"
            return
        for name, values in plain.items():
            for i in differing(values, compiled[name]):
                texts = chunk[i] if np.ndim(values) else f"the chunk from pair {first} on"
                yield (
                    f"{name}: plain {np.atleast_1d(values)[i]}, compiled {np.atleast_1d(compiled[name])[i]},"
                    f" for {texts!r}"
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="*", help="the names of sets; all by default")
    parser.add_argument(
        "--every", type=int, default=50, help="slow metrics see one of so many pairs; 1: all of them"
    )
    given = parser.parse_args()
    if NATIVE is None:
        sys.exit("nlgauge was installed without compiled kernels")
    names = [path.name.removesuffix(".jsonl.gz") for path in sorted(FOLDER.glob("*.jsonl.gz"))]
    # What has a point in its name has the scores of others, and no texts.
    names = given.sets or [name for name in names if "." not in name]
    if not names:
        sys.exit(f"{FOLDER} has no sets; set NLGAUGE_BENCHMARKS to the folder that holds them")
    metrics, failed = labels(), False
    quick, slow = [name for name in metrics if name not in _SLOW], [name for name in metrics if name in _SLOW]
    for name in names:
        begun, rows = time.monotonic(), different_rows(name)
        few = rows[:: given.every]
        found = [*compare(rows, quick), *compare(few, slow)]
        said = f"{len(found)} differences, the first one in {found[0]}" if found else "no difference"
        seconds = time.monotonic() - begun
        print(
            f"{name}: {len(rows)} pairs with {len(quick)} metrics, {len(few)} with {len(slow)} slow ones,"
            f" {seconds:.0f} s: {said}",
            flush=True,
        )
        failed = failed or bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
