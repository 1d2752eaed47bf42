"""Write the sample of MLQE-PE that ships with nlgauge: segments of each language pair, drawn at random.

    NLGAUGE_BENCHMARKS=DIRECTORY python tools/mlqe_sample.py

DIRECTORY has mlqe_pe (`nlgauge benchmarks import mlqe-pe/data/`). MLQE-PE is under CC0 1.0, so it may be shipped.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.rows import written

PLACE = Path(__file__).parents[1] / "src" / "nlgauge" / "data" / "mlqe_sample.jsonl.gz"
SEGMENTS, SEED = 40, 2020


def packed() -> bytes:
    """Return the file."""
    return gzip.compress(written(load("mlqe_pe").sample(SEGMENTS, SEED).rows), 9, mtime=0)


if __name__ == "__main__":
    PLACE.write_bytes(packed())
