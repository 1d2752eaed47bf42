"""How fast rows are kept in the cache of statistics, and found again.

    python -m benchmarks.cache [--rows 1000000]

Rows of a prediction, a reference and a source that systems share are put into a new file, chunk by chunk, as
a run does it: texts are hashed, keys made, numbers written. Then they are looked up from a file that was
closed meanwhile: in the order of the first run, as a second run does it; in chance order, so that no two rows
of a chunk were written together and each has its own reference and source; and where none is there. Exit code
1 where a second run looks up fewer than 200,000 rows per CPU second.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus.texts import Texts
from nlgauge.engine.cache.identity import Identity
from nlgauge.engine.cache.keys import row_keys
from nlgauge.engine.cache.store import Store
from nlgauge.features import Features, RunOptions
from nlgauge.metric import View

_LEAST = 200_000
_IDENTITY = Identity(b"1" * 32, "metric", "metric")
_WIDTHS = {"f1": 6, "precision": 2, "recall": 2}
# What a chunk of short segments with four systems has.
_CHUNK, _SYSTEMS = 4000, 4


def views(rows: Array, word: str) -> Iterator[View]:
    """The rows as views of chunks: a prediction for each, a reference and a source for each segment."""
    for start in range(0, len(rows), _CHUNK):
        own = rows[start : start + _CHUNK]
        texts = Texts()
        segments = (own // _SYSTEMS).tolist()
        columns = [
            [
                f"{word} {row} of what a system may well have said about it, more or less"
                for row in own.tolist()
            ],
            [
                f"reference {segment} of what somebody else has said about it, more or less"
                for segment in segments
            ],
            [
                f"source {segment} of what was said in the first place, in another language"
                for segment in segments
            ],
        ]
        predictions, references, sources = map(texts.intern_all, columns)
        yield View(Features(texts, RunOptions()), predictions, Ragged.single(references), sources)


def measured(what: str, rows: Array, word: str, work: Callable[[View], None]) -> float:
    """Rows per second, without the making of texts; printed."""
    cpu = wall = 0.0
    for view in views(rows, word):
        started = time.process_time(), time.perf_counter()
        work(view)
        cpu, wall = cpu + time.process_time() - started[0], wall + time.perf_counter() - started[1]
    print(f"| {what} | {len(rows):,} | {len(rows) / cpu:,.0f} | {len(rows) / wall:,.0f} |", flush=True)
    return len(rows) / cpu


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cache", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many rows (default 1000000)")
    rows = np.arange(parser.parse_args().rows)
    numbers = np.random.default_rng(1).random((_CHUNK, sum(_WIDTHS.values())))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "statistics.sqlite"
        store = Store(file, 10**12)

        def keep(view: View) -> None:
            store.keep(_IDENTITY, _WIDTHS, row_keys(view, _IDENTITY.digest), numbers[: len(view)])

        def find(view: View, expected: bool) -> None:
            found = store.find(_IDENTITY, row_keys(view, _IDENTITY.digest))
            assert (found.known == expected).all()

        print("| what | rows | rows per CPU second | rows per second |\n|---|---|---|---|")
        measured("kept", rows, "prediction", keep)
        store.close()
        speed = measured("found, in the same order", rows, "prediction", lambda view: find(view, True))
        store.close()
        shuffled = np.random.default_rng(2).permutation(rows)
        measured("found, in chance order", shuffled, "prediction", lambda view: find(view, True))
        measured("not there", rows, "another", lambda view: find(view, False))
        store.close()
        print(f"\n{file.stat().st_size / len(rows):.0f} bytes per row of {sum(_WIDTHS.values())} numbers")
    return 0 if speed >= _LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
