"""Stress suites: fixed sets of good texts and damaged versions, on which any metric can be compared with published shares.

    own       the good texts of the sample that ships with nlgauge, damaged by every perturbation
    demetr    DEMETR (Karpinska et al. 2022): 1,000 translations into English, damaged in up to 34 ways; its 35th, the
              reference in place of the translation, is no damage

A metric notices a damage if the damaged text scores below the good one; a tie is not noticed, and ties are counted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from nlgauge.errors import InputError, ParameterError, did_you_mean
from nlgauge.meta.benchmarks.loading import load
from nlgauge.meta.diagnostics.perturbations import PERTURBATIONS
from nlgauge.meta.diagnostics.stress import Contrast, contrast
from nlgauge.meta.findings import Findings

Suite = Literal["own", "demetr"]
SUITES: tuple[Suite, ...] = get_args(Suite)
# The order of severities in tables; the sanity checks of DEMETR are "base".
ALL_KINDS = "all kinds"
SEVERITIES = ("critical", "major", "minor", "base")
_GOOD_SYSTEM = "improved"
_NO_DAMAGE = "base_id35_reference"
_BOTH = [["severity"], ["phenomenon", "severity"]]


def suite_pairs(suite: str, segments: int | None = None, seed: int = 12345) -> list[Contrast]:
    """Return the pairs of a stress suite.

    Parameters
    ----------
    suite : {"own", "demetr"}
        Name of the suite. DEMETR must be imported as a benchmark first.
    segments : int, optional
        Number of good texts, drawn at random, with all their damaged versions. Default: all.
    seed : int, default 12345
        Seed of the perturbations and of the sample.

    Returns
    -------
    list of Contrast
        Pairs by kind of damage.

    Raises
    ------
    ParameterError
        If there is no such suite.
    """
    if suite not in SUITES:
        raise ParameterError(
            f"unknown suite {suite!r}{did_you_mean(str(suite), SUITES)}; the suites are {', '.join(SUITES)}."
        )
    if segments is not None and (not isinstance(segments, int) or segments < 1):
        raise ParameterError(f"segments must be a whole number from 1 on, or None, got {segments!r:.60}.")
    pairs = _own(seed) if suite == "own" else list(_demetr())
    units = list(dict.fromkeys(pair.unit for pair in pairs))
    if segments is None or segments >= len(units):
        return pairs
    drawn = {units[i] for i in np.random.default_rng(seed).permutation(len(units))[:segments]}
    return [pair for pair in pairs if pair.unit in drawn]


def damage_noticed(
    metrics: Any,
    suite: str = "own",
    *,
    segments: int | None = None,
    confidence: float = 0.95,
    seed: int = 12345,
    lang: str | None = None,
) -> Findings:
    """Return the share of damage that metrics notice, by severity and by kind.

    Parameters
    ----------
    metrics : str, metric, mapping or iterable of these
        Names with or without parameters ("bleu", "chrf(word_order=2)"), metric objects, or mappings with the keys "path"
        (name), "resulting_name" (label) and "compute_kwargs".
    suite : {"own", "demetr"}
        Name of the suite.
    segments : int, optional
        Number of good texts, drawn at random, with all their damaged versions. Default: all.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the perturbations, of the sample and of the run.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models. Default: "en", the language of both
        suites.

    Returns
    -------
    Findings
        Rows with the columns of `contrast`: first one row per severity (`phenomenon` is "all kinds"), then one per kind.
    """
    found = contrast(
        metrics,
        suite_pairs(suite, segments, seed),
        by=_BOTH,
        confidence=confidence,
        seed=seed,
        lang="en" if lang is None else lang,
    )
    rows = [
        {"metric": row["metric"], "phenomenon": row.get("phenomenon", ALL_KINDS), **dict(row)}
        for row in found.rows
    ]
    # Of each metric first the severities, then the kinds, from critical to minor.
    metrics_in_order = list(dict.fromkeys(row["metric"] for row in rows))
    rows.sort(
        key=lambda row: (metrics_in_order.index(row["metric"]), row["phenomenon"] != ALL_KINDS, _place(row))
    )
    made = {**found.made, "suite": suite, "texts": "all" if segments is None else segments}
    return Findings(rows, made, f"Damage that is noticed, suite {suite}", drawn_as="stress")


def _place(row: Any) -> int:
    return SEVERITIES.index(row["severity"]) if row["severity"] in SEVERITIES else len(SEVERITIES)


def _own(seed: int) -> list[Contrast]:
    rows = [
        row for row in load("sample").rows if row.system == _GOOD_SYSTEM and row.prediction and row.references
    ]
    texts, sources = [row.prediction or "" for row in rows], [row.source or "" for row in rows]
    return [
        Contrast(
            row.prediction or "", one.text, kind.name, kind.severity, row.references, row.source, row.segment
        )
        for kind in PERTURBATIONS.values()
        for row, one in zip(rows, kind(texts, sources, seed), strict=True)
    ]


@lru_cache(maxsize=1)
def _demetr() -> tuple[Contrast, ...]:
    benchmark = load("demetr")
    rows = {(row.segment, row.system): row for row in benchmark.rows}
    found = []
    for pair in benchmark.pairs:
        good, bad = rows[pair.segment, pair.better], rows[pair.segment, pair.worse]
        if good.prediction is None or bad.prediction is None:
            raise InputError(
                f"demetr has no text of {pair.better} or {pair.worse} for {pair.segment}; import it again."
            )
        kind = str(bad.meta.get("phenomenon", pair.worse))
        severity = str(bad.meta.get("severity", ""))
        if kind == _NO_DAMAGE:
            continue
        found.append(
            Contrast(
                good.prediction, bad.prediction, kind, severity, good.references, good.source, pair.segment
            )
        )
    return tuple(found)
