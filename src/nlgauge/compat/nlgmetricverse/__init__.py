"""The calls of NLG-Metricverse and Jury, as in the NLG-Metricverse thesis and in the published packages.

Scores are those of nlgauge: directions, scales, empty texts and several references follow the card of each
metric, nothing is dropped from the lists, and a call returns a plain dictionary. What `load_metric` returns
can be used in `nlgauge.score` as well. Metric classes such as `Rouge` are here and in `nlgauge.metrics`.
"""

from typing import Any

from nlgauge.compat.custom import MetricForLanguageGeneration, MetricForNLG
from nlgauge.compat.nlgmetricverse.files import DataLoaderStrategies, evaluate_files
from nlgauge.compat.nlgmetricverse.loading import AutoMetric, LoadedMetric, load_metric, named_metric
from nlgauge.compat.nlgmetricverse.meta import (
    Benchmarks,
    CorrelationMeasures,
    metric_human_correlation,
    metrics_correlation,
    times_correlation,
)
from nlgauge.compat.nlgmetricverse.pictures import n_gram_distance_visualization, similarity_word_matching
from nlgauge.compat.nlgmetricverse.scorer import Jury, NLGMetricverse, get_metric_bounds
from nlgauge.metric.card import ApplTasks, Categories, QualityDims, filter_metrics, list_metrics

__all__ = [
    "ApplTasks",
    "AutoMetric",
    "Benchmarks",
    "Categories",
    "CorrelationMeasures",
    "DataLoaderStrategies",
    "Jury",
    "LoadedMetric",
    "MetricForLanguageGeneration",
    "MetricForNLG",
    "NLGMetricverse",
    "QualityDims",
    "evaluate_files",
    "filter_metrics",
    "get_metric_bounds",
    "list_metrics",
    "load_metric",
    "metric_human_correlation",
    "metrics_correlation",
    "n_gram_distance_visualization",
    "similarity_word_matching",
    "times_correlation",
]


def __getattr__(name: str) -> Any:
    found = named_metric(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
