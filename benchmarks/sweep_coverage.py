"""Coverage of the intervals of `nlgauge.meta.sweep`: python -m benchmarks.sweep_coverage [WORLDS [OTHERS]].

A world has systems of random quality, segments, people, and metrics that follow the quality more or less closely and
share a part of their noise. The truth of a value is its mean over 4,000 other worlds, or OTHERS. The table has the shares of
intervals that contain it, for the tested value and for its difference to the default.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from nlgauge.meta.sweeps.choosing import by_split, choice, halves
from nlgauge.stats.levels import Scores
from nlgauge.stats.measures import measure

# Names, systems, segments, and how closely each point follows the quality; the first point is the default.
CASES = (
    ("equal points", 16, 60, (0.5,) * 8),
    ("one good point", 16, 60, (0.3, 0.3, 0.3, 0.9)),
    ("a good default", 16, 60, (0.8, 0.3, 0.3, 0.3, 0.3)),
    ("few texts", 12, 20, (0.5, 0.5, 0.6, 0.7)),
)


def world(rng: np.random.Generator, systems: int, segments: int, follows: tuple[float, ...]) -> list[Scores]:
    """Return the scores of each point and of people in a random world."""
    quality = rng.normal(size=(systems, 1))
    human = quality + 2 * rng.normal(size=(systems, segments))
    shared = rng.normal(size=(systems, 1))
    texts = rng.normal(size=(systems, segments))
    return [
        Scores(
            weight * quality
            + (1 - weight) * (shared + rng.normal(size=(systems, 1))) / 2
            + texts
            + rng.normal(size=(systems, segments)),
            human,
        )
        for weight in follows
    ]


def truth(
    name: str, systems: int, segments: int, follows: tuple[float, ...], others: int
) -> tuple[float, float]:
    """Return the mean tested value and the mean gain over many worlds, each divided once."""
    rng = np.random.default_rng(99)
    found = []
    for _ in range(others):
        points = world(rng, systems, segments, follows)
        drawn = halves(rng, np.ones((1, systems)), np.ones((1, segments)), "segments")
        one = by_split(measure(name), "system", points, points[0], drawn)
        found.append((one.tested[0], one.gain[0]))
    means = np.nanmean(np.array(found), axis=0)
    return float(means[0]), float(means[1])


def main(worlds: int = 200, others: int = 4000) -> None:
    """Print the coverage of every case and coefficient."""
    warnings.simplefilter("ignore")
    print("| case | coefficient | tested, truth | coverage | gain, truth | coverage | mean of tested |")
    print("|---|---|---|---|---|---|---|")
    for title, systems, segments, follows in CASES:
        for name in ("kendall", "pearson"):
            value, gain = truth(name, systems, segments, follows, others)
            rng = np.random.default_rng(7)
            hits, tested = [], []
            for number in range(worlds):
                points = world(rng, systems, segments, follows)
                found = choice(measure(name), "system", points, points[0], splits=50, draws=300, seed=number)
                hits.append(
                    (
                        found.bounds.low <= value <= found.bounds.high,
                        found.gain_bounds.low <= gain <= found.gain_bounds.high,
                    )
                )
                tested.append(found.tested)
            shares = np.mean(hits, axis=0)
            print(
                f"| {title} | {name} | {value:.3f} | {shares[0]:.3f} | {gain:.3f} | {shares[1]:.3f}"
                f" | {np.mean(tested):.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
