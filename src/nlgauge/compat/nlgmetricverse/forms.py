"""Keyword arguments of metrics of NLG-Metricverse that select the form of the outputs.

They do not change the computation (thesis, Table A.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import ParameterError
from nlgauge.metric.table import Table

_SIDES = {"fmeasure": "", "precision": "_precision", "recall": "_recall"}
# By metric: the argument that selects corpus scores or lists of segment scores, and its value for corpus scores.
_LISTS = {
    "rouge": ("use_aggregator", True),
    "bertscore": ("return_average_scores", True),
    "bartscore": ("segment_scores", False),
}


@dataclass(frozen=True)
class Form:
    """Form of the outputs of a metric."""

    lists: bool = False
    score_averaged: bool = False
    side: str | None = None
    order: int | None = None

    def of(self, table: Table) -> dict[str, Any]:
        """Return the outputs of a table, averaged or as lists of one value per segment; `score` is first."""
        scores: dict[str, Any] = table.scores()
        if self.lists:
            segments = {name: values.tolist() for name, values in table.segments().items()}
            score = (
                {}
                if self.score_averaged
                else {"score": segments[next(name for name in scores if name in segments)]}
            )
            scores = {**scores, **segments, **score}
        if self.side is not None:
            types = [
                name
                for name in scores
                if name.startswith("rouge") and not name.endswith(("_precision", "_recall"))
            ]
            scores = {name: scores[f"{name}{_SIDES[self.side]}"] for name in types}
            scores = {"score": scores.get("rougeL", next(iter(scores.values()))), **scores}
        if self.order is not None:
            scores = {**scores, "score": scores[f"novelty{self.order}"]}
        return scores


def taken(metric: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], Form]:
    """Split keyword arguments of a metric into its parameters and the form of its outputs.

    >>> taken("rouge", {"rouge_types": ["rouge1"], "use_aggregator": True})
    ({'rouge_types': ['rouge1']}, Form(lists=False, score_averaged=False, side=None, order=None))
    """
    left, form = dict(arguments), Form()
    if metric in _LISTS and (name := _LISTS[metric][0]) in left:
        whole = _boolean(metric, name, left.pop(name)) is _LISTS[metric][1]
        form = Form(lists=not whole, score_averaged=metric == "bertscore")
    if metric == "rouge" and "metric_to_select" in left:
        side = left.pop("metric_to_select")
        if side is not None and side not in _SIDES:
            raise ParameterError(
                f"rouge: metric_to_select must be {', '.join(map(repr, _SIDES))} or None, got {side!r:.60}."
            )
        form = Form(form.lists, form.score_averaged, side)
    if metric == "novelty" and (names := [name for name in ("ngrams", "n") if name in left]):
        order = left.pop(names[0])
        if type(order) is not int or not 1 <= order <= 100:
            raise ParameterError(
                f"novelty (abstractness): {names[0]} must be a whole number from 1 to 100, got {order!r:.60}."
            )
        left, form = {"max_order": order, **left}, Form(order=order)
    return left, form


def _boolean(metric: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{metric}: {name} must be True or False, got {value!r:.60}.")
    return value
