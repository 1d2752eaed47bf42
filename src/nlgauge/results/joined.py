"""Parts of results, and two results on the same segments as one, so that their systems can be tested
against each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.store.layout import at_once, is_stored
from nlgauge.errors import ResultError
from nlgauge.results.groups import taken

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result


def of_systems(result: Result, *systems: str) -> Result:
    """Return the result with only these systems."""
    for system in systems:
        result._check_system(system)
    tables = {(system, label): result._tables[system, label] for system in systems for label in result.labels}
    return replace(result, corpus=result.corpus.only(*systems), _tables=tables, _last=[])


def of_metrics(result: Result, *metrics: str) -> Result:
    """Return the result with only these metrics."""
    labels = list(dict.fromkeys(result._label(metric) for metric in metrics))
    tables = {(system, label): result._tables[system, label] for system in result.systems for label in labels}
    job = replace(
        result._job,
        metrics={label: result._job.metrics[label] for label in labels},
        fits={key: fitted for key, fitted in result._job.fits.items() if key[0] in labels},
    )
    return replace(
        result,
        _tables=tables,
        signatures={label: result.signatures[label] for label in labels},
        _job=job,
        _last=[],
    )


def baseline_system(other: Result, checked: Sequence[str]) -> str | None:
    """Return the system of another result that is the baseline: its only system, or the system with the name
    of the only checked system; None if several are possible.
    """
    same = [name for name in checked if name in other.systems]
    if len(other.systems) == 1:
        return other.systems[0]
    return same[0] if len(checked) == len(same) == 1 else None


def joined(result: Result, other: Result, system: str, name: str) -> Result:
    """Return the result with a further system from another result on the same segments, on the metrics that
    both have; nothing is scored.
    """
    order = _matched(result.corpus, other.corpus)
    other = of_systems(other, system)
    if not np.array_equal(order, np.arange(len(order))):
        other = taken(other, order)
    _check_same(result, other)
    first = result.systems[0]
    shared = [
        label
        for label in result.labels
        if label in other.labels
        and result._tables[first, label].metric == other._tables[system, label].metric
    ]
    if not shared:
        labels = " and ".join(", ".join(each.labels) for each in (result, other))
        raise ResultError(
            f"the two results have no common metric with the same parameters ({labels}); score both with the same"
            " metrics."
        )
    return with_systems(of_metrics(result, *shared), of_metrics(other, *shared), {name: system})


def with_systems(result: Result, other: Result, names: Mapping[str, str]) -> Result:
    """Return the result with systems of another result by their new names; both must have the same segments
    in the same order, and the same metrics.
    """
    strings = other.corpus.texts
    predictions = {
        name: [[strings[text] for text in row] for row in other.corpus.predictions[system].lists()]
        for name, system in names.items()
    }
    corpus = result.corpus
    if is_stored(corpus):
        corpus = at_once(corpus, "comparing with another result")
    added = corpus.adding(predictions)
    corpus = replace(corpus, predictions={**corpus.predictions, **added.predictions})
    theirs = {
        (name, label): other._tables[system, label]
        for name, system in names.items()
        for label in result.labels
    }
    return replace(
        result,
        corpus=corpus,
        _tables={**result._tables, **theirs},
        has_texts=result.has_texts and other.has_texts,
        _last=[],
    )


def _matched(corpus: Corpus, other: Corpus) -> Array:
    """Return the numbers of the other corpus's segments in the order of this corpus."""
    ours, theirs = (list(map(str, each.ids)) for each in (corpus, other))
    if sorted(ours) != sorted(theirs):
        alone = next(iter(sorted(set(ours) ^ set(theirs))), ours[0])
        raise ResultError(
            f"the two results have different segments ({len(ours)} and {len(theirs)}), such as {alone!r}; score"
            " the same segments in both."
        )
    places = {segment: i for i, segment in enumerate(theirs)}
    return np.array([places[segment] for segment in ours], dtype=np.int64)


def _check_same(result: Result, other: Result) -> None:
    """Raise unless references, sources and weights of the two results are the same."""
    hashed = result.has_texts != other.has_texts
    given = [_given(each.corpus, hashed and each.has_texts) for each in (result, other)]
    for segment, ours, theirs in zip(result.corpus.ids, *given, strict=True):
        if ours != theirs:
            raise ResultError(
                f"the two results have different references or sources, such as in segment {segment!r}; score"
                " both on the same texts."
            )
    weights = [
        None if each.corpus.weights is None else each.corpus.weights.tolist() for each in (result, other)
    ]
    if weights[0] != weights[1]:
        raise ResultError("the two results have different segment weights; score both with the same weights.")


def _given(corpus: Corpus, hashed: bool) -> list[tuple[list[str], str]]:
    """Return references and source of each segment, or their hashes."""

    def text(number: int) -> str:
        string = corpus.texts[number]
        return hashlib.sha256(string.encode()).hexdigest() if hashed else string

    references = [[]] * len(corpus) if corpus.references is None else corpus.references.lists()
    sources = [-1] * len(corpus) if corpus.sources is None else corpus.sources.tolist()
    return [
        ([text(number) for number in row], "" if source < 0 else text(source))
        for row, source in zip(references, sources, strict=True)
    ]
