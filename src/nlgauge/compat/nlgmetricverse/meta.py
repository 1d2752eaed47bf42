"""Agreement of metrics with human scores and with each other, and computing time of metrics."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.language import checked
from nlgauge._core.numbers import counted
from nlgauge.compat.nlgmetricverse.drawn import HumanCorrelations, MetricCorrelations, Seconds
from nlgauge.compat.nlgmetricverse.scorer import NLGMetricverse
from nlgauge.errors import InputError, ParameterError

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments
    from nlgauge.stats.measures import Measure

_COLUMNS = ("metric", "human", "group", "coefficient", "value", "low", "high", "p", "n", "reason")
_DARR_NOTE = (
    "darr counts pairs of outputs whose human scores are 25 points or more apart; n is their number, and it"
    " has no p-value."
)


class CorrelationMeasures(Enum):
    """Measures of agreement for `metric_human_correlation` and `metrics_correlation`.

    daRR is the DARR of WMT.
    """

    Pearson = "pearson"
    Spearman = "spearman"
    KendallTau = "kendall"
    daRR = "darr"  # noqa: N815


class Benchmarks(Enum):
    """Benchmarks for `metric_human_correlation`; `nlgauge.meta.benchmarks` has more."""

    WMT17 = "wmt17"
    WMT18 = "wmt18"


def metric_human_correlation(
    predictions: Any = None,
    references: Any = None,
    metrics: Any = None,
    human_scores: Any = Benchmarks.WMT17,
    correlation_measures: Any = None,
    *,
    corrs: Any = None,
    plot: str | Path | None = None,
) -> HumanCorrelations:
    """Correlate metrics with human scores.

    Parameters
    ----------
    predictions, references : sequence of str, optional
        Texts to score; None if `human_scores` is a benchmark.
    metrics : metric or sequence of metrics, optional
        Metrics in any form that `NLGMetricverse` accepts.
    human_scores : sequence of float, Benchmarks or str
        One score per prediction, or a benchmark or its name. The texts of a benchmark are scored, and its language pairs
        are correlated separately, with their average in further rows.
    correlation_measures : CorrelationMeasures or sequence of CorrelationMeasures, optional
        Measures of agreement. Default: Pearson, and daRR for a benchmark that contains only better/worse pairs.
    corrs : optional
        Another name for `correlation_measures`.
    plot : str or Path, optional
        File for the figure. The method `plot()` of the result returns the figure.

    Returns
    -------
    HumanCorrelations
        One row per metric and measure, with value, 95% interval and p-value. Scores of metrics for which lower is better
        are negated.

    Examples
    --------
    >>> rows = metric_human_correlation(["a cat", "the dog", "a cow"], ["the cat", "the dog", "the bird"], ["chrf", "wer"], [3, 5, 1])
    >>> [(row["metric"], round(row["value"], 2)) for row in rows]
    [('chrf', 0.98), ('wer', 1.0)]
    """
    from nlgauge.show.plots.files import check_file

    if plot is not None:
        check_file(plot)
    correlations = _human_correlations(
        NLGMetricverse(metrics=metrics), predictions, references, human_scores, correlation_measures, corrs
    )
    if plot is not None:
        correlations.plot(plot)
    return correlations


def _human_correlations(
    scorer: NLGMetricverse,
    predictions: Any,
    references: Any,
    human_scores: Any,
    correlation_measures: Any,
    corrs: Any,
) -> HumanCorrelations:
    from nlgauge.meta.judgments import Judgments
    from nlgauge.stats.measures import measure

    if isinstance(human_scores, Benchmarks | str):
        chosen = (
            None if correlation_measures is None and corrs is None else _measures(correlation_measures, corrs)
        )
        if predictions is not None or references is not None:
            warnings.warn(
                "the texts of the benchmark are scored; predictions and references are not used.",
                stacklevel=3,
            )
        return _of_benchmark(
            scorer, human_scores.value if isinstance(human_scores, Benchmarks) else human_scores, chosen
        )
    chosen = _measures(correlation_measures, corrs)
    scores = Judgments.from_result(scorer.result(predictions, references), [])
    human = list(human_scores)
    if len(human) != len(scores.segments):
        raise InputError(
            f"human_scores has {counted(len(human), 'score')} for"
            f" {counted(len(scores.segments), 'prediction')}; pass one per prediction."
        )
    # All predictions are compared with each other as if they had one input, because their inputs are unknown.
    all_outputs = dataclasses.replace(measure("darr"), levels=("by_system",))
    return _correlated(
        dataclasses.replace(scores, humans={"human": np.array([human], dtype=object)}),
        chosen,
        "by_system",
        all_outputs,
    )


def metrics_correlation(
    predictions: Any,
    references: Any,
    metrics: Any,
    correlation_measures: Any = None,
    *,
    corrs: Any = None,
    plot: str | Path | None = None,
) -> MetricCorrelations:
    """Correlate metrics with each other.

    Return two lists with one item per measure: matrices of correlations, with rows and columns in the order of the
    metrics, and matrices of p-values. Scores of metrics for which lower is better are negated. For daRR, the metric of the
    column replaces the human scores, and p-values are NaN. `plot` is a file for the figure; the method `plot()` of the
    result returns the figure.

    >>> results, pvalues = metrics_correlation(["a cat", "the dog", "a cow"], ["the cat", "the dog", "the bird"], ["chrf", "wer"])
    >>> results[0].round(2).tolist()
    [[1.0, 0.98], [0.98, 1.0]]
    """
    from nlgauge.meta.judgments import Judgments
    from nlgauge.stats.coefficients import COEFFICIENTS
    from nlgauge.stats.ties import darr

    chosen = _measures(correlation_measures, corrs)
    result = NLGMetricverse(metrics=metrics).result(predictions, references)
    judged = Judgments.from_result(result, [])
    scores = np.stack([judged.oriented(label)[0] for label in result.labels])
    rows, columns = scores[:, None], scores[None]
    results, p_values = [], []
    for measure in chosen:
        if measure is CorrelationMeasures.daRR:
            results.append(darr(rows[..., None, :], columns[..., None, :]))
            p_values.append(np.full(results[-1].shape, np.nan))
        else:
            results.append(COEFFICIENTS[measure.value](rows, columns))
            p_values.append(COEFFICIENTS[measure.value].p(rows, columns, exact=False))
    correlations = MetricCorrelations(results, p_values, result.labels, [measure.value for measure in chosen])
    if plot is not None:
        correlations.plot(plot)
    return correlations


def times_correlation(
    predictions: Any,
    references: Any,
    metrics: Iterable[Any],
    *,
    plot: str | Path | None = None,
    carbon: str | None = None,
) -> Seconds:
    """Measure the seconds that each metric takes for these texts; metrics run one after the other.

    Return the seconds by label of the metric. `plot` is a file for the figure; the method `plot()` of the result returns
    the figure, also of time against agreement with human scores. With `carbon`, a country code such as "DEU", each metric
    runs a second time, because the tracker itself takes time, and the attribute `co2` of the result has the kilograms
    of CO2-equivalents of each metric.

    >>> list(times_correlation(["a cat"], ["the cat"], ["bleu", "wer"]))
    ['bleu', 'wer']
    """
    seconds, co2, texts = {}, {}, 0
    for metric in [metrics] if isinstance(metrics, str) else metrics:
        scorer = NLGMetricverse(metrics=metric)
        (label,) = scorer.metrics
        scores = scorer(predictions, references)
        seconds[label], texts = scores["total_time_elapsed"], scores["total_items"]
        if carbon is not None:
            tracked = NLGMetricverse(metrics=metric, carbon=carbon)
            co2[label] = tracked(predictions, references)["total_CO2_emitted"]
    times = Seconds(seconds, texts, co2)
    if plot is not None:
        times.plot(plot)
    return times


def _measures(by_package: Any, by_thesis: Any) -> list[CorrelationMeasures]:
    """Return the measures that were passed under one of the two names; default: Pearson."""
    if by_package is not None and by_thesis is not None:
        raise ParameterError("corrs is another name for correlation_measures; pass only one of them.")
    measures = (
        by_package
        if by_package is not None
        else by_thesis
        if by_thesis is not None
        else CorrelationMeasures.Pearson
    )
    chosen: list[CorrelationMeasures] = []
    for measure in [measures] if isinstance(measures, CorrelationMeasures | str) else measures:
        if not isinstance(measure, CorrelationMeasures):
            raise ParameterError(
                f"correlation_measures must contain some of {', '.join(map(str, CorrelationMeasures))}; got"
                f" {measure!r:.60}."
            )
        chosen.append(measure)
    if not chosen:
        raise ParameterError("correlation_measures is empty; name at least one.")
    return chosen


def _of_benchmark(
    scorer: NLGMetricverse, name: str, chosen: list[CorrelationMeasures] | None
) -> HumanCorrelations:
    from nlgauge.meta import benchmarks
    from nlgauge.stats.measures import measure

    benchmark = benchmarks.load(name).machines()
    only_pairs = bool(benchmark.pairs) and not benchmark.dimensions
    chosen = chosen or [CorrelationMeasures.daRR if only_pairs else CorrelationMeasures.Pearson]
    if only_pairs and chosen != [CorrelationMeasures.daRR]:
        raise ParameterError(
            f"{name} contains only better/worse pairs, for which only daRR is defined; pass"
            " correlation_measures=[CorrelationMeasures.daRR]."
        )
    options = dict(scorer.options)
    lang = checked(options.pop("lang", None))
    specs: list[Any] = [
        {"path": metric.for_language(lang), "resulting_name": label}
        for label, metric in scorer.metrics.items()
    ]
    judged = benchmark.judgments(
        benchmark.score(*specs, **{name: value for name, value in options.items() if value is not None})
    )
    return _correlated(judged, chosen, "input", measure("darr"))


def _as_scipy(name: str) -> Measure:
    """Return the measure with SciPy's p, also of few points."""
    from nlgauge.stats.measures import OfCoefficient, measure

    exact = measure(name)
    assert isinstance(exact, OfCoefficient)
    return dataclasses.replace(exact, exact=False)


def _correlated(
    judged: Judgments, chosen: Iterable[CorrelationMeasures], level_of_darr: str, by_darr: Measure
) -> HumanCorrelations:
    """Return the rows of every measure; all measures except daRR have Fisher's intervals."""
    from nlgauge.meta.correlation import correlate

    parts = [
        (
            correlate(judged, level_of_darr, by_darr, interval=None)
            if measure is CorrelationMeasures.daRR
            else correlate(judged, "global", _as_scipy(measure.value), interval="fisher")
        )
        for measure in chosen
    ]
    rows = [{name: row[name] for name in _COLUMNS if name in row} for part in parts for row in part]
    notes = [*parts[0].notes, *([_DARR_NOTE] if CorrelationMeasures.daRR in chosen else [])]
    return HumanCorrelations(
        rows, parts[0].made, "Correlation of metrics with human scores", notes, judgments=judged
    )
