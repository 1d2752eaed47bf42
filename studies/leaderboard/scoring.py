"""Scores of metrics on benchmarks, kept as numbers without texts: five significant digits, the outputs
that the tables show.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from nlgauge.errors import NlgaugeError
from nlgauge.meta.benchmarks import Benchmark, MetricScores, fingerprint
from nlgauge.metric.registry import parse
from studies.leaderboard.boards import BENCHMARKS, COSTS, METRICS, Scored, folder_name, texts
from studies.leaderboard.evidence import unsplit
from studies.leaderboard.kept import Kept, finished, of_results

_DIGITS = 5


def score(folder: Path, benchmarks: Sequence[str], metrics: Sequence[str] | None, again: bool) -> str:
    """Scores what is not kept yet, cheap metrics first, and says what cannot be scored and why."""
    wanted: list[tuple[str, str, Scored]] = []
    for spec, one in _chosen(metrics).items():
        unknown = set(unsplit(parse(spec)))
        wanted += [
            (name, spec, one)
            for name in benchmarks
            if one.serves(name) and not unknown & set(BENCHMARKS[name].languages)
        ]
    wanted.sort(key=lambda each: COSTS.index(each[2].cost))
    known: dict[tuple[str, str], Benchmark] = {}
    sets: dict[str, Kept] = {}
    scored = failed = 0
    started = time.monotonic()
    with finished(sets):
        for count, (name, spec, one) in enumerate(wanted, 1):
            place = folder_name(name, one.cost)
            if (name, one.cost) not in known:
                known[name, one.cost] = texts(name, one.cost)
            if place not in sets:
                sets[place] = Kept.of(folder, place)
            benchmark, there = known[name, one.cost], sets[place].scores.get(str(parse(spec)))
            if not again and there is not None and there.fingerprint == fingerprint(benchmark):
                continue
            print(
                f"[{count} of {len(wanted)}, {(time.monotonic() - started) / 60:.0f} min] {name}: {spec}",
                end="",
                file=sys.stderr,
                flush=True,
            )
            try:
                found = _timed(benchmark, spec)
            except NlgaugeError as error:
                failed += 1
                print(f": cannot be scored: {error!s:.200}", file=sys.stderr, flush=True)
                continue
            sets[place].add(shortened(found, one.outputs))
            scored += 1
            print(f": {found.seconds:.1f} s", file=sys.stderr, flush=True)
    return f"{scored} scored, {failed} that cannot be scored, {len(wanted) - scored - failed} were kept."


def _chosen(metrics: Sequence[str] | None) -> dict[str, Scored]:
    if metrics is None:
        return METRICS
    by_label = {str(parse(spec)): (spec, one) for spec, one in METRICS.items()}
    return dict(by_label.get(str(parse(spec)), (spec, Scored())) for spec in metrics)


def _timed(benchmark: Benchmark, spec: str) -> MetricScores:
    """The scores, with seconds of the processor, which other work on the machine does not change.

    A few texts are scored first, so that loading a model does not count.
    """
    system = benchmark.rows[0].system
    few = benchmark.where(
        systems=[system], segments=[row.segment for row in benchmark.rows if row.system == system][:3]
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # what a metric says of few or short texts is the same here for all of them
        with suppress(NlgaugeError):  # some metrics need more texts than these
            few.score(spec, show_progress=False, cache=False)
        start = time.process_time()
        results = benchmark.score(spec, show_progress=False, cache=False)
    return of_results(benchmark, results, seconds=round(time.process_time() - start, 3))


def shortened(scores: MetricScores, outputs: Sequence[str]) -> MetricScores:
    """These outputs alone (none: the main one), segments with five significant digits."""
    kept = outputs or (scores.main,)
    return msgspec.structs.replace(
        scores,
        higher_is_better={name: scores.higher_is_better[name] for name in kept},
        segments={
            name: [_rounded(value) for value in scores.segments[name]]
            for name in kept
            if name in scores.segments
        },
        # Systems of several language pairs are not compared.
        systems={name: scores.systems[name] for name in kept if len(scores.systems.get(name, ())) == 1},
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")
