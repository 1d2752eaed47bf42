"""One contender on one workload in this process: CPU seconds of the timed call, peak memory and the
numbers, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

from benchmarks.contenders import BENCHES
from benchmarks.workloads import WORKLOADS


def peak_megabytes() -> float:
    """The peak memory of this process so far; NaN where the operating system does not tell it."""
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    metric, workload_name, side = sys.argv[1:]
    bench = BENCHES[metric]
    workload = WORKLOADS[workload_name]()
    call = (bench.prepare_ours if side == "nlgauge" else bench.prepare_peer)(workload)
    started = time.process_time()
    numbers = call()
    seconds = time.process_time() - started
    package = "nlgauge" if side in ("nlgauge", "a plain loop") else bench.peer
    found = {
        "cpu": seconds,
        "rss": peak_megabytes(),
        "numbers": numbers,
        "version": version(package),
        "origin": workload.origin,
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
