"""MetricForNLG: base class of NLG-Metricverse for custom metrics, computed as a corpus metric."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import Features
from nlgauge.metric import CorpusMetric, Output, Takes
from nlgauge.metric.reduction import ReduceFn, Reducer

_METHODS = (
    "_compute_single_pred_single_ref",
    "_compute_single_pred_multi_ref",
    "_compute_multi_pred_multi_ref",
)


class MetricForNLG(CorpusMetric):
    """Base class for custom metrics; a subclass has one method per shape of input that it can score.

    Each method gets plain lists, and returns a number or a dictionary. The score is the value of "score", else the
    first value of the dictionary; all other values become further outputs. A metric that needs no references sets
    the class attribute `takes`, as in the example. Without references, `refs` is None.

    >>> import nlgauge
    >>> class Words(MetricForNLG):
    ...     takes = "alone"
    ...     def _compute_single_pred_single_ref(self, preds, refs, reduce_fn=None, **kwargs):
    ...         return {"score": sum(len(text.split()) for text in preds) / len(preds)}
    >>> nlgauge.score(["a cat", "a big dog"], metrics=Words())["Words"]["score"]
    2.5
    """

    takes: ClassVar[Takes] = "pair"
    resamples: ClassVar[int] = 0
    resulting_name: str = "MetricForNLG"
    compute_kwargs: Mapping[str, Any] = {}
    _reduce_fn: Callable[[Any], Any] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        if "resulting_name" not in cls.__dict__:
            cls.resulting_name = cls.name

    def __init__(
        self,
        resulting_name: str | None = None,
        compute_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.resulting_name = resulting_name or type(self).resulting_name
        self.compute_kwargs = {**(compute_kwargs or {}), **kwargs}

    @classmethod
    def construct(
        cls, resulting_name: str | None = None, compute_kwargs: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Self:
        """Create the metric with a name, and with keyword arguments for its methods."""
        return cls(resulting_name=resulting_name, compute_kwargs=compute_kwargs, **kwargs)

    def compute(
        self, predictions: Any = None, references: Any = None, reduce_fn: ReduceFn = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the outputs of the metric under its resulting name."""
        from nlgauge.compat.scoring import plain, scored

        metrics = {self.resulting_name: self}
        return plain(scored(metrics, predictions, references, reduce_fn=reduce_fn, arguments=kwargs), metrics)

    def _compute_single_pred_single_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        """Score one prediction and one reference per segment: list[str] and list[str]."""
        raise self._without("one prediction and one reference", _METHODS[0])

    def _compute_single_pred_multi_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        """Score one prediction and several references per segment: list[str] and list[list[str]]."""
        raise self._without("one prediction and several references", _METHODS[1])

    def _compute_multi_pred_multi_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        """Score several predictions per segment: list[list[str]] and list[list[str]]."""
        raise self._without("several predictions", _METHODS[2])

    def _without(self, shape: str, method: str) -> InputError:
        return InputError(
            f"{self.resulting_name} got {shape} per segment, but {type(self).__name__} has no method {method}; define"
            " the method, or change the number of texts per segment."
        )

    def accepts(self, parameter: str) -> bool:
        """Return True if a method of the subclass has this keyword argument."""
        signatures = [
            inspect.signature(getattr(self, method)).parameters
            for method in _METHODS
            if getattr(type(self), method) is not _BASE[method]
        ]
        return any(
            parameter in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
            for parameters in signatures
        )

    def bound(self, arguments: Mapping[str, Any]) -> Self:
        """Return a copy of the metric with the keyword arguments of one call."""
        bound = copy.copy(self)
        bound.compute_kwargs = {**self.compute_kwargs, **arguments}
        return bound

    def for_reduction(self, reduce_fn: ReduceFn) -> Self:
        """Return a copy of the metric whose methods get this `reduce_fn`.

        The name of a NumPy function becomes the function. "best" becomes None, so the metric decides.
        """
        bound = copy.copy(self)
        bound._reduce_fn = (
            reduce_fn
            if callable(reduce_fn)
            else None
            if reduce_fn in (None, "best")
            else getattr(np, str(reduce_fn), None)
        )
        return bound

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, Any]:
        predictions, references = (
            _texts(corpus, corpus.predictions[system]),
            _texts(corpus, corpus.references),
        )
        assert predictions is not None
        several = [
            rows is not None and any(len(row) > 1 for row in rows) for rows in (predictions, references)
        ]
        method = _METHODS[2 if several[0] else 1 if several[1] else 0]
        preds: Any = predictions if several[0] else [row[0] for row in predictions]
        refs: Any = (
            references
            if any(several) or references is None
            else [row[0] if row else None for row in references]
        )
        returned = getattr(self, method)(preds, refs, reduce_fn=self._reduce_fn, **self.compute_kwargs)
        values = returned if isinstance(returned, Mapping) else {"score": returned}
        if not values or values.get("score", 0) is None:
            raise ParameterError(
                f"{type(self).__name__}.{method} returned {returned!r:.60}; return a number, or a dictionary with at"
                " least one number, in which 'score' is not None."
            )
        return {str(key): _plain(value) for key, value in values.items()}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        reduction = {} if self._reduce_fn is None else {"reduce": Reducer.name(self._reduce_fn)}
        return {
            "metric": str(self),
            **{key: str(value) for key, value in self.compute_kwargs.items()},
            **reduction,
        }

    def __str__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}"


MetricForLanguageGeneration = MetricForNLG
_BASE = {method: getattr(MetricForNLG, method) for method in _METHODS}


def _texts(corpus: Corpus, column: Ragged | None) -> list[list[str]] | None:
    return None if column is None else [[corpus.texts[text] for text in row] for row in column.lists()]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
