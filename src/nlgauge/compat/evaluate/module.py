"""Functions `load` and `combine`, which return metrics as objects that collect texts and score them."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from types import SimpleNamespace
from typing import Any

from nlgauge.compat.collecting import Collected
from nlgauge.compat.evaluate.names import MISSING, OF_LABELS, SHAPES, Shape
from nlgauge.compat.evaluate.request import Request
from nlgauge.compat.scoring import RUN_OPTIONS, split
from nlgauge.errors import InputError, ParameterError, UnknownMetricError, did_you_mean
from nlgauge.metric.card import Card, card
from nlgauge.metric.reduction import ReduceFn
from nlgauge.metric.registry import find

_HUB = "evaluate-metric/"
_TYPES = ("metric", "measurement")


class Module:
    """Metric with its arguments and the texts that were added so far."""

    def __init__(
        self,
        name: str,
        shape: Shape,
        arguments: Mapping[str, Any],
        *,
        module_type: str = "metric",
        experiment_id: str | None = None,
    ) -> None:
        self.name = shape.name or name
        self.module_type = module_type
        self.experiment_id = experiment_id
        self._shape = shape
        self._arguments = self._checked(arguments)
        self._collected = Collected()

    def add(
        self,
        *,
        prediction: Any = None,
        reference: Any = None,
        source: Any = None,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
    ) -> None:
        """Add one segment, with singular or plural names; the reference may be a list of references."""
        pairs = {
            "predictions": (prediction, predictions),
            "references": (reference, references),
            "sources": (source, sources),
        }
        for name, (singular, plural) in pairs.items():
            if singular is not None and plural is not None:
                raise InputError(
                    f"{name[:-1]} and {name} mean the same in add(), which adds one segment; pass only one of them."
                )
        items = {name: plural if singular is None else singular for name, (singular, plural) in pairs.items()}
        self._collected.add({name: None if item is None else [item] for name, item in items.items()})

    def add_batch(self, *, predictions: Any = None, references: Any = None, sources: Any = None) -> None:
        """Add segments, which the next `compute` scores."""
        self._collected.add({"predictions": predictions, "references": references, "sources": sources})

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
        data: Any = None,
        reduce_fn: ReduceFn = None,
        **arguments: Any,
    ) -> Any:
        """Return the outputs of the metric for all texts that were added or passed, then discard the texts.

        `data` are the predictions of a measurement.
        """
        if predictions is not None or data is not None:
            self.add_batch(
                predictions=data if predictions is None else predictions,
                references=references,
                sources=sources,
            )
        parameters, options = split(self._checked({**self._arguments, **arguments}))
        outputs = self._shape.compute(Request(*self._collected.columns(), reduce_fn, options), **parameters)
        self._collected = Collected()
        return outputs

    def accepts(self, argument: str) -> bool:
        """Return True if `compute` has this argument."""
        return argument in self._argument_names()

    def _argument_names(self) -> list[str]:
        signature = inspect.signature(self._shape.compute).parameters.values()
        names = [parameter.name for parameter in signature if parameter.kind is parameter.KEYWORD_ONLY]
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature):
            metric = find(self._shape.metric)
            parameters = [field.name for field in fields(metric)]  # type: ignore[arg-type]
            spellings = metric.spellings.items()
            names += [
                *parameters,
                *(name for name, meaning in spellings if meaning.removeprefix("not ") in parameters),
            ]
        return [*dict.fromkeys([*names, *RUN_OPTIONS])]

    def _checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        names = self._argument_names()
        for argument in arguments:
            if argument not in names:
                raise ParameterError(
                    f"{self.name} has no parameter {argument!r}{did_you_mean(argument, names)}; it takes"
                    f" {', '.join(names)}."
                )
        return dict(arguments)

    @property
    def _card(self) -> Card:
        return card(self._shape.metric)

    def _section(self, heading: str) -> str:
        return self._card.text.partition(f"## {heading}\n")[2].partition("\n## ")[0].strip()

    @property
    def description(self) -> str:
        """Description of the metric, from its card."""
        return self._section("What it measures")

    @property
    def inputs_description(self) -> str:
        """Parameters of the metric of nlgauge, from its card."""
        return self._section("Parameters")

    @property
    def citation(self) -> str:
        """Paper of the metric."""
        return self._card.paper

    @property
    def license(self) -> str:
        """License of the metric and of its default model."""
        return self._card.license

    @property
    def features(self) -> dict[str, str]:
        """Inputs of `compute`, with the type of an item."""
        metric = find(self._shape.metric)
        needed = {"predictions": "string", "references": "string or list of strings", "sources": "string"}
        used = {"predictions": True, "references": metric.takes != "alone", "sources": metric.source}
        return {name: kind for name, kind in needed.items() if used[name]}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, arguments={self._arguments!r})"


class Combined:
    """Several metrics that score the same texts; their outputs are in one dictionary."""

    def __init__(self, modules: Sequence[tuple[str, Module]], *, force_prefix: bool = False) -> None:
        self._modules = list(modules)
        self._force_prefix = force_prefix

    def add(self, **item: Any) -> None:
        """Add one segment to every metric."""
        for _, module in self._modules:
            module.add(**item)

    def add_batch(self, **batch: Any) -> None:
        """Add segments to every metric."""
        for _, module in self._modules:
            module.add_batch(**batch)

    def compute(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, **arguments: Any
    ) -> dict[str, Any]:
        """Return every output of every metric; each metric gets the `arguments` that it accepts.

        If outputs have the same name, the name of the metric and an underscore precede it. Metrics of the same name are
        numbered from 0.
        """
        for argument in arguments:
            if not any(module.accepts(argument) for _, module in self._modules) and argument != "reduce_fn":
                raise ParameterError(
                    f"none of {', '.join(name for name, _ in self._modules)} has a parameter {argument!r}; omit it, or"
                    " correct its name."
                )
        results = []
        for name, module in self._modules:
            accepted = {
                key: value for key, value in arguments.items() if key == "reduce_fn" or module.accepts(key)
            }
            output = module.compute(
                predictions=predictions, references=references, sources=sources, **accepted
            )
            results.append(
                (
                    name,
                    (
                        output
                        if isinstance(output, dict)
                        else vars(output)
                        if isinstance(output, SimpleNamespace)
                        else {module.name: output}
                    ),
                )
            )
        names, keys = (
            Counter(name for name, _ in results),
            Counter(key for _, outputs in results for key in outputs),
        )
        numbers: Counter[str] = Counter()
        merged: dict[str, Any] = {}
        for name, outputs in results:
            prefix = f"{name}_{numbers[name]}" if names[name] > 1 else name
            numbers[name] += 1
            merged |= {
                f"{prefix}_{key}" if self._force_prefix or keys[key] > 1 else key: value
                for key, value in outputs.items()
            }
        return merged


def load(
    path: str,
    config_name: str | None = None,
    module_type: str | None = None,
    process_id: int = 0,
    num_process: int = 1,
    cache_dir: str | None = None,
    experiment_id: str | None = None,
    keep_in_memory: bool = False,
    download_config: Any = None,
    download_mode: Any = None,
    revision: Any = None,
    **arguments: Any,
) -> Module:
    """Load a metric by name; `arguments` are used in every `compute`.

    The other parameters, which concern files and downloads of evaluate, have no effect.

    >>> load("exact_match").compute(predictions=["a", "b"], references=["a", "c"])
    {'exact_match': 0.5}
    """
    if num_process != 1:
        raise ParameterError(
            f"num_process must be 1, got {num_process!r:.60}, because texts of several processes are not gathered;"
            " gather them first, or use nlgauge.score(..., run_concurrent=True)."
        )
    name = path.removeprefix(_HUB)
    if name in MISSING:
        raise UnknownMetricError(f"evaluate's {name} is not in nlgauge: {MISSING[name]}.")
    if module_type not in (None, *_TYPES):
        raise ParameterError(
            f"module_type must be one of {', '.join(_TYPES)}, got {module_type!r}; nlgauge.score(...).compare"
            " compares systems."
        )
    shape = SHAPES.get(name) or Shape(partial(_own_outputs, name), find(name).name)
    return Module(name, shape, arguments, module_type=module_type or "metric", experiment_id=experiment_id)


def combine(
    evaluations: Iterable[str | Module] | Mapping[str, str | Module], force_prefix: bool = False
) -> Combined:
    """Combine several metrics, by name or loaded; the keys of a mapping are their names.

    >>> combine(["wer", "cer"]).compute(predictions=["a cut"], references=["a cat"])
    {'wer': 0.5, 'cer': 0.2}
    """
    named = (
        evaluations.items()
        if isinstance(evaluations, Mapping)
        else [(None, evaluation) for evaluation in evaluations]
    )
    modules = []
    for name, evaluation in named:
        module = load(evaluation) if isinstance(evaluation, str) else evaluation
        if not isinstance(module, Module):
            raise ParameterError(
                f"combine() takes names of metrics and modules of load(), got {evaluation!r:.60}; pass each metric"
                " separately."
            )
        modules.append((name or module.name, module))
    return Combined(modules, force_prefix=force_prefix)


def _own_outputs(name: str, request: Request, **parameters: Any) -> dict[str, Any]:
    """Return every output of a metric of nlgauge that evaluate does not have, or has for other inputs."""
    if name in OF_LABELS and not all(isinstance(prediction, str) for prediction in request.predictions):
        raise InputError(
            f"evaluate's {name} compares class labels, but nlgauge's compares the tokens of texts; for labels"
            " use scikit-learn."
        )
    return request.table(name, **parameters).scores()
