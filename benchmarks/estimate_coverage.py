"""python -m benchmarks.estimate_coverage: how often the intervals of `nlgauge.meta.labeling.estimate` hold
what they should, on scores that are made up.

Each world has 4 systems and 200 segments in 50 documents: system + document + segment effects + noise.
"normal" scores are these, "skewed" ones are 5 less a lognormal part, "bounded" ones are rounded to 1..5 with
most at 5. Five metrics have the given correlation with the scores.
"""

from __future__ import annotations

import argparse
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
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
