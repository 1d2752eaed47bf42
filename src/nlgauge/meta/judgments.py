"""Judgments: what people and metrics say of the outputs of several systems for the same inputs."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, UnknownNameError, no_such
from nlgauge.meta import comparison, correlation, ranking, replication
from nlgauge.meta.diagnostics import annotators, between, bias, convert, sentinels, top
from nlgauge.meta.findings import listed
from nlgauge.meta.labeling import estimate, selection
from nlgauge.meta.readers import frames, mtme, results
from nlgauge.stats.arrays import mean_of_known, numbers
from nlgauge.stats.levels import Scores


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """Human and metric scores of S systems on N segments; NaN is missing.

    Parameters
    ----------
    systems : sequence of str
        Names of the S systems.
    segments : sequence
        Identifiers of the N segments.
    humans : mapping of str to ndarray of shape (S, N)
        Human scores by dimension.
    metrics : mapping of str to ndarray of shape (S, N)
        Metric scores by metric.
    higher_is_better : mapping of str to bool or None, optional
        Direction of each metric; None means that the metric has no direction. Default: True.
    groups : sequence, optional
        Group (language pair) of each of the N segments. Systems are compared only within groups.
    ratings : mapping of str to ndarray of shape (S, N, annotators)
        Ratings by dimension. Their mean is the human score of a dimension that `humans` lacks.
    weights : ndarray of shape (N,), optional
        Weights of the segments.
    system_scores : mapping of str to ndarray of shape (S,)
        Scores of whole systems by metric, used at the system level instead of the mean over segments: corpus BLEU is not the
        mean of segment scores.
    pairs : ndarray of shape (P, 3), optional
        Better/worse pairs: segment, better system, worse system.

    Raises
    ------
    InputError
        If shapes or names are inconsistent.
    UnknownNameError
        If `higher_is_better` names an unknown metric.

    Notes
    -----
    A metric whose `higher_is_better` is False is negated before it is compared (see `oriented`). A metric without a direction
    is not changed.

    Examples
    --------
    >>> judged = Judgments.from_arrays([[1, 2], [3, 4]], {"ter": [[0.9, 0.8], [0.2, 0.1]]}, higher_is_better={"ter": False})
    >>> judged
    Judgments(2 systems, 2 segments; human: human; 1 metric: ter)
    >>> judged.oriented("ter").tolist()
    [[-0.9, -0.8], [-0.2, -0.1]]
    """

    systems: tuple[str, ...]
    segments: tuple[Hashable, ...]
    humans: Mapping[str, Array] = field(default_factory=dict)
    metrics: Mapping[str, Array] = field(default_factory=dict)
    higher_is_better: Mapping[str, bool | None] = field(default_factory=dict)
    groups: tuple[Any, ...] | None = None
    ratings: Mapping[str, Array] = field(default_factory=dict)
    weights: Array | None = None
    system_scores: Mapping[str, Array] = field(default_factory=dict)
    pairs: Array | None = None

    def __post_init__(self) -> None:
        keep: dict[str, Any] = {"systems": tuple(map(str, self.systems)), "segments": tuple(self.segments)}
        for name in ("systems", "segments"):
            _check_distinct(name, keep[name])
        shape = len(keep["systems"]), len(keep["segments"])
        keep["ratings"] = {
            name: _numbers(f"ratings[{name!r}]", values, shape, 3) for name, values in self.ratings.items()
        }
        given = {name: _numbers(f"humans[{name!r}]", values, shape) for name, values in self.humans.items()}
        keep["humans"] = {
            **given,
            **{name: mean_of_known(values) for name, values in keep["ratings"].items() if name not in given},
        }
        keep["metrics"] = {
            name: _numbers(f"metrics[{name!r}]", values, shape) for name, values in self.metrics.items()
        }
        keep["system_scores"] = {
            name: _numbers(f"system_scores[{name!r}]", values, shape[:1], 1)
            for name, values in self.system_scores.items()
        }
        if self.weights is not None:
            keep["weights"] = _numbers("weights", self.weights, shape[1:], 1)
            if not (
                np.isfinite(keep["weights"]).all() and (keep["weights"] >= 0).all() and keep["weights"].any()
            ):
                raise InputError("weights must be numbers from 0, and not all 0.")
        if self.groups is not None:
            keep["groups"] = tuple(self.groups)
            if len(keep["groups"]) != shape[1]:
                raise InputError(
                    f"groups has {len(keep['groups'])} values for {shape[1]} segments; pass one group per"
                    " segment."
                )
        unknown = [
            name
            for name in self.higher_is_better
            if name not in self.metrics and name not in self.system_scores
        ]
        if unknown:
            raise UnknownNameError(
                f"higher_is_better names an unknown metric, {unknown[0]!r}; the metrics are"
                f" {', '.join(self.labels)}."
            )
        if self.pairs is not None:
            keep["pairs"] = _checked_pairs(self.pairs, shape)
        for name, value in keep.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        groups = f", {counted(len(set(self.groups)), 'group')}" if self.groups is not None else ""
        pairs = f", {counted(len(self.pairs), 'pair')}" if self.pairs is not None else ""
        names = ", ".join(self.labels[:5]) + (", ..." if len(self.labels) > 5 else "")
        size = (
            f"{counted(len(self.systems), 'system')}, {counted(len(self.segments), 'segment')}{groups}{pairs}"
        )
        return (
            f"Judgments({size}; human: {', '.join(self.humans) or 'none'};"
            f" {counted(len(self.labels), 'metric')}: {names})"
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all metrics, including metrics that score only whole systems."""
        return tuple(dict.fromkeys([*self.metrics, *self.system_scores]))

    def human(self, dimension: str | None = None) -> Array:
        """Return the human scores of a dimension.

        Parameters
        ----------
        dimension : str, optional
            Human dimension. Required if there are several.

        Returns
        -------
        ndarray of shape (S, N)
            Human scores.
        """
        return self.humans[self.dimension(dimension)]

    def dimension(self, name: str | None = None) -> str:
        """Return the name of a human dimension after checking it.

        Parameters
        ----------
        name : str, optional
            Human dimension. Required if there are several.

        Returns
        -------
        str
            Human dimension.

        Raises
        ------
        InputError
            If `name` is None and the number of dimensions is not 1.
        UnknownNameError
            If there is no such dimension.
        """
        if name is None:
            if len(self.humans) != 1:
                raise InputError(
                    f"a single human dimension is needed, got {', '.join(self.humans) or 'none'}; name one, or"
                    " select one with only(human=[...])."
                )
            return next(iter(self.humans))
        if name not in self.humans:
            raise UnknownNameError(no_such("human dimension", name, self.humans))
        return name

    def check_metric(self, label: str) -> str:
        """Return the name of a metric after checking it.

        Parameters
        ----------
        label : str
            Metric.

        Returns
        -------
        str
            Metric.

        Raises
        ------
        UnknownNameError
            If there is no such metric.
        """
        if label not in self.labels:
            raise UnknownNameError(no_such("metric", label, self.labels))
        return label

    def sign(self, label: str) -> float:
        """Return the factor that makes higher scores of a metric better.

        Parameters
        ----------
        label : str
            Metric.

        Returns
        -------
        float
            -1 if lower is better, otherwise 1.
        """
        return -1.0 if self.higher_is_better.get(self.check_metric(label)) is False else 1.0

    def oriented(self, label: str) -> Array:
        """Return the scores of a metric, multiplied by its direction.

        Parameters
        ----------
        label : str
            Metric.

        Returns
        -------
        ndarray of shape (S, N)
            Scores, higher is better; NaN if the metric scores only whole systems.
        """
        sign = self.sign(label)
        values = self.metrics.get(label)
        return (
            np.full((len(self.systems), len(self.segments)), np.nan)
            if values is None
            else sign * values + 0.0
        )

    def oriented_system_scores(self, label: str) -> Array | None:
        """Return the scores of whole systems by a metric, multiplied by its direction.

        Parameters
        ----------
        label : str
            Metric.

        Returns
        -------
        ndarray of shape (S,) or None
            Scores, higher is better; None if the metric has no scores of whole systems.
        """
        sign = self.sign(label)
        return sign * self.system_scores[label] + 0.0 if label in self.system_scores else None

    def scores(self, label: str, dimension: str | None = None) -> Scores:
        """Return the oriented scores of a metric together with human scores.

        Parameters
        ----------
        label : str
            Metric.
        dimension : str, optional
            Human dimension. Required if there are several.

        Returns
        -------
        Scores
            Metric scores and human scores of shape (S, N), weights, and scores of whole systems.
        """
        whole = self.oriented_system_scores(label)
        return Scores(self.oriented(label), self.human(dimension), self.weights, whole)

    def stacked(self, labels: Sequence[str] | None = None) -> Array:
        """Return the oriented scores of several metrics as one array.

        Parameters
        ----------
        labels : sequence of str, optional
            Metrics. Default: all.

        Returns
        -------
        ndarray of shape (M, S, N)
            Scores, higher is better.
        """
        chosen = self.labels if labels is None else labels
        return (
            np.stack([self.oriented(label) for label in chosen])
            if chosen
            else np.empty((0, len(self.systems), len(self.segments)))
        )

    def only(
        self,
        systems: Sequence[str] | None = None,
        metrics: str | Sequence[str] | None = None,
        human: str | Sequence[str] | None = None,
    ) -> Judgments:
        """Return the judgments of some systems, metrics and human dimensions.

        Parameters
        ----------
        systems : sequence of str, optional
            Systems. Default: all.
        metrics : str or sequence of str, optional
            Metrics. Default: all.
        human : str or sequence of str, optional
            Human dimensions. Default: all.

        Returns
        -------
        Judgments
            The selected judgments.

        Raises
        ------
        UnknownNameError
            If there is no such system, metric or human dimension.
        """
        labels = self.labels if metrics is None else [self.check_metric(label) for label in listed(metrics)]
        dimensions = list(self.humans) if human is None else [self.dimension(name) for name in listed(human)]
        kept = replace(
            self,
            humans={name: self.humans[name] for name in dimensions},
            ratings={name: self.ratings[name] for name in dimensions if name in self.ratings},
            metrics={label: self.metrics[label] for label in labels if label in self.metrics},
            system_scores={
                label: self.system_scores[label] for label in labels if label in self.system_scores
            },
            higher_is_better={
                label: self.higher_is_better[label] for label in labels if label in self.higher_is_better
            },
        )
        if systems is None:
            return kept
        for system in systems:
            if system not in self.systems:
                raise UnknownNameError(no_such("system", system, self.systems))
        return kept.taken(
            systems=np.array([self.systems.index(system) for system in systems], dtype=np.int64)
        )

    def taken(self, systems: Array | None = None, segments: Array | None = None) -> Judgments:
        """Return the judgments of some systems and segments, by number.

        Parameters
        ----------
        systems : ndarray of int, optional
            Numbers of the systems. Default: all.
        segments : ndarray of int, optional
            Numbers of the segments. Default: all.

        Returns
        -------
        Judgments
            The selected judgments. Scores of whole systems are dropped if segments are selected.
        """
        rows = np.arange(len(self.systems)) if systems is None else np.asarray(systems)
        columns = np.arange(len(self.segments)) if segments is None else np.asarray(segments)
        cells = np.ix_(rows, columns)
        return replace(
            self,
            systems=tuple(self.systems[i] for i in rows.tolist()),
            segments=tuple(self.segments[i] for i in columns.tolist()),
            humans={name: values[cells] for name, values in self.humans.items()},
            metrics={name: values[cells] for name, values in self.metrics.items()},
            ratings={name: values[cells] for name, values in self.ratings.items()},
            groups=None if self.groups is None else tuple(self.groups[i] for i in columns.tolist()),
            weights=None if self.weights is None else self.weights[columns],
            system_scores=(
                {name: values[rows] for name, values in self.system_scores.items()}
                if segments is None
                else {}
            ),
            higher_is_better={
                label: self.higher_is_better[label]
                for label in self.higher_is_better
                if segments is None or label in self.metrics
            },
            pairs=(
                None
                if self.pairs is None
                else _pairs_taken(self.pairs, rows, columns, (len(self.systems), len(self.segments)))
            ),
        )

    def by_group(self) -> dict[Any, Judgments]:
        """Split the judgments by group, each with the systems that have scores in it.

        Returns
        -------
        dict
            Judgments by group; {None: self} if there are no groups.
        """
        if self.groups is None:
            return {None: self}
        found = {}
        for group in dict.fromkeys(self.groups):
            segments = np.flatnonzero([one == group for one in self.groups])
            present = np.zeros(len(self.systems), dtype=bool)
            for values in [*self.humans.values(), *self.metrics.values()]:
                present |= ~np.isnan(values[:, segments]).all(axis=1)
            if self.pairs is not None:
                present[self.pairs[np.isin(self.pairs[:, 0], segments)][:, 1:]] = True
            found[group] = replace(
                self.taken(np.flatnonzero(present if present.any() else ~present), segments), groups=None
            )
        return found

    def complete(self, dimension: str | None = None) -> Judgments:
        """Return the judgments with only the outputs that all metrics and human dimensions score.

        Parameters
        ----------
        dimension : str, optional
            Human dimension. Default: all dimensions.

        Returns
        -------
        Judgments
            The other outputs are NaN. Segments without any complete output are removed.
        """
        judged = list(self.humans.values()) if dimension is None else [self.human(dimension)]
        known = (
            ~np.isnan(np.stack([*judged, *self.metrics.values()])).any(axis=0)
            if judged or self.metrics
            else np.ones((1, 1), dtype=bool)
        )
        cut = replace(
            self,
            humans={name: np.where(known, values, np.nan) for name, values in self.humans.items()},
            metrics={name: np.where(known, values, np.nan) for name, values in self.metrics.items()},
            ratings={
                name: np.where(known[..., None], values, np.nan) for name, values in self.ratings.items()
            },
        )
        kept = np.flatnonzero(known.any(axis=0))
        return cut if len(kept) == len(self.segments) else cut.taken(segments=kept)

    # The analyses, as methods.
    correlate = correlation.correlate
    compare = comparison.compare
    replicate = replication.replicate
    rank = ranking.rank
    between_metrics = between.between_metrics
    top_systems = top.top_systems
    agreement = annotators.agreement
    bias = bias.bias
    sentinels = sentinels.sentinels
    convert = convert.convert
    estimate = estimate.estimate
    segments_to_label = selection.segments_to_label

    # The readers, as ways to make judgments.
    from_arrays = classmethod(frames.from_arrays)
    from_frame = classmethod(frames.from_frame)
    from_pairs = classmethod(frames.from_pairs)
    joined = classmethod(frames.joined)
    from_result = classmethod(results.from_result)
    from_mtme = classmethod(mtme.from_mtme)


def _numbers(name: str, values: Any, shape: tuple[int, ...], dimensions: int = 2) -> Array:
    found = numbers(name, values)
    if found.ndim != dimensions or found.shape[: len(shape)] != shape:
        wanted = {1: "one number per item", 2: "(systems, segments)", 3: "(systems, segments, annotators)"}[
            dimensions
        ]
        raise InputError(
            f"{name} has the shape {found.shape}; it must be {wanted}: {' x '.join(map(str, shape))}."
        )
    infinite = np.isinf(found)
    if infinite.any():
        warnings.warn(
            f"{name} has {counted(int(infinite.sum()), 'infinite score')}, taken as missing.", stacklevel=4
        )
        return np.where(infinite, np.nan, found)
    return found


def _check_distinct(name: str, values: Sequence[Hashable]) -> None:
    if len(set(values)) != len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise InputError(f"{name} must differ, {twice!r:.60} occurs {values.count(twice)} times.")
    if not values:
        raise InputError(f"judgments need {name}, got none.")


def _checked_pairs(pairs: Any, shape: tuple[int, int]) -> Array:
    found = np.asarray(pairs, dtype=np.int64).reshape(-1, 3)
    limits = np.array([shape[1], shape[0], shape[0]])
    if ((found < 0) | (found >= limits)).any():
        raise InputError(
            "pairs must be rows (segment, better system, worse system) of numbers counted from 0, with"
            f" {shape[1]} segments and {shape[0]} systems."
        )
    return found


def _pairs_taken(pairs: Array, rows: Array, columns: Array, shape: tuple[int, int]) -> Array:
    places = [np.full(size, -1, dtype=np.int64) for size in shape]
    for place, kept in zip(places, (rows, columns), strict=True):
        place[kept] = np.arange(len(kept))
    moved = np.stack([places[1][pairs[:, 0]], places[0][pairs[:, 1]], places[0][pairs[:, 2]]], axis=1)
    found: Array = moved[(moved >= 0).all(axis=1)]
    return found
