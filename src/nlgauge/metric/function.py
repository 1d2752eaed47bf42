"""A plain function as a metric: `nlgauge.metric_from(f)`.

The function is called once for each distinct row: a prediction, with one reference and the source if it needs
them. The corpus score is the mean of its values. Segment scores, intervals, tests and several references
follow as for any metric of that kind.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.errors import MetricError, ParameterError, RowError
from nlgauge.metric import Output, Takes, View, check_name
from nlgauge.metric.mean import MeanMetric

_NEEDS = ("references", "sources")


@dataclass(frozen=True)
class FunctionMetric(MeanMetric):
    """A metric whose values a function returns; made by `nlgauge.metric_from`.

    Calling it calls the function.
    """

    function: Callable[..., Any]
    called: str
    needs: tuple[str, ...]
    numbers: tuple[Output, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.called

    @property
    def takes(self) -> Takes:  # type: ignore[override]
        return "pair" if "references" in self.needs else "alone"

    @property
    def source(self) -> bool:  # type: ignore[override]
        return "sources" in self.needs

    def __call__(self, *texts: Any, **options: Any) -> Any:
        return self.function(*texts, **options)

    def __str__(self) -> str:
        return self.called

    def measures(self) -> tuple[Output, ...]:
        return self.numbers

    def facts(self, corpus: Corpus) -> dict[str, str]:
        home = getattr(self.function, "__module__", None) or type(self.function).__module__
        package = home.partition(".")[0]
        version = installed_version(package)
        named = f"{home}.{getattr(self.function, '__qualname__', type(self.function).__qualname__)}"
        return {"metric": self.called, "function": named, **({package: version} if version else {})}

    def values(self, view: View) -> Array:
        columns = [
            view.predictions,
            *([view.reference] if "references" in self.needs else []),
            *([view.source] if self.source else []),
        ]
        texts = [[view.text(text) for text in column.tolist()] for column in columns]
        rows = list(zip(*texts, strict=True))
        found = [self._numbers(given, row, rows[row]) for row, given in enumerate(self._given(texts, rows))]
        return np.array(found, dtype=np.float64).reshape(len(view), len(self.numbers))

    def _given(self, texts: Sequence[list[str]], rows: Sequence[tuple[str, ...]]) -> Iterable[Any]:
        """Yield the return value of the function for each row."""
        for row, arguments in enumerate(rows):
            try:
                yield self.function(*arguments)
            except Exception as error:
                raise RowError(
                    f"{self.called} raised {type(error).__name__}: {error}", row, arguments
                ) from error

    def _numbers(self, given: Any, row: int, texts: Sequence[str]) -> list[float]:
        names = [output.name for output in self.numbers]
        if isinstance(given, Mapping):
            if set(given) != set(names):
                keys = tuple(map(str, given))
                raise RowError(
                    f"{self.called} returned the keys {', '.join(keys)}, but its outputs are {', '.join(names)};"
                    f" pass outputs={keys}",
                    row,
                    texts,
                )
            return [self._number(given[name], row, texts) for name in names]
        if len(names) > 1 and given is not None:
            raise RowError(
                f"{self.called} returned {given!r:.60}; it must return a dictionary with {', '.join(names)}",
                row,
                texts,
            )
        return [self._number(given, row, texts)] * len(names)

    def _number(self, given: Any, row: int, texts: Sequence[str]) -> float:
        try:
            number = math.nan if given is None else float(given)
            if isinstance(given, str | bytes) or math.isinf(number):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise RowError(
                f"{self.called} returned {given!r:.60}; it must return a finite number, or None if the score is"
                " undefined",
                row,
                texts,
            ) from None
        return number


@dataclass(frozen=True)
class BatchFunctionMetric(FunctionMetric):
    """A metric whose function takes lists of texts."""

    def _given(self, texts: Sequence[list[str]], rows: Sequence[tuple[str, ...]]) -> Iterable[Any]:
        try:
            given = self.function(*texts)
        except Exception as error:
            raise MetricError(
                f"{self.called} raised {type(error).__name__} on a batch of {counted(len(rows), 'prediction')}: {error}"
            ) from error
        found = _rows(given)
        if found is None or len(found) != len(rows):
            raise MetricError(
                f"{self.called} returned {given!r:.60} for a batch; it must return a list of {counted(len(rows), 'value')},"
                " one per prediction."
            )
        return found


class FunctionOptions(TypedDict, total=False):
    """The options of `metric_from`."""

    needs: str | Iterable[str] | None
    name: str | None
    higher_is_better: bool | None
    low: float
    high: float
    outputs: Iterable[str | Output] | None
    batch: bool


@overload
def metric_from(function: Callable[..., Any], /, **options: Unpack[FunctionOptions]) -> FunctionMetric: ...


@overload
def metric_from(
    **options: Unpack[FunctionOptions],
) -> Callable[[Callable[..., Any]], FunctionMetric]: ...


def metric_from(
    function: Callable[..., Any] | None = None,
    /,
    *,
    needs: str | Iterable[str] | None = "references",
    name: str | None = None,
    higher_is_better: bool | None = True,
    low: float = -math.inf,
    high: float = math.inf,
    outputs: Iterable[str | Output] | None = None,
    batch: bool = False,
) -> FunctionMetric | Callable[[Callable[..., Any]], FunctionMetric]:
    """Make a metric from a function of texts; also usable as a decorator, with or without options.

    Parameters
    ----------
    function : callable, optional
        Function of a prediction and the texts that `needs` names, by position: prediction, reference, source. It returns
        a number, or None if there is no score; such a segment is excluded from the mean.
    needs : {"references", "sources", None} or iterable of str
        Texts that the function reads besides the prediction: "references" (one at a time; the best score is used, or
        `reduce_fn` of `nlgauge.score` decides), "sources", both, or None.
    name : str, optional
        Name of the metric. Default: the name of the function.
    higher_is_better : bool or None, default True
        Direction of the metric; None if neither direction is better.
    low : float, optional
        Lower bound of the metric. It is not checked.
    high : float, optional
        Upper bound of the metric. It is not checked.
    outputs : iterable of str or Output, optional
        Keys of the dictionary of numbers that the function returns; the first is the score. An `Output` instead of a key
        has its own direction and bounds.
    batch : bool, default False
        The function takes lists of texts and returns a list of numbers, a list of dictionaries, or a dictionary of lists.

    Returns
    -------
    FunctionMetric
        Metric for the parameter `metrics` of `nlgauge.score`; without `function`, a decorator that returns one.

    Raises
    ------
    ParameterError
        If the function cannot be called with these texts, the name is taken or not an identifier, or `outputs` has
        duplicates.

    Examples
    --------
    >>> import nlgauge
    >>> @nlgauge.metric_from(low=0, high=1)
    ... def same_length(prediction, reference):
    ...     return float(len(prediction) == len(reference))
    >>> nlgauge.score(["a cat", "a dog"], [["my cat"], ["no dog", "a pig"]], metrics=same_length)["same_length"]["score"]
    0.5
    """
    if function is None:
        return partial(
            metric_from,
            needs=needs,
            name=name,
            higher_is_better=higher_is_better,
            low=low,
            high=high,
            outputs=outputs,
            batch=batch,
        )
    if not callable(function) or isinstance(function, type):
        raise ParameterError(f"nlgauge.metric_from needs a function of texts, got {function!r:.60}.")
    needed = () if needs is None else (needs,) if isinstance(needs, str) else tuple(needs)
    if not set(needed) <= set(_NEEDS):
        raise ParameterError(f"needs must be 'references', 'sources', both or None, got {needs!r:.60}.")
    called = getattr(function, "__name__", "") if name is None else name
    if not isinstance(called, str) or not called.isidentifier():
        raise ParameterError(
            f"a metric's name must consist of letters, digits and _, but {called!r:.40} does not; pass another name:"
            " nlgauge.metric_from(f, name='...')."
        )
    check_name(called.lower())
    ordered = tuple(need for need in _NEEDS if need in needed)
    _check_arguments(function, called, ordered)
    why = f"{called} returned no number"
    keys = [called] if outputs is None else [outputs] if isinstance(outputs, str | Output) else list(outputs)
    numbers = tuple(
        key if isinstance(key, Output) else Output(key, higher_is_better, low, high, nan=why) for key in keys
    )
    _check_outputs(numbers)
    return (BatchFunctionMetric if batch else FunctionMetric)(function, called, ordered, numbers)


def _check_arguments(function: Callable[..., Any], called: str, needs: tuple[str, ...]) -> None:
    """Raise ParameterError if the function does not accept the texts that it would get."""
    texts = ("prediction", *(need.removesuffix("s") for need in needs))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled function without a signature
        return
    try:
        signature.bind(*texts)
    except TypeError as error:
        raise ParameterError(
            f"{called}{signature} cannot be called with ({', '.join(texts)}): {error}; change its"
            " parameters or needs=."
        ) from None


def _check_outputs(numbers: tuple[Output, ...]) -> None:
    names = [output.name for output in numbers]
    if (
        not names
        or len(set(names)) != len(names)
        or not all(isinstance(name, str) and name for name in names)
        or "score" in names[1:]
    ):
        raise ParameterError(
            f"outputs must be distinct names, and only the first may be 'score'; got {names}."
        )
    for output in numbers:
        if not output.low < output.high:
            raise ParameterError(f"low must be below high, got {output.low!r} and {output.high!r}.")


def _rows(given: Any) -> list[Any] | None:
    """Return one value per row, from a list or a dictionary of lists; None if it is neither."""
    try:
        if isinstance(given, Mapping):
            return [dict(zip(given, values, strict=True)) for values in zip(*given.values(), strict=True)]
        return None if isinstance(given, str) else list(given)
    except (TypeError, ValueError):
        return None
