"""From kept scores and the human judgments at hand to numbers: agreement with intervals, ceilings,
clusters and cost.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from nlgauge.meta import Judgments
from nlgauge.meta.benchmarks import Benchmark, MetricScores
from nlgauge.meta.benchmarks.kept import check_texts
from studies.leaderboard.boards import (
    ABOUT_JUDGE,
    BENCHMARKS,
    COSTS,
    STRINGS,
    Board,
    cost_of,
    folder_name,
    texts,
)
from studies.leaderboard.boards import drawn as drawn_of
from studies.leaderboard.comparisons import (
    LENGTH,
    RANDOM,
    Comparison,
    Place,
    Planned,
    drawn,
    leaders,
    placed,
    planned,
)
from studies.leaderboard.kept import Kept, judgments
from studies.leaderboard.parts import PARTS

# What people judged where they did not rate.
PAIRS = "pairs"
# Beside costly metrics on a sample, on the same texts.
ANCHORS = ("chrf", "sentence_bleu", "rouge.rouge1", "rouge.rougeL", "bertscore(model='minilm').f1", LENGTH)
# At system level the score of all texts of a system, not the mean over its segments.
OF_WHOLE_SYSTEMS = ("bleu", "nist")
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


@dataclass(frozen=True)
class Line:
    """One metric: its agreement by human dimension and level, its planned comparisons and its place by level,
    seconds per 1,000 texts, further coefficients by name, and by part the shares of pairs in its order and of its ties.
    """

    metric: str
    values: Mapping[tuple[str, str], Value]
    places: Mapping[str, Place]
    seconds: float
    directed: bool
    planned: Mapping[str, Mapping[str, Comparison]] = field(default_factory=dict)
    also: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """The metrics on one set of texts, best first by the first level; `drawn` is the size of the sample, None
    for all.

    `counts` are the numbers of systems, inputs and texts; `families` how many pairs are planned by level, and `best`
    the best of its class on other data by metric.
    """

    name: str
    drawn: int | None
    size: str
    counts: tuple[int, int, int]
    lines: Sequence[Line]
    ceilings: Mapping[tuple[str, str], float]
    human: str
    undefined: Sequence[str] = field(default_factory=list)
    families: Mapping[str, int] = field(default_factory=dict)
    best: Mapping[str, str] = field(default_factory=dict)
    floors: Mapping[str, float] = field(default_factory=dict)

    @property
    def board(self) -> Board:
        """What the benchmark is."""
        return BENCHMARKS[self.name]

    def claims(self) -> dict[str, tuple[int, int]]:
        """By level, how many of all pairs of metrics differ significantly, and of how many."""
        found = {}
        for level in self.board.coefficients:
            beaten = [line.places[level].beaten for line in self.lines if level in line.places]
            found[level] = sum(beaten), len(beaten) * (len(beaten) - 1) // 2
        return found


@dataclass(frozen=True)
class Draft:
    """A table before its tests, which need what other tables say."""

    name: str
    cost: str
    benchmark: Benchmark
    people: Judgments
    seconds: Mapping[str, float]
    own: Collection[str]
    values: Mapping[tuple[str, str, str], Value]
    ceilings: Mapping[tuple[str, str], float]

    @property
    def board(self) -> Board:
        """What the benchmark is."""
        return BENCHMARKS[self.name]

    @property
    def human(self) -> str:
        """The dimension that the main table shows."""
        return self.board.human or PAIRS

    def ranked(self, level: str) -> list[str]:
        """The metrics that have a place at a level."""
        return [
            label
            for label in self.people.labels
            if not math.isnan(self.values.get((label, self.human, level), Value()).ranked)
        ]

    def shares(self) -> dict[str, float]:
        """Of each metric of this table's own that has a direction, the share of its class that it exceeds."""
        level = _main_level(self.board)
        mine = [
            label
            for label in self.ranked(level)
            if label in self.own and self.people.higher_is_better.get(label) is not None
        ]
        found = {}
        for label in mine:
            value = self.values[label, self.human, level].value
            others = [
                self.values[other, self.human, level].value
                for other in mine
                if other != label and cost_of(other) == cost_of(label)
            ]
            if others:
                found[label] = sum(other < value for other in others) / len(others)
        return found


def tables(folder: Path, names: Sequence[str], resamples: int) -> dict[str, list[Table]]:
    """Return, of each benchmark, the table of all texts, and one for each sample with the costly metrics and a few
    others beside them.

    Values come first: they tell which metric is the best of its class on other data, with which the tests compare.
    """
    drafts = {}
    for name in names:
        drafts[name] = _drafts(folder, name, resamples)
        print(f"{name}: {sum(len(draft.people.labels) for draft in drafts[name])} rows", file=sys.stderr)
    shares = {f"{draft.name}/{draft.cost}": draft.shares() for each in drafts.values() for draft in each}
    found = {}
    for name, each in drafts.items():
        source = BENCHMARKS[name].benchmark or name
        elsewhere = {
            key: of
            for key, of in shares.items()
            if (BENCHMARKS[key.partition("/")[0]].benchmark or key.partition("/")[0]) != source
        }
        found[name] = [_finished(draft, elsewhere, resamples) for draft in each]
        print(f"{name}: tested", file=sys.stderr)
    return found


def _drafts(folder: Path, name: str, resamples: int) -> list[Draft]:
    whole = texts(name)
    found = {STRINGS: _kept(folder, name, STRINGS, whole)}
    made = []
    for cost in COSTS:
        if cost != STRINGS and not drawn_of(name, cost):
            continue
        part = whole if cost == STRINGS else texts(name, cost)
        own = found[STRINGS] if cost == STRINGS else _kept(folder, name, cost, part)
        if not own:
            continue
        found[cost] = own
        beside = {} if cost == STRINGS else _anchors(found, part, {one: texts(name, one) for one in found})
        made.append(_draft(name, cost, part, own, beside, resamples))
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


def _draft(
    name: str,
    cost: str,
    benchmark: Benchmark,
    scores: Mapping[str, MetricScores],
    beside: Mapping[str, MetricScores],
    resamples: int,
) -> Draft:
    board = BENCHMARKS[name]
    dimensions = () if board.human is None else (board.human, *(board.others if cost == STRINGS else ()))
    people, seconds = judged(benchmark, {**beside, **scores}, dimensions)
    own = {_shown(one, output) for one in scores.values() for output in one.higher_is_better}
    people = people.only(
        metrics=[label for label in people.labels if label in own or label in (*ANCHORS, RANDOM)]
    )
    values, ceilings = agreements(people, board, min(resamples, board.most_draws))
    return Draft(name, cost, benchmark, people, seconds, own, values, ceilings)


def _finished(draft: Draft, elsewhere: Mapping[str, Mapping[str, float]], resamples: int) -> Table:
    """Return the table of a draft, with the tests of each level."""
    board, people, values, benchmark = draft.board, draft.people, draft.values, draft.benchmark
    classes = {
        label: cost_of(label)
        for label in people.labels
        if label not in (LENGTH, RANDOM) and people.higher_is_better.get(label) is not None
    }
    places: dict[str, dict[str, Place]] = {}
    planned_of: dict[str, Planned] = {}
    best = leaders(elsewhere, classes, draft.ranked(_main_level(board)))
    for level in board.coefficients:
        one = drawn(people.only(metrics=draft.ranked(level)), board, level, min(resamples, board.most_draws))
        planned_of[level], places[level] = planned(one, best), placed(one)
    whole = draft.cost == STRINGS
    also, floors = further(people, board) if whole else ({}, {})
    shares = in_parts(benchmark, people, board) if whole and board.parts else {}
    lines, undefined = [], []
    for label in people.labels:
        mine = {key: values[label, *key] for key in draft.ceilings if (label, *key) in values}
        if all(math.isnan(mine.get((draft.human, level), Value()).value) for level in board.coefficients):
            undefined.append(label)
            continue
        lines.append(
            Line(
                label,
                mine,
                {level: found[label] for level, found in places.items() if label in found},
                draft.seconds[label],
                people.higher_is_better.get(label) is not None,
                {level: of.by_metric.get(label, {}) for level, of in planned_of.items()},
                also.get(label, {}),
                shares.get(label, {}),
            )
        )
    first = (draft.human, _main_level(board))
    lines.sort(key=lambda line: -np.nan_to_num(line.values.get(first, Value()).ranked, nan=-2.0))
    return Table(
        draft.name,
        drawn_of(draft.name, draft.cost),
        _size(benchmark),
        (len(benchmark.systems), len(benchmark.segments), len(benchmark.rows)),
        lines,
        draft.ceilings,
        draft.human,
        undefined,
        {level: of.pairs for level, of in planned_of.items()},
        best,
        floors,
    )


def _size(benchmark: Benchmark) -> str:
    size = (
        f"{len(benchmark.systems)} systems, {len(benchmark.segments)} segments, {len(benchmark.rows):,} texts"
    )
    if len(benchmark.groups) > 1:
        size += f" in {len(benchmark.groups)} language pairs"
    if benchmark.pairs:
        size += f", {len(benchmark.pairs):,} pairs"
    return size


def further(people: Judgments, board: Board) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return the further coefficients of a benchmark by metric, and their values for a constant metric."""
    found: dict[str, dict[str, float]] = {}
    floors: dict[str, float] = {}
    for level, coefficient in board.also.items():
        cells = people.only(metrics=list(people.metrics), human=[str(board.human)])
        for row in cells.correlate(level=level, coefficient=coefficient, interval=None):
            found.setdefault(row["metric"], {})[coefficient] = row["value"]
            floors[coefficient] = row["floor"]
    return found, floors


def in_parts(
    benchmark: Benchmark, people: Judgments, board: Board
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return, by metric and part, the share of pairs in whose order metric and people agree, and the share of ties of
    the metric.
    """
    assert people.pairs is not None
    segments, better, worse = people.pairs.T
    chosen = PARTS[board.parts](benchmark)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for label in people.metrics:
        scores = people.oriented(label)
        first, second = scores[better, segments], scores[worse, segments]
        found[label] = {
            part: (float((first > second)[rows].mean()), float((first == second)[rows].mean()))
            for part, rows in chosen.items()
        }
    return found


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
