"""How time and memory grow: short pairs scored with bleu, chrf, rouge and wer, and ten times as many.

    python -m benchmarks.scale [--pairs 200000]

Exit code 1 where ten times the pairs take more than 11 times the CPU seconds, or a gigabyte of memory or more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from benchmarks.__main__ import run
from benchmarks.worker import peak_megabytes
from benchmarks.workloads import l3

_METRICS = ["bleu", "chrf", "rouge", "wer"]
_MOST_TIMES, _MOST_MEGABYTES = 11.0, 1000.0


def measure(pairs: int, step: int) -> None:
    """Scores every so-many-th of this many pairs in this process and prints what it took as JSON."""
    import nlgauge

    workload = l3(pairs).every(step)
    scorer = nlgauge.Scorer(_METRICS)
    small = workload.first(2)
    scorer(small.predictions, small.references)
    started = time.process_time()
    scorer(workload.predictions, workload.references)
    json.dump({"cpu": time.process_time() - started, "rss": peak_megabytes(), "origin": workload.origin}, sys.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=200_000, help="the larger number of pairs (default 200000)")
    parser.add_argument("--step", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        measure(given.pairs, given.step)
        return 0
    # Every tenth pair, not the first tenth: texts differ along the workload.
    found = [run("benchmarks.scale", "--pairs", str(given.pairs), "--step", step) for step in ("10", "1")]
    failed = next((one["error"] for one in found if "error" in one), None)
    if failed:
        print(failed, file=sys.stderr)
        return 1
    times = found[1]["cpu"] / found[0]["cpu"]
    print(f"| pairs ({found[1]['origin']}) | CPU s | peak MB |\n|---|---|---|")
    for pairs, one in zip((given.pairs // 10, given.pairs), found, strict=True):
        print(f"| {pairs:,} | {one['cpu']:.2f} | {one['rss']:.0f} |")
    print(f"\n{times:.2f} times the CPU seconds for 10 times the pairs (at most {_MOST_TIMES:.0f})")
    print(f"peak {found[1]['rss']:.0f} MB (below {_MOST_MEGABYTES:.0f})")
    return 0 if times <= _MOST_TIMES and found[1]["rss"] < _MOST_MEGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
