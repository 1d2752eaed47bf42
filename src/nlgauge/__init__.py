"""nlgauge: how good generated text is, how sure one can be of it, and why.

>>> import nlgauge
>>> result = nlgauge.score(["the cat sat on the mat"], ["the cat sat on the mat"], metrics=["bleu", "rouge"])
>>> result["rouge"]["rouge1"]
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from nlgauge.results.storage import load as load
    from nlgauge.scorer import Scorer as Scorer
    from nlgauge.scorer import score as score

# Where each public name lives; it is imported at first use, so that `import nlgauge` costs next to nothing.
_HOMES = {
    **dict.fromkeys(("score", "Scorer"), "nlgauge.scorer"),
    "load": "nlgauge.results.storage",
    "Result": "nlgauge.results.result",
    "Corpus": "nlgauge.corpus",
    "NlgaugeError": "nlgauge.errors",
    **dict.fromkeys(("Metric", "CorpusMetric", "WholeMetric", "Output", "register", "metric"), "nlgauge.metric"),
    "Model": "nlgauge.models",
    "reward": "nlgauge.compat.rewards",
    **dict.fromkeys(("card", "list_metrics", "filter_metrics", "Categories", "ApplTasks", "QualityDims"), "nlgauge.metric.card"),
    **dict.fromkeys(("MetricForNLG", "MetricForLanguageGeneration"), "nlgauge.compat.custom"),
    **dict.fromkeys(
        (
            *("NLGMetricverse", "Jury", "load_metric", "AutoMetric", "DataLoaderStrategies", "get_metric_bounds"),
            *("metric_human_correlation", "metrics_correlation", "times_correlation", "CorrelationMeasures", "Benchmarks"),
            *("similarity_word_matching", "n_gram_distance_visualization"),
        ),
        "nlgauge.compat.nlgmetricverse",
    ),
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("nlgauge")
    raise AttributeError(f"module 'nlgauge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
