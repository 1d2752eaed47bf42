"""sweep: the agreement with people at every point of a grid of a metric's parameters, and how a point that is
chosen on a half of the texts does on the other half.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError
from nlgauge.meta.benchmarks import Benchmark, load
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.readers.results import seconds_per_thousand
from nlgauge.meta.sweeps.grid import Grid, grid_of, joined, of_points
from nlgauge.meta.sweeps.swept import Sweep, swept

# Segments that are scored first to estimate the cost, and the cost in seconds that is announced.
_TRIED = 2
_LONG = 600
_DEFAULT = "default"


def sweep(
    benchmark: Benchmark | str,
    metric: str,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    human: str | Sequence[str] | None = None,
    level: str | Sequence[str] = "system",
    coefficient: str | Sequence[str] = "kendall",
    choose_over: str = "segments",
    splits: int = 200,
    draws: int = 1000,
    seed: int = 12345,
    directory: str | Path | None = None,
    batch_size: int | None = None,
    device: str | None = None,
    cache: bool = True,
    show_progress: bool | None = None,
    say: Callable[[str], None] | None = None,
    **parameters: Sequence[Any],
) -> Sweep:
    """Score a metric over a grid of parameters, and test the chosen point on texts that did not choose it.

    Parameters
    ----------
    benchmark : Benchmark or str
        Texts with human scores: a benchmark or its name.
    metric : str
        Name of the metric.
    grid : mapping of str to sequence, optional
        Values of each parameter; all combinations are points.
    fixed : mapping of str to value, optional
        Parameters with one value.
    human : str or sequence of str, optional
        Human dimensions. Default: all.
    level : str or sequence of str, default "system"
        Levels, as for `correlate`.
    coefficient : str or sequence of str, default "kendall"
        Coefficients, as for `correlate`.
    choose_over : {"segments", "systems", "both"}
        Units that are divided into a half for the choice and a half for the test.
    splits : int, default 200
        Number of random halves.
    draws : int, default 1000
        Number of resamples of each interval.
    seed : int, default 12345
        Seed of halves and resamples.
    directory : str or Path, optional
        Directory for the scores; scores that it already contains are not computed again.
    batch_size : int, optional
        Number of texts that a model reads at once.
    device : str, optional
        Torch device, such as "cpu".
    cache : bool, default True
        Read and write the cache of segment statistics of costly metrics.
    show_progress : bool, optional
        Show a progress bar. Default: if standard error is a terminal and the run is long.
    say : callable, optional
        Function that is called with messages about the progress.
    **parameters
        Further values of the grid, such as `temperature=[0.5, 1]`.

    Returns
    -------
    Sweep
        `points` and `chosen`.

    Raises
    ------
    ParameterError
        If the grid has fewer than two or more than 2,000 points, or a parameter is unknown.
    InputError
        If there are fewer than 8 segments (or systems) to divide, several groups, or no human scores.

    Notes
    -----
    `chosen` has `best`, the point with the highest value on all texts, and this `value`, which is too high, because the same
    texts chose the point. A random half of the units chooses a point, and the other half tests it, in both directions:
    `tested` is the mean over all halves, `optimism` how much higher the point looks on the half that chose it, `default` the
    value of the metric without the grid's parameters on the same halves, and `gain` the difference of `tested` and `default`.
    Intervals are 95% percentile intervals: units are drawn with replacement (at system level also systems), and the distinct
    units are divided, so that no text is in both halves. Values on halves are lower than on all texts; the gain is what
    counts.
    """
    known = grid_of(metric, {**(grid or {}), **parameters}, fixed or {})
    texts = load(benchmark) if isinstance(benchmark, str) else benchmark
    if len(texts.groups) > 1:
        raise InputError(
            f"{texts.name} has several groups ({', '.join(texts.groups)}), and a sweep needs one",
            python="select one with .where(group=...)",
            cli="select one with --group",
        )
    options = {
        "seed": seed,
        "batch_size": batch_size,
        "device": device,
        "cache": cache,
        "show_progress": show_progress,
    }
    judged, seconds = _scored(texts, known, directory, say, options)
    return swept(
        judged,
        dict(zip(known.labels, known.points, strict=True)),
        _DEFAULT if known.default is not None else None,
        human=human,
        level=level,
        coefficient=coefficient,
        choose_over=choose_over,
        splits=splits,
        draws=draws,
        seed=seed,
        seconds=seconds,
        reason=known.reason,
    )


def _scored(
    texts: Benchmark,
    known: Grid,
    directory: str | Path | None,
    say: Callable[[str], None] | None,
    options: dict[str, Any],
) -> tuple[Judgments, dict[str, tuple[float, bool]]]:
    """Return the scores of all points by label, with the default, and the seconds of each point."""
    metrics = [*known.metrics, *([] if known.default is None else [known.default])]
    names = dict(enumerate([*known.labels, _DEFAULT]))
    plan = joined(metrics)
    if say is not None:
        say(
            f"scoring {counted(len(known.points), 'point')} of {known.metrics[0].name} on {counted(len(texts.rows), 'text')}"
        )
        _announce(texts, [metric for metric, _ in plan], say, options)
    results = texts.score(*(metric for metric, _ in plan), output=directory, **options)
    judged = texts.judgments(results, outputs="all")
    columns = {number: column for _, outputs in plan for number, column in outputs.items()}
    lacking = next(
        (names[number] for number, column in columns.items() if column not in judged.metrics), None
    )
    if lacking is not None:
        raise InputError(f"{lacking} has no scores of segments, so it cannot be tested on half of them.")
    (result,) = results.values()
    taken = seconds_per_thousand(result)
    seconds = {}
    for _, outputs in plan:
        points = [number for number in outputs if number < len(known.points)]
        for number in points:
            whole = taken.get(outputs[number], math.nan) * len(texts.rows) / 1000
            seconds[names[number]] = (whole / len(points), len(points) > 1)
    return of_points(judged, columns, names), seconds


def _announce(
    texts: Benchmark, metrics: Sequence[Any], say: Callable[[str], None], options: dict[str, Any]
) -> None:
    """Score a few segments by the first metric if it is costly, and announce a long time."""
    if not getattr(metrics[0], "costly", False) or len(texts.segments) <= _TRIED:
        return
    started = time.process_time()
    texts.where(segments=texts.segments[:_TRIED]).score(metrics[0], **options)
    estimate = (time.process_time() - started) * len(texts.segments) / _TRIED * len(metrics)
    if estimate > _LONG:
        say(f"scoring will take about {estimate / 60:.0f} CPU minutes")
