"""Numbers and names of spans, to select segments by: `spans.VOICE`, `missed.METRIC`, `severity` and `category`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
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


def with_span_fields(corpus: Corpus) -> Corpus:
    """Return a corpus with the fields `severity` and `category`: all that people marked in a segment, such as
    "major, minor"; None without a mark. Fields of these names do not change.
    """
    people = [each for each in corpus.spans.values() if each.kind == "people"]
    if not people:
        return corpus
    names: dict[str, list[set[str]]] = {
        field: [set() for _ in range(len(corpus))] for field in ("severity", "category")
    }
    for each in people:
        for number, cell in enumerate(each.owners.tolist()):
            segment = cell % len(corpus)
            names["severity"][segment].add(each.severities[each.severity[number]])
            names["category"][segment].add(each.categories[each.category[number]])
    fields = {
        field: [", ".join(sorted(each - {""})) or None for each in found] for field, found in names.items()
    }
    return replace(corpus, fields={**fields, **corpus.fields})
