"""Benchmarks of human judgments by name: their cards, files and contents.

>>> from nlgauge.meta import benchmarks
>>> sample = benchmarks.load("sample")
>>> sample
Benchmark(sample: 24 segments, 4 systems, relevance, fluency)
>>> benchmarks.card("wmt17").license
'WMT data may be used freely for research'
"""

from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.card import BenchmarkCard
from nlgauge.meta.benchmarks.catalog import card, names
from nlgauge.meta.benchmarks.kept import MetricScores, fingerprint, read_scores, write_scores
from nlgauge.meta.benchmarks.loading import imported, load
from nlgauge.meta.benchmarks.places import folder
from nlgauge.meta.benchmarks.rows import BenchmarkRow, GradedPair, Pair

__all__ = [
    "Benchmark",
    "BenchmarkCard",
    "BenchmarkRow",
    "GradedPair",
    "MetricScores",
    "Pair",
    "card",
    "fingerprint",
    "folder",
    "imported",
    "load",
    "names",
    "read_scores",
    "write_scores",
]
