"""A scorer for Inspect: `nlgauge_scorer("chrf")` scores what a model answered against the targets of its
sample.

    from nlgauge.compat.inspect_ai import nlgauge_scorer

    Task(dataset=..., solver=generate(), scorer=nlgauge_scorer(["chrf", "rouge"]))
    inspect score LOG --scorer nlgauge/nlgauge_scorer -S metrics=chrf

A sample's score has one number for each metric, on the metric's own scale; several targets are several
references, and the input of the sample is the source. Inspect shows the mean of the samples, which for some
metrics, BLEU among them, is not the corpus score. A sample for which a metric is undefined is NaN, which
Inspect leaves out and counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from nlgauge.compat.rewards import reward
from nlgauge.engine.prepare import MetricSpec, labelled
from nlgauge.errors import MissingExtraError
from nlgauge.metric.reduction import ReduceFn

if TYPE_CHECKING:
    nlgauge_scorer: Any


@cache
def _registered() -> Any:
    """The scorer, in Inspect's registry; made when it is asked for, so that this module can be imported
    without Inspect.
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
        """A scorer of these metrics, named as in `nlgauge.score`; the other arguments are those of
        `nlgauge.reward`.
        """
        own_scale = (0, 1)
        rewards = {
            label: reward(
                {"path": metric, "resulting_name": label},
                scale=own_scale,
                sources="sources",
                lang=lang,
                reduce_fn=reduce_fn,
                fitted_on=fitted_on,
            )
            for label, metric in labelled(metrics).items()
        }

        async def score(state: TaskState, target: Target) -> Score:
            answer = state.output.completion
            values = {
                label: one([answer], [list(target)], [state.input_text])[0] for label, one in rewards.items()
            }
            return Score(value=values, answer=answer)

        return score

    return nlgauge_scorer


def __getattr__(name: str) -> Any:
    if name == "nlgauge_scorer":
        return _registered()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
