"""Agreement of metrics with people and with each other, and how long they take."""

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
    """The measures of agreement that `metric_human_correlation` and `metrics_correlation` know; daRR is
    the DARR of WMT.
    """

    Pearson = "pearson"
    Spearman = "spearman"
    KendallTau = "kendall"
    daRR = "darr"  # noqa: N815


class Benchmarks(Enum):
    """The benchmarks that `metric_human_correlation` knows by this name; `nlgauge.meta.benchmarks` has
    more.
    """

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
    """How well metrics agree with people: one row per metric and measure, with its value, 95% interval and
    p-value; lower-is-better is negated.

    human_scores: one score per prediction, or a benchmark (or its name), whose own texts are then scored
    (give None for predictions and references). Its language pairs are correlated each for itself, and their
    average stands beside them. `corrs` is another name for `correlation_measures`; Pearson is the default,
    and daRR for a benchmark of better/worse pairs. `plot` is a file to draw to; the rows' `plot()` gives the
    figure.

    >>> found = metric_human_correlation(["a cat", "the dog", "a cow"], ["the cat", "the dog", "the bird"], ["chrf", "wer"], [3, 5, 1])
    >>> [(row["metric"], round(row["value"], 2)) for row in found]
    [('chrf', 0.98), ('wer', 1.0)]
    """
    from nlgauge.show.plots.files import check_file

    if plot is not None:
        check_file(plot)
    found = _human_correlations(
        NLGMetricverse(metrics=metrics), predictions, references, human_scores, correlation_measures, corrs
    )
    if plot is not None:
        found.plot(plot)
    return found


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
    # All outputs are compared with each other, as of one input: nothing says which belong together.
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
    """How well metrics agree with each other: for each measure the matrix of the correlations in the order of
    the metrics, and that of p-values.

    Metrics of which lower is better are negated. daRR takes the metric of the column for people, and has no
    p-values (NaN). `plot` is a file to draw to; `plot()` of what is returned gives the figure.

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
    for one in chosen:
        if one is CorrelationMeasures.daRR:
            results.append(darr(rows[..., None, :], columns[..., None, :]))
            p_values.append(np.full(results[-1].shape, np.nan))
        else:
            results.append(COEFFICIENTS[one.value](rows, columns))
            p_values.append(COEFFICIENTS[one.value].p(rows, columns))
    found = MetricCorrelations(results, p_values, result.labels, [one.value for one in chosen])
    if plot is not None:
        found.plot(plot)
    return found


def times_correlation(
    predictions: Any,
    references: Any,
    metrics: Iterable[Any],
    *,
    plot: str | Path | None = None,
    carbon: str | None = None,
) -> Seconds:
    """The seconds that each metric takes for these texts, by its label; each is run alone.

    `plot` is a file to draw to. `plot()` of what is returned gives the figure, also of time against agreement
    with people. With `carbon`, the code of a country such as "DEU", each is run a second time, because the
    tracker takes time itself, and what is returned has `co2` too: the kilograms of CO2-equivalents of each
    metric.

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
    found = Seconds(seconds, texts, co2)
    if plot is not None:
        found.plot(plot)
    return found


def _measures(by_package: Any, by_thesis: Any) -> list[CorrelationMeasures]:
    """The measures that were asked for under either name; Pearson where none were."""
    if by_package is not None and by_thesis is not None:
        raise ParameterError("corrs is another name for correlation_measures; pass only one of them.")
    given = (
        by_package
        if by_package is not None
        else by_thesis
        if by_thesis is not None
        else CorrelationMeasures.Pearson
    )
    chosen: list[CorrelationMeasures] = []
    for one in [given] if isinstance(given, CorrelationMeasures | str) else given:
        if not isinstance(one, CorrelationMeasures):
            raise ParameterError(
                f"correlation_measures must contain some of {', '.join(map(str, CorrelationMeasures))}; got"
                f" {one!r:.60}."
            )
        chosen.append(one)
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
            f"{name} contains only better/worse pairs, for which only daRR is defined; use [CorrelationMeasures.daRR]."
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


def _correlated(
    judged: Judgments, chosen: Iterable[CorrelationMeasures], level_of_darr: str, by_darr: Measure
) -> HumanCorrelations:
    """The rows of every measure; Fisher's intervals, which correlations alone have."""
    from nlgauge.meta.correlation import correlate

    parts = [
        (
            correlate(judged, level_of_darr, by_darr, interval=None)
            if one is CorrelationMeasures.daRR
            else correlate(judged, "global", one.value, interval="fisher")
        )
        for one in chosen
    ]
    rows = [{name: row[name] for name in _COLUMNS if name in row} for part in parts for row in part]
    notes = [*parts[0].notes, *([_DARR_NOTE] if CorrelationMeasures.daRR in chosen else [])]
    return HumanCorrelations(
        rows, parts[0].made, "Correlation of metrics with human scores", notes, judgments=judged
    )
