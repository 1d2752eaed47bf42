"""Checks of a metric as a value: creation, printing, parsing, signature and outputs."""

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

# Parameters that name weights.
_WEIGHTS = ("model", "vectors")


def has_model(metric: AnyMetric | type[AnyMetric]) -> bool:
    """Return True if a parameter of the metric is a model or a table of word vectors."""
    return is_dataclass(metric) and any(parameter.name in _WEIGHTS for parameter in fields(metric))


def _has_own_objects(metric: AnyMetric) -> bool:
    """Return True if a parameter is a model object or a function, which printing only names."""
    return any(
        isinstance(value := getattr(metric, parameter.name), Model) or callable(value)
        for parameter in fields(metric)  # type: ignore[arg-type]
    )


def check_it_is_a_frozen_value(metric: AnyMetric, terms: Terms) -> None:
    """Check that a metric is a frozen dataclass, hashable, and equal to its copy."""
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
    """Check that outputs have distinct names and low < high, and that a result has these outputs."""
    outputs = outputs_of(metric)
    names = [output.name for output in outputs]
    require(
        len(set(names)) == len(names) > 0,
        metric,
        f"its outputs must have names that differ, but they are {names}",
    )
    require("score" not in names[1:], metric, "an output that is not the first may not be called 'score'")
    for output in outputs:
        require(
            output.low < output.high,
            metric,
            f"the lower bound of {output.name} must be below the upper bound; got {output.low} and"
            f" {output.high}",
        )
    scored_names = list(scores_of(scored(metric, *sample())))
    require(
        scored_names == ["score", *(name for name in names if name != "score")],
        metric,
        f"outputs() has the names {names}, but a result has {scored_names}",
    )


def check_it_prints_as_it_parses(metric: AnyMetric, terms: Terms) -> None:
    """Check that the printed metric parses to an equal metric, for all changed parameters."""
    if _has_own_objects(metric):
        return
    with _findable(metric):
        for variant in (metric, *_variants(metric, terms).values()):
            printed = str(variant)
            try:
                again = parse(printed)
            except NlgaugeError as error:
                raise AssertionError(
                    f"{metric.name}: its printed form {printed!r} cannot be parsed: {error}"
                ) from None
            require(
                again == variant,
                metric,
                f"its printed form {printed!r} parses to a different metric, {again!r}",
            )
            require(hash(again) == hash(variant), metric, "equal metrics have different hashes")


def check_the_signature_tells_parameters_apart(metric: AnyMetric, terms: Terms) -> None:
    """Check that the signature is one line with every parameter that changes a number."""
    texts = sample()
    corpus = Corpus.read(*texts)
    signature = metric.signature(corpus)
    require("\n" not in signature, metric, "its signature has more than one line")
    for name, other in _variants(metric, terms).items():
        if other.signature(corpus) == signature:
            ours, theirs = (scored(variant, *texts) for variant in (metric, other))
            same = identical([rows_of(ours), scores_of(ours)], [rows_of(theirs), scores_of(theirs)])
            require(same, metric, f"{name} changes its numbers, but not its signature; add it to facts()")


def other_values(metric: AnyMetric, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return another value for each parameter: from `known`, or derived from a number or bool."""
    values = dict(known)
    for parameter in fields(metric):  # type: ignore[arg-type]
        value = getattr(metric, parameter.name)
        if isinstance(value, int | float):
            values.setdefault(parameter.name, not value if isinstance(value, bool) else value + 1)
    return values


def _variants(metric: AnyMetric, terms: Terms) -> dict[str, AnyMetric]:
    """Return copies of the metric with one changed parameter, for each parameter with a valid other value."""
    variants: dict[str, AnyMetric] = {}
    for name, value in other_values(metric, terms.other_values).items():
        try:
            variants[name] = replace(metric, **{name: value})  # type: ignore[type-var]
        except NlgaugeError:
            if name in terms.other_values:
                raise
    return variants


@contextmanager
def _findable(metric: AnyMetric) -> Iterator[None]:
    """Register the metric's class inside the block, if it is not registered."""
    registered = metric_classes().get(metric.name)
    require(
        registered in (None, type(metric)), metric, f"another metric of this name is registered, {registered}"
    )
    if registered is None:
        REGISTERED.classes[metric.name] = type(metric)
    try:
        yield
    finally:
        if registered is None:
            del REGISTERED.classes[metric.name]
