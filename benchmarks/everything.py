"""Every additive metric on strings with its defaults in one run on 10,000 pairs, and what each of them costs.

    python -m benchmarks.everything [--pairs 10000]

Prints CPU seconds of the run, then seconds by metric and by feature, the longest first. The reference of a
pair stands for its source too.
"""

from __future__ import annotations

import argparse
import time

from benchmarks.sides import string_metrics
from benchmarks.worker import peak_megabytes
from benchmarks.workloads import l1


def main() -> None:
    import nlgauge

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.everything", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--pairs", type=int, default=10_000)
    workload, metrics = l1(parser.parse_args().pairs), string_metrics()
    scorer = nlgauge.Scorer(metrics)
    sources = [references[0] for references in workload.references]
    scorer(workload.predictions[:2], workload.references[:2], sources[:2])
    started = time.process_time()
    result = scorer(workload.predictions, workload.references, sources)
    spent = time.process_time() - started
    print(
        f"{len(metrics)} metrics on {len(workload.predictions):,} pairs ({workload.origin}): {spent:.2f} s of"
        f" CPU time, {peak_megabytes():.0f} MB"
    )
    for kind, costs in (("metric", result.costs.metrics), ("feature", result.costs.features)):
        print(f"\nseconds by {kind}: {sum(costs.values()):.2f}")
        for name, seconds in sorted(costs.items(), key=lambda item: -item[1]):
            print(f"{seconds:8.3f}  {name}")


if __name__ == "__main__":
    main()
