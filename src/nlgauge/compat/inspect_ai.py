"""Scorer for Inspect: `nlgauge_scorer("chrf")` compares an answer with the targets of its sample.

    from nlgauge.compat.inspect_ai import nlgauge_scorer

    Task(dataset=..., solver=generate(), scorer=nlgauge_scorer(["chrf", "rouge"]))
    inspect score LOG --scorer nlgauge/nlgauge_scorer -S metrics=chrf

The score of a sample has one number per metric, on the scale of the metric. Several targets are several
references, and the input of the sample is the source. Inspect shows the mean over samples, which is not the corpus
score for some metrics, such as BLEU. The score is NaN if a metric is undefined for a sample; Inspect skips and
counts such samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from nlgauge.compat.rewards import reward
from nlgauge.engine.prepare import MetricSpec, as_spec, labeled
from nlgauge.errors import MissingExtraError
from nlgauge.metric.reduction import ReduceFn

if TYPE_CHECKING:
    nlgauge_scorer: Any


@cache
def _registered() -> Any:
    """Create the scorer in the registry of Inspect.

    It is created on first access, so that this module can be imported without Inspect.
    """
    try:
        from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
        from inspect_ai.solver import TaskState
    except ImportError:
        raise MissingExtraError("inspect_ai", "inspect", "nlgauge_scorer") from None

    @scorer(metrics={"*": [mean(), stderr()]})  # type: ignore[untyped-decorator]
    def nlgauge_scorer(
        metrics: MetricSpec | Iterable[MetricSpec] = "chrf",
        lang: str | None = None,
        reduce_fn: ReduceFn = None,
        fitted_on: Any = None,
    ) -> Scorer:
        """Create a scorer for metrics, which are named as in `nlgauge.score`.

        The other arguments are described in `nlgauge.reward`.
        """
        own_scale = (0, 1)
        rewards = {
            label: reward(
                as_spec(label, metric),
                scale=own_scale,
                sources="sources",
                lang=lang,
                reduce_fn=reduce_fn,
                fitted_on=fitted_on,
            )
            for label, metric in labeled(metrics).items()
        }

        async def score(state: TaskState, target: Target) -> Score:
            answer = state.output.completion
            values = {
                label: function([answer], [list(target)], [state.input_text])[0]
                for label, function in rewards.items()
            }
            return Score(value=values, answer=answer)

        return score

    return nlgauge_scorer


def __getattr__(name: str) -> Any:
    if name == "nlgauge_scorer":
        return _registered()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
