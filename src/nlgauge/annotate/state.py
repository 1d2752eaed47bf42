"""State of a campaign: progress, agreement, and estimates with intervals, for the organizer."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.annotate import log
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.checks import progress
from nlgauge.annotate.estimates import estimated, needed_of, rows_of, with_better
from nlgauge.annotate.metrics import METRICS, metrics_of, read_metrics
from nlgauge.annotate.proposals import probabilities
from nlgauge.annotate.responses import (
    Responses,
    current_responses,
    finished_segments,
    ratings_in,
    segments_without_people,
    skip_warning,
    skips_by_system,
    skips_in,
)
from nlgauge.annotate.rows import finished_scores, mean_of_known, rated_cells
from nlgauge.annotate.stopping import Decision, decision_of
from nlgauge.errors import InputError

# Agreement is computed if this many outputs have ratings of several people.
FEWEST_SHARED = 5


@dataclass(frozen=True)
class State:
    """State of a campaign at a moment.

    Parameters
    ----------
    title : str
        Title of the campaign.
    protocol : str
        Name of the protocol.
    systems : int
        Number of systems.
    segments : int
        Number of segments to rate.
    finished : int
        Number of segments of finished blocks.
    population : int
        Number of segments that the estimates are about.
    annotators : list of dict
        Progress and checks of each annotator.
    estimates : list of dict
        Mean human score of each system and dimension, with metrics and only from ratings.
    differences : list of dict
        Differences of pairs of systems; `better` is the better system if the interval, corrected for the number
        of pairs, excludes 0.
    agreement : list of dict
        Agreement of annotators by dimension and coefficient.
    shared : int
        Number of outputs with ratings of several people.
    decision : Decision, optional
        Whether the campaign may stop, if it was planned to stop early.
    metrics : list of str
        Metrics that help to estimate.
    surprises : list of dict
        Outputs that people and metrics judge most differently.
    needed : list of dict
        Number of segments that intervals of the requested width need, by dimension and system.
    selected : str
        Sentences about the segments that the estimates are about, if they are not all segments.
    skips : list of dict
        Number of skipped texts of each system; no rows if nothing was skipped.
    skipped : list of dict
        Annotator, segment, systems and reason of each skip.
    """

    title: str
    protocol: str
    systems: int
    segments: int
    finished: int
    population: int
    annotators: list[dict[str, Any]]
    estimates: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    shared: int
    decision: Decision | None
    metrics: list[str]
    surprises: list[dict[str, Any]]
    needed: list[dict[str, Any]]
    selected: str
    skips: list[dict[str, Any]]
    skipped: list[dict[str, Any]]

    def plain(self) -> dict[str, Any]:
        """Return the state as plain data; numbers that are not finite are None."""
        decision = None if self.decision is None else self.decision._asdict()
        return dict(_finite({**asdict(self), "decision": decision}))


def state_of(campaign: Campaign, records: Sequence[log.Record], width: float = 0.0) -> State:
    """Return the state of a campaign after these events.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    records : sequence of dict
        Events of the log.
    width : float, optional
        Width of intervals, to compute how many segments they need. Default: the width of the plan.

    Returns
    -------
    State
        Progress, agreement and estimates.
    """
    plan = campaign.plan
    responses = current_responses(campaign, records)
    ratings = ratings_in(responses)
    finished = finished_segments(campaign, responses)
    metrics = read_metrics(campaign.directory / METRICS)
    population = list(plan.population or campaign.texts)
    scores = metrics_of(campaign, population)
    samples = finished_scores(campaign, responses, population)
    estimates: list[dict[str, Any]] = []
    differences: list[dict[str, Any]] = []
    agreement: list[dict[str, Any]] = []
    surprises: list[dict[str, Any]] = []
    needed: list[dict[str, Any]] = []
    shared = 0
    for dimension, cube in rated_cells(campaign, ratings).items():
        sample = samples[dimension]
        chances = None
        if plan.proposals is not None:
            chances = probabilities(plan, scores, np.asarray(np.isfinite(sample).all(axis=0)))
            if chances is None:
                sample = np.full_like(sample, np.nan)
        means = estimated(campaign, sample, scores, population, "means", chances)
        estimates += rows_of(means, dimension)
        if means is not None and (width or plan.until.width):
            needed += needed_of(means, dimension, width or plan.until.width)
        pairs = estimated(campaign, sample, scores, population, "differences", chances)
        differences += [with_better(row) for row in rows_of(pairs, dimension)]
        several = int(((~np.isnan(cube)).sum(axis=-1) >= 2).sum())
        shared = max(shared, several)
        if several >= FEWEST_SHARED:
            agreement += _agreement(campaign, dimension, cube)
        if not surprises and scores:
            surprises = _surprises(campaign, dimension, mean_of_known(cube), metrics)
    if plan.protocol.spans is not None and shared >= FEWEST_SHARED:
        agreement += _agreement_of_marks(campaign, ratings)
    return State(
        plan.title,
        plan.protocol.name,
        len(plan.systems),
        plan.planned,
        len(finished),
        len(population),
        progress(campaign, records),
        estimates,
        differences,
        agreement,
        shared,
        decision_of(campaign, records),
        list(metrics),
        surprises,
        needed,
        _selection(campaign, responses, finished),
        skips_by_system(campaign, responses),
        [
            {
                "annotator": annotator,
                "segment": campaign.items[key].segment,
                "systems": campaign.items[key].systems,
                "reason": record["reason"],
            }
            for (annotator, key), record in skips_in(campaign, responses).items()
        ],
    )


def _selection(campaign: Campaign, responses: Responses, finished: Set[str]) -> str:
    """Return sentences about segments that are not a sample of all with equal probabilities; "" if they are."""
    plan = campaign.plan
    found = []
    if plan.where:
        found.append(
            f"Estimates are valid only for segments that meet {' and '.join(plan.where)}:"
            f" {len(plan.population)} of {len(campaign.texts)}."
        )
    elif plan.population:
        found.append("The segments were named, not drawn, so estimates are valid only for these segments.")
    if plan.proposals is not None:
        found.append(
            "Metrics propose segments, and the estimates use the probabilities of their selection. They need two"
            f" finished segments in each of {plan.proposals.strata} strata."
        )
    if warning := skip_warning(skips_by_system(campaign, responses)):
        found.append(warning)
    lost = len(finished & segments_without_people(campaign, responses))
    if lost:
        found.append(
            f"The estimates leave out {counted(lost, 'finished segment')} with a skipped text, for all systems, and are"
            " valid only if people would rate these segments like the others."
        )
    return " ".join(found)


def _agreement_of_marks(campaign: Campaign, ratings: Responses) -> list[dict[str, Any]]:
    """Return F of the marks of all pairs of annotators; none without a shared text."""
    from nlgauge.annotate.files.formats import annotations_of
    from nlgauge.meta.error_spans.agreement import span_agreement
    from nlgauge.spans.building import columns_of

    spans, _ = columns_of(annotations_of(campaign, ratings))
    try:
        row = span_agreement(spans, ("mpp",), chance=0, resamples=200, seed=campaign.plan.seed).rows[0]
    except (InputError, IndexError):
        return []
    numbers = {name: row[name] for name in ("value", "low", "high")}
    return [{"dimension": "marks", "coefficient": "F (mpp)", **numbers, "n": row["n_texts"], "reason": ""}]


def _agreement(campaign: Campaign, dimension: str, cube: Array) -> list[dict[str, Any]]:
    from nlgauge.meta.diagnostics.annotators import agreement

    questions = {question.id: question for question in campaign.plan.protocol.questions}
    question = questions.get(dimension)
    is_named = question is not None and question.kind in ("yes_no", "choice")
    wide = question is None or question.high - question.low > 10
    scale: Any = "nominal" if is_named else "interval" if wide else "ordinal"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = agreement({dimension: cube}, scale, resamples=200, seed=campaign.plan.seed).rows
    names = ("dimension", "coefficient", "value", "low", "high", "n", "reason")
    return [{name: row[name] for name in names} for row in rows]


def _surprises(
    campaign: Campaign, dimension: str, human: Array, metrics: Mapping[str, Array], count: int = 5
) -> list[dict[str, Any]]:
    """Return the outputs with the largest difference of percentile ranks between people and a metric."""
    from scipy.stats import rankdata

    label, values = next(iter(metrics.items()))
    places = [list(campaign.texts).index(name) for name in campaign.plan.segments]
    scores = values[:, places]
    known: Array = np.isfinite(human) & np.isfinite(scores)
    if known.sum() < FEWEST_SHARED:
        return []
    gap = np.full(human.shape, -1.0)
    ranks = [rankdata(each[known]) / known.sum() for each in (human, scores)]
    gap[known] = np.abs(ranks[0] - ranks[1])
    order = np.argsort(-gap, axis=None, kind="stable")[:count]
    rows = []
    for system, segment in zip(*np.unravel_index(order, gap.shape), strict=True):
        if gap[system, segment] < 0:
            continue
        name = campaign.plan.segments[segment]
        text = campaign.texts[name].outputs[campaign.plan.systems[system]]
        rows.append(
            {
                "system": campaign.plan.systems[system],
                "segment": name,
                "dimension": dimension,
                "human": float(human[system, segment]),
                "metric": label,
                "score": float(scores[system, segment]),
                "text": text[:120],
            }
        )
    return rows


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
