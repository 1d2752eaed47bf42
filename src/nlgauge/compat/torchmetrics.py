"""A metric of torchmetrics, for `MetricCollection`, Lightning's `self.log` and training on several processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.language import checked
from nlgauge.compat.collecting import Collected
from nlgauge.compat.scoring import plain, scored, split
from nlgauge.engine.prepare import labeled, prepared
from nlgauge.errors import InputError, MetricError, MissingExtraError, ParameterError, no_such
from nlgauge.metric import AnyMetric, Metric
from nlgauge.metric.registry import make, name_and_parameters
from nlgauge.metric.table import outputs_of

try:
    import torch
    from torchmetrics import Metric as TorchMetric
except ImportError:
    raise MissingExtraError("torchmetrics", "torchmetrics", "nlgauge.compat.torchmetrics") from None

# Columns of the sums. A process without texts does not know how many columns a metric has, and sums of all processes
# need one shape.
_WIDTH = 512
ALL = "all"


class TextMetric(TorchMetric):  # type: ignore[misc]
    """A metric of nlgauge as a `torchmetrics.Metric`.

    The state of a metric with additive statistics is their sum, so that processes add their states. Other metrics,
    such as mauve and cider, collect the texts of all processes.

    Parameters
    ----------
    name : str or metric
        Metric, such as "wer" or "chrf(word_order=2)".
    output : str, optional
        Output to compute, such as "rouge2"; "all" computes a dictionary of all outputs. Default: the first output.
    **parameters
        Parameters of the metric, options of the run (`lang`, `seed`, `batch_size`, `device`), and options of
        `torchmetrics.Metric` (`dist_sync_on_step`, `process_group`, `sync_on_compute` and others).

    Examples
    --------
    >>> metric = TextMetric("wer")
    >>> metric.update(["the cat"], ["the cat"])
    >>> metric.update("a dog", "the dog")
    >>> metric.compute()
    tensor(0.2500, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False

    def __init__(self, name: str | AnyMetric, output: str | None = None, **parameters: Any) -> None:
        torch_options = {key: parameters.pop(key) for key in list(parameters) if key in _TORCH_OPTIONS}
        super().__init__(**torch_options)
        metric_parameters, self._options = split(parameters)
        self._metrics = _metric(name, metric_parameters)
        ((self._label, metric),) = self._metrics.items()
        outputs = {each.name: each for part in metric.outputs().values() for each in part}
        if output not in (None, ALL) and outputs and output not in outputs:
            raise ParameterError(no_such("output", output, [*outputs, ALL]))
        self._output = output
        first = outputs.get(output or "") or next(iter(outputs.values()), None)
        self._direction = None if first is None else first.higher_is_better
        self._parts = tuple(metric.outputs())
        self._sums = isinstance(metric, Metric) and metric.fit() is None and not metric.seeded
        if self._sums:
            sums = torch.zeros(len(self._parts), _WIDTH, dtype=torch.float64)
            self.add_state("sums", sums, dist_reduce_fx="sum")
            # The number of columns of each part; 0 without texts.
            self.add_state("widths", torch.zeros(len(self._parts), dtype=torch.int64), dist_reduce_fx="max")
        else:
            # The bytes of JSON lines, as numbers of the type of empty states.
            self.add_state("texts", [], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:
        """True if higher values are better; None if neither is."""
        return self._direction

    def update(self, preds: Any, target: Any = None, sources: Any = None) -> None:
        """Add a batch, as lists or as one text and its reference."""
        batch = Collected()
        batch.add(_batch(preds, target, sources))
        if not self._sums:
            lines = b"".join(msgspec.json.encode(row) + b"\n" for row in zip(*_filled(batch), strict=True))
            self.texts.append(torch.tensor(list(lines), dtype=self.dtype, device=self.device))
            return
        result = self._result(batch)
        table = result._tables[result.systems[0], result.labels[0]]
        for place, part in enumerate(self._parts):
            rows = table.statistics[part]
            if rows.shape[1] > _WIDTH:
                raise MetricError(f"{self._label} has {rows.shape[1]} statistics, more than {_WIDTH}.")
            sums = torch.from_numpy(np.asarray(rows, dtype=np.float64).sum(axis=0)).to(self.device)
            self.sums[place, : rows.shape[1]] += sums
            self.widths[place] = rows.shape[1]

    def compute(self) -> Any:
        """Return the output over all batches of all processes since the last `reset`, as a tensor."""
        outputs = self._outputs_of_sums() if self._sums else self._outputs_of_texts()
        tensors = {
            name: torch.tensor(value, dtype=torch.float64)
            for name, value in outputs.items()
            if isinstance(value, int | float) and name != "score"
        }
        if self._output == ALL:
            return tensors
        return tensors[self._output or next(iter(tensors))]

    def _outputs_of_sums(self) -> Mapping[str, Any]:
        widths = self.widths.tolist()
        if not all(widths):
            raise _no_texts()
        (metric,) = prepared(self._metrics, checked(self._options.get("lang")), None).values()
        sums = self.sums.cpu().numpy()
        parts = {part: sums[place : place + 1, : widths[place]] for place, part in enumerate(self._parts)}
        return {name: float(values[0]) for name, values in outputs_of(metric, parts, (1,)).items()}

    def _outputs_of_texts(self) -> Mapping[str, Any]:
        state = self.texts if isinstance(self.texts, list) else [self.texts]
        encoded = b"".join(bytes(each.to(torch.uint8).cpu().numpy()) for each in state)
        if not encoded:
            raise _no_texts()
        batch = Collected()
        columns = zip(*map(msgspec.json.decode, encoded.splitlines()), strict=True)
        names = ("predictions", "references", "sources")
        batch.add(
            {name: None if None in values else values for name, values in zip(names, columns, strict=True)}
        )
        (outputs,) = plain(self._result(batch), self._metrics).values()
        return dict(outputs)

    def _result(self, batch: Collected) -> Any:
        return scored(self._metrics, *batch.columns(), arguments=self._options)


_TORCH_OPTIONS = (
    "compute_on_cpu",
    "dist_sync_on_step",
    "process_group",
    "dist_sync_fn",
    "distributed_available_fn",
    "sync_on_compute",
    "compute_with_cache",
)


def _metric(name: str | AnyMetric, parameters: dict[str, Any]) -> dict[str, AnyMetric]:
    """Return the metric by its label, with parameters from its text and from keywords."""
    if isinstance(name, str) and parameters:
        text, named = name_and_parameters(name)
        return labeled([make(text, {**named, **parameters})])
    return labeled([name])


def _filled(batch: Collected) -> list[list[Any]]:
    """Return predictions, references and sources; missing columns have None in all rows."""
    predictions, *others = batch.columns()
    return [predictions, *(column or [None] * len(predictions) for column in others)]


def _no_texts() -> InputError:
    return InputError("no predictions were added; call update before compute.")


def _batch(preds: Any, target: Any, sources: Any) -> dict[str, Any]:
    columns = {"predictions": preds, "references": target, "sources": sources}
    return {
        name: texts if texts is None else [texts] if isinstance(preds, str) else list(texts)
        for name, texts in columns.items()
    }
