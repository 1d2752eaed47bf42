"""NLGMetricverse and Jury: a set of metrics that is called with predictions and references."""

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

# What stands for a single metric where a list of them is also taken.
_ONE = (str, Mapping, Metric, CorpusMetric, type, NamedMetric)

filter_metrics = list_metrics


class NLGMetricverse:
    """A set of metrics that is called with predictions and references; `run_concurrent` uses several
    processes.

    The result holds `total_items`, `empty_items` (segments whose predictions are blank; they are scored like
    any other), `total_time_elapsed` in seconds, and for each metric its outputs and `time_elapsed`: the
    seconds of this metric, without tokens and model passes that metrics share. With `carbon`, the code of a
    country such as "DEU", it also holds `total_CO2_emitted`, in kilograms (NaN where it cannot be had).
    `allow_remote_code` is that of `load_metric`, for all metrics.

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
        specs = DEFAULT_METRICS if metrics is None else [metrics] if isinstance(metrics, _ONE) else metrics
        if not isinstance(specs, Iterable):
            raise ParameterError(f"metrics must be a metric or a list of them, got {metrics!r:.60}.")
        for spec in specs:
            self._add(spec)

    @staticmethod
    def get_metric_bounds(name: str) -> tuple[float, float]:
        """The upper and the lower bound of a metric's score."""
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
        """The scores of these texts; `compute_kwargs` go to every metric that has such a parameter.

        Predictions and references may be the paths of two files or of two directories; `strategy` says how
        texts are stored in them.
        """
        started = time.perf_counter()
        result = self.result(predictions, references, reduce_fn, strategy, sources=sources, **compute_kwargs)
        outputs = plain(result, self.metrics, self._forms)
        scores = {
            label: {**own, "time_elapsed": result.costs.metrics.get(label, 0.0)}
            for label, own in outputs.items()
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
        """What a call gives, as a Result of nlgauge, with the scores of every segment."""
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
        """Adds a metric, given by its name and parameters or in any form that `metrics` takes."""
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
        """Removes a metric by its `resulting_name`; an unknown name is an error unless `error` is False."""
        if self.metrics.pop(resulting_name, None) is None and error:
            near = did_you_mean(resulting_name, self.metrics)
            raise ParameterError(
                f"cannot remove the unknown metric {resulting_name!r}{near}; the scorer has"
                f" {', '.join(self.metrics) or 'no metrics'}."
            )

    def _add(self, spec: Any) -> None:
        label, metric, options, form = unpacked(spec, self._allow_remote_code)
        if label in self.metrics:
            raise ParameterError(f"two metrics have the label {label!r}; set the resulting_name of one.")
        for name, value in options.items():
            if self.options.setdefault(name, value) != value:
                raise ParameterError(
                    f"{label} asks for {name}={value!r}, another metric for {self.options[name]!r}; a scorer"
                    " has one for all."
                )
        self.metrics[label] = metric
        self._forms[label] = form.of


Jury = NLGMetricverse


def get_metric_bounds(name: str) -> tuple[float, float]:
    """The upper and the lower bound of a metric's score.

    >>> get_metric_bounds("bleu")
    (100, 0)
    """
    output = first_output(make(name))
    return output.high, output.low
