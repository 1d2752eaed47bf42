"""The calls of torchmetrics' text metrics: update, compute and reset; results are plain dictionaries of
nlgauge's outputs.
"""

from __future__ import annotations

from typing import Any

from nlgauge.compat.collecting import Collected
from nlgauge.compat.scoring import plain, scored, split
from nlgauge.metric.registry import make


class TextMetric:
    """A metric that collects batches and scores them together.

    >>> metric = TextMetric("wer")
    >>> metric.update(["the cat"], ["the cat"])
    >>> metric.update("a dog", "the dog")
    >>> metric.compute()["wer"]
    0.25
    """

    def __init__(self, name: str, **parameters: Any) -> None:
        own, self._options = split(parameters)
        self._metrics = {name: make(name, own)}
        self.reset()

    def update(self, preds: Any, target: Any = None, *, sources: Any = None) -> None:
        """Adds a batch, as lists or as one text and its reference."""
        self._collected.add(_batch(preds, target, sources))

    def compute(self) -> dict[str, Any]:
        """Every output over all batches since the last `reset`."""
        return self._scores(self._collected)

    def __call__(self, preds: Any, target: Any = None, *, sources: Any = None) -> dict[str, Any]:
        """Adds a batch and returns the outputs for this batch alone."""
        self.update(preds, target, sources=sources)
        alone = Collected()
        alone.add(_batch(preds, target, sources))
        return self._scores(alone)

    forward = __call__

    def reset(self) -> None:
        """Forgets all batches."""
        self._collected = Collected()

    def _scores(self, collected: Collected) -> dict[str, Any]:
        (outputs,) = plain(
            scored(self._metrics, *collected.columns(), arguments=self._options), self._metrics
        ).values()
        return dict(outputs)


def _batch(preds: Any, target: Any, sources: Any) -> dict[str, Any]:
    given = {"predictions": preds, "references": target, "sources": sources}
    return {
        name: texts if texts is None else [texts] if isinstance(preds, str) else list(texts)
        for name, texts in given.items()
    }
