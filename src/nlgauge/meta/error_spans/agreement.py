"""`span_agreement`: how well annotators agree on error spans, compared with chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.meta.error_spans.additive import AVERAGES, WIDTH, values_of
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.spans.columns import Spans
from nlgauge.spans.combining import check_same_texts
from nlgauge.spans.measures import MEASURES, Rules, counts, precision_recall_f
from nlgauge.spans.painted import alpha_over_characters
from nlgauge.spans.sentinels import at_random
from nlgauge.stats.intervals import check_confidence, percentile
from nlgauge.stats.resampling import check_resampling
from nlgauge.stats.units import Clusters, resampled_sums

ALL = "all pairs"
_F = 2
_LEAST_SHARED = 5


def span_agreement(
    spans: Sequence[Spans],
    measures: str | Sequence[str] = ("em", "mp", "mpp", "char"),
    *,
    penalty: float = 0.5,
    severity: str = "penalty",
    category: str = "ignore",
    omissions: str = "drop",
    average: str = "micro",
    chance: int = 20,
    least: int = _LEAST_SHARED,
    resamples: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> Findings:
    """Measure the agreement of annotators on error spans.

    Parameters
    ----------
    spans : sequence of Spans
        Spans of at least two annotators on the same texts.
    measures : str or sequence of str
        Measures, some of "em", "mp", "mpp", "char", "char23".
    penalty : float, default 0.5
        Loss of credit for a wrong severity.
    severity : {"penalty", "exact", "ignore"}
        Whether critical errors count as major errors ("penalty") or not ("exact"), or severities do not matter.
    category : {"ignore", "first", "all"}
        Which levels of the categories must be equal.
    omissions : {"drop", "match"}
        Leave errors without a place out, or match them in their order.
    average : {"micro", "macro"}
        Sum over texts before F, or mean of the F of each text.
    chance : int, default 20
        Number of times that the spans of an annotator are moved to random places of the same text; 0 for no level of chance.
    least : int, default 5
        Pairs of annotators with fewer shared texts are not listed; they count in "all pairs".
    resamples : int, default 1000
        Number of resamples of the intervals.
    seed : int, default 12345
        Seed of the resamples and of random places.
    confidence : float, default 0.95
        Confidence of the intervals.

    Returns
    -------
    Findings
        One row per pair of annotators and measure, and rows of all pairs together: precision, recall, `value` (F), interval
        over inputs, and the F of spans at random places (`chance`). For all pairs also Krippendorff's alpha, nominal, over the
        characters of shared texts, if the texts are known.

    Raises
    ------
    InputError
        If no two annotators share a text.
    ParameterError
        If an option is invalid.

    Notes
    -----
    F does not depend on which annotator is first, because precision and recall change places. With average="macro" F of
    each text does not either.
    """
    chosen = tuple(listed(measures))
    for measure in chosen:
        if measure not in MEASURES:
            raise ParameterError(no_such("measure", measure, MEASURES))
    if average not in AVERAGES:
        raise ParameterError(no_such("average", average, AVERAGES))
    check_resampling(resamples, seed)
    check_confidence(confidence)
    for name, value in (("chance", chance), ("least", least)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ParameterError(f"{name} must be a whole number from 0, got {value!r:.60}.")
    rules = Rules(penalty, severity, category, omissions)
    check_same_texts(list(spans))
    # In the order of names, so that the values do not depend on the order of the annotators.
    people = sorted(spans, key=lambda each: each.who)
    pairs = [(a, b) for a, b in combinations(people, 2) if (a.looked & b.looked).any()]
    if not pairs:
        raise InputError("no text was read by two annotators, so their agreement is unknown.")
    rows: list[dict[str, Any]] = []
    pooled: dict[str, list[Array]] = {measure: [] for measure in chosen}
    by_chance: dict[str, list[Array]] = {measure: [] for measure in chosen}
    for number, (one, other) in enumerate(pairs):
        both = one.looked & other.looked
        found = _sums(one, other, chosen, rules, average, both)
        moved = _at_random(one, other, chosen, rules, average, both, chance, seed + number)
        for measure in chosen:
            pooled[measure].append(found[measure])
            by_chance[measure].append(moved[measure])
            if both.sum() >= least:
                label = f"{one.who}, {other.who}"
                rows.append(
                    _row(
                        label,
                        measure,
                        found[measure],
                        moved[measure],
                        both,
                        average,
                        resamples,
                        seed,
                        confidence,
                    )
                )
    reached = np.sum([a.looked & b.looked for a, b in pairs], axis=0)
    all_rows = [
        _row(
            ALL,
            measure,
            np.sum(pooled[measure], axis=0),
            np.sum(by_chance[measure], axis=0),
            reached,
            average,
            resamples,
            seed,
            confidence,
        )
        for measure in chosen
    ]
    settings = made(
        average=average,
        penalty=penalty,
        severity=severity,
        category=category,
        omissions=omissions,
        chance=chance,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
    )
    notes = ("Intervals are over inputs. 'chance' is F if the spans of an annotator are at random places.",)
    return Findings(
        [*all_rows, *_alphas(people, reached), *rows],
        settings,
        "Agreement of annotators on error spans",
        notes,
    )


def _sums(
    one: Spans, other: Spans, measures: Sequence[str], rules: Rules, average: str, both: Array
) -> dict[str, Array]:
    """Return (N, 4) sums of the texts of each segment that both annotators read."""
    found = {}
    for measure, values in counts(one, other, measures, rules).items():
        rows = values
        if average == "macro":
            rows = np.concatenate([precision_recall_f(values), np.ones((*both.shape, 1))], axis=2)
        found[measure] = np.where(both[..., None], rows, 0.0).sum(axis=0)
    return found


def _at_random(
    one: Spans,
    other: Spans,
    measures: Sequence[str],
    rules: Rules,
    average: str,
    both: Array,
    chance: int,
    seed: int,
) -> dict[str, Array]:
    """Return the mean sums if the spans of the second annotator are at random places."""
    total = {measure: np.zeros((both.shape[1], WIDTH)) for measure in measures}
    if not chance or other.texts is None:
        return {measure: np.full_like(sums, np.nan) for measure, sums in total.items()}
    # Only texts of both are needed.
    shared = np.flatnonzero(both)
    first, second = one.of_texts(shared), other.of_texts(shared)
    lengths = np.array([len(text or "") for text in other.texts.targets.ravel()[shared].tolist()])
    for k in range(chance):
        moved = at_random(second, (seed, k), lengths[None, :])
        for measure, values in counts(first, moved, measures, rules).items():
            rows = values[0]
            if average == "macro":
                rows = np.concatenate([precision_recall_f(rows), np.ones((len(rows), 1))], axis=1)
            segment = shared % both.shape[1]
            for column in range(WIDTH):
                total[measure][:, column] += np.bincount(segment, rows[:, column], both.shape[1]) / chance
    return total


def _row(
    label: str,
    measure: str,
    sums: Array,
    moved: Array,
    both: Array,
    average: str,
    resamples: int,
    seed: int,
    confidence: float,
) -> dict[str, Any]:
    used = both.sum(axis=0) > 0
    totals = sums[used]
    values = values_of(totals.sum(axis=0), average)
    low = high = math.nan
    if len(totals) > 1:
        drawn = resampled_sums(Clusters(None, len(totals)).bootstrap(resamples, seed), totals)
        low, high, _ = percentile(values_of(drawn, average)[:, _F], confidence)
    return {
        "annotators": label,
        "measure": measure,
        "precision": float(values[0]),
        "recall": float(values[1]),
        "value": float(values[2]),
        "low": low,
        "high": high,
        "chance": float(values_of(moved[used].sum(axis=0), average)[_F]),
        "n_texts": int(both.sum()),
        "n_units": int(used.sum()),
    }


def _alphas(people: Sequence[Spans], reached: Array) -> Iterator[dict[str, Any]]:
    """Yield Krippendorff's alpha over characters, if the texts are known."""
    texts = people[0].texts
    if texts is None or any(text is None for text in texts.targets[reached > 0].tolist()):
        return
    for name, levels in (("alpha, none/minor/major", True), ("alpha, marked or not", False)):
        yield {
            "annotators": ALL,
            "measure": name,
            "precision": math.nan,
            "recall": math.nan,
            "value": alpha_over_characters(people, reached > 0, levels),
            "low": math.nan,
            "high": math.nan,
            "chance": 0.0,
            "n_texts": int((reached > 0).sum()),
            "n_units": int((reached > 0).any(axis=0).sum()),
        }
