"""The names of NLG-Metricverse and Jury, declared once; metric classes such as `Rouge` are found by name."""

from typing import Any

from nlgauge.compat.custom import MetricForLanguageGeneration as MetricForLanguageGeneration
from nlgauge.compat.custom import MetricForNLG as MetricForNLG
from nlgauge.compat.nlgmetricverse.files import DataLoaderStrategies as DataLoaderStrategies
from nlgauge.compat.nlgmetricverse.files import evaluate_files as evaluate_files
from nlgauge.compat.nlgmetricverse.loading import AutoMetric as AutoMetric
from nlgauge.compat.nlgmetricverse.loading import LoadedMetric as LoadedMetric
from nlgauge.compat.nlgmetricverse.loading import load_metric as load_metric
from nlgauge.compat.nlgmetricverse.meta import Benchmarks as Benchmarks
from nlgauge.compat.nlgmetricverse.meta import CorrelationMeasures as CorrelationMeasures
from nlgauge.compat.nlgmetricverse.meta import metric_human_correlation as metric_human_correlation
from nlgauge.compat.nlgmetricverse.meta import metrics_correlation as metrics_correlation
from nlgauge.compat.nlgmetricverse.meta import times_correlation as times_correlation
from nlgauge.compat.nlgmetricverse.pictures import (
    n_gram_distance_visualization as n_gram_distance_visualization,
)
from nlgauge.compat.nlgmetricverse.pictures import similarity_word_matching as similarity_word_matching
from nlgauge.compat.nlgmetricverse.scorer import Jury as Jury
from nlgauge.compat.nlgmetricverse.scorer import NLGMetricverse as NLGMetricverse
from nlgauge.compat.nlgmetricverse.scorer import filter_metrics as filter_metrics
from nlgauge.compat.nlgmetricverse.scorer import get_metric_bounds as get_metric_bounds
from nlgauge.metric.card import ApplTasks as ApplTasks
from nlgauge.metric.card import Categories as Categories
from nlgauge.metric.card import QualityDims as QualityDims
from nlgauge.metric.card import list_metrics as list_metrics

def __getattr__(name: str) -> Any: ...
