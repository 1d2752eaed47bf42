"""Sentinels: scores that do not depend on an output's quality. Every metric can reach their agreement at a level
without measuring quality.

    constant          the same for every output: no coefficient is defined, and its acc_eq is the floor of acc_eq
    random            normal numbers
    candidate_length  the length of the output in words
    reference_only    the length of the references
    source_only       the length of the source
    segment_mean      the mean human score of the other systems' outputs of the segment: the best prediction from only the source

A level at which `source_only`, `reference_only` or `segment_mean` beats metrics rewards knowing which inputs
are hard; correlate within inputs (level "input") instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.meta.diagnostics.covariates import aligned
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.results.result import Result
from nlgauge.stats.agreement import known_mean
from nlgauge.stats.coefficients import Coefficient
from nlgauge.stats.coefficients import coefficient as coefficient_of
from nlgauge.stats.levels import LEVELS, Levelled, at_level, check_level

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

# The sentinels that see no output.
_BLIND = ("reference_only", "source_only", "segment_mean")
_OF_LENGTHS = {
    "length": "candidate_length",
    "reference length": "reference_only",
    "source length": "source_only",
}


def sentinel_scores(
    judgments: Judgments,
    texts: Corpus | Result | Mapping[str, Any] | None = None,
    *,
    human: str | None = None,
    seed: int = 12345,
) -> dict[str, Array]:
    """Return the available sentinels, (systems, segments) each; sentinels of lengths need the texts.

    Made for one human dimension.
    """
    people = judgments.human(human)
    found = {
        "constant": np.zeros(people.shape),
        "random": np.random.default_rng(seed).normal(size=people.shape),
    }
    if texts is not None:
        measured = aligned(judgments, texts, only_lengths=True)
        found |= {name: measured[of] for of, name in _OF_LENGTHS.items() if of in measured}
    return {**found, "segment_mean": _mean_of_others(people)}


def sentinels(
    judgments: Judgments,
    texts: Corpus | Result | Mapping[str, Any] | None = None,
    *,
    human: str | None = None,
    level: str | Sequence[str] = LEVELS,
    coefficient: str | Sequence[str] = ("pearson", "kendall"),
    seed: int = 12345,
) -> Findings:
    """Measure the agreement of sentinels, which metrics should exceed.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    texts : Corpus, Result or mapping of str to array_like, optional
        Corpus or result with the texts, or lengths of shape (S, N) by name ("length", "reference length", "source length").
        Required for the sentinels of lengths.
    human : str, optional
        Human dimension. Required if there are several.
    level : str or sequence of str
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    coefficient : str or sequence of str
        Names in `nlgauge.stats.coefficients`.
    seed : int, default 12345
        Seed of the random sentinel.

    Returns
    -------
    Findings
        One row per level, coefficient and sentinel: `value`; `beaten`, the metrics below the sentinel; and `warning` if a
        sentinel that reads no output beats a metric. With groups (language pairs), values are means over the groups in which
        they are defined.
    """
    dimension = judgments.dimension(human)
    made_up = sentinel_scores(judgments, texts, human=dimension, seed=seed)
    parts = list(judgments.by_group().values())
    beside = list(
        replace(judgments, metrics=made_up, higher_is_better={}, system_scores={}).by_group().values()
    )
    rows: list[dict[str, Any]] = []
    for one in listed(level):
        for name in listed(coefficient):
            by_name = coefficient_of(name)
            metrics = {
                label: known_mean(found.value for found in _found(by_name, one, parts, label, dimension))
                for label in judgments.labels
            }
            for sentinel in made_up:
                found = _found(by_name, one, beside, sentinel, dimension)
                # Among the outputs of one input the mean of the others falls as the score of the output
                # rises, which is no evidence about the source.
                apart = sentinel != "segment_mean" or one in ("global", "by_system")
                value = known_mean(of.value for of in found) if apart else math.nan
                beaten = [label for label, reached in metrics.items() if reached < value]
                warning = "rewards knowing which inputs are hard" if beaten and sentinel in _BLIND else ""
                row = {
                    "human": dimension,
                    "level": one,
                    "coefficient": by_name.name,
                    "sentinel": sentinel,
                    "value": value,
                    "beaten": beaten,
                }
                counts = {
                    "n_groups": sum(of.n_groups for of in found),
                    "n_undefined": sum(of.n_undefined for of in found),
                }
                reason = "" if not math.isnan(value) else "the same for every output that is compared"
                rows.append({**row, **counts, "warning": warning, "reason": reason})
    return Findings(
        rows,
        made(seed=seed, metrics=", ".join(judgments.labels)),
        "Agreement reached by sentinels",
    )


def _found(
    by_name: Coefficient, level: str, parts: Sequence[Judgments], label: str, dimension: str
) -> list[Levelled]:
    """Return the coefficient of one metric in each group."""
    return [at_level(by_name, check_level(level), part.scores(label, dimension)) for part in parts]


def _mean_of_others(people: Array) -> Array:
    """Return the mean of the other systems' cells of a segment; NaN if there are none."""
    known = ~np.isnan(people)
    filled = np.where(known, people, 0.0)
    others = known.sum(axis=0) - known
    means: Array = (filled.sum(axis=0) - filled) / np.where(others > 0, others, np.nan)
    return means
