"""A/A study: how often a gate fails a system that did not change.

Repeats of one system are its several predictions of each segment, or several results of the same system. The
repeats of each segment are divided at random into two halves, two pseudo-systems that differ by chance only, and
the gate compares them. The shares of verdicts over many divisions describe the gate; the spread of the gains
shows how far identical runs lie apart. Each segment is divided by itself, so that a change of a whole run, such
as another version of a model behind the same name, is not seen: compare the runs for that. Divisions of the same
repeats are not independent of each other, so Wilson's interval describes the number of divisions, not the sample
of segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.page import Page
from nlgauge._core.ragged import Array, offsets_of
from nlgauge._core.shown import Shown
from nlgauge.errors import ParameterError
from nlgauge.metric import Arrays, Metric, Output
from nlgauge.metric.table import Table
from nlgauge.results.comparison import gain_of
from nlgauge.results.gate import ANY, Change, Rule, outputs_of_change, verdicts
from nlgauge.results.groups import taken
from nlgauge.results.joined import joined, of_systems
from nlgauge.results.plans.repeats import Repeats, repeats_of
from nlgauge.stats.intervals import wilson

if TYPE_CHECKING:
    from nlgauge.results.result import Result

VERDICTS = ("failed", "inconclusive", "passed")
# Names of the two halves.
_BEFORE, _AFTER = "first half", "second half"
# Divisions for the spread of gains, which need no test.
_SPREAD = 1000


@dataclass(frozen=True)
class Flakiness:
    """The verdicts of a gate on identical systems, for one condition.

    `counts` has the number of divisions with each verdict. `moves` is the size that 95% of the gains between
    halves do not exceed. `threshold` is the loss of the condition ("drops by 2"; 0 for any drop), `fails` the
    share of identical halves that a gate with only this threshold would fail, and `safe` the threshold that
    would fail 1% of them.
    """

    condition: str
    output: Output
    counts: Mapping[str, int]
    moves: float
    threshold: float
    fails: float
    safe: float

    def share(self, verdict: str) -> tuple[float, float, float]:
        """Return the share of a verdict, with Wilson's interval."""
        divisions = sum(self.counts.values())
        return (self.counts[verdict] / divisions, *wilson(self.counts[verdict], divisions))

    def record(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        shares = {
            verdict: dict(zip(("share", "low", "high"), self.share(verdict), strict=True))
            for verdict in VERDICTS
        }
        numbers = {name: getattr(self, name) for name in ("moves", "threshold", "fails", "safe")}
        return {"condition": self.condition, "output": self.output.name, **shares, **numbers}


@dataclass(frozen=True, repr=False)
class AAStudy(Shown):
    """An A/A study of a system: one row per condition; `answers` is the number of predictions per half."""

    system: str
    rows: list[Flakiness]
    answers: float
    divisions: int
    rule: Rule = field(default_factory=Rule)

    def record(self) -> dict[str, Any]:
        """Return the study as plain data."""
        settings = {"system": self.system, "answers": self.answers, "divisions": self.divisions}
        return {**settings, "alpha": self.rule.alpha, "conditions": [row.record() for row in self.rows]}

    def _short_page(self) -> Page:
        from nlgauge.show.pages.gate import aa_page

        return aa_page(self)


def aa_study(
    results: Sequence[Result],
    system: str | None = None,
    changes: Sequence[Change] = (),
    rule: Rule | None = None,
    *,
    divisions: int = 100,
    seed: int = 12345,
    **options: Any,
) -> AAStudy:
    """Return how often the gate fails a system that did not change.

    Parameters
    ----------
    results : sequence of Result
        A result with several predictions per segment, or several results of the same system on the same segments.
    system : str, optional
        System of the results. Default: the only system.
    changes : sequence of Change, optional
        Conditions of the gate. Default: any metric worsens.
    rule : Rule, optional
        Level, margins and largest share of missing scores.
    divisions : int, default 100
        Number of random divisions of the repeats.
    seed : int, default 12345
        Seed of the divisions.
    **options
        Options of `Result.compare`.

    Returns
    -------
    AAStudy
        Shares of verdicts and the spread of gains.

    Raises
    ------
    ParameterError
        If no segment has two repeats.
    """
    if divisions < 1:
        raise ParameterError(f"divisions must be 1 or more, got {divisions}.")
    rule = rule or Rule()
    changes = list(changes) or [Change.read(f"{ANY} worsens")]
    repeats = _Repeated.of(results, system)
    rng = np.random.default_rng(seed)
    words: dict[str, list[str]] = {}
    tested: dict[str, tuple[Change, str, Output]] = {}
    for _ in range(divisions):
        divided = repeats.divided(rng)
        wanted = [(change, *output) for change in changes for output in outputs_of_change(divided, change)]
        outcomes, _ = verdicts(divided, _BEFORE, [_AFTER], changes, [], rule, **options)
        for outcome, condition in zip(outcomes, wanted, strict=True):
            words.setdefault(outcome.condition, []).append(outcome.word)
            tested[outcome.condition] = condition
    gains = _gains(repeats, {(label, output.name): output for _, label, output in tested.values()}, rng)
    rows = [
        _flakiness(condition, words[condition], change, output, gains[label, output.name])
        for condition, (change, label, output) in tested.items()
    ]
    return AAStudy(repeats.system, rows, repeats.answers, divisions, rule)


def _flakiness(
    condition: str, words: Sequence[str], change: Change, output: Output, gains: Array
) -> Flakiness:
    """Return the row of a condition; gains are symmetric about 0, since halves may be exchanged."""
    size = np.abs(gains)
    # A loss of either half: each division stands for itself and for its exchange.
    beyond = (size > 0) if not change.least else size >= change.least
    counts = {verdict: words.count(verdict) for verdict in VERDICTS}
    moves, safe = (float(share) for share in np.quantile(size, [0.95, 0.98]))
    return Flakiness(condition, output, counts, moves, change.least, float(beyond.mean()) / 2, safe)


def _gains(
    repeats: _Repeated, outputs: Mapping[tuple[str, str], Output], rng: np.random.Generator
) -> dict[tuple[str, str], Array]:
    """Return the gains between the halves of many divisions, of each output."""
    gains: dict[tuple[str, str], list[float]] = {key: [] for key in outputs}
    for _ in range(_SPREAD):
        before, after = repeats.tables(rng)
        scores = {label: (before[label].scores(), after[label].scores()) for label, _ in outputs}
        for (label, name), output in outputs.items():
            first, second = (side[name] for side in scores[label])
            gains[label, name].append(gain_of(first - second, output))
    return {key: np.array(values) for key, values in gains.items()}


@dataclass(frozen=True)
class _Repeated:
    """The repeats of a system on the additive metrics of a result."""

    result: Result
    system: str
    repeats: Mapping[str, Repeats]

    @classmethod
    def of(cls, results: Sequence[Result], system: str | None) -> _Repeated:
        """Return the repeats of one result with several predictions per segment, or of several results."""
        first = of_systems(results[0], system or _only_system(results[0]))
        name = first.systems[0]
        together = first
        for number, other in enumerate(results[1:], 2):
            named = name if name in other.systems else system or _only_system(other)
            together = joined(together, other, named, f"{name} (run {number})")
        labels = [label for label in together.labels if isinstance(together._job.metrics[label], Metric)]
        if not labels:
            raise ParameterError("no metric is computed from per-segment statistics; score another metric.")
        repeats = {
            label: _stacked([repeats_of(together, each, label) for each in together.systems])
            for label in labels
        }
        if not (repeats[labels[0]].counts > 1).any():
            raise ParameterError(
                f"{name} has one prediction per segment, so it cannot be compared with itself",
                python="score several predictions per segment, or pass results of two or more runs",
                cli="score several predictions per segment, or name the results of two or more runs after --aa",
            )
        # Segments with one prediction have no second half.
        several = np.flatnonzero(repeats[labels[0]].counts > 1)
        single = of_systems(together, name)
        if len(several) == len(single.corpus):
            return cls(single, name, repeats)
        return cls(
            taken(single, several),
            name,
            {label: _of_segments(each, several) for label, each in repeats.items()},
        )

    @property
    def answers(self) -> float:
        """Mean number of predictions of a segment in each half."""
        counts = next(iter(self.repeats.values())).counts // 2
        return float(counts[counts > 0].mean())

    def tables(self, rng: np.random.Generator) -> tuple[dict[str, Table], dict[str, Table]]:
        """Return the tables of two random halves, by label; all metrics have the same halves.

        A segment's row is the mean of the rows of its predictions.
        """
        halves: tuple[dict[str, Table], dict[str, Table]] = {}, {}
        sides = _sides(next(iter(self.repeats.values())).offsets, rng)
        for label, (table, offsets) in self.repeats.items():
            weights = self.result.corpus.weights
            for half, chosen in zip(halves, sides, strict=True):
                means = {part: _means(rows, offsets, chosen) for part, rows in table.statistics.items()}
                half[label] = Table(table.metric, means, weights=weights)
        return halves

    def divided(self, rng: np.random.Generator) -> Result:
        """Return a result with the two halves as systems."""
        corpus = self.result.corpus
        column = corpus.predictions[self.system]
        before, after = self.tables(rng)
        named = ((_BEFORE, before), (_AFTER, after))
        metrics = {label: self.result._job.metrics[label] for label in self.repeats}
        return replace(
            self.result,
            corpus=replace(corpus, predictions=dict.fromkeys((_BEFORE, _AFTER), column), system_fields={}),
            _tables={(name, label): tables[label] for name, tables in named for label in metrics},
            signatures={label: self.result.signatures[label] for label in metrics},
            _job=replace(self.result._job, metrics=metrics),
            _last=[],
        )


def _only_system(result: Result) -> str:
    if len(result.systems) != 1:
        raise ParameterError(
            f"the result has several systems: {', '.join(result.systems)}",
            python="name one with system=",
            cli="name one with --system",
        )
    return result.systems[0]


def _stacked(runs: Sequence[Repeats]) -> Repeats:
    """Return the repeats of several runs as repeats of one."""
    if len(runs) == 1:
        return runs[0]
    counts = np.sum([run.counts for run in runs], axis=0)
    owners = np.concatenate([np.repeat(np.arange(len(run.counts)), run.counts) for run in runs])
    order = np.argsort(owners, kind="stable")
    statistics: Arrays = {
        part: np.concatenate([run.table.statistics[part] for run in runs])[order]
        for part in runs[0].table.statistics
    }
    return Repeats(replace(runs[0].table, statistics=statistics), offsets_of(counts))


def _of_segments(repeats: Repeats, segments: Array) -> Repeats:
    """Return the repeats of some segments."""
    counts = repeats.counts[segments]
    offsets = offsets_of(counts)
    rows = np.arange(offsets[-1]) + np.repeat(repeats.offsets[segments] - offsets[:-1], counts)
    statistics = {part: values[rows] for part, values in repeats.table.statistics.items()}
    return Repeats(replace(repeats.table, statistics=statistics), offsets)


def _sides(offsets: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return which predictions belong to the first and to the second half: equally many of each segment, at
    random.
    """
    counts = np.diff(offsets)
    owners = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((rng.random(len(owners)), owners))
    places = np.empty(len(owners), dtype=np.int64)
    places[order] = np.arange(len(owners)) - offsets[owners]
    half = (counts // 2)[owners]
    return places < half, (places >= half) & (places < 2 * half)


def _means(rows: Array, offsets: Array, chosen: Array) -> Array:
    """Return the mean of the chosen rows of each segment."""
    counts = np.diff(offsets)
    owners = np.repeat(np.arange(len(counts)), counts)[chosen]
    sizes = np.bincount(owners, minlength=len(counts))
    columns = [np.bincount(owners, column, len(counts)) for column in np.asarray(rows, float)[chosen].T]
    return np.stack(columns, axis=1) / sizes[:, None]
