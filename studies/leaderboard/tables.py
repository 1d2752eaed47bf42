"""From kept scores and the human judgments at hand to numbers: agreement with intervals, ceilings,
clusters and cost.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from nlgauge.meta import Judgments, rank
from nlgauge.meta.benchmarks import Benchmark, MetricScores
from nlgauge.meta.benchmarks.kept import check_texts
from nlgauge.meta.ranking import RankingTask
from studies.leaderboard.boards import (
    ABOUT_JUDGE,
    BENCHMARKS,
    COSTS,
    STRINGS,
    Board,
    drawn,
    folder_name,
    texts,
)
from studies.leaderboard.kept import Kept, judgments
from studies.leaderboard.pairs import pair_clusters

LENGTH, RANDOM = "length in words", "random numbers"
# Beside costly metrics on a sample, on the same texts.
ANCHORS = ("chrf", "sentence_bleu", "rouge.rouge1", "rouge.rougeL", "bertscore(model='minilm').f1", LENGTH)
# At system level the score of all texts of a system, not the mean over its segments.
OF_WHOLE_SYSTEMS = ("bleu", "nist")
# A test leaves out the cells that any metric lacks, so that metrics which lack more than this have no
# cluster.
MOST_MISSING = 0.02
# The level of a single test.
LEVEL = 0.05
# Each metric is compared with these, whatever the table says: planned comparisons, corrected for these pairs
# alone.
YARDSTICKS = (RANDOM, LENGTH, "bleu")
# A mean over fewer of the inputs, of which others are defined on all, is not compared with theirs.
LEAST_DEFINED = 0.8


class Value(NamedTuple):
    """A coefficient with its interval, and on which share of the inputs it is defined: where a metric
    gives all texts the same, it is not.
    """

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    defined: float = 1.0

    @property
    def ranked(self) -> float:
        """The value that has a place among the others; NaN where it is the mean over inputs that the
        metric itself has chosen.
        """
        return self.value if self.defined >= LEAST_DEFINED else math.nan


class Planned(NamedTuple):
    """How many metrics are significantly better than a yardstick, how many significantly worse, of how many,
    and the size of the family.

    `alone` is how many are better if each is tested by itself, and `p` has that test's p-value by metric.
    """

    better: int
    worse: int
    metrics: int
    pairs: int
    alone: int
    p: Mapping[str, float]


class Place(NamedTuple):
    """The cluster of a metric, 1 the best, the metrics that it beats, and the number that beat it."""

    cluster: int
    beats: tuple[str, ...]
    beaten: int


@dataclass(frozen=True)
class Line:
    """One metric: its agreement by human dimension and level, its place by level, and seconds per 1,000
    texts.
    """

    metric: str
    values: Mapping[tuple[str, str], Value]
    places: Mapping[str, Place]
    seconds: float
    directed: bool


@dataclass(frozen=True)
class Table:
    """The metrics on one set of texts, best first by the first level; `drawn` is the size of the sample, None
    for all.

    `counts` are the numbers of systems, inputs and texts; `planned` has the planned comparisons by level and
    yardstick.
    """

    name: str
    drawn: int | None
    size: str
    counts: tuple[int, int, int]
    lines: Sequence[Line]
    ceilings: Mapping[tuple[str, str], float]
    human: str
    undefined: Sequence[str] = field(default_factory=list)
    planned: Mapping[tuple[str, str], Planned] = field(default_factory=dict)

    @property
    def board(self) -> Board:
        """What the benchmark is."""
        return BENCHMARKS[self.name]

    def claims(self) -> dict[str, tuple[int, int]]:
        """By level, how many pairs of metrics differ significantly, and of how many; not where the test
        is of a mean over language pairs.
        """
        if "language pairs" in self.size and self.board.human is not None:
            return {}
        found = {}
        for level in self.board.coefficients:
            beaten = [line.places[level].beaten for line in self.lines if level in line.places]
            found[level] = sum(beaten), len(beaten) * (len(beaten) - 1) // 2
        return found


def tables(folder: Path, name: str, resamples: int) -> list[Table]:
    """The table of all texts, and one for each sample with the costly metrics and a few others beside
    them.
    """
    resamples = min(resamples, BENCHMARKS[name].most_draws)
    whole = texts(name)
    found = {STRINGS: _kept(folder, name, STRINGS, whole)}
    made = []
    for cost in COSTS:
        if cost != STRINGS and drawn(name, cost) is None:
            continue
        part = whole if cost == STRINGS else texts(name, cost)
        own = found[STRINGS] if cost == STRINGS else _kept(folder, name, cost, part)
        if not own:
            continue
        found[cost] = own
        beside = {} if cost == STRINGS else _anchors(found, part, {one: texts(name, one) for one in found})
        made.append(_table(name, cost, part, own, beside, resamples))
    return made


def _kept(folder: Path, name: str, cost: str, benchmark: Benchmark) -> dict[str, MetricScores]:
    """The scores of these texts; those of other texts are an error."""
    found = Kept.of(folder, folder_name(name, cost)).scores
    check_texts(found.values(), benchmark)
    return {label: rows_of(one) for label, one in found.items()}


def rows_of(scores: MetricScores) -> MetricScores:
    """Without the outputs that are about a judge rather than about the texts."""
    return msgspec.structs.replace(
        scores,
        higher_is_better={
            name: way for name, way in scores.higher_is_better.items() if name not in ABOUT_JUDGE
        },
    )


def _anchors(
    found: Mapping[str, Mapping[str, MetricScores]], part: Benchmark, wholes: Mapping[str, Benchmark]
) -> dict[str, MetricScores]:
    """The anchors' scores of a part, taken from those of more texts."""
    rows = [(row.segment, row.system) for row in part.rows]
    taken = {}
    for cost, by_label in found.items():
        for label, one in by_label.items():
            outputs = [output for output in one.segments if _shown(one, output) in ANCHORS]
            place = {(row.segment, row.system): at for at, row in enumerate(wholes[cost].rows)}
            if outputs and all(row in place for row in rows):
                segments = {
                    output: [one.segments[output][place[row]] for row in rows] for output in one.segments
                }
                seconds = one.seconds / len(wholes[cost].rows) * len(rows)
                taken[label] = msgspec.structs.replace(one, segments=segments, systems={}, seconds=seconds)
    return taken


def _shown(scores: MetricScores, output: str) -> str:
    """What an output is called: by its metric's label, and its own name where several are kept."""
    return scores.label if len(scores.higher_is_better) == 1 else f"{scores.label}.{output}"


def judged(
    benchmark: Benchmark, scores: Mapping[str, MetricScores], dimensions: Sequence[str]
) -> tuple[Judgments, dict[str, float]]:
    """The judgments with metrics by the name that is shown, with two that do not look at quality, and
    seconds per 1,000 texts.
    """
    found = judgments(benchmark, scores, dimensions)
    names = {
        one.label if output == one.main else f"{one.label}.{output}": _shown(one, output)
        for one in scores.values()
        for output in one.higher_is_better
    }
    texts_of = {label: one.seconds / len(benchmark.rows) * 1000 for label, one in scores.items()}
    seconds = {
        _shown(one, output): texts_of[one.label] for one in scores.values() for output in one.higher_is_better
    }
    rng = np.random.default_rng(12345)
    blind = {
        LENGTH: benchmark.cells(len((row.prediction or "").split()) for row in benchmark.rows),
        RANDOM: benchmark.cells(rng.normal(size=len(benchmark.rows))),
    }
    metrics = {**{names[label]: values for label, values in found.metrics.items()}, **blind}
    systems = {names[label]: values for label, values in found.system_scores.items()}
    alone = {
        name: values for name, values in systems.items() if name in OF_WHOLE_SYSTEMS or name not in metrics
    }
    directions = {
        **{names[label]: value for label, value in found.higher_is_better.items()},
        LENGTH: None,
        RANDOM: None,
    }
    return replace(found, metrics=metrics, system_scores=alone, higher_is_better=directions), {
        **seconds,
        LENGTH: 0.0,
        RANDOM: 0.0,
    }


def _table(
    name: str,
    cost: str,
    benchmark: Benchmark,
    scores: Mapping[str, MetricScores],
    beside: Mapping[str, MetricScores],
    resamples: int,
) -> Table:
    board = BENCHMARKS[name]
    dimensions = () if board.human is None else (board.human, *(board.others if cost == STRINGS else ()))
    people, seconds = judged(benchmark, {**beside, **scores}, dimensions)
    own = {_shown(one, output) for one in scores.values() for output in one.higher_is_better}
    people = people.only(
        metrics=[label for label in people.labels if label in own or label in (*ANCHORS, RANDOM)]
    )
    values, ceilings = agreements(people, board, resamples)
    human = board.human or "pairs"
    ranked = {
        level: [label for label in people.labels if not math.isnan(values[label, human, level].ranked)]
        for level in board.coefficients
    }
    tested = {
        level: _tested(people.only(metrics=ranked[level]), board, level, resamples, planned=cost == STRINGS)
        for level in board.coefficients
    }
    places = {level: found for level, (found, _) in tested.items()}
    planned = {
        (level, yardstick): found for level, (_, each) in tested.items() for yardstick, found in each.items()
    }
    lines, undefined = [], []
    for label in people.labels:
        mine = {key: values[label, *key] for key in ceilings if (label, *key) in values}
        if all(math.isnan(mine.get((human, level), Value()).value) for level in board.coefficients):
            undefined.append(label)
            continue
        by_level = {level: found[label] for level, found in places.items() if label in found}
        lines.append(
            Line(label, mine, by_level, seconds[label], people.higher_is_better.get(label) is not None)
        )
    first = (human, _main_level(board))
    lines.sort(key=lambda line: -np.nan_to_num(line.values.get(first, Value()).ranked, nan=-2.0))
    size = (
        f"{len(benchmark.systems)} systems, {len(benchmark.segments)} segments, {len(benchmark.rows):,} texts"
    )
    if len(benchmark.groups) > 1:
        size += f" in {len(benchmark.groups)} language pairs"
    if benchmark.pairs:
        size += f", {len(benchmark.pairs):,} pairs"
    counts = len(benchmark.systems), len(benchmark.segments), len(benchmark.rows)
    return Table(name, drawn(name, cost), size, counts, lines, ceilings, human, undefined, planned)


def _main_level(board: Board) -> str:
    """The level that sorts the table: single texts, of which there are enough to say something."""
    return next(level for level in reversed(board.coefficients))


def agreements(
    people: Judgments, board: Board, resamples: int
) -> tuple[dict[tuple[str, str, str], Value], dict[tuple[str, str], float]]:
    """(metric, dimension, level) -> value, and (dimension, level) -> ceiling."""
    values: dict[tuple[str, str, str], Value] = {}
    ceilings: dict[tuple[str, str], float] = {}
    for level, coefficient in board.coefficients.items():
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # systems that were judged on different inputs: the page says so
            found = people.correlate(
                level=level, coefficient=coefficient, interval=board.over, resamples=resamples
            )
        most = {
            human: max(row["n_groups"] for row in found if row["human"] == human)
            for human in found.column("human")
        }
        for row in found:
            if row.get("group", "average") != "average":
                continue
            defined = (
                row["n_groups"] / max(most[row["human"]], 1)
                if level == "input" and people.pairs is None
                else 1.0
            )
            values[row["metric"], row["human"], level] = Value(row["value"], row["low"], row["high"], defined)
            ceilings[row["human"], level] = row["ceiling"]
    return values, ceilings


def _tested(
    people: Judgments, board: Board, level: str, resamples: int, planned: bool
) -> tuple[dict[str, Place], dict[str, Planned]]:
    """The cluster of each metric that has (nearly) all cells, and the planned comparisons if they are
    asked for.
    """
    if people.pairs is not None:
        return placed(*pair_clusters(people, resamples)), {}
    z = people.human(board.human)
    lacking = {
        label: float(np.isnan(values)[~np.isnan(z)].mean()) for label, values in people.metrics.items()
    }
    labels = [
        label
        for label in people.labels
        if lacking.get(label, 0.0) <= MOST_MISSING and (level == "system" or label in people.metrics)
    ]
    chosen = _varying(people.only(metrics=labels, human=[str(board.human)]), level)
    target = "inputs" if level == "global" else "systems"
    coefficient = board.coefficients[level]
    rows: Any
    if people.groups is not None:
        rows = rank(
            chosen, tasks=[RankingTask(coefficient, level)], generalize_to=target, resamples=resamples
        )
        return _placed_by_letters(rows), {}
    # Swapping whole systems within every input costs minutes per table; the bootstrap of the same claim,
    # which errs on the side of caution, seconds.
    options: dict[str, Any] = {
        "level": level,
        "coefficient": coefficient,
        "generalize_to": target,
        "resamples": resamples,
    }
    options["test"] = "bootstrap" if level == "input" else "randomization"
    rows = chosen.compare(**options).clusters()
    return _placed_by_letters(rows), _planned(chosen, options) if planned else {}


def placed(clusters: Mapping[str, int], wins: Collection[tuple[str, str]]) -> dict[str, Place]:
    """Return the place of each metric from its cluster and the pairs (winner, loser) of all metrics."""
    return {
        label: Place(
            cluster,
            tuple(loser for winner, loser in wins if winner == label),
            sum(loser == label for _, loser in wins),
        )
        for label, cluster in clusters.items()
    }


def _placed_by_letters(rows: Iterable[Mapping[str, Any]]) -> dict[str, Place]:
    """Return the place of each metric from rows in order, best first: a metric beats those after it with
    which it shares no letter.
    """
    ranked = [row for row in rows if row["cluster"] is not None]
    letters = {row["metric"]: set(re.findall(r"\(\d+\)|\w", row["letters"])) for row in ranked}
    wins = [
        (one, other) for one, other in combinations(letters, 2) if letters[one].isdisjoint(letters[other])
    ]
    return placed({row["metric"]: row["cluster"] for row in ranked}, wins)


def _planned(people: Judgments, options: Mapping[str, Any]) -> dict[str, Planned]:
    """Each metric against each yardstick that is here."""
    yardsticks = [label for label in YARDSTICKS if label in people.labels]
    found = people.compare(**options, against=yardsticks)
    made = {}
    for yardstick in yardsticks:
        pairs = [row for row in found if yardstick in (row["metric"], row["other"])]
        named = [
            (row["metric"], row["delta"]) if row["other"] == yardstick else (row["other"], -row["delta"])
            for row in pairs
        ]
        p = {metric: row["p"] for (metric, _), row in zip(named, pairs, strict=True)}
        better = sum(row["better"] not in ("", yardstick) for row in pairs)
        alone = sum(delta > 0 and p[metric] <= LEVEL for metric, delta in named)
        made[yardstick] = Planned(
            better, sum(row["better"] == yardstick for row in pairs), len(pairs), len(found), alone, p
        )
    return made


def _varying(people: Judgments, level: str) -> Judgments:
    """Without metrics that are the same for all texts (exact match, where nothing matches)."""

    def varies(label: str) -> bool:
        values = people.system_scores.get(label) if level == "system" else None
        values = people.metrics.get(label) if values is None else values
        return values is not None and np.nanmax(values) > np.nanmin(values)

    return people.only(metrics=[label for label in people.labels if varies(label)])
