"""Loading of metrics by name, from a directory of the user or, if allowed, from an installed evaluate."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.compat.bert_score import with_baseline
from nlgauge.compat.custom import MetricForNLG
from nlgauge.compat.from_evaluate import from_evaluate, local_script
from nlgauge.compat.nlgmetricverse.forms import Form, taken
from nlgauge.compat.scoring import plain, scored, split
from nlgauge.engine.prepare import labeled
from nlgauge.errors import NotYetError, ParameterError, UnknownMetricError
from nlgauge.metric import REGISTERED, AnyMetric
from nlgauge.metric.reduction import ReduceFn
from nlgauge.metric.registry import find, make, metric_classes

# Names of the weights of BARTScore in NLG-Metricverse and Jury, with the names in nlgauge.
_CHECKPOINTS = {"bartscore-large-cnn": "bart-large-cnn"}
_NAMES_ITS_CLASS = 'must set __main_class__ = "NAME", the name of a subclass of MetricForNLG in this file'
_TASKS = (None, "language-generation")
# Metrics of NLG-Metricverse that nlgauge does not have yet, with the most similar metric.
LATER = {
    "carburacy": "rouge, with the costs in result.costs",
    "nid": "repetitiveness",
}


class LoadedMetric(dict[str, Any]):
    """Name, label and parameters of a metric, in a form that `nlgauge.score` also accepts.

    `compute` scores texts with this metric. `form` selects whether `compute` and `NLGMetricverse` return averages or
    lists.
    """

    form: Form = Form()

    def compute(
        self,
        predictions: Any = None,
        references: Any = None,
        reduce_fn: ReduceFn = None,
        *,
        sources: Any = None,
        **compute_kwargs: Any,
    ) -> dict[str, Any]:
        """Return every output of the metric, under its `resulting_name`."""
        label, metric, options, form = unpacked(self)
        result = scored(
            {label: metric},
            predictions,
            references,
            sources,
            reduce_fn=reduce_fn,
            arguments={**options, **compute_kwargs},
        )
        return plain(result, {label: metric}, {label: form.of})

    @property
    def resulting_name(self) -> str:
        """Label of the metric in results."""
        return str(self["resulting_name"])


def load_metric(
    path: str | Path,
    resulting_name: str | None = None,
    task: str | None = "language-generation",
    compute_kwargs: Mapping[str, Any] | None = None,
    use_nlgmetricverse_only: bool = False,
    allow_remote_code: bool = False,
    **kwargs: Any,
) -> LoadedMetric | MetricForNLG:
    """Load a metric by name, with its parameters in `compute_kwargs` or as keyword arguments.

    The function also accepts parameters of NLG-Metricverse for the form of the outputs: `use_aggregator` and
    `metric_to_select` of rouge, `return_average_scores` of bertscore, `segment_scores` of bartscore, and `ngrams` of
    abstractness. Abstractness compares with the references.

    `path` may also be a local directory `.../NAME` that contains `NAME.py`. That file is imported and thus executed, so
    name only code that you trust; its `__main_class__` names a subclass of `MetricForNLG`. With `allow_remote_code`, an
    installed evaluate loads any other name or script: it may download the script, and executes it, after a warning.
    `use_nlgmetricverse_only` prevents that.

    >>> load_metric("wer", resulting_name="errors", compute_kwargs={"lowercase": True}).compute(["A cat"], ["a cat"])["errors"]["score"]
    0.0
    """
    if task not in _TASKS:
        raise ParameterError(f"task must be 'language-generation' or None, got {task!r}.")
    parameters, name = {**(compute_kwargs or {}), **kwargs}, str(path)
    try:
        metric = find(name).name
        parameters, form = taken(metric, parameters)
        if metric == "bertscore":
            parameters = with_baseline(parameters)
        if name.strip().lower() == "abstractness":
            parameters = {"against": "references", **parameters}
        checkpoint = str(parameters.get("model_checkpoint")).lower()
        if metric == "bartscore" and checkpoint in _CHECKPOINTS:
            parameters = {**parameters, "model_checkpoint": _CHECKPOINTS[checkpoint]}
        make(name, split(parameters)[0])
    except UnknownMetricError as error:
        may_run = allow_remote_code and not use_nlgmetricverse_only
        if Path(path).is_dir() and not (may_run and _is_evaluates(Path(path))):
            return _from_directory(Path(path)).construct(resulting_name, parameters)
        if may_run:
            return from_evaluate(name, parameters, error, resulting_name)
        key = name.strip().lower()
        if key in LATER:
            raise NotYetError(
                f"{key} comes with a later release of nlgauge; the most similar metric now is {LATER[key]}."
            ) from None
        raise
    loaded = LoadedMetric(path=name, resulting_name=resulting_name or name, compute_kwargs=parameters)
    loaded.form = form
    return loaded


class AutoMetric:
    """Namespace in which `load` is `load_metric`."""

    load = staticmethod(load_metric)


@dataclass(frozen=True)
class NamedMetric:
    """Metric class of NLG-Metricverse, such as `Bleu`, `Rouge` or `Bertscore`.

    The method `construct` and a call create the metric.
    """

    path: str

    def construct(
        self,
        resulting_name: str | None = None,
        compute_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Create the metric with a name and parameters."""
        return load_metric(self.path, resulting_name, compute_kwargs=compute_kwargs, **kwargs)

    __call__ = construct


def named_metric(name: str) -> NamedMetric | None:
    """Return the metric class of a name such as ExactMatch, else None; names in `LATER` are included."""
    names = (*metric_classes(), *REGISTERED.aliases, *LATER)
    return next((NamedMetric(key) for key in names if key.replace("_", "") == name.lower()), None)


def unpacked(spec: Any, allow_remote_code: bool = False) -> tuple[str, AnyMetric, dict[str, Any], Form]:
    """Return label, metric, options of the run and form of the outputs of a metric.

    `spec` has any form that `NLGMetricverse(metrics=...)` accepts.
    """
    if isinstance(spec, str) and "(" not in spec:
        spec = load_metric(spec, allow_remote_code=allow_remote_code)
    elif isinstance(spec, type) and issubclass(spec, MetricForNLG):
        spec = spec()
    elif isinstance(spec, NamedMetric):
        spec = spec.construct()
    elif isinstance(spec, Mapping) and not isinstance(spec, LoadedMetric) and "path" in spec:
        if "allow_remote_code" in spec:
            raise ParameterError(
                "allow_remote_code does not belong to a metric; pass it to load_metric or NLGMetricverse, for all"
                " metrics."
            )
        spec = load_metric(**spec, allow_remote_code=allow_remote_code)
    if isinstance(spec, LoadedMetric):
        parameters, options = split(spec["compute_kwargs"])
        return spec.resulting_name, make(spec["path"], parameters), options, spec.form
    ((label, metric),) = labeled([spec], allow_remote_code).items()
    return label, metric, {}, Form()


def _is_evaluates(directory: Path) -> bool:
    """Return True if a directory contains a script of evaluate, which does not set `__main_class__`."""
    script = local_script(str(directory))
    return script is not None and b"__main_class__" not in script.read_bytes()


def _from_directory(directory: Path) -> type[MetricForNLG]:
    name = directory.resolve().name
    file = directory / f"{name}.py"
    module_name = f"nlgauge_loaded_{name}"
    spec = importlib.util.spec_from_file_location(module_name, file) if file.is_file() else None
    if spec is None or spec.loader is None:
        raise UnknownMetricError(
            f"unknown metric {str(directory)!r}; the directory of that name has no {name}.py."
        )
    if _is_evaluates(directory):
        raise UnknownMetricError(
            f"{file} {_NAMES_ITS_CLASS}; a script of evaluate needs allow_remote_code=True."
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    main = getattr(module, "__main_class__", None)
    metric = getattr(module, main, None) if isinstance(main, str) else main
    if not (isinstance(metric, type) and issubclass(metric, MetricForNLG)):
        raise UnknownMetricError(f"{file} {_NAMES_ITS_CLASS}.")
    return metric
