"""Pilot: the standard deviations that a plan needs, from scores that exist."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric import Output
from nlgauge.metric.table import Table, unstacked
from nlgauge.results.labels import output_named
from nlgauge.results.missing import common
from nlgauge.results.plans.repeats import Repeats, has_repeats, repeats_of
from nlgauge.results.resampling import Resampling
from nlgauge.stats.components import Components, components, listed
from nlgauge.stats.sample_size import Spread
from nlgauge.stats.units import Clusters

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# The output of judges with the standard deviation of the samples of one answer.
_SAMPLES = "sd_within"


class Pilot(NamedTuple):
    """Standard deviations from a pilot, its units, and remarks on what it cannot show.

    `design_effect` is the variance of the mean difference with documents as units, divided by the variance
    with segments as units; NaN without documents.
    """

    spread: Spread
    unit: str
    units: int
    remarks: tuple[str, ...] = ()
    design_effect: float = math.nan


class _Noise(NamedTuple):
    """Variances of answers and judge runs (NaN if not replicated), and the variance that they add to the
    difference of a segment.
    """

    answer: float
    run: float
    difference: float


class _System(NamedTuple):
    """System of a pilot: an entry per segment, their components, and the samples of the judge per score."""

    values: Sequence[Any]
    components: Components
    samples: int = 1


def pilot_of_scores(scores: Mapping[str, Sequence[Any]], systems: Sequence[str] = ()) -> Pilot:
    """Return the pilot of two systems' scores: for each system one entry per segment, which is a number, a
    list of answers, or a list of lists of judge runs.
    """
    first, second = (scores[name] for name in _pair(list(scores), systems))
    if len(first) != len(second):
        raise InputError(
            f"the pilot has {len(first)} and {len(second)} segments; both systems need the same segments."
        )
    both = [_System(side, components(side)) for side in (first, second)]
    return _of_means(both, None, Clusters(None, len(first)), "segments")


def pilot_of_result(result: Result, metric: str | None, systems: Sequence[str] = ()) -> Pilot:
    """Return the pilot of two systems of a result on a metric, or the first metric."""
    label, output = output_named(result, metric or result.labels[0])
    pair = _pair(result.systems, systems)
    for system in pair:
        result._check_system(system)
    tables = [result._tables[system, label] for system in pair]
    if not tables[0].additive:
        raise ParameterError(
            f"{label} is not computed from per-segment statistics, so it has no pilot; use another metric."
        )
    documents = result.corpus.documents
    clusters = Clusters(documents, len(result.corpus))
    unit = "segments" if documents is None else "documents"
    if not all(_is_mean(table, output) for table in tables):
        return _of_corpus_scores(tables, output, result.corpus.weights, clusters, unit)
    if any(has_repeats(result, system, label) for system in pair):
        repeats = [repeats_of(result, system, label) for system in pair]
    else:
        repeats = [Repeats(table, np.arange(len(result.corpus) + 1)) for table in tables]
    values = [each.values(output.name) for each in repeats]
    both = [_sampled(scores, table) for scores, table in zip(values, tables, strict=True)]
    return _of_means(both, result.corpus.weights, clusters, unit)


def _of_means(both: Sequence[_System], weights: Array | None, clusters: Clusters, unit: str) -> Pilot:
    """Return the pilot of two systems whose score is the mean of segment scores."""
    noise, remarks = _noise(both), _remarks([each.components for each in both])
    means = [np.array([_mean(entry) for entry in each.values]) for each in both]
    differences = means[0] - means[1]
    scored = ~np.isnan(differences)
    weight = np.where(scored, 1.0 if weights is None else weights, 0.0)
    if (weight > 0).sum() < 2:
        raise InputError("a pilot needs two or more segments with scores of both systems.")
    centered = np.where(scored, differences, 0.0)
    centered = np.where(scored, centered - float(weight @ centered) / weight.sum(), 0.0) * weight
    kept = clusters.units_with(weight > 0)
    units = int(kept.sum())
    if units < 2:
        raise InputError(f"a pilot needs two or more {unit} with scores of both systems.")
    totals = clusters.totals([centered[:, None]], 1)[kept, 0] * units / weight.sum()
    variance = float(totals.var(ddof=1))
    segments = int((weight > 0).sum())
    by_segment = float((centered[weight > 0] * segments / weight.sum()).var(ddof=1))
    # Noise of answers is independent between the segments of a unit; unequal weights add to it.
    per_unit = float(weight.sum() ** 2 / (weight**2).sum() / units)
    rest = variance - noise.difference / per_unit
    if rest < 0:
        remarks += ("the true differences vary less than the noise of answers and judge runs; taken as 0",)
    spread = Spread(math.sqrt(max(0.0, rest)), math.sqrt(noise.answer), math.sqrt(noise.run), per_unit)
    effect = variance / units / (by_segment / segments) if unit == "documents" and by_segment else math.nan
    return Pilot(spread, unit, units, remarks, effect)


def _of_corpus_scores(
    tables: list[Table], output: Output, weights: Array | None, clusters: Clusters, unit: str
) -> Pilot:
    """Return the pilot of a score that is no mean of segment scores, from differences without one unit each."""
    first, second = common(tables[0], tables[1])
    plan = Resampling(clusters, weights, 1, 0, 0.95)
    totals = [plan.totals([table]) for table in (first, second)]
    kept = totals[0].any(axis=1) | totals[1].any(axis=1)
    units = int(kept.sum())
    if units < 2:
        raise InputError(f"a pilot needs two or more {unit} with scores of both systems.")
    without = [
        _scores(table, output.name)(sums[kept].sum(axis=0) - sums[kept])
        for table, sums in zip((first, second), totals, strict=True)
    ]
    differences = without[0] - without[1]
    deviation = (units - 1) * float(differences.std(ddof=1))
    segments = len(tables[0].missing(next(iter(tables[0].statistics))))
    remark = f"the score {output.name} is not the mean of segment scores, so answers and judge runs cannot be planned"
    return Pilot(Spread(deviation, per_unit=segments / clusters.count), unit, units, (remark,))


def _scores(table: Table, output: str) -> Callable[[Array], Array]:
    """Return the function from sums of a table's statistics to an output."""
    return lambda sums: unstacked([table], sums)[0][output]


def _noise(both: Sequence[_System]) -> _Noise:
    """Return the mean variances of two systems, and the variance of the difference of a segment's means."""
    answer, run = (_average([getattr(each.components, name) for each in both]) for name in ("answer", "run"))
    difference = sum(
        float(np.mean([_item_noise(entry, each) for entry in each.values if not math.isnan(_mean(entry))]))
        for each in both
    )
    return _Noise(answer, run, difference)


def _item_noise(entry: Any, system: _System) -> float:
    """Return the variance that answers and judge runs add to the mean of a segment."""
    answers = [answer for answer in listed(entry) if not math.isnan(_mean(answer))]
    runs = [system.samples * sum(not math.isnan(_mean(run)) for run in listed(answer)) for answer in answers]
    answer, run = _known(system.components.answer), _known(system.components.run)
    return sum(answer + run / count for count in runs) / len(answers) ** 2


def _remarks(both: Sequence[Components]) -> tuple[str, ...]:
    remarks = [remark for each in both for remark in each.remarks]
    if all(math.isnan(each.answer) for each in both):
        remarks.append("the pilot has one answer per segment, so the number of answers cannot be planned")
    if all(math.isnan(each.run) for each in both):
        remarks.append(
            "the pilot has one judge run per answer, so the number of judge runs cannot be planned"
        )
    return tuple(dict.fromkeys(remarks))


def _sampled(values: Sequence[Any], table: Table) -> _System:
    """Return the scores of a system, with the run component of a judge that samples replies."""
    found = components(values)
    if not math.isnan(found.run) or _SAMPLES not in [output.name for output in table.outputs()]:
        return _System(values, found)
    run, samples = float(table.scores()[_SAMPLES]) ** 2, int(getattr(table.metric, "n", 1))
    if math.isnan(run):
        return _System(values, found)
    # The variance of answers includes the variance of the mean of the samples.
    answer = math.nan if math.isnan(found.answer) else max(0.0, found.answer - run / samples)
    return _System(values, found._replace(run=run, answer=answer), samples)


def _is_mean(table: Table, output: Output) -> bool:
    """Return True if a score is the mean of its segment scores."""
    scores, score = table.segments_of(output.name), float(table.scores()[output.name])
    known = ~np.isnan(scores)
    weights = np.ones(len(scores)) if table.weights is None else table.weights
    if not known.any() or not weights[known].sum():
        return True
    return math.isclose(float(np.average(scores[known], weights=weights[known])), score, rel_tol=1e-9)


def _pair(names: Sequence[str], systems: Sequence[str]) -> tuple[str, str]:
    """Return the two systems of a pilot."""
    chosen = list(systems or names)
    if len(chosen) != 2 or len(set(chosen)) != 2:
        raise ParameterError(
            f"a pilot needs two systems, got {', '.join(map(repr, chosen)) or 'none'}",
            python="name two with systems=, or pass sd_items=, sd_answers= and sd_judge= without a pilot",
            cli="name two with --system, or use --sd-items, --sd-answers and --sd-judge without a pilot",
        )
    for name in chosen:
        if name not in names:
            raise ParameterError(f"the pilot has no system {name!r}; it has {', '.join(map(repr, names))}.")
    return chosen[0], chosen[1]


def _mean(entry: Any) -> float:
    """Return the mean over answers of the means over runs, without missing ones; NaN if all are missing."""
    if entry is None or isinstance(entry, int | float):
        return math.nan if entry is None else float(entry)
    means = [mean for mean in map(_mean, entry) if not math.isnan(mean)]
    return sum(means) / len(means) if means else math.nan


def _known(variance: float) -> float:
    return 0.0 if math.isnan(variance) else variance


def _average(variances: Sequence[float]) -> float:
    """Return the mean of the known variances; NaN if none is known."""
    known = [variance for variance in variances if not math.isnan(variance)]
    return sum(known) / len(known) if known else math.nan
