"""The public names, declared once: type checkers read them here, and `nlgauge` imports each at its first use."""

from nlgauge.compat.custom import MetricForLanguageGeneration as MetricForLanguageGeneration
from nlgauge.compat.custom import MetricForNLG as MetricForNLG
from nlgauge.compat.nlgmetricverse import AutoMetric as AutoMetric
from nlgauge.compat.nlgmetricverse import Benchmarks as Benchmarks
from nlgauge.compat.nlgmetricverse import CorrelationMeasures as CorrelationMeasures
from nlgauge.compat.nlgmetricverse import DataLoaderStrategies as DataLoaderStrategies
from nlgauge.compat.nlgmetricverse import Jury as Jury
from nlgauge.compat.nlgmetricverse import NLGMetricverse as NLGMetricverse
from nlgauge.compat.nlgmetricverse import get_metric_bounds as get_metric_bounds
from nlgauge.compat.nlgmetricverse import load_metric as load_metric
from nlgauge.compat.nlgmetricverse import metric_human_correlation as metric_human_correlation
from nlgauge.compat.nlgmetricverse import metrics_correlation as metrics_correlation
from nlgauge.compat.nlgmetricverse import n_gram_distance_visualization as n_gram_distance_visualization
from nlgauge.compat.nlgmetricverse import similarity_word_matching as similarity_word_matching
from nlgauge.compat.nlgmetricverse import times_correlation as times_correlation
from nlgauge.compat.rewards import reward as reward
from nlgauge.corpus import Corpus as Corpus
from nlgauge.errors import NlgaugeError as NlgaugeError
from nlgauge.metric import CorpusMetric as CorpusMetric
from nlgauge.metric import Metric as Metric
from nlgauge.metric import Output as Output
from nlgauge.metric import WholeMetric as WholeMetric
from nlgauge.metric import register as register
from nlgauge.metric.card import ApplTasks as ApplTasks
from nlgauge.metric.card import Categories as Categories
from nlgauge.metric.card import QualityDims as QualityDims
from nlgauge.metric.card import card as card
from nlgauge.metric.card import filter_metrics as filter_metrics
from nlgauge.metric.card import list_metrics as list_metrics
from nlgauge.metric.function import metric as metric
from nlgauge.models import Model as Model
from nlgauge.results.result import Result as Result
from nlgauge.results.storage.load import load as load
from nlgauge.scoring import Scorer as Scorer
from nlgauge.scoring import score as score

__version__: str
