"""How long metrics take, and the names of what comes with later releases: correlations and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, NoReturn

from nlgauge.compat.later import later


class CorrelationMeasures(Enum):
    """The measures of agreement that `metric_human_correlation` will know."""

    Pearson = "pearson"
    Spearman = "spearman"
    KendallTau = "kendalltau"
    daRR = "darr"  # noqa: N815


class Benchmarks(Enum):
    """The benchmarks that `metric_human_correlation` will know."""

    WMT17 = "wmt17"
    WMT18 = "wmt18"


def times_correlation(predictions: Any, references: Any, metrics: Iterable[Any]) -> dict[str, float]:
    """The seconds that each metric takes for these texts, by its label; each is run alone, and nothing is drawn.

    >>> list(times_correlation(["a cat"], ["the cat"], ["bleu", "wer"]))
    ['bleu', 'wer']
    """
    from nlgauge.compat.nlgmetricverse.scorer import NLGMetricverse

    found: dict[str, float] = {}
    for metric in [metrics] if isinstance(metrics, str) else metrics:
        scorer = NLGMetricverse(metrics=metric)
        (label,) = scorer.metrics
        found[label] = scorer(predictions, references)["total_time_elapsed"]
    return found


def metric_human_correlation(*arguments: Any, **keywords: Any) -> NoReturn:
    """Comes with a later release."""
    raise later("metric_human_correlation", "result.segments() gives the scores of every segment, to be correlated with scipy.stats")


def metrics_correlation(*arguments: Any, **keywords: Any) -> NoReturn:
    """Comes with a later release."""
    raise later("metrics_correlation", "result.segments() gives the scores of every segment by metric; its data frame has .corr()")


def similarity_word_matching(*arguments: Any, **keywords: Any) -> NoReturn:
    """Comes with a later release."""
    raise later("similarity_word_matching", "result.explain('bertscore', segment) shows which token was matched with which")


def n_gram_distance_visualization(*arguments: Any, **keywords: Any) -> NoReturn:
    """Comes with a later release."""
    raise later("n_gram_distance_visualization", "result.explain('bleu', segment) shows the matched n-grams of a segment")
