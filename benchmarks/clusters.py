"""What a second worker of a Ray cluster saves on a metric with a model, beside one process.

    python -m benchmarks.clusters [--pairs 2000] [--workers 2]

BERTScore on MiniLM, with a core for each worker. Models are loaded before anything is timed, because each
worker loads them once however much it scores. "busiest CPU s" is what the process with the most work took,
and so the least wall time that free cores can give. Where others use the cores, as the load average says,
wall times are theirs too: the speed is then only bounded, not measured. Exit code 1 where numbers differ by
more than 1e-5, or where this bound is below 1.6.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import numpy as np

import nlgauge
from benchmarks.workloads import Workload, l1
from nlgauge.engine.executors import Executor, Serial, opened
from nlgauge.engine.executors.ray import Ray

_METRIC = "bertscore(model='minilm')"
_LEAST = 1.6


def timed(workload: Workload, executor: Executor, cpu: Any) -> tuple[nlgauge.Result, float, list[float]]:
    """The result, its wall seconds, and the CPU seconds of each process that computed; every one of them
    has loaded the model before.
    """
    scorer = nlgauge.Scorer(_METRIC, executor=executor)
    scorer(workload.predictions, workload.references)
    before, started = cpu(), time.perf_counter()
    result = scorer(workload.predictions, workload.references)
    return (
        result,
        time.perf_counter() - started,
        [after - earlier for after, earlier in zip(cpu(), before, strict=True)],
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.clusters", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--pairs", type=int, default=2_000, help="how many pairs (default 2000)")
    parser.add_argument("--workers", type=int, default=2, help="how many workers (default 2)")
    given = parser.parse_args()
    os.environ["NLGAUGE_THREADS"] = "1"
    workload = l1(given.pairs)
    # Chunks small enough to be shared out evenly.
    characters = sum(map(len, workload.predictions)) // (4 * given.workers)
    load = os.getloadavg()[0]
    serial, wall, (cpu,) = timed(workload, Serial(characters), lambda: [time.process_time()])
    with opened(Ray(workers=given.workers, characters=characters)) as executor:

        def of_workers() -> list[float]:
            import ray

            calls = [
                member.actor.__ray_call__.remote(lambda worker: time.process_time())
                for member in executor.crew.members
            ]  # type: ignore[attr-defined]
            found: list[float] = ray.get(calls)
            return found

        shared, ray_wall, ray_cpu = timed(workload, executor, of_workers)
    difference = max(
        float(np.abs(values - shared._tables[key].statistics[part]).max())
        for key, table in serial._tables.items()
        for part, values in table.statistics.items()
    )
    print(
        f"{_METRIC}, {len(workload.predictions):,} pairs ({workload.origin}), load average {load:.1f} on"
        f" {os.cpu_count()} cores before"
    )
    print("| executor | wall s | CPU s | busiest CPU s |\n|---|---|---|---|")
    print(f"| serial | {wall:.2f} | {cpu:.2f} | {cpu:.2f} |")
    print(f"| ray, {given.workers} workers | {ray_wall:.2f} | {sum(ray_cpu):.2f} | {max(ray_cpu):.2f} |")
    print(
        f"wall: {wall / ray_wall:.2f} times as fast; on free cores at most {cpu / max(ray_cpu):.2f} times;"
        f" largest difference {difference:.1e}"
    )
    return int(difference > 1e-5 or cpu / max(ray_cpu) < _LEAST)


if __name__ == "__main__":
    sys.exit(main())
