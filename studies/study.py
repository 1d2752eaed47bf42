"""Scoring a segment at a time, and the correlations that all studies print."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from nlgauge import Result, Scorer
from nlgauge.stats.bootstrap import replicates
from nlgauge.stats.coefficients import coefficient
from nlgauge.stats.intervals import percentile
from nlgauge.stats.levels import Scores, at_level
from nlgauge.stats.resampling import Resamples

MEASURES = ("pearson", "spearman", "kendall")


class Texts(NamedTuple):
    """The texts of a segment: one prediction per system, and what they are compared with."""

    predictions: dict[str, str]
    references: tuple[str, ...] | None = None
    source: str | None = None


def results(name: str, segments: Mapping[str, Texts], metrics: str | list[str]) -> dict[str, Result]:
    """segment -> its result, with the time that is left.

    Segments are scored one by one, since a system may lack one, and because rows of costly metrics are in
    nlgauge's cache of statistics when the call that scored them is over: a study that was ended has lost one
    segment, and one that is called again computes nothing.
    """
    scorer = Scorer(metrics)
    started = time.monotonic()
    found: dict[str, Result] = {}
    for segment, (predictions, references, source) in segments.items():
        left = (time.monotonic() - started) / max(len(found), 1) * (len(segments) - len(found)) / 60
        print(
            f"\r{name}: {len(found)} of {len(segments)}" + (f", {left:.0f} min left  " if found else ""),
            end="",
            file=sys.stderr,
            flush=True,
        )
        by_system = {system: [text] for system, text in predictions.items()}
        found[segment] = scorer(
            by_system, references and [references], source and [source], show_progress=False
        )
    print(f"\r{name}: {len(found)} of {len(segments)}" + " " * 16, file=sys.stderr)
    return found


def system_level(metric: np.ndarray, human: np.ndarray, measure: str) -> float:
    """The correlation of the systems' means; both (systems, segments)."""
    # Of all texts that have a score, also where a person did not judge one.
    scores = Scores(metric, human, whole=np.nanmean(metric, axis=1))
    return at_level(coefficient(measure), "system", scores).value


def text_level(metric: np.ndarray, human: np.ndarray, measure: str) -> float:
    """The mean over segments of the correlation over systems; segments where one side is constant are
    left out.
    """
    return at_level(coefficient(measure), "input", Scores(metric, human)).value


def interval(
    metric: np.ndarray, human: np.ndarray, level: Callable[..., float], measure: str, resamples: int = 1000
) -> tuple[float, float]:
    """The middle 95% over resamples of systems and of segments, both with replacement."""
    rng = np.random.default_rng(12345)
    systems, segments = (np.empty((resamples, size)) for size in metric.shape)
    for i in range(resamples):
        for counts in (systems, segments):
            size = counts.shape[1]
            counts[i] = np.bincount(rng.integers(size, size=size), minlength=size)
    drawn = replicates(
        coefficient(measure),
        {system_level: "system", text_level: "input"}[level],
        Scores(metric, human),
        Resamples(systems, segments, "both"),
    )
    found = percentile(drawn)
    return found.low, found.high


def table(header: list[str], lines: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    body = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *body])


def columns(
    values: Mapping[str, Mapping[str, Mapping[str, float]]], systems: list[str], output: str
) -> np.ndarray:
    """(systems, segments) of one output, from segment -> system -> outputs."""
    return np.array(
        [
            [by_system.get(system, {}).get(output, np.nan) for by_system in values.values()]
            for system in systems
        ],
        dtype=float,
    )
