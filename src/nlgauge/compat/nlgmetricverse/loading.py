"""load_metric: a metric by name, from a directory of the user's own, or, where that is allowed, from an
installed evaluate.
"""

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
from nlgauge.engine.prepare import labelled
from nlgauge.errors import NotYetError, ParameterError, UnknownMetricError
from nlgauge.metric import REGISTERED, AnyMetric
from nlgauge.metric.reduction import ReduceFn
from nlgauge.metric.registry import find, make, metric_classes

# What NLG-Metricverse and Jury call the weights of BARTScore.
_CHECKPOINTS = {"bartscore-large-cnn": "bart-large-cnn"}
_NAMES_ITS_CLASS = 'must say __main_class__ = "NAME", the name of a subclass of MetricForNLG in it'
_TASKS = (None, "language-generation")
# Metrics of NLG-Metricverse that are not here yet, and what is nearest to each.
LATER = {
    "carburacy": "rouge, with the costs in result.costs",
    "nid": "repetitiveness",
}


class LoadedMetric(dict[str, Any]):
    """A metric's name, label and parameters, in a form that `nlgauge.score` also takes; `compute` scores
    texts with this metric alone.

    `form` says whether `compute` and `NLGMetricverse` return averages or lists.
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
        """Every output of the metric, under its `resulting_name`."""
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
        """The label of its results."""
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
    """A metric by name, with its parameters in `compute_kwargs` or as keyword arguments.

    Parameters that NLG-Metricverse's metrics have for the form of their numbers are taken too:
    `use_aggregator` and `metric_to_select` of rouge, `return_average_scores` of bertscore, `segment_scores`
    of bartscore, `ngrams` of abstractness, which compares with the references.

    `path` may also be a local directory `.../NAME` that holds `NAME.py`: that file is imported, which runs
    it, so name only code that you trust; its `__main_class__` names a subclass of `MetricForNLG`. With
    `allow_remote_code` any other name or script is given to an installed evaluate, which may download the
    script and runs it, after a warning; `use_nlgmetricverse_only` forbids that.

    >>> load_metric("wer", resulting_name="errors", compute_kwargs={"lowercase": True}).compute(["A cat"], ["a cat"])["errors"]["score"]
    0.0
    """
    if task not in _TASKS:
        raise ParameterError(f"task must be 'language-generation' or None, got {task!r}.")
    given, name = {**(compute_kwargs or {}), **kwargs}, str(path)
    try:
        known = find(name).name
        given, form = taken(known, given)
        if known == "bertscore":
            given = with_baseline(given)
        if name.strip().lower() == "abstractness":
            given = {"against": "references", **given}
        if known == "bartscore" and str(given.get("model_checkpoint")).lower() in _CHECKPOINTS:
            given = {**given, "model_checkpoint": _CHECKPOINTS[str(given["model_checkpoint"]).lower()]}
        make(name, split(given)[0])
    except UnknownMetricError as error:
        may_run = allow_remote_code and not use_nlgmetricverse_only
        if Path(path).is_dir() and not (may_run and _is_evaluates(Path(path))):
            return _from_directory(Path(path)).construct(resulting_name, given)
        if may_run:
            return from_evaluate(name, given, error, resulting_name)
        wanted = name.strip().lower()
        if wanted in LATER:
            raise NotYetError(
                f"{wanted} comes with a later release of nlgauge; the nearest metric now is {LATER[wanted]}."
            ) from None
        raise
    loaded = LoadedMetric(path=name, resulting_name=resulting_name or name, compute_kwargs=given)
    loaded.form = form
    return loaded


class AutoMetric:
    """`AutoMetric.load` is `load_metric`."""

    load = staticmethod(load_metric)


@dataclass(frozen=True)
class NamedMetric:
    """A metric class of NLG-Metricverse's, such as `Bleu`, `Rouge` or `Bertscore`; `construct` gives the
    metric, and so does calling it.
    """

    path: str

    def construct(
        self,
        resulting_name: str | None = None,
        compute_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """The metric under a name, with these parameters."""
        return load_metric(self.path, resulting_name, compute_kwargs=compute_kwargs, **kwargs)

    __call__ = construct


def named_metric(name: str) -> NamedMetric | None:
    """The metric class of a name such as ExactMatch, or of one that comes with a later release; None
    where there is none.
    """
    names = (*metric_classes(), *REGISTERED.aliases, *LATER)
    return next((NamedMetric(known) for known in names if known.replace("_", "") == name.lower()), None)


def unpacked(spec: Any, allow_remote_code: bool = False) -> tuple[str, AnyMetric, dict[str, Any], Form]:
    """Return the label, the metric, the options of the run and the form of the outputs, from any form
    that `metrics` takes.
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
    ((label, metric),) = labelled([spec], allow_remote_code).items()
    return label, metric, {}, Form()


def _is_evaluates(directory: Path) -> bool:
    """Whether a directory holds a script of evaluate's, which does not name its class as those of
    NLG-Metricverse do.
    """
    script = local_script(str(directory))
    return script is not None and b"__main_class__" not in script.read_bytes()


def _from_directory(directory: Path) -> type[MetricForNLG]:
    name = directory.resolve().name
    file = directory / f"{name}.py"
    module_name = f"nlgauge_loaded_{name}"
    found = importlib.util.spec_from_file_location(module_name, file) if file.is_file() else None
    if found is None or found.loader is None:
        raise UnknownMetricError(
            f"unknown metric {str(directory)!r}; the directory of that name has no {name}.py."
        )
    if _is_evaluates(directory):
        raise UnknownMetricError(
            f"{file} {_NAMES_ITS_CLASS}; a script of evaluate's needs allow_remote_code=True."
        )
    module = importlib.util.module_from_spec(found)
    sys.modules[module_name] = module
    found.loader.exec_module(module)
    main = getattr(module, "__main_class__", None)
    metric = getattr(module, main, None) if isinstance(main, str) else main
    if not (isinstance(metric, type) and issubclass(metric, MetricForNLG)):
        raise UnknownMetricError(f"{file} {_NAMES_ITS_CLASS}.")
    return metric
