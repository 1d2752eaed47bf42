"""Labels: human scores of a sample of outputs, the metrics of all of them, and how the sample was drawn,
checked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.labeling.control_variates import Drawn
from nlgauge.stats.arrays import numbers

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

DRAWN = ("segments", "cells", "documents")


@dataclass(frozen=True)
class LabeledSample:
    """Human scores (systems, segments) with NaN, metrics (K, systems, segments), which cells are outputs,
    and how labels were drawn.
    """

    human: Array
    metrics: Array
    outputs: Array
    systems: tuple[str, ...]
    metric_names: tuple[str, ...]
    drawn: str
    probabilities: Array
    clusters: Array
    unequal: bool
    missing_scores: int

    def population(self, which: tuple[int, ...]) -> Array:
        """Return the segments for which all these systems have an output."""
        return np.asarray(self.outputs[list(which)].all(axis=0))

    def labeled(self, which: tuple[int, ...]) -> Array:
        """Return the segments for which all these systems have a label."""
        return np.asarray(~np.isnan(self.human[list(which)]).any(axis=0) & self.population(which))

    def count(self, which: tuple[int, ...]) -> int:
        """Return the number of labels per system; the smaller number if cells were drawn."""
        if self.drawn == "cells":
            return min(int(self.labeled((s,)).sum()) for s in which)
        return int(self.labeled(which).sum())

    def sample(self, which: tuple[int, ...]) -> Drawn:
        """Return the sampling design of the labels of these systems, within their population."""
        population = self.population(which)
        labeled = self.labeled(which)[population]
        clusters = self.clusters[population]
        units = clusters if self.drawn == "documents" else np.flatnonzero(population)
        if self.unequal:
            chances = self.probabilities[which[0]][population]
        else:
            share = len(np.unique(units[labeled])) / max(len(np.unique(units)), 1)
            chances = np.full(len(units), share)
        return Drawn(labeled, chances, units, clusters)


def labels(
    human: Any,
    metrics: Any,
    systems: Sequence[str] | None,
    drawn: str | None,
    probabilities: Any,
    documents: Sequence[Any] | None,
) -> LabeledSample:
    """Return the checked arguments of `estimate`."""
    scores = np.atleast_2d(_numbers(human, "human"))
    if scores.ndim != 2:
        raise InputError(f"human must have the axes (systems, segments), got {scores.ndim} axes.")
    names, stacked = _stacked(metrics, scores.shape)
    known = ~np.isnan(stacked)
    labeled = ~np.isnan(scores)
    outputs = np.asarray(known.any(axis=0)) if len(stacked) else np.ones(scores.shape, dtype=bool)
    if (labeled & ~outputs).any():
        count = int((labeled & ~outputs).sum())
        raise InputError(
            f"{count} labeled outputs have no score of any metric; score all outputs, labeled or not."
        )
    called = (
        tuple(map(str, systems))
        if systems is not None
        else tuple(str(number + 1) for number in range(len(scores)))
    )
    if len(called) != len(scores):
        raise InputError(
            f"systems has {len(called)} names for {len(scores)} rows of human; pass one per row."
        )
    if drawn not in (*DRAWN, None):
        raise ParameterError(f"drawn must be 'segments', 'cells' or 'documents', got {drawn!r}.")
    if documents is not None and len(documents) != scores.shape[1]:
        raise InputError(
            f"documents has {len(documents)} entries for {scores.shape[1]} segments; pass one per segment."
        )
    if drawn == "documents" and documents is None:
        raise ParameterError("drawn='documents' needs documents, one name per segment.")
    whole = (labeled == (outputs & labeled.any(axis=0))).all()
    clusters = (
        np.arange(scores.shape[1])
        if documents is None
        else np.unique([str(name) for name in documents], return_inverse=True)[1]
    )
    return LabeledSample(
        scores,
        stacked,
        outputs,
        called,
        names,
        drawn or ("segments" if whole else "cells"),
        _chances(probabilities, labeled),
        clusters,
        probabilities is not None,
        int((outputs & ~known).sum()),
    )


def scores_of(
    judgments: Judgments | Any, metrics: Any, human: str | None
) -> tuple[Any, Any, Sequence[str] | None, Sequence[Any] | None]:
    """Return human scores, metrics, and the names of systems and segments from judgments, or unchanged arrays
    without names.
    """
    from nlgauge.meta.judgments import Judgments

    if not isinstance(judgments, Judgments):
        if human is not None:
            raise ParameterError(f"human={human!r:.60} names a dimension of judgments; arrays have none.")
        return judgments, {} if metrics is None else metrics, None, None
    if judgments.groups is not None and len(set(judgments.groups)) > 1:
        raise InputError(
            "these judgments have groups, whose systems are not compared; take one of"
            " judgments.by_group().values()."
        )
    if judgments.weights is not None:
        raise InputError(
            "these judgments have weights of segments, and estimates are of means without weights; leave the"
            " weights out."
        )
    chosen = list(judgments.metrics) if metrics is None else judgments.only(metrics=metrics).labels
    whole = [label for label in chosen if label not in judgments.metrics]
    if whole:
        raise InputError(
            f"the metric {whole[0]!r} has scores of whole systems only, and estimates need scores of segments",
            python="leave it out of metrics",
            cli="leave it out: name the others with -m",
        )
    oriented = {label: judgments.oriented(label) for label in chosen}
    return judgments.human(human), oriented, judgments.systems, judgments.segments


def _stacked(metrics: Any, shape: tuple[int, ...]) -> tuple[tuple[str, ...], Array]:
    if isinstance(metrics, Mapping):
        parts = {str(name): np.atleast_2d(_numbers(values, name)) for name, values in metrics.items()}
    else:
        whole = np.atleast_2d(_numbers(metrics, "metrics"))
        parts = {
            str(number + 1): values for number, values in enumerate(whole if whole.ndim > 2 else whole[None])
        }
    for name, values in parts.items():
        if values.shape != shape:
            raise InputError(
                f"metric {name} has shape {values.shape}, human has {shape}; both must be (systems,"
                " segments)."
            )
    return tuple(parts), np.array(list(parts.values())).reshape(-1, *shape)


def _numbers(values: Any, name: Any) -> Array:
    array = numbers(str(name), values)
    if np.isinf(array).any():
        raise InputError(f"{name} has infinite values; use NaN for a missing value.")
    return array


def _chances(probabilities: Any, labeled: Array) -> Array:
    if probabilities is None:
        return np.ones(labeled.shape)
    found = _numbers(probabilities, "probabilities")
    if found.shape not in {labeled.shape, labeled.shape[1:]}:
        raise InputError(
            f"probabilities has shape {found.shape}; pass one per segment, or one per system and segment"
            f" {labeled.shape}."
        )
    found = np.broadcast_to(found, labeled.shape)
    wrong = found[labeled][~((found[labeled] > 0) & (found[labeled] <= 1))]
    if len(wrong):
        raise InputError(
            f"the probabilities of labeled outputs must be above 0 and at most 1, got {wrong[0]:g}",
            python="pass the probabilities with which all labeled outputs were drawn",
            cli="use the file of --next with which all labeled segments were selected",
        )
    return found
