"""python -m benchmarks.estimate_coverage: how often the intervals of `nlgauge.meta.labeling.estimate` hold
what they should, on scores that are made up.

Each world has 4 systems and 200 segments in 50 documents: system + document + segment effects + noise.
"normal" scores are these, "skewed" ones are 5 less a lognormal part, "bounded" ones are rounded to 1..5 with
most at 5. Five metrics have the given correlation with the scores.

`--part campaigns`: two systems are rated from 1 to 5 on 10 to 40 of 200 segments, as in `nlgauge annotate`. "skewed"
ratings are mostly 5, "middle" ones mostly 3. Segments without both ratings do not count. One metric with ties has a correlation
of 0.6 with the quality behind the ratings, one has none. `claims` is the share of intervals of the difference without 0:
of equal systems it should be at most 0.05.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nlgauge.meta import estimate, segments_to_label

SYSTEMS, SEGMENTS, DOCUMENTS = 4, 200, 50


class World(NamedTuple):
    """Scores, metrics, documents, and the systems' means over infinitely many inputs."""

    human: np.ndarray
    metrics: np.ndarray
    documents: np.ndarray
    means: np.ndarray


def _scores(rng: np.random.Generator, kind: str, segments: int) -> tuple[np.ndarray, np.ndarray]:
    per_document = SEGMENTS // DOCUMENTS
    document = np.repeat(rng.normal(size=segments // per_document), per_document)
    latent = (
        np.array([0.0, 0.1, 0.3, 0.6])[:, None]
        + 0.5 * document
        + 0.5 * rng.normal(size=segments)
        + 0.7 * rng.normal(size=(SYSTEMS, segments))
    )
    if kind == "normal":
        return latent, latent
    if kind == "skewed":
        return latent, 5 - np.exp(1 - 0.8 * latent)
    return latent, np.clip(np.round(4.5 + latent), 1, 5)


def world(rng: np.random.Generator, kind: str, correlation: float, means: np.ndarray) -> World:
    latent, human = _scores(rng, kind, SEGMENTS)
    noise = rng.normal(size=(5, SYSTEMS, SEGMENTS))
    return World(
        human,
        correlation * latent + np.sqrt(1 - correlation**2) * noise,
        np.repeat(np.arange(DOCUMENTS), SEGMENTS // DOCUMENTS),
        means,
    )


def shown(rng: np.random.Generator, made: World, drawn: str, n: int) -> tuple[np.ndarray, dict]:
    """The labels that are shown, n per system, and what is said to `estimate` about how they were drawn."""
    human, mask = made.human, np.zeros((SYSTEMS, SEGMENTS), dtype=bool)
    how: dict = {"drawn": drawn}
    if drawn == "segments":
        mask[:, rng.choice(SEGMENTS, n, replace=False)] = True
    elif drawn == "cells":
        mask[np.unravel_index(rng.choice(mask.size, n * SYSTEMS, replace=False), mask.shape)] = True
    elif drawn == "documents":
        mask[:, np.isin(made.documents, rng.choice(DOCUMENTS, n * DOCUMENTS // SEGMENTS, replace=False))] = (
            True
        )
        how["documents"] = made.documents
    elif drawn == "unequal":
        chances = np.exp(0.5 * made.metrics.mean(axis=(0, 1)))
        chances = np.minimum(n * chances / chances.sum(), 1)
        mask[:, rng.random(SEGMENTS) < chances] = True
        how = {"drawn": "segments", "probabilities": chances}
    elif drawn == "blocks":
        # As a campaign of one annotator: a random block of five, then proposals for one block after another.
        mask[:, rng.choice(SEGMENTS, 5, replace=False)] = True
        while mask[0].sum() < n:
            proposal = segments_to_label(
                np.where(mask, human, np.nan), 5, made.metrics, strata=2, seed=int(rng.integers(2**32))
            )
            mask[:, np.array(proposal.column("proposed"))] = True
        how = {"drawn": "segments", "probabilities": proposal.column("probability")}
    else:
        mask[:, rng.choice(SEGMENTS, n // 2, replace=False)] = True
        proposal = segments_to_label(
            np.where(mask, human, np.nan), n - n // 2, made.metrics, seed=int(rng.integers(2**32))
        )
        mask[:, np.array(proposal.column("proposed"))] = True
        how = {"drawn": "segments", "probabilities": proposal.column("probability")}
    return np.where(mask, human, np.nan), how


def covered(
    kind: str, correlation: float, drawn: str, n: int, generalize_to: str, of: str, worlds: int, seed: int
) -> Iterator[tuple[bool, bool, float, float]]:
    """For every interval: whether it holds the truth, whether the classical one does, the ratio of
    widths, and the labels gained.
    """
    rng = np.random.default_rng(seed)
    means = _scores(np.random.default_rng(1), kind, 400_000)[1].mean(axis=1)
    for _ in range(worlds):
        made = world(rng, kind, correlation, means)
        human, how = shown(rng, made, drawn, n)
        if generalize_to == "inputs":
            how["documents"] = made.documents
        truth = made.human.mean(axis=1) if generalize_to == "none" else made.means
        for row in estimate(
            human, made.metrics, of=of, generalize_to=generalize_to, seed=int(rng.integers(2**32)), **how
        ):
            if np.isnan(row["low"]) or np.isnan(row["classical_low"]):
                continue
            value = truth[int(row["system"]) - 1] - (
                truth[int(row["other"]) - 1] if of == "differences" else 0
            )
            ratio = (row["high"] - row["low"]) / (row["classical_high"] - row["classical_low"])
            yield (
                row["low"] <= value <= row["high"],
                row["classical_low"] <= value <= row["classical_high"],
                ratio,
                row["effective_labels"] / n,
            )


# The highest latent quality of the ratings 1 to 4.
THRESHOLDS = {"skewed": (-2.6, -1.9, -1.2, -0.5), "middle": (-1.8, -0.7, 0.7, 1.8)}


class Rated(NamedTuple):
    """Ratings (2, segments), and metrics (2, 2, segments)."""

    human: np.ndarray
    metrics: np.ndarray


def rated(rng: np.random.Generator, kind: str, gap: float, segments: int = SEGMENTS) -> Rated:
    """Return the ratings of all segments; the second system is better by `gap`."""
    latent = 0.7 * rng.normal(size=segments) + 0.7 * rng.normal(size=(2, segments)) + [[0.0], [gap]]
    noise = rng.normal(size=(2, 2, segments))
    metrics = np.stack([0.6 * latent + 0.8 * noise[0], noise[1]])
    return Rated(1.0 + np.searchsorted(THRESHOLDS[kind], latent), np.round(metrics, 1))


class Campaigns(NamedTuple):
    """Shares of campaigns: coverage of means and of the difference, with the metrics and from only the ratings; claims of
    a difference; campaigns without an interval of the difference.
    """

    means: float
    means_only: float
    difference: float
    difference_only: float
    claims: float
    unknown: float


def campaigns(kind: str, gap: float, n: int, missing: float, runs: int, seed: int) -> Campaigns:
    """Return the shares of campaigns with `n` finished segments."""
    rng = np.random.default_rng(seed)
    truth = rated(np.random.default_rng(1), kind, gap, 2_000_000).human.mean(axis=1)
    hits: dict[str, list[tuple[bool, bool]]] = {"means": [], "differences": []}
    claims, unknown = 0, 0
    for _ in range(runs):
        human, metrics = rated(rng, kind, gap)
        human = np.where(rng.random(human.shape) < missing, np.nan, human)
        finished = np.isin(np.arange(SEGMENTS), rng.choice(SEGMENTS, n, replace=False))
        human = np.where(finished & ~np.isnan(human).any(axis=0), human, np.nan)
        for of, pairs in hits.items():
            for row in estimate(human, metrics, of=of, drawn="segments", seed=int(rng.integers(2**32))):
                value = truth[int(row["system"]) - 1] - (
                    truth[int(row["other"]) - 1] if "other" in row else 0
                )
                if math.isnan(row["low"]):
                    unknown += of == "differences"
                    continue
                pairs.append(
                    (
                        row["low"] <= value <= row["high"],
                        row["classical_low"] <= value <= row["classical_high"],
                    )
                )
                claims += of == "differences" and not row["low"] <= 0 <= row["high"]
    (means, means_only), (difference, difference_only) = (
        np.array(pairs, dtype=float).mean(axis=0).tolist() for pairs in hits.values()
    )
    return Campaigns(means, means_only, difference, difference_only, claims / runs, unknown / runs)


def print_campaigns(runs: int, seed: int) -> None:
    print(
        "| ratings | systems | missing ratings | finished segments | means | means, only ratings | difference |"
        " difference, only ratings | claims | no interval of the difference |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kind in THRESHOLDS:
        for gap, missing in ((0.0, 0.0), (0.0, 0.2), (0.5, 0.0)):
            for n in (10, 20, 40):
                shares = " | ".join(f"{share:.3f}" for share in campaigns(kind, gap, n, missing, runs, seed))
                systems = "different" if gap else "equal"
                print(f"| {kind} | {systems} | {100 * missing:.0f}% | {n} | {shares} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("scores", "campaigns"), default="scores")
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.part == "campaigns":
        print_campaigns(arguments.worlds, arguments.seed)
        return
    print(
        "| scores | correlation | drawn | labels | generalize_to | estimated | coverage | classical | width |"
        " effective labels / labels |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    settings = [
        *(
            (kind, rho, "segments", n, to, of)
            for kind in ("normal", "skewed", "bounded")
            for rho in (0.0, 0.6)
            for n in (10, 20, 50)
            for to, of in (("none", "means"), ("inputs", "differences"))
        ),
        *(
            ("normal", 0.6, "segments", n, to, of)
            for n in (5, 20)
            for to, of in (("none", "differences"), ("inputs", "means"))
        ),
        *(
            (kind, 0.6, drawn, n, to, of)
            for kind in ("normal", "bounded")
            for drawn in ("cells", "documents", "unequal", "proposed")
            for n in (20, 40)
            for to, of in (("none", "means"), ("inputs", "differences"))
        ),
        *(
            (kind, 0.6, "blocks", n, to, of)
            for kind in ("normal", "skewed", "bounded")
            for n in (20, 40)
            for to, of in (("none", "means"), ("inputs", "differences"))
        ),
    ]
    for setting in settings:
        found = np.array(list(covered(*setting, arguments.worlds, arguments.seed)), dtype=float)
        hit, classical, width, gain = found.mean(axis=0)
        print(
            "| "
            + " | ".join(map(str, setting))
            + f" | {hit:.3f} | {classical:.3f} | {width:.2f} | {gain:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
