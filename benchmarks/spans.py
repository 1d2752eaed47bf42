"""CPU seconds of error spans: reading, measures, intervals and agreement, on WMT24 ESA (or on another file).

    python -m benchmarks.spans [FILE]

Budgets: four measures of one metric on 24,503 texts 3 s, 1,000 resamples 0.5 s.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from nlgauge import meta, spans
from nlgauge.spans.combining import first_of
from nlgauge.spans.measures import counts
from nlgauge.spans.sentinels import at_random, not_in_the_reference

MEASURES = ("em", "mp", "mpp", "char")


def timed(name: str, run: Callable[[], object]) -> object:
    start = time.process_time()
    result = run()
    print(f"{name:60} {time.process_time() - start:7.2f} s", flush=True)
    return result


def main() -> None:
    default = Path(os.environ.get("NLGAUGE_BENCHMARKS", ".")) / "wmt24_esa.jsonl.gz"
    path = sys.argv[1] if len(sys.argv) > 1 else default
    file = timed("read the file", lambda: spans.read(path))
    assert isinstance(file, spans.SpanFile)
    people = timed("first annotator of each text", lambda: first_of(file))
    assert isinstance(people, spans.Spans) and people.texts is not None
    detected = not_in_the_reference(people.texts, people.looked)
    moved = at_random(people, seed=1)
    print(file.report, f"{len(detected):,} spans of the metric.", sep="\n")
    for name, metric in (("words that are not in the reference", detected), ("at random", moved)):
        timed(f"four measures: {name}", lambda metric=metric: counts(metric, people, MEASURES))  # type: ignore[misc]
    for resamples in (2, 1000):
        timed(
            f"span_scores, one metric, one measure, {resamples} resamples",
            lambda resamples=resamples: meta.span_scores(  # type: ignore[misc]
                [people], {"m": moved}, sentinels=False, resamples=resamples
            ),
        )
    timed("span_scores with sentinels, all annotators", lambda: meta.span_scores(list(file), {"m": moved}))


if __name__ == "__main__":
    main()
