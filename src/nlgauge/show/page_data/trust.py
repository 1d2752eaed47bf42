"""Agreement of each metric with the human scores of its result: the section "Which metric to trust here".

`Trust` computes one table for each level and human dimension from `nlgauge.meta`: agreement with intervals and letters,
the ceiling if outputs have several ratings, and sentinels, which do not measure quality.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge._core.safe_text import visible
from nlgauge.meta import Judgments
from nlgauge.meta.diagnostics.sentinels import sentinel_scores
from nlgauge.results.groups import taken
from nlgauge.results.imported.human import ORIGIN, HumanScores
from nlgauge.show.page_data.names import short_labels
from nlgauge.stats.arrays import mean_of_known

# Resamples of a page.
DRAWS = 500
# A dimension with fewer rated outputs is not shown.
LEAST_RATED = 20
# Of more outputs, a random sample of the segments is used.
MOST_OUTPUTS = 200_000
# The mean of several human scores.
ALL = "all"
_SENTINELS = {
    "candidate_length": "the length of the output",
    "reference_only": "the length of the reference",
    "source_only": "the length of the source",
    "random": "random numbers",
}
# Fewer systems say little about new systems.
_FEW_SYSTEMS = 5
_MOST_NAMES = 4


class Level(NamedTuple):
    """A level at which metrics and people are compared, with its coefficient and the fewest systems that it needs."""

    title: str
    coefficient: str
    symbol: str
    systems: int
    # The value of a metric that knows nothing.
    chance: float = 0.0


LEVELS = {
    "input": Level("among the outputs of one input", "kendall", "tau", 3),
    "global": Level("over all outputs", "pearson", "r", 1),
    "system": Level("systems", "spa", "SPA", _FEW_SYSTEMS, 0.5),
}


@dataclass(frozen=True, eq=False)
class Trust:
    """The agreement of a result's metrics with its human scores, one table per level and dimension.

    `directed` maps the labels of the metrics that have a direction and scores of segments to their names, `humans` the
    dimensions to the labels of their human scores.
    """

    judgments: Judgments
    directed: Mapping[str, str]
    humans: Mapping[str, Sequence[str]]
    sampled: str
    confidence: float
    seed: int
    _tables: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    @lazy
    def levels(self) -> list[str]:
        """The levels with enough systems, the first of them to show first."""
        return [name for name, level in LEVELS.items() if len(self.judgments.systems) >= level.systems]

    @lazy
    def dimensions(self) -> list[str]:
        """The human dimensions, and their mean if there are several."""
        return list(self.judgments.humans)

    def described(self) -> dict[str, Any]:
        """Return what a page must know before it shows a table."""
        levels = [
            {"id": name, "title": LEVELS[name].title, "symbol": LEVELS[name].symbol} for name in self.levels
        ]
        dimensions = [
            {"name": visible(name), "labels": [visible(label) for label in self.humans[name]]}
            for name in self.dimensions
        ]
        return {"levels": levels, "dimensions": dimensions}

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return every table by level and dimension, as in "input mqm"."""
        return {
            f"{level} {visible(dimension)}": self.table(level, dimension)
            for level in self.levels
            for dimension in self.dimensions
        }

    def table(self, level: str, dimension: str) -> dict[str, Any]:
        """Return the table of a level and a dimension, with its sentence and its caption."""
        key = level, dimension
        if key not in self._tables:
            self._tables[key] = self._table(level, dimension)
        return self._tables[key]

    def _table(self, level: str, dimension: str) -> dict[str, Any]:
        over = self._over(level)
        coefficient = LEVELS[level].coefficient
        options: dict[str, Any] = {"resamples": DRAWS, "seed": self.seed, "confidence": self.confidence}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = self.judgments.correlate(level, coefficient, dimension, interval=over, **options)
            letters: Mapping[str, str | None] = {}
            known = [
                row["metric"] for row in found if row["metric"] in self.directed and _known(row["value"])
            ]
            if len(known) > 1:
                compared = self.judgments.compare(
                    level,
                    coefficient,
                    generalize_to=over,
                    test="randomization" if over == "inputs" else "bootstrap",
                    human=dimension,
                    metrics=known,
                    alpha=1 - self.confidence,
                    **options,
                )
                letters = compared.letters()
        rows = [
            _row(row, self.directed, letters)
            for row in sorted(found, key=lambda row: -row["value"] if _known(row["value"]) else math.inf)
            if row["metric"] in self.directed or _known(row["value"])
        ]
        _remark(rows)
        ceiling = next((row["ceiling"] for row in found if _known(row["ceiling"])), None)
        return {
            "rows": rows,
            "ceiling": ceiling,
            "sentence": self._sentence(rows, level),
            "over": {"both": "systems and inputs", "inputs": "inputs", "systems": "systems"}[over],
            "draws": DRAWS,
            "notes": [
                *([self.sampled] if self.sampled else []),
                *(visible(str(one.message)) for one in caught),
            ],
        }

    def _over(self, level: str) -> str:
        """Return the units of the resamples.

        With few systems only inputs are resampled, so that nothing is claimed of new systems. SPA of resampled inputs
        would take minutes, so only systems are resampled for it.
        """
        if level == "system":
            return "systems"
        return "both" if len(self.judgments.systems) >= _FEW_SYSTEMS else "inputs"

    def _sentence(self, rows: Sequence[dict[str, Any]], level: str) -> str:
        """Return which metric agrees best with people, which are not worse, and which only measure length."""
        metrics = [row for row in rows if row["metric"] and row["value"] is not None]
        chance, percent = LEVELS[level].chance, f"{100 * self.confidence:g}%"
        systems = len(self.judgments.systems)
        few = (
            f" {counted(systems, 'system')} are too few to assess how metrics rank systems."
            if 1 < systems < _FEW_SYSTEMS
            else ""
        )
        if not any(row["low"] is not None and row["low"] > chance for row in metrics):
            return f"No metric agrees significantly with people here.{few}"
        best = metrics[0]
        leaders = [row for row in metrics if row["value"] == best["value"]]
        interval = (
            "" if best["low"] is None else f", {percent} interval {best['low']:.2f} to {best['high']:.2f}"
        )
        verb = "agrees" if len(leaders) == 1 else "agree"
        parts = [
            f"{_names(leaders)} {verb} best with people here ({LEVELS[level].symbol} {best['value']:.2f}{interval})"
        ]
        tied = [row for row in metrics[len(leaders) :] if _share(row["letters"], best["letters"])]
        rest = len(metrics) - len(leaders) - len(tied)
        if tied:
            parts.append(f"{_names(tied)} {'is' if len(tied) == 1 else 'are'} not significantly worse")
        elif rest and best["letters"]:
            parts.append("every other metric is significantly worse")
        length = _SENTINELS["candidate_length"]
        no_better = [row for row in metrics if length in row["below"]]
        if no_better:
            parts.append(
                f"{_names(no_better)} {'is' if len(no_better) == 1 else 'are'} no better than {length}"
            )
        return f"{'; '.join(parts)}.{few}"


def trust_of(
    human: HumanScores, segments: Array | None = None, confidence: float = 0.95, seed: int | None = None
) -> Trust | None:
    """Return the agreement of metrics with human scores, of all segments or of some; None if there are too few
    ratings or no metric with a direction.
    """
    result = human.result
    sampled = ""
    most = max(1, MOST_OUTPUTS // len(result.systems))
    seed = result._job.options.seed if seed is None else seed
    numbers = np.arange(len(result.corpus)) if segments is None else segments
    if len(numbers) > most:
        sampled = f"A random sample of {most:,} of {counted(len(numbers), 'segment', spec=',')} is used."
        numbers = np.sort(np.random.default_rng(seed).choice(numbers, most, replace=False))
    if len(numbers) < len(result.corpus):
        result = taken(result, numbers)
    names = short_labels(human.result.labels)
    directed = {
        label: visible(names[label])
        for label in result.labels
        if label not in human.labels
        and (first := result._tables[result.systems[0], label].outputs()[0]).higher_is_better is not None
        and all(first.name in result._tables[system, label].segments() for system in result.systems)
    }
    if not human.labels or not directed:
        return None
    judged = Judgments.from_result(result, list(human.labels)).only(metrics=list(directed))
    rated = {
        label.removeprefix(f"{ORIGIN}."): label
        for label, values in judged.humans.items()
        if np.isfinite(values).sum() >= LEAST_RATED
    }
    if not rated:
        return None
    humans = {name: judged.humans[label] for name, label in rated.items()}
    ratings = {name: judged.ratings[label] for name, label in rated.items() if label in judged.ratings}
    labels = {name: [label] for name, label in rated.items()}
    if len(humans) > 1 and ALL not in humans:
        labels[ALL] = list(rated.values())
        humans[ALL] = mean_of_known(np.stack([_standardized(values) for values in humans.values()], axis=-1))
    scores = sentinel_scores(
        judged, result if result.has_texts else None, human=next(iter(rated.values())), seed=seed
    )
    sentinels = {_SENTINELS[name]: values for name, values in scores.items() if name in _SENTINELS}
    judgments = replace(
        judged, humans=humans, ratings=ratings, metrics={**judged.metrics, **sentinels}, system_scores={}
    )
    return Trust(judgments, directed, labels, sampled, confidence, seed)


def _standardized(values: Array) -> Array:
    """Return scores with mean 0 and standard deviation 1, so that dimensions with different scales can be averaged."""
    spread = np.nanstd(values)
    standardized: Array = (values - np.nanmean(values)) / (spread or 1.0)
    return standardized


def _row(
    row: Mapping[str, Any], directed: Mapping[str, str], letters: Mapping[str, str | None]
) -> dict[str, Any]:
    label = row["metric"]
    return {
        "metric": label in directed,
        "label": visible(label),
        "name": directed.get(label, label),
        **{name: float(row[name]) if _known(row[name]) else None for name in ("value", "low", "high")},
        "letters": letters.get(label),
        "reason": visible(row["reason"]),
        "below": [],
    }


def _remark(rows: Sequence[dict[str, Any]]) -> None:
    """Add to each metric the sentinels that agree with people at least as well."""
    for row in rows:
        if row["metric"] and row["value"] is not None:
            row["below"] = [
                other["name"] for other in rows if not other["metric"] and other["value"] >= row["value"]
            ]


def _names(rows: Sequence[dict[str, Any]]) -> str:
    names = [row["name"] for row in rows]
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _share(letters: str | None, others: str | None) -> bool:
    return bool(letters and others and set(letters) & set(others))


def _known(value: Any) -> bool:
    return value is not None and math.isfinite(value)
