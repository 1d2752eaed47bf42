"""The calls of NLG-Metricverse and Jury, as in the NLG-Metricverse thesis and in the published packages.

Scores are those of nlgauge: directions, scales, empty texts and several references follow the card of each metric, nothing is dropped from the
lists, and a call returns a plain dictionary. What `load_metric` returns can be used in `nlgauge.score` as well.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from nlgauge.compat.custom import MetricForLanguageGeneration, MetricForNLG
from nlgauge.compat.scoring import plain, scored, split
from nlgauge.errors import InputError, ParameterError, UnknownMetricError, did_you_mean
from nlgauge.metric import REGISTERED, AnyMetric, CorpusMetric, Metric, first_output
from nlgauge.metric.card import filter_metrics, list_metrics
from nlgauge.metric.registry import make, metric_classes
from nlgauge.run.prepare import labelled
from nlgauge.run.reduction import ReduceFn
from nlgauge.scorer import DEFAULT_METRICS

__all__ = [
    "AutoMetric",
    "DataLoaderStrategies",
    "Jury",
    "LoadedMetric",
    "MetricForLanguageGeneration",
    "MetricForNLG",
    "NLGMetricverse",
    "filter_metrics",
    "get_metric_bounds",
    "list_metrics",
    "load_metric",
]

_TASKS = (None, "language-generation")


class DataLoaderStrategies(Enum):
    """How texts are stored in files; lists of texts need neither."""

    OneRecordPerLine = "one_record_per_line"
    OneRecordPerFile = "one_record_per_file"


class LoadedMetric(dict[str, Any]):
    """A metric's name, label and parameters, in a form that `nlgauge.score` also takes; `compute` scores texts with this metric alone."""

    def compute(
        self, predictions: Any = None, references: Any = None, reduce_fn: ReduceFn = None, *, sources: Any = None, **compute_kwargs: Any
    ) -> dict[str, Any]:
        """Every output of the metric, under its `resulting_name`."""
        label, metric, options = _unpacked(self)
        result = scored({label: metric}, predictions, references, sources, reduce_fn=reduce_fn, arguments={**options, **compute_kwargs})
        return plain(result, {label: metric})

    @property
    def resulting_name(self) -> str:
        """The label of its results."""
        return str(self["resulting_name"])


def load_metric(
    path: str | Path,
    resulting_name: str | None = None,
    task: str | None = "language-generation",
    compute_kwargs: Mapping[str, Any] | None = None,
    use_nlgmetricverse_only: bool = False,
    **kwargs: Any,
) -> LoadedMetric | MetricForNLG:
    """A metric by name, with its parameters in `compute_kwargs` or as keyword arguments.

    `path` may also be a directory `.../NAME` that holds `NAME.py`: that file is imported, which runs it, and its `__main_class__` names a
    subclass of `MetricForNLG`. `use_nlgmetricverse_only` is accepted and changes nothing: metrics of other libraries are never loaded.

    >>> load_metric("wer", resulting_name="errors", compute_kwargs={"lowercase": True}).compute(["A cat"], ["a cat"])["errors"]["score"]
    0.0
    """
    if task not in _TASKS:
        raise ParameterError(f"task must be 'language-generation' or None, got {task!r}.")
    given, name = {**(compute_kwargs or {}), **kwargs}, str(path)
    try:
        make(name, split(given)[0])
    except UnknownMetricError:
        if not Path(path).is_dir():
            raise
        return _from_directory(Path(path)).construct(resulting_name, given)
    return LoadedMetric(path=name, resulting_name=resulting_name or name, compute_kwargs=given)


class NLGMetricverse:
    """A set of metrics that is called with predictions and references; `run_concurrent` uses several processes.

    The result holds `total_items`, `empty_items` (segments whose predictions are blank; they are scored like any other), `total_time_elapsed`
    in seconds, and for each metric its outputs and `time_elapsed`: the seconds of this metric, without tokens and model passes that metrics share.

    >>> scores = NLGMetricverse(metrics=["bleu", "rouge"])(["the cat sat on the mat"], ["the cat sat on the mat"])
    >>> scores["total_items"], scores["rouge"]["score"]
    (1, 1.0)
    """

    list_metrics = staticmethod(list_metrics)
    filter_metrics = staticmethod(filter_metrics)
    load_metric = staticmethod(load_metric)

    def __init__(self, metrics: Any = None, run_concurrent: bool = False) -> None:
        self.metrics: dict[str, AnyMetric] = {}
        self.run_concurrent = run_concurrent
        self._options: dict[str, Any] = {}
        specs = DEFAULT_METRICS if metrics is None else [metrics] if isinstance(metrics, str | Mapping | Metric | CorpusMetric | type) else metrics
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
        """The scores of these texts; `compute_kwargs` go to every metric that has such a parameter."""
        if strategy is not None and not isinstance(strategy, DataLoaderStrategies):
            raise ParameterError(f"strategy must be one of {', '.join(map(str, DataLoaderStrategies))}, got {strategy!r}.")
        for name, texts in (("predictions", predictions), ("references", references)):
            if isinstance(texts, str | Path):
                raise InputError(f"{name} is one text or a path ({str(texts)!r:.60}); files are not read here; give a list of texts.")
        if not self.metrics:
            raise ParameterError("there is no metric left to compute; add one with add_metric().")
        started = time.perf_counter()
        arguments = {**self._options, **compute_kwargs}
        result = scored(self.metrics, predictions, references, sources, reduce_fn=reduce_fn, run_concurrent=self.run_concurrent, arguments=arguments)
        scores = {label: {**outputs, "time_elapsed": result.costs.metrics.get(label, 0.0)} for label, outputs in plain(result, self.metrics).items()}
        rows = result.corpus.predictions[result.systems[0]].lists()
        return {
            "total_items": len(rows),
            "empty_items": sum(not any(result.corpus.texts[text].strip() for text in row) for row in rows),
            "total_time_elapsed": time.perf_counter() - started,
            **scores,
        }

    compute = __call__
    evaluate = __call__

    def add_metric(self, path: Any, resulting_name: str | None = None, compute_kwargs: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """Adds a metric, given by its name and parameters or in any form that `metrics` takes."""
        self._add(load_metric(path, resulting_name, compute_kwargs=compute_kwargs, **kwargs) if isinstance(path, str) and "(" not in path else path)

    def remove_metric(self, resulting_name: str, error: bool = True) -> None:
        """Removes a metric by its `resulting_name`; an unknown name is an error unless `error` is False."""
        if self.metrics.pop(resulting_name, None) is None and error:
            near = did_you_mean(resulting_name, self.metrics)
            raise ParameterError(f"there is no metric {resulting_name!r} to remove{near}; there are {', '.join(self.metrics) or 'none'}.")

    def _add(self, spec: Any) -> None:
        label, metric, options = _unpacked(spec)
        if label in self.metrics:
            raise ParameterError(f"two metrics are labelled {label!r}; give one of them a resulting_name.")
        for name, value in options.items():
            if self._options.setdefault(name, value) != value:
                raise ParameterError(f"{label} asks for {name}={value!r}, another metric for {self._options[name]!r}; a scorer has one for all.")
        self.metrics[label] = metric


Jury = NLGMetricverse


class AutoMetric:
    """`AutoMetric.load` is `load_metric`."""

    load = staticmethod(load_metric)


@dataclass(frozen=True)
class NamedMetric:
    """A metric class of this module, such as `Bleu`, `Rouge` or `Bertscore`; `construct` gives the metric."""

    path: str

    def construct(self, resulting_name: str | None = None, compute_kwargs: Mapping[str, Any] | None = None, **kwargs: Any) -> Any:
        """The metric under a name, with these parameters."""
        return load_metric(self.path, resulting_name, compute_kwargs=compute_kwargs, **kwargs)


def get_metric_bounds(name: str) -> tuple[float, float]:
    """The upper and the lower bound of a metric's score.

    >>> get_metric_bounds("bleu")
    (100, 0)
    """
    output = first_output(make(name))
    return output.high, output.low


def __getattr__(name: str) -> NamedMetric:
    if not name.startswith("_"):
        for known in (*metric_classes(), *REGISTERED.aliases):
            if known.replace("_", "") == name.lower():
                return NamedMetric(known)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _unpacked(spec: Any) -> tuple[str, AnyMetric, dict[str, Any]]:
    """The label, the metric and the options of the run, from any form that `metrics` takes."""
    if isinstance(spec, str) and "(" not in spec:
        spec = load_metric(spec)
    elif isinstance(spec, type) and issubclass(spec, MetricForNLG):
        spec = spec()
    elif isinstance(spec, Mapping) and not isinstance(spec, LoadedMetric) and "path" in spec:
        spec = load_metric(**spec)
    if isinstance(spec, LoadedMetric):
        parameters, options = split(spec["compute_kwargs"])
        return spec.resulting_name, make(spec["path"], parameters), options
    ((label, metric),) = labelled([spec]).items()
    return label, metric, {}


def _from_directory(directory: Path) -> type[MetricForNLG]:
    name = directory.resolve().name
    file = directory / f"{name}.py"
    module_name = f"nlgauge_loaded_{name}"
    found = importlib.util.spec_from_file_location(module_name, file) if file.is_file() else None
    if found is None or found.loader is None:
        raise UnknownMetricError(f"there is no metric {str(directory)!r}, and the directory of that name holds no {name}.py.")
    module = importlib.util.module_from_spec(found)
    sys.modules[module_name] = module
    found.loader.exec_module(module)
    main = getattr(module, "__main_class__", None)
    metric = getattr(module, main, None) if isinstance(main, str) else main
    if not (isinstance(metric, type) and issubclass(metric, MetricForNLG)):
        raise UnknownMetricError(f'{file} must say __main_class__ = "NAME", the name of a subclass of MetricForNLG in it.')
    return metric
