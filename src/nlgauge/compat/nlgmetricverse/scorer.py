"""NLGMetricverse and Jury: sets of metrics that score predictions and references."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from nlgauge.compat.nlgmetricverse.files import DataLoaderStrategies, is_path, read_texts
from nlgauge.compat.nlgmetricverse.loading import NamedMetric, load_metric, unpacked
from nlgauge.compat.scoring import plain, scored
from nlgauge.engine.carbon import checked_country
from nlgauge.errors import ParameterError, did_you_mean
from nlgauge.metric import AnyMetric, CorpusMetric, Metric, first_output
from nlgauge.metric.card import list_metrics
from nlgauge.metric.reduction import ReduceFn
from nlgauge.metric.registry import make
from nlgauge.results.result import Result
from nlgauge.scoring import DEFAULT_METRICS

# Types of a single metric, if a metric or a list of metrics is accepted.
_SINGLE = (str, Mapping, Metric, CorpusMetric, type, NamedMetric)

filter_metrics = list_metrics


class NLGMetricverse:
    """Set of metrics that is called with predictions and references.

    A call returns `total_items`, `empty_items` (number of segments whose predictions are blank; they are scored like all
    others), `total_time_elapsed` in seconds, and for each metric its outputs and `time_elapsed`. The latter is the time of
    this metric in seconds, without tokens and model passes that metrics share. With `carbon`, a country code such as
    "DEU", a call also returns `total_CO2_emitted` in kilograms (NaN if unknown). `run_concurrent` uses several processes.
    `allow_remote_code` applies to all metrics; see `load_metric`.

    >>> scores = NLGMetricverse(metrics=["bleu", "rouge"])(["the cat sat on the mat"], ["the cat sat on the mat"])
    >>> scores["total_items"], scores["rouge"]["score"]
    (1, 1.0)
    """

    list_metrics = staticmethod(list_metrics)
    filter_metrics = staticmethod(list_metrics)
    load_metric = staticmethod(load_metric)

    def __init__(
        self,
        metrics: Any = None,
        run_concurrent: bool = False,
        *,
        carbon: str | None = None,
        allow_remote_code: bool = False,
    ) -> None:
        self.carbon = None if carbon is None else checked_country(carbon)
        self._allow_remote_code = allow_remote_code
        self.metrics: dict[str, AnyMetric] = {}
        self._forms: dict[str, Any] = {}
        self.run_concurrent = run_concurrent
        self.options: dict[str, Any] = {}
        specs = DEFAULT_METRICS if metrics is None else [metrics] if isinstance(metrics, _SINGLE) else metrics
        if not isinstance(specs, Iterable):
            raise ParameterError(f"metrics must be a metric or a list of them, got {metrics!r:.60}.")
        for spec in specs:
            self._add(spec)

    @staticmethod
    def get_metric_bounds(name: str) -> tuple[float, float]:
        """Return the upper and the lower bound of the score of a metric."""
        return get_metric_bounds(name)

    def __call__(
        self,
        predictions: Any = None,
        references: Any = None,
        reduce_fn: ReduceFn = None,
        strategy: DataLoaderStrategies | None = None,
        *,
        sources: Any = None,
        **compute_kwargs: Any,
    ) -> dict[str, Any]:
        """Return the scores of texts; each metric gets the parameters in `compute_kwargs` that it has.

        Predictions and references may be the paths of two files or of two directories; `strategy` describes how texts are
        stored in them.
        """
        started = time.perf_counter()
        result = self.result(predictions, references, reduce_fn, strategy, sources=sources, **compute_kwargs)
        outputs = plain(result, self.metrics, self._forms)
        scores = {
            label: {**values, "time_elapsed": result.costs.metrics.get(label, 0.0)}
            for label, values in outputs.items()
        }
        rows = result.corpus.predictions[result.systems[0]].lists()
        emitted = {} if result.costs.carbon is None else {"total_CO2_emitted": result.costs.carbon.co2}
        return {
            "total_items": len(rows),
            "empty_items": sum(not any(result.corpus.texts[text].strip() for text in row) for row in rows),
            "total_time_elapsed": time.perf_counter() - started,
            **emitted,
            **scores,
        }

    compute = __call__
    evaluate = __call__

    def result(
        self,
        predictions: Any = None,
        references: Any = None,
        reduce_fn: ReduceFn = None,
        strategy: DataLoaderStrategies | None = None,
        *,
        sources: Any = None,
        **compute_kwargs: Any,
    ) -> Result:
        """Score like a call, but return a Result of nlgauge, which has the scores of every segment."""
        if strategy is not None and not isinstance(strategy, DataLoaderStrategies):
            raise ParameterError(
                f"strategy must be one of {', '.join(map(str, DataLoaderStrategies))}, got {strategy!r}."
            )
        if not self.metrics:
            raise ParameterError("the scorer has no metrics; add one with add_metric().")
        if is_path(predictions) or is_path(references):
            predictions, references = read_texts(predictions, references, strategy)
        arguments = {**self.options, **compute_kwargs}
        return scored(
            self.metrics,
            predictions,
            references,
            sources,
            reduce_fn=reduce_fn,
            run_concurrent=self.run_concurrent,
            carbon=self.carbon,
            arguments=arguments,
        )

    def add_metric(
        self,
        path: Any,
        resulting_name: str | None = None,
        compute_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Add a metric, by name and parameters or in any form that `metrics` accepts."""
        if isinstance(path, str) and "(" not in path:
            path = load_metric(
                path,
                resulting_name,
                compute_kwargs=compute_kwargs,
                allow_remote_code=self._allow_remote_code,
                **kwargs,
            )
        self._add(path)

    def remove_metric(self, resulting_name: str, error: bool = True) -> None:
        """Remove a metric by its `resulting_name`; an unknown name is an error unless `error` is False."""
        if self.metrics.pop(resulting_name, None) is None and error:
            near = did_you_mean(resulting_name, self.metrics)
            raise ParameterError(
                f"cannot remove the unknown metric {resulting_name!r}{near}; the scorer has"
                f" {', '.join(self.metrics) or 'no metrics'}."
            )

    def _add(self, spec: Any) -> None:
        label, metric, options, form = unpacked(spec, self._allow_remote_code)
        if label in self.metrics:
            raise ParameterError(f"two metrics have the name {label!r}; set resulting_name for one of them.")
        for name, value in options.items():
            if self.options.setdefault(name, value) != value:
                raise ParameterError(
                    f"{label} needs {name}={value!r}, but another metric needs {self.options[name]!r}; make one"
                    f" scorer for each {name}, because all metrics of a scorer share it."
                )
        self.metrics[label] = metric
        self._forms[label] = form.of


Jury = NLGMetricverse


def get_metric_bounds(name: str) -> tuple[float, float]:
    """Return the upper and the lower bound of the score of a metric.

    >>> get_metric_bounds("bleu")
    (100, 0)
    """
    output = first_output(make(name))
    return output.high, output.low
