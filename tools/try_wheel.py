"""Tries an installed wheel, outside the checkout: compiled kernels run and score the sample as plain ones
do, and the page has its files.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nlgauge
from nlgauge._core import backend
from nlgauge.cli.commands.demo import sample
from nlgauge.features import RunOptions

METRICS = [
    "bleu",
    "chrf(word_order=2)",
    "rouge",
    "wer",
    "cer",
    "ter",
    "meteor",
    "cider",
    "coverage",
    "eed",
    "character",
    "sari",
    "nist",
]


def main() -> None:
    if backend.NATIVE is None:
        sys.exit("this wheel has no compiled kernels")
    texts = sample()
    found = []
    for kernels in ("native", "python"):
        with backend.using(kernels):
            result = nlgauge.Scorer(METRICS).score_corpus(texts, None, RunOptions())
            found.append(result.segments("records"))
    if found[0] != found[1]:
        sys.exit("compiled and plain kernels differ")
    with tempfile.TemporaryDirectory() as place:
        size = result.report(Path(place) / "report.html", explain=2).stat().st_size
    print(f"report of {size:,} bytes")
    print(
        f"{nlgauge.__file__}: {len(METRICS)} metrics on {len(found[0])} rows, compiled and plain kernels"
        " agree"
    )


if __name__ == "__main__":
    main()
