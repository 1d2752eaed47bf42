"""Tests of the leaderboard: planned comparisons first, then all pairs of metrics, from the same draws."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.meta import Judgments
from nlgauge.meta.all_pairs import all_pairs
from nlgauge.meta.comparison import planned as plan_of
from nlgauge.meta.ready_pairs import columns, ordered, replicates
from nlgauge.stats.corrections import max_t, two_sided
from nlgauge.stats.letters import cluster_ranks, wins
from nlgauge.stats.resampling import bootstrap
from studies.leaderboard.boards import Board

LENGTH, RANDOM = "length in words", "random numbers"
# Each metric is compared with these, whatever the table says. A sample of costly metrics has BLEU of sentences.
BLEUS = ("bleu", "sentence_bleu")
# A test leaves out the cells that any metric lacks, so that metrics which lack more than this are not tested.
MOST_MISSING = 0.02
# The level of a test.
LEVEL = 0.05
SEED = 12345


class Drawn(NamedTuple):
    """Metrics with their values (M,), the resampled differences of all pairs (B, P) about 0, and the number of
    units that were swapped.
    """

    labels: Sequence[str]
    values: Array
    null: Array
    units: float = np.inf

    @property
    def pairs(self) -> tuple[Array, Array]:
        """The metrics of each pair, as two vectors (P,)."""
        k, m = np.triu_indices(len(self.labels), 1)
        return k, m

    @property
    def deltas(self) -> Array:
        """The difference of each pair (P,)."""
        k, m = self.pairs
        return np.asarray(self.values[k] - self.values[m])


class Comparison(NamedTuple):
    """A metric against another: the difference, p of this test by itself, and p corrected for its family."""

    delta: float
    alone: float
    corrected: float

    @property
    def verdict(self) -> int:
        """Return 1 if the metric is significantly better, -1 if it is worse, 0 if neither is shown."""
        return int(np.sign(self.delta)) if self.corrected <= LEVEL else 0


class Planned(NamedTuple):
    """The planned comparisons of a table at a level: by metric and by what it is compared with, and how many
    pairs the correction is for.
    """

    by_metric: Mapping[str, Mapping[str, Comparison]]
    pairs: int


class Place(NamedTuple):
    """The cluster of a metric, 1 the best, the metrics that it beats, and the number that beat it."""

    cluster: int
    beats: tuple[str, ...]
    beaten: int


def drawn(people: Judgments, board: Board, level: str, resamples: int) -> Drawn:
    """Return the resampled differences of all metrics that can be tested; means over language pairs."""
    if people.pairs is not None:
        return _of_pairs(people, board, resamples)
    human = str(board.human)
    chosen = _testable(people.only(human=[human]), level)
    # Swapping whole systems within every input costs minutes per table; the bootstrap of the same claim,
    # which errs on the side of caution, seconds.
    test = "bootstrap" if level == "input" else "randomization"
    target = "inputs" if level == "global" or board.over == "inputs" else "systems"
    parts = list(chosen.by_group().values())
    if len(chosen.labels) < 2:
        return Drawn(chosen.labels, np.full(len(chosen.labels), np.nan), np.empty((0, 0)))
    results = [
        all_pairs(
            part,
            human,
            plan_of(
                level,
                board.coefficients[level],
                test,
                target,
                None,
                resamples,
                SEED + number,
                None,
                0.95,
                LEVEL,
            ),
            intervals=False,
        )
        for number, part in enumerate(parts)
    ]
    values = np.sum([result.values for result in results], axis=0) / len(parts)
    null = sum((result.null for result in results if result.null is not None), np.zeros(1)) / len(parts)
    return Drawn(chosen.labels, values, null, sum(result.units for result in results))


def _testable(people: Judgments, level: str) -> Judgments:
    """Return the metrics that have (nearly) all cells and are not the same for all texts."""
    (human,) = people.humans
    judged = np.isfinite(people.human(human))

    def fits(label: str) -> bool:
        cells, whole = people.metrics.get(label), people.system_scores.get(label)
        if cells is not None and float(np.isnan(cells)[judged].mean()) > MOST_MISSING:
            return False
        values = whole if level == "system" and whole is not None else cells
        return values is not None and bool(np.nanmax(values) > np.nanmin(values))

    return people.only(metrics=[label for label in people.labels if fits(label)])


def _of_pairs(people: Judgments, board: Board, resamples: int) -> Drawn:
    """Return the bootstrap of DARR on better/worse pairs, the same draws for all metrics."""
    labels = list(people.metrics)
    over = "inputs" if board.over == "inputs" else "systems"
    value, redrawn = np.zeros(len(labels)), np.zeros((resamples, len(labels)))
    parts = people.by_group()
    for number, part in enumerate(parts.values()):
        resampled = bootstrap(len(part.systems), len(part.segments), over, resamples, SEED + number)
        alike, against = columns([ordered(part, label) for label in labels])
        value += (alike - against).sum(axis=0) / np.maximum(1, (alike + against).sum(axis=0)) / len(parts)
        redrawn += replicates(part, alike, against, resampled) / len(parts)
    k, m = np.triu_indices(len(labels), 1)
    null = redrawn[:, k] - redrawn[:, m]
    return Drawn(labels, value, null - np.nanmean(null, axis=0))


def placed(found: Drawn) -> dict[str, Place]:
    """Return the place of each metric from all pairs, corrected by max-T."""
    labels, (k, m) = found.labels, found.pairs
    p = np.full((len(labels), len(labels)), np.nan)
    if len(k):
        p[k, m] = p[m, k] = max_t(found.deltas, found.null, units=found.units)
    beats = wins(found.values, p, LEVEL)
    return {
        label: Place(
            cluster,
            tuple(other for other, beaten in zip(labels, beats[i], strict=True) if beaten),
            int(beats[:, i].sum()),
        )
        for i, (label, cluster) in enumerate(zip(labels, cluster_ranks(found.values, p, LEVEL), strict=True))
        if cluster is not None
    }


def planned(found: Drawn, best: Mapping[str, str]) -> Planned:
    """Return each metric against the yardsticks, and against the best of its cost class (`best`, by metric) if that
    is another metric; corrected by max-T for these pairs alone.
    """
    place = {label: at for at, label in enumerate(found.labels)}
    controls = [RANDOM, LENGTH, *[name for name in BLEUS if name in place][:1]]
    asked = {
        label: [other for other in dict.fromkeys([*controls, best.get(label, "")]) if other in place]
        for label in found.labels
    }
    number = {pair: at for at, pair in enumerate(zip(*(each.tolist() for each in found.pairs), strict=True))}
    wanted = {
        (label, other): number[tuple(sorted((place[label], place[other])))]
        for label, others in asked.items()
        for other in others
        if other != label
    }
    family = sorted(set(wanted.values()))
    if not family:
        return Planned({}, 0)
    deltas, null = found.deltas[family], found.null[:, family]
    corrected, alone = max_t(deltas, null, units=found.units), two_sided(deltas, null, found.units)
    at = {pair: row for row, pair in enumerate(family)}
    by_metric: dict[str, dict[str, Comparison]] = {label: {} for label in found.labels}
    for (label, other), pair in wanted.items():
        row = at[pair]
        sign = 1 if place[label] < place[other] else -1
        by_metric[label][other] = Comparison(
            sign * float(deltas[row]), float(alone[row]), float(corrected[row])
        )
    return Planned(by_metric, len(family))


def leaders(
    shares: Mapping[str, Mapping[str, float]], classes: Mapping[str, str], there: Collection[str]
) -> dict[str, str]:
    """Return the best metric of the class of each metric that is there.

    `shares` has, for each data set that is not the one at hand, the share of the metrics of its class that a metric
    exceeds. The best has the highest mean share, and was scored on half of the sets that have its class, so that the
    data at hand have no part in the choice.
    """
    best: dict[str, str] = {}
    for kind in set(classes.values()):
        mine = [label for label in there if classes.get(label) == kind]
        known = {
            label: [by_label[label] for by_label in shares.values() if label in by_label] for label in mine
        }
        most = max((len(each) for each in known.values()), default=0)
        able = {
            label: float(np.mean(each)) for label, each in known.items() if each and 2 * len(each) >= most
        }
        if able:
            first = max(sorted(able), key=lambda label: able[label])
            best |= {label: first for label in mine if label != first}
    return best
