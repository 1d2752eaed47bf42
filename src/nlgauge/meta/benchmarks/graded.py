"""Graded pairs: how strongly people prefer one of two texts, against the differences of a metric's scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.rows import GradedPair

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

# The only system of judgments of differences.
DIFFERENCE = "second - first"


def preferences(pairs: Sequence[GradedPair], dimension: str) -> Array:
    """Return (1, P) the preferences of the pairs; NaN if one is missing."""
    return np.array([[pair.human.get(dimension, np.nan) for pair in pairs]], dtype=np.float64)


def ratings(pairs: Sequence[GradedPair], dimension: str) -> Array | None:
    """Return (1, P, raters) the preferences of single raters; None if they are unknown."""
    given = [pair.ratings.get(dimension, ()) for pair in pairs]
    most = max(map(len, given))
    if not most:
        return None
    return np.array([[[*own, *[np.nan] * (most - len(own))] for own in given]], dtype=np.float64)


def differences(
    judged: Judgments,
    pairs: Sequence[GradedPair],
    numbers: tuple[Mapping[Hashable, int], Mapping[Hashable, int]],
    dimensions: Iterable[str],
) -> Judgments:
    """Return judgments of one system, the second text minus the first: each pair is a segment, its human scores
    are preferences, and its metric scores are differences; `numbers` maps the names of systems and of segments to numbers.
    """
    if judged.system_scores:
        raise InputError(
            "pairs of texts have no corpus scores; a metric scores each text of a pair",
            python="leave out corpus_scores",
            cli="omit --corpus-scores",
        )
    systems, segments = numbers
    first, second, segment = np.array(
        [(systems[pair.first], systems[pair.second], segments[pair.segment]) for pair in pairs]
    ).T
    rated = {name: ratings(pairs, name) for name in dimensions}
    return replace(
        judged,
        systems=(DIFFERENCE,),
        segments=_names(pairs),
        humans={name: preferences(pairs, name) for name in rated},
        metrics={
            label: (values[second, segment] - values[first, segment])[None]
            for label, values in judged.metrics.items()
        },
        groups=None if judged.groups is None else tuple(pair.group for pair in pairs),
        ratings={name: values for name, values in rated.items() if values is not None},
        pairs=None,
    )


def _names(pairs: Sequence[GradedPair]) -> tuple[str, ...]:
    """Return the segments, with the systems if there are several pairs of a segment."""
    times = Counter(pair.segment for pair in pairs)
    return tuple(
        pair.segment if times[pair.segment] == 1 else f"{pair.segment}: {pair.first}, {pair.second}"
        for pair in pairs
    )
