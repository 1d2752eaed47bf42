"""Sentinels: scores that know nothing of an output's quality. What they reach at a level, every metric reaches there for nothing.

    constant          the same for every output: no coefficient is defined, and what acc_eq gives it is the floor of acc_eq
    random            normal numbers
    candidate_length  the length of the output in words
    reference_only    that of the references
    source_only       that of the source
    segment_mean      the mean human score of the other systems' outputs of the segment: the best that the source alone can tell
    system_mean       the mean human score of the system's other outputs: the best that the system's name can tell

A level at which `source_only`, `reference_only` or `segment_mean` beats metrics rewards knowing which inputs are hard; correlate within
inputs (level "input") instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.meta.coefficients import coefficient
from nlgauge.meta.covariates import aligned
from nlgauge.meta.found import Found, made
from nlgauge.meta.judgements import Judgements
from nlgauge.meta.levels import LEVELS, at_level, check_level
from nlgauge.results.result import Result

# The sentinels that see no output.
_BLIND = ("reference_only", "source_only", "segment_mean")
_OF_LENGTHS = {"length": "candidate_length", "reference length": "reference_only", "source length": "source_only"}


def sentinel_scores(judgements: Judgements, texts: Corpus | Result | None = None, *, human: str | None = None, seed: int = 12345) -> dict[str, Array]:
    """The sentinels that can be made, (systems, segments) each; those of lengths need the texts. Made for one human dimension."""
    people = judgements.human(human)
    found = {"constant": np.zeros(people.shape), "random": np.random.default_rng(seed).normal(size=people.shape)}
    if texts is not None:
        measured = aligned(judgements, texts, only_lengths=True)
        found |= {name: measured[of] for of, name in _OF_LENGTHS.items() if of in measured}
    return {**found, "segment_mean": _mean_of_others(people, 0), "system_mean": _mean_of_others(people, 1)}


def sentinels(
    judgements: Judgements,
    texts: Corpus | Result | None = None,
    *,
    human: str | None = None,
    level: str | Sequence[str] = LEVELS,
    coefficients: str | Sequence[str] = ("pearson", "kendall"),
    seed: int = 12345,
) -> Found:
    """What each sentinel reaches, one row per level, coefficient and sentinel; `beaten` names the metrics that do not reach it.

    texts: the corpus or result with the outputs, for the sentinels of lengths. `warning` says so where a sentinel that sees no output beats a metric.
    """
    dimension = judgements.dimension(human)
    people = judgements.humans[dimension]
    made_up = sentinel_scores(judgements, texts, human=dimension, seed=seed)
    rows: list[dict[str, Any]] = []
    for one in [level] if isinstance(level, str) else level:
        for name in [coefficients] if isinstance(coefficients, str) else coefficients:
            by_name = coefficient(name)
            options = check_level(one), judgements.weights
            metrics = {
                label: at_level(by_name, options[0], judgements.oriented(label), people, options[1], judgements.oriented_system_scores(label)).value
                for label in judgements.labels
            }
            for sentinel, scores in made_up.items():
                found = at_level(by_name, options[0], scores, people, options[1])
                beaten = [label for label, value in metrics.items() if value < found.value]
                warning = "rewards knowing which inputs are hard" if beaten and sentinel in _BLIND else ""
                row = {"human": dimension, "level": one, "coefficient": by_name.name, "sentinel": sentinel, "value": found.value, "beaten": beaten}
                rows.append({**row, "n_groups": found.n_groups, "n_undefined": found.n_undefined, "warning": warning})
    return Found(rows, made(seed=seed, metrics=", ".join(judgements.labels)), "What can be reached without seeing quality")


def _mean_of_others(people: Array, axis: int) -> Array:
    """The mean of the other cells along an axis; NaN where there are none."""
    known = ~np.isnan(people)
    filled = np.where(known, people, 0.0)
    others = known.sum(axis=axis, keepdims=True) - known
    found: Array = (filled.sum(axis=axis, keepdims=True) - filled) / np.where(others > 0, others, np.nan)
    return found
