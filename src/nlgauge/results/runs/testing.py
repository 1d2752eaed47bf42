"""Comparison of a new run with an old run: on all common segments, and on slices of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.results.comparison import Compared
from nlgauge.results.equal_outputs import EqualOutputs, corrected_once, equal_outputs
from nlgauge.results.groups import taken
from nlgauge.results.joined import of_metrics
from nlgauge.results.resampling import FEW_UNITS, caution
from nlgauge.results.runs.alignment import RunPair, Runs
from nlgauge.results.runs.slices import LENGTH, by_length, by_value, sliced_fields
from nlgauge.stats.corrections import holm


@dataclass(frozen=True)
class SliceTest:
    """The test of one pair of systems on one output in one slice; `row.p_holm` is corrected for all slices of
    all columns on this output. Without a test if the slice has few units.
    """

    field: str
    value: str
    segments: int
    row: Compared


@dataclass(frozen=True)
class RunTests:
    """Rows for every pair and leading output, corrected by Holm together, and the slices; gains are positive
    if the new run is better.
    """

    rows: tuple[Compared, ...]
    slices: tuple[SliceTest, ...]
    equal: EqualOutputs
    confidence: float
    resamples: int
    seed: int
    caution: str

    def is_significant(self, row: Compared) -> bool:
        return not math.isnan(row.p_holm) and row.p_holm <= 1 - self.confidence


def compare_runs(
    runs: Runs, *, confidence: float = 0.95, resamples: int = 1000, seed: int | None = None
) -> RunTests:
    """Test each pair of systems on every leading output by paired randomization.

    Parameters
    ----------
    runs : Runs
        Two results, from `aligned`.
    confidence : float, default 0.95
        Confidence of the intervals.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, optional
        Seed of the resamples. Default: the seed of the new run.

    Returns
    -------
    RunTests
        Gains of the new run with intervals and p-values, on all common segments and on slices.
    """
    both = runs.both
    pairs = [(pair.old_name, pair.new) for pair in runs.pairs]
    inference = both._inference(confidence, resamples, seed)
    equal = equal_outputs(both._tables)
    (rows,) = corrected_once([(inference.compared(pairs, "randomization"), equal)])
    return RunTests(
        tuple(rows),
        tuple(_slices(runs, equal, confidence, resamples, seed)),
        equal,
        confidence,
        resamples,
        inference.plan.seed,
        caution(inference.plan.clusters.count, "randomization"),
    )


def _slices(
    runs: Runs, equal: EqualOutputs, confidence: float, resamples: int, seed: int | None
) -> list[SliceTest]:
    both = runs.both
    # Metrics of whole corpora would be computed again for each slice and each resample.
    additive = [label for label in both.labels if both._tables[both.systems[0], label].additive]
    if not additive:
        return []
    both = of_metrics(both, *additive)
    groups = {field: by_value(both.corpus, field) for field in sliced_fields(both.corpus, runs.human_fields)}
    if both.has_texts:
        groups[LENGTH] = by_length(both.corpus)
    found = []
    for field, by_group in groups.items():
        if len(by_group) < 2:
            continue
        for value, segments in by_group.items():
            part = taken(both, np.array(segments))
            inference = part._inference(confidence, resamples, seed)
            few = inference.plan.clusters.count < FEW_UNITS
            for row in inference.compared(
                [(pair.old_name, pair.new) for pair in runs.pairs], "randomization"
            ):
                if (row.label, row.output.name) not in equal:
                    untested = row._replace(
                        p=math.nan, reason=f"fewer than {FEW_UNITS} segments (or documents)"
                    )
                    found.append(SliceTest(field, value, len(segments), untested if few else row))
    return _corrected(found)


def _corrected(slices: Sequence[SliceTest]) -> list[SliceTest]:
    """Return the slices with Holm's p-values for all slices and pairs of one output together."""
    families: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(slices):
        families.setdefault((one.row.label, one.row.output.name), []).append(place)
    corrected = list(slices)
    for places in families.values():
        for place, p in zip(places, holm([slices[place].row.p for place in places]), strict=True):
            one = slices[place]
            corrected[place] = SliceTest(one.field, one.value, one.segments, one.row._replace(p_holm=p))
    return corrected


def pair_of(runs: Runs, row: Compared) -> RunPair:
    """Return the pair of systems of a row."""
    return next(pair for pair in runs.pairs if (pair.old_name, pair.new) == (row.first, row.second))
