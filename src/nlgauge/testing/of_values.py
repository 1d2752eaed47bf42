"""What holds for a metric as a value: how it is made, printed, parsed, signed, and what it names."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.errors import NlgaugeError
from nlgauge.metric import REGISTERED, AnyMetric
from nlgauge.metric.registry import metric_classes, parse
from nlgauge.models import Model
from nlgauge.testing.comparing import Terms, identical, outputs_of, require, rows_of, scored, scores_of
from nlgauge.testing.texts import sample

# The parameters that name weights.
_WEIGHTS = ("model", "vectors")


def has_model(metric: AnyMetric | type[AnyMetric]) -> bool:
    """Whether one of the metric's parameters is a model or a table of word vectors."""
    return is_dataclass(metric) and any(parameter.name in _WEIGHTS for parameter in fields(metric))


def _has_own_objects(metric: AnyMetric) -> bool:
    """Whether one of the parameters is the caller's own model or function, which a printed metric only
    names.
    """
    return any(
        isinstance(value := getattr(metric, parameter.name), Model) or callable(value)
        for parameter in fields(metric)  # type: ignore[arg-type]
    )


def check_it_is_a_frozen_value(metric: AnyMetric, terms: Terms) -> None:
    """A metric is a frozen dataclass: equal to its copy, hashable, and not to be changed."""
    require(
        is_dataclass(metric), metric, "it is not a dataclass; decorate its class with @dataclass(frozen=True)"
    )
    require(
        _has_own_objects(metric) or copy.deepcopy(metric) == metric, metric, "a copy of it is not equal to it"
    )
    hash(metric)
    for parameter in fields(metric):  # type: ignore[arg-type]
        try:
            setattr(metric, parameter.name, getattr(metric, parameter.name))
        except AttributeError:
            continue
        require(
            False,
            metric,
            f"its parameter {parameter.name} can be set; decorate its class with @dataclass(frozen=True)",
        )


def check_outputs_have_names_and_bounds(metric: AnyMetric, terms: Terms) -> None:
    """Outputs have names that differ and low < high, and a result has just these."""
    outputs = outputs_of(metric)
    names = [output.name for output in outputs]
    require(
        len(set(names)) == len(names) > 0,
        metric,
        f"its outputs must have names that differ, they are {names}",
    )
    require("score" not in names[1:], metric, "an output that is not the first may not be called 'score'")
    for output in outputs:
        require(
            output.low < output.high,
            metric,
            f"the bounds of {output.name} are not bounds: {output.low} to {output.high}",
        )
    found = list(scores_of(scored(metric, *sample())))
    require(
        found == ["score", *(name for name in names if name != "score")],
        metric,
        f"it names the outputs {names}, but a result has {found}",
    )


def check_it_prints_as_it_parses(metric: AnyMetric, terms: Terms) -> None:
    """The metric as printed parses back to an equal one, with every parameter that can be changed."""
    if _has_own_objects(metric):
        return
    with _findable(metric):
        for one in (metric, *_variants(metric, terms).values()):
            try:
                again = parse(str(one))
            except NlgaugeError as error:
                raise AssertionError(
                    f"{metric.name}: as printed, {str(one)!r}, it does not parse: {error}"
                ) from None
            require(again == one, metric, f"as printed, {str(one)!r}, it parses to another metric, {again!r}")
            require(hash(again) == hash(one), metric, "equal metrics have different hashes")


def check_the_signature_tells_parameters_apart(metric: AnyMetric, terms: Terms) -> None:
    """Every parameter that changes a number is in the signature, which is one line."""
    texts = sample()
    corpus = Corpus.read(*texts)
    signature = metric.signature(corpus)
    require("\n" not in signature, metric, "its signature has more than one line")
    for name, other in _variants(metric, terms).items():
        if other.signature(corpus) == signature:
            ours, theirs = (scored(one, *texts) for one in (metric, other))
            same = identical([rows_of(ours), scores_of(ours)], [rows_of(theirs), scores_of(theirs)])
            require(same, metric, f"{name} changes its numbers, but not its signature; add it to facts()")


def other_values(metric: AnyMetric, known: Mapping[str, Any]) -> dict[str, Any]:
    """Another value for each parameter: the known one, else one that follows from its own, where one does."""
    found = dict(known)
    for parameter in fields(metric):  # type: ignore[arg-type]
        value = getattr(metric, parameter.name)
        if isinstance(value, int | float):
            found.setdefault(parameter.name, not value if isinstance(value, bool) else value + 1)
    return found


def _variants(metric: AnyMetric, terms: Terms) -> dict[str, AnyMetric]:
    """The metric with another value of one parameter, for each parameter that has a valid one."""
    found: dict[str, AnyMetric] = {}
    for name, value in other_values(metric, terms.other_values).items():
        try:
            found[name] = replace(metric, **{name: value})  # type: ignore[type-var]
        except NlgaugeError:
            if name in terms.other_values:
                raise
    return found


@contextmanager
def _findable(metric: AnyMetric) -> Iterator[None]:
    """Lets the registry find the metric's class meanwhile, where it is not registered."""
    known = metric_classes().get(metric.name)
    require(known in (None, type(metric)), metric, f"another metric of this name is registered, {known}")
    if known is None:
        REGISTERED.classes[metric.name] = type(metric)
    try:
        yield
    finally:
        if known is None:
            del REGISTERED.classes[metric.name]
