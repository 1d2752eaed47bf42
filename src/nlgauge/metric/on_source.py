"""NAME@source: a metric of references that reads the source as the only reference.

The wrapped metric gets a view, or a corpus, whose references are the sources. Nothing in it knows of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import ParameterError
from nlgauge.features import Features, RowFeature, RunOptions
from nlgauge.metric import AnyMetric, Arrays, CorpusMetric, Fit, Metric, Output, Stored, Takes, View
from nlgauge.metric.registry import SUFFIX

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.explanations import Explanation


def on_source(metric: AnyMetric) -> AnyMetric:
    """Return the metric with the source as its only reference; raise ParameterError if that is impossible."""
    if metric.takes == "alone":
        raise ParameterError(
            f"{metric.name}{SUFFIX} needs a metric that reads references, and {metric.name} reads none; leave"
            f" out {SUFFIX}."
        )
    if metric.source:
        raise ParameterError(
            f"{metric.name}{SUFFIX} needs a metric that reads references only, and {metric.name} already reads the"
            f" source; leave out {SUFFIX}, or pass the sources as references."
        )
    return OnSource(metric) if isinstance(metric, Metric) else CorpusOnSource(metric)


@dataclass(frozen=True)
class _SourceView(RowFeature):
    """The view with its sources as references, which all metrics with @source share."""

    def compute(self, view: View) -> View:
        return replace(view, references=Ragged.single(view.source), sources=None, _found={})


@dataclass(frozen=True)
class _SourceFit(Fit):
    """The fit of a metric to the sources instead of the references."""

    fit: Any

    @property
    def over(self) -> Any:  # type: ignore[override]
        return "sources" if self.fit.over == "references" else self.fit.over

    def partial(self, view: View) -> Arrays:
        arrays: Arrays = self.fit.partial(view.rows(_SourceView()))
        return arrays

    def merge(self, partials: Sequence[Arrays]) -> Arrays | None:
        merged: Arrays | None = self.fit.merge(partials)
        return merged

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        arrays: Arrays = self.fit.combine(partials, options)
        return arrays

    def layout(self, rows: int) -> dict[str, Stored]:
        layout: dict[str, Stored] = self.fit.layout(rows)
        return layout

    def taken(self, fitted: Arrays, predictions: Array) -> Arrays:
        arrays: Arrays = self.fit.taken(fitted, predictions)
        return arrays


# Attributes and methods of the wrapped metric.
_SAME = (
    *(
        "languages",
        "seeded",
        "revision",
        "record_fields",
        "reduce",
        "missing_reason",
        "resamples",
        "made_for",
    ),
    *("words", "libraries", "may_leave", "reads", "missing", "is_mean"),
)


class _Wrapper:
    """The base of both kinds of metric with @source. The wrapped metric has every other attribute."""

    metric: Any
    name: ClassVar[str] = SUFFIX
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"{self.metric.name}{SUFFIX}")
        for name in _SAME:
            if hasattr(self.metric, name):
                object.__setattr__(self, name, getattr(self.metric, name))

    @property
    def unwrapped(self) -> Any:
        return self.metric

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "metric":
            raise AttributeError(name)
        return getattr(self.metric, name)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        outputs: dict[str, tuple[Output, ...]] = self.metric.outputs()
        return outputs

    def for_language(self, lang: str | None) -> Any:
        return type(self)(self.metric.for_language(lang))  # type: ignore[call-arg]

    def for_reduction(self, reduce_fn: Any) -> Any:
        return type(self)(self.metric.for_reduction(reduce_fn))  # type: ignore[call-arg]

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**self.metric.facts(_with_sources(corpus)), "references": "source"}

    def __str__(self) -> str:
        return f"{self.metric}{SUFFIX}"


@dataclass(frozen=True)
class OnSource(_Wrapper, Metric):
    """A metric of rows with @source."""

    metric: Any

    @property
    def costly(self) -> bool:
        return bool(self.metric.costly)

    def fit(self) -> Fit | None:
        fit = self.metric.fit()
        return None if fit is None else _SourceFit(fit)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        statistics: Arrays = self.metric.statistics(view.rows(_SourceView()), fitted)
        return statistics

    def explain(self, view: View, fitted: Arrays) -> Iterable[Explanation]:
        explained: Iterable[Explanation] = self.metric.explain(view.rows(_SourceView()), fitted)
        return explained

    def score(self, part: str, statistics: Array) -> Arrays:
        scores: Arrays = self.metric.score(part, statistics)
        return scores

    def for_segments(self) -> Metric:
        return OnSource(self.metric.for_segments())


@dataclass(frozen=True)
class CorpusOnSource(_Wrapper, CorpusMetric):
    """A metric of all predictions at once with @source."""

    metric: Any

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        outputs: dict[str, float] = self.metric.whole(_with_sources(corpus), system, features)
        return outputs


def _with_sources(corpus: Corpus) -> Corpus:
    """Return the corpus with its sources as references."""
    if corpus.sources is None:
        return corpus
    return replace(corpus, references=Ragged.single(corpus.sources))
