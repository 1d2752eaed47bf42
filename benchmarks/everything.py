"""Every additive string metric with its defaults in one run on 10,000 pairs: `python -m benchmarks.everything [PAIRS]`.

Prints CPU seconds of the run, then seconds by metric and by feature, the longest first. The reference of a pair stands for its source too.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings

import nlgauge
from benchmarks.workloads import l1
from nlgauge.metric import Metric
from nlgauge.metric.registry import metric_classes


def string_metrics() -> list[Metric]:
    """The additive metrics that need no model."""
    made = [metric() for metric in metric_classes().values() if issubclass(metric, Metric)]
    return [metric for metric in made if not hasattr(metric, "model")]


def main(count: int) -> None:
    """Runs and prints."""
    warnings.simplefilter("ignore")
    workload, metrics = l1(count), string_metrics()
    scorer = nlgauge.Scorer(metrics)
    sources = [references[0] for references in workload.references]
    scorer(workload.predictions[:2], workload.references[:2], sources[:2])
    started = time.process_time()
    result = scorer(workload.predictions, workload.references, sources)
    spent = time.process_time() - started
    print(f"{len(metrics)} metrics on {len(workload.predictions):,} pairs ({workload.origin}): {spent:.2f} s of CPU time")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    for kind, costs in (("metric", result.costs.metrics), ("feature", result.costs.features)):
        print(f"\nseconds by {kind}: {sum(costs.values()):.2f}")
        for name, seconds in sorted(costs.items(), key=lambda item: -item[1]):
            print(f"{seconds:8.3f}  {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
