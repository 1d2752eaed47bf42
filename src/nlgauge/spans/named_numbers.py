"""Numbers of spans by name, to select segments by: `spans.VOICE` and `missed.METRIC`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.spans.columns import Spans
from nlgauge.spans.combining import union_of
from nlgauge.spans.measures import Rules, counts

# Spans of more voices are not named.
_MOST = 20


def named_numbers(spans: Sequence[Spans]) -> dict[str, Array]:
    """Return numbers of shape (S, N) by name, NaN for a text that was not read.

    `spans.VOICE` is the number of errors that a voice marked, with errors without a place. `missed.METRIC` is the number of
    spans of people, joined over annotators, that the matching of measure mp leaves without a span of the metric.
    """
    named = {}
    people = [each for each in spans if each.kind == "people"]
    expected = union_of(people) if people else None
    for each in spans[:_MOST]:
        errors = np.bincount(each.owners[~each.continues], minlength=each.looked.size).reshape(
            each.looked.shape
        )
        named[f"spans.{each.who}"] = np.where(each.looked, errors, np.nan)
        if each.kind == "metric" and expected is not None:
            sums = counts(each, expected, ["mp"], Rules(severity="ignore"))["mp"]
            named[f"missed.{each.who}"] = sums[..., 3] - sums[..., 2]
    return named
