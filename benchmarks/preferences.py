"""python -m benchmarks.preferences: coverage of the intervals of `nlgauge.preferences.rank`, and false letters.

Each segment (and each document) favors some systems: its games share normal effects with the standard deviation
`noise` of each system. Verdicts follow Davidson's model with these effects. The true strengths are the estimates from
40,000 segments of the same world. `interval` is the share of intervals that contain the true strength, `letters` the
share of runs in which two equal systems have different letters; both also for games that are counted as
independent, as most programs do. `pairs` is the share of pairs of different systems with different letters. A run in
which a system has no finite strength uses a prior of 0.5. Grades count in proportion.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.preferences import Preferences, rank

RESAMPLES, TRUTH = 500, 40_000


@dataclass(frozen=True)
class World:
    """Systems with strengths and noise, judged on segments in documents of `size` segments."""

    strengths: tuple[float, ...]
    noise: tuple[float, ...]
    segments: int
    nu: float = 0.0
    size: int = 0
    # Each segment compares one random pair instead of all pairs.
    sparse: bool = False
    # The judge favors long predictions, and the systems differ in length.
    length: float = 0.0
    # Verdicts have grades from -2 to 2: the logistic difference at these limits.
    limits: tuple[float, ...] = ()

    def records(self, rng: np.random.Generator) -> list[dict[str, Any]]:
        systems = len(self.strengths)
        effects = np.array(self.strengths) + rng.normal(size=(self.segments, systems)) * self.noise
        document = np.arange(self.segments) // max(self.size, 1)
        if self.size:
            effects += (rng.normal(size=(document[-1] + 1, systems)) * self.noise)[document]
        lengths = np.exp(rng.normal(5 + np.arange(systems) / 4, 0.4, size=(self.segments, systems)))
        pairs = np.array(list(combinations(range(systems), 2)))
        if self.sparse:
            segment, pair = np.arange(self.segments), pairs[rng.integers(len(pairs), size=self.segments)]
        else:
            segment, pair = (
                np.repeat(np.arange(self.segments), len(pairs)),
                np.tile(pairs, (self.segments, 1)),
            )
        first, second = (effects[segment, pair[:, side]] for side in (0, 1))
        long, other = (lengths[segment, pair[:, side]] for side in (0, 1))
        d = first - second + self.length * np.log(long / other)
        weights = np.cumsum([np.exp(d / 2), np.full(len(d), self.nu), np.exp(-d / 2)], axis=0)
        outcome = (rng.random(len(d)) * weights[-1] > weights).sum(axis=0)
        records = [
            {
                "item": int(segment[game]),
                "first": f"S{pair[game, 0]}",
                "second": f"S{pair[game, 1]}",
                "winner": ("first", "tie", "second")[outcome[game]],
                "first_length": float(long[game]),
                "second_length": float(other[game]),
            }
            for game in range(len(d))
        ]
        if self.limits:
            difference = d + rng.logistic(size=len(d))
            for record, each in zip(records, difference.tolist(), strict=True):
                del record["winner"]
                record["grade"] = -math.copysign(sum(abs(each) > limit for limit in self.limits), each)
        if self.size:
            for record in records:
                record["doc"] = int(document[record["item"]])
        return records


EQUAL, SPREAD = (0.0,) * 5, (1.0, 0.4, 0.0, -0.4, -1.0)
SAME, UNEQUAL = (1.0,) * 5, (0.2, 0.5, 1.0, 2.0, 4.0)
# Grades: a difference of up to .5 is a tie, up to 2 slightly better, above much better.
LIMITS = (0.5, 2.0)
WORLDS = {
    "equal, 200 segments": World(EQUAL, SAME, 200),
    "equal, unequal noise, 200 segments": World(EQUAL, UNEQUAL, 200),
    "equal, unequal noise, 30 segments": World(EQUAL, UNEQUAL, 30),
    "equal, 40% ties, 100 segments": World(EQUAL, SAME, 100, nu=1.7),
    "equal, 40% ties, 20 segments": World(EQUAL, SAME, 20, nu=1.7),
    "equal, 10 segments": World(EQUAL, SAME, 10),
    "equal, 40 documents of 5 segments": World(EQUAL, SAME, 200, size=5),
    "equal, 12 documents of 10 segments": World(EQUAL, SAME, 120, size=10),
    "10 equal systems, 500 segments of one pair": World((0.0,) * 10, (1.0,) * 10, 500, sparse=True),
    "equal, judge favors length, 100 segments": World(EQUAL, SAME, 100, length=1.0),
    "two equal systems, 30 segments": World((0.0, 0.0), (1.0, 1.0), 30),
    "different, 200 segments": World(SPREAD, SAME, 200),
    "different, unequal noise, 40% ties, 50 segments": World(SPREAD, UNEQUAL, 50, nu=1.7),
    "different, 20 segments": World(SPREAD, SAME, 20),
    "different, 20 documents of 5 segments": World(SPREAD, SAME, 100, size=5),
    "very different, 30 segments": World((3.0, 1.0, 0.0, -1.0, -3.0), SAME, 30),
    "equal, grades, unequal noise, 100 segments": World(EQUAL, UNEQUAL, 100, limits=LIMITS),
    "equal, grades, 20 segments": World(EQUAL, SAME, 20, limits=LIMITS),
    "equal, grades, 12 documents of 10 segments": World(EQUAL, SAME, 120, size=10, limits=LIMITS),
    "different, grades, unequal noise, 50 segments": World(SPREAD, UNEQUAL, 50, limits=LIMITS),
}


def run(name: str, runs: int) -> str:
    world = WORLDS[name]
    rng = np.random.default_rng([25, list(WORLDS).index(name)])
    options: dict[str, Any] = {"control": "length"} if world.length else {}
    if world.limits:
        options["grades"] = len(world.limits)
    truth = rank(replace(world, segments=TRUTH).records(rng), resamples=0, **options).strengths
    same = {
        (one, other)
        for (one, first), (other, second) in combinations(
            zip([f"S{i}" for i in range(len(world.strengths))], world.strengths, strict=True), 2
        )
        if first == second
    }
    if same:  # all systems are equal: their true strengths are 0
        truth = dict.fromkeys(truth, 0.0)
    covered, false, called = ([[], []] for _ in range(3))
    for seed in range(runs):
        records = world.records(rng)
        alone = [
            {key: value for key, value in record.items() if key not in ("item", "doc")} for record in records
        ]
        for place, games in enumerate((records, alone)):
            ranked = ranked_with_prior(games, resamples=RESAMPLES, seed=seed, **options)
            covered[place] += [row.low <= truth[row.system] <= row.high for row in ranked.rows]
            apart = [
                not set(ranked.letters[a] or "") & set(ranked.letters[b] or "") for a, b in _pairs(ranked)
            ]
            false[place].append(bool(same) and any(apart))
            called[place].append(np.mean(apart))
    numbers = [f"{np.mean(covered[0]):.3f}", f"{np.mean(covered[1]):.3f}"]
    numbers += [f"{np.mean(values):.3f}" if same else "" for values in false]
    numbers.append("" if same else f"{np.mean(called[0]):.3f}")
    return f"| {name} | {' | '.join(numbers)} |"


def ranked_with_prior(games: list[dict[str, Any]], **options: Any) -> Preferences:
    """Rank the systems, with a prior of 0.5 if some system has no finite strength."""
    try:
        return rank(games, **options)
    except InputError:
        return rank(games, prior=0.5, **options)


def _pairs(ranked: Preferences) -> list[tuple[str, str]]:
    return list(combinations(ranked.systems, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--world", help="part of the name of a world")
    options = parser.parse_args()
    print(
        "| simulation | interval | interval, independent games | letters | letters, independent games | pairs |"
    )
    print("|---|---|---|---|---|---|")
    for name in WORLDS:
        if options.world is None or options.world in name:
            print(run(name, options.runs), flush=True)


if __name__ == "__main__":
    main()
