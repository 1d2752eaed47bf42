"""How time and memory grow with the number of pairs, and what a second thread saves.

    python -m benchmarks.scale [--pairs 200000]

Short pairs are scored with bleu, chrf, rouge and wer, and ten times as many; then with bleu alone; then with
two threads. Exit code 1 where ten times the pairs take more than 11 times the CPU seconds, or bleu takes 300
MB or more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from benchmarks.__main__ import run
from benchmarks.worker import peak_megabytes
from benchmarks.workloads import l3

_METRICS = ["bleu", "chrf", "rouge", "wer"]
_MOST_TIMES, _MOST_MEGABYTES = 11.0, 300.0


def measure(pairs: int, step: int, metrics: list[str]) -> None:
    """Scores every so-many-th of this many pairs in this process and prints what it took as JSON."""
    import nlgauge

    workload = l3(pairs).every(step)
    scorer = nlgauge.Scorer(metrics)
    small = workload.first(2)
    scorer(small.predictions, small.references)
    started, wall = time.process_time(), time.perf_counter()
    scorer(workload.predictions, workload.references)
    found = {
        "cpu": time.process_time() - started,
        "wall": time.perf_counter() - wall,
        "rss": peak_megabytes(),
        "origin": workload.origin,
    }
    json.dump(found, sys.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument(
        "--pairs", type=int, default=200_000, help="the larger number of pairs (default 200000)"
    )
    parser.add_argument("--step", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--metrics", default=",".join(_METRICS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        measure(given.pairs, given.step, given.metrics.split(","))
        return 0

    def scored(metrics: list[str], step: int = 1, threads: int = 1) -> dict[str, Any]:
        found = run(
            "benchmarks.scale",
            "--pairs",
            str(given.pairs),
            "--step",
            str(step),
            "--metrics",
            ",".join(metrics),
            threads=threads,
        )
        if "error" in found:
            sys.exit(found["error"])
        print(
            f"| {', '.join(metrics)} | {given.pairs // step:,} | {threads} | {found['cpu']:.2f} |"
            f" {found['wall']:.2f} | {found['rss']:.0f} |",
            flush=True,
        )
        return found

    print("| metrics | pairs | threads | CPU s | wall s | peak MB |\n|---|---|---|---|---|---|")
    # Every tenth pair, not the first tenth: texts differ along the workload.
    few, many, two = scored(_METRICS, step=10), scored(_METRICS), scored(_METRICS, threads=2)
    bleu = scored(["bleu"])
    times = many["cpu"] / few["cpu"]
    print(
        f"\n{many['origin']}: {times:.2f} times the CPU seconds for 10 times the pairs (at most"
        f" {_MOST_TIMES:.0f})"
    )
    print(
        f"two threads: {many['wall'] / two['wall']:.2f} times as fast by the clock; bleu: {bleu['rss']:.0f}"
        f" MB (below {_MOST_MEGABYTES:.0f})"
    )
    return 0 if times <= _MOST_TIMES and bleu["rss"] < _MOST_MEGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
