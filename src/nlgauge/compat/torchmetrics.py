"""The calls of torchmetrics' text metrics: update, compute and reset; results are plain dictionaries of nlgauge's outputs."""

from __future__ import annotations

import copy
from typing import Any

from nlgauge.compat.evaluate import load


class TextMetric:
    """A metric that collects batches and scores them together.

    >>> metric = TextMetric("wer")
    >>> metric.update(["the cat"], ["the cat"])
    >>> metric.update("a dog", "the dog")
    >>> metric.compute()["wer"]
    0.25
    """

    def __init__(self, name: str, **parameters: Any) -> None:
        self._name = name
        self._parameters = parameters
        self.reset()

    def update(self, preds: Any, target: Any = None, *, sources: Any = None) -> None:
        """Adds a batch, as lists or as one text and its reference."""
        self._collected.add_batch(**_batch(preds, target, sources))

    def compute(self) -> dict[str, Any]:
        """Every output over all batches since the last `reset`."""
        return copy.copy(self._collected).compute()

    def __call__(self, preds: Any, target: Any = None, *, sources: Any = None) -> dict[str, Any]:
        """Adds a batch and returns the outputs for this batch alone."""
        self.update(preds, target, sources=sources)
        return load(self._name, **self._parameters).compute(**_batch(preds, target, sources))

    forward = __call__

    def reset(self) -> None:
        """Forgets all batches."""
        self._collected = load(self._name, **self._parameters)


def _batch(preds: Any, target: Any, sources: Any) -> dict[str, Any]:
    if isinstance(preds, str):
        return {"predictions": [preds], "references": None if target is None else [target], "sources": None if sources is None else [sources]}
    return {"predictions": list(preds), "references": None if target is None else list(target), "sources": None if sources is None else list(sources)}
