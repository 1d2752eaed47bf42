"""The models that a run retains while it lasts."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

from nlgauge.metric import AnyMetric


def models_held(metrics: Iterable[AnyMetric]) -> AbstractContextManager[None]:
    """Return a context that retains loaded models if a metric can have one."""
    if not any(getattr(metric, "costly", True) or hasattr(metric, "judge") for metric in metrics):
        return nullcontext()
    from nlgauge.models.registry import held

    return held()
