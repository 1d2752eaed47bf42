"""DARR of ready-made better/worse pairs, with its bootstrap over segments and systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.stats.intervals import percentile
from nlgauge.stats.measures import Darr, Measure
from nlgauge.stats.resampling import OVER, Resamples, bootstrap

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

_BLOCK = 10_000_000


def pair_rows(
    parts: Mapping[Any, Judgments],
    wanted: Sequence[Measure],
    over: str | None,
    resamples: int,
    seed: int,
    confidence: float,
) -> list[dict[str, Any]]:
    """The rows of `correlate` where people gave pairs and no scores: DARR alone; with groups, their average
    too.

    `n` is the number of pairs that the metric scores, `n_groups` that of their segments, `n_undefined` that
    of pairs without scores.
    """
    measures = [one for one in wanted if isinstance(one, Darr)]
    if not measures:
        raise InputError(
            "these judgments are better/worse pairs, of which DARR alone is known; use coefficient='darr',"
            " level='input'."
        )
    labels = next(iter(parts.values())).labels
    rows = []
    for one in measures:
        compared = {
            group: [ordered(part, label, one.ties) for label in labels] for group, part in parts.items()
        }
        resampled = {
            group: replicates(
                part,
                *columns(compared[group]),
                bootstrap(len(part.systems), len(part.segments), str(over), resamples, seed + number),
            )
            for number, (group, part) in enumerate(parts.items())
            if over in OVER
        }
        for column, label in enumerate(labels):
            by_group: dict[Any, tuple[float, Array | None]] = {}
            totals = []
            for group, part in parts.items():
                alike, against = compared[group][column]
                total = int(alike.sum() + against.sum())
                value = float(alike.sum() - against.sum()) / total if total else math.nan
                drawn = resampled[group][:, column] if group in resampled and total else None
                by_group[group] = value, drawn
                totals.append(total)
                assert part.pairs is not None
                counts = total, len(np.unique(part.pairs[alike | against, 0])), len(part.pairs) - total
                rows.append(
                    _row(
                        label,
                        group,
                        value,
                        drawn,
                        counts,
                        "" if total else "the metric scores no pair",
                        over,
                        confidence,
                    )
                )
            if None not in by_group:
                values = [value for value, _ in by_group.values() if not math.isnan(value)]
                known = [drawn for _, drawn in by_group.values() if drawn is not None]
                mean = float(np.mean(values)) if values else math.nan
                together = np.mean(known, axis=0) if known else None
                gone = len(by_group) - len(values)
                reason = f"{gone} of {len(by_group)} groups have no value" if gone else ""
                rows.append(
                    _row(
                        label,
                        "average",
                        mean,
                        together,
                        (sum(totals), len(values), gone),
                        reason,
                        over,
                        confidence,
                    )
                )
    return rows


def ordered(part: Judgments, label: str, ties: str = "discordant") -> tuple[Array, Array]:
    """(P,) whether the metric orders each pair as people do, and whether it does not; neither where it
    lacks a score.
    """
    assert part.pairs is not None
    segment, better, worse = part.pairs.T
    x = part.oriented(label)
    difference = x[better, segment] - x[worse, segment]
    alike = difference > 0
    against = (difference < 0) | ((difference == 0) & (ties == "discordant"))
    return alike, against


def replicates(part: Judgments, alike: Array, against: Array, resamples: Resamples) -> Array:
    """(B, M) DARR of M metrics in each draw of segments and systems; `alike` and `against` are (P, M)."""
    assert part.pairs is not None
    segment, better, worse = part.pairs.T
    size = max(1, _BLOCK // max(1, len(segment)))
    found = []
    for i in range(0, len(resamples), size):
        systems, inputs = resamples.systems[i : i + size], resamples.inputs[i : i + size]
        weights = (inputs[:, segment] * systems[:, better] * systems[:, worse]).astype(np.float64)
        right, wrong = weights @ alike, weights @ against
        found.append((right - wrong) / np.where(right + wrong == 0, np.nan, right + wrong))
    return np.concatenate(found)


def columns(compared: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Of several metrics, (P, M) each: which pairs they order as people do, and which they do not; as
    floats, which multiply fast, and exactly.
    """
    alike, against = zip(*compared, strict=True)
    return np.column_stack(alike).astype(np.float64), np.column_stack(against).astype(np.float64)


def _row(
    label: str,
    group: Any,
    value: float,
    drawn: Array | None,
    counts: tuple[int, int, int],
    reason: str,
    over: str | None,
    confidence: float,
) -> dict[str, Any]:
    n, n_groups, n_undefined = counts
    low, high, gone = percentile(drawn, confidence) if drawn is not None else (math.nan, math.nan, 0)
    names = {
        "metric": label,
        "human": "pairs",
        "level": "input",
        "coefficient": "darr",
        **({} if group is None else {"group": group}),
    }
    numbers = {
        "value": value,
        "low": low,
        "high": high,
        "p": math.nan,
        "n": n,
        "n_groups": n_groups,
        "n_undefined": n_undefined,
    }
    beside = {
        "floor": math.nan,
        "ceiling": math.nan,
        "ceiling_reason": "pairs have no scores",
        "disattenuated": math.nan,
    }
    return {**names, **numbers, **beside, "over": over or "", "undefined_resamples": gone, "reason": reason}
