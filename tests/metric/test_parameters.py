"""Numeric parameters of string metrics: whatever number is given, it is refused, or the work is bounded
by the texts.
"""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric import AnyMetric
from nlgauge.metric.registry import make, metric_classes, parse
from nlgauge.testing.of_values import has_model

STRINGS = {name: metric for name, metric in metric_classes().items() if not has_model(metric)}
NUMERIC = [
    (name, field.name)
    for name, metric in STRINGS.items()
    for field in fields(metric)
    if {int, float} & {get_type_hints(metric)[field.name], *get_args(get_type_hints(metric)[field.name])}
]
EXTREMES = [10**6, 10**9, 10**400, -1, 0, 0.5, math.nan, math.inf, -math.inf, 1e308, 5e-324]
# Two short texts take some ten thousand calls, with a hundred orders twice as many; a loop over a million
# orders takes millions.
MOST_CALLS, MOST_BYTES = 250_000, 20_000_000


@contextmanager
def bounded() -> Iterator[None]:
    """Fails once what runs inside makes too many calls, or has taken too much memory; no time is measured."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > MOST_CALLS:
            raise AssertionError(f"more than {MOST_CALLS} calls")

    tracemalloc.start()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MOST_BYTES


def score(metric: AnyMetric) -> None:
    texts = ["the cat sat on the mat", "a dog\nran home"]
    nlgauge.score(texts, [[text[4:], "the dog ran"] for text in texts], texts[::-1], metrics=metric).segments(
        "records"
    )


@pytest.mark.parametrize(
    "value", EXTREMES, ids=lambda value: f"{value:.0e}" if abs(value) < 1e300 else str(value)[:4]
)
@pytest.mark.parametrize(("name", "parameter"), NUMERIC)
def test_any_number_is_refused_or_costs_no_more_than_the_texts(name, parameter, value):
    score(make(name))
    for build in (lambda: make(name, {parameter: value}), lambda: STRINGS[name](**{parameter: value})):
        try:
            metric = build()
        except ParameterError as error:
            assert f"{name}: {parameter} must be " in str(error)
        else:
            assert value not in (math.inf, -math.inf) and value == value
            assert parse(str(metric)) == metric
            with bounded():
                score(metric)


@pytest.mark.parametrize("name", [name for name, parameter in NUMERIC if parameter.endswith("order")])
def test_the_highest_order_costs_no_more_than_short_texts(name):
    orders = {
        parameter: 100
        for metric, parameter in NUMERIC
        if metric == name and parameter.endswith("order") and parameter != "min_order"
    }
    score(make(name))
    with bounded():
        score(make(name, orders))
    with pytest.raises(ParameterError, match=r"to 100, got 101"):
        make(name, dict.fromkeys(orders, 101))


@pytest.mark.parametrize("kind", ["rougeS1000000", "rougeSU" + "9" * 5000, "rougeS-1", "rougeS01"])
def test_skip_distances_have_a_bound(kind):
    with pytest.raises(ParameterError, match="rouge155: rouge_types must be"):
        make("rouge155", {"rouge_types": [kind]})
    farthest = make("rouge155", {"rouge_types": ["rougeS999999", "rougeSU*"]})
    with bounded():
        score(farthest)


@pytest.mark.parametrize("parameter", ["paraphrases", "copy_words"])
def test_a_path_with_a_zero_is_an_input_error(parameter):
    with pytest.raises(InputError, match="cannot read"):
        score(make("meteor", {parameter: "words\0.txt"}))
