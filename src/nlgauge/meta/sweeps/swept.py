"""swept: the sweep of metrics that are scored already: their agreement on all texts, and the choice among them
tested on texts that did not choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import correlate
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.sweeps.choosing import CHOOSE_OVER, Choice, choice
from nlgauge.stats.levels import Scores, check_level
from nlgauge.stats.measures import Measure, measure
from nlgauge.stats.resampling import check_resampling

_FEWEST = 8
_SHOWN = 3
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Sweep:
    """A metric's agreement with people over a grid of its parameters.

    Parameters
    ----------
    points : Findings
        One row per point, human dimension, level and coefficient: the parameters, `value` with its interval on all texts,
        `chosen`, the share of halves on which the point was best, and `cpu_seconds` of scoring (`shared`: of a metric that
        scores several points, divided by their number).
    chosen : Findings
        One row per human dimension, level and coefficient, about the best point; see `sweep`.
    """

    points: Findings
    chosen: Findings

    def answer(self) -> list[str]:
        """Return a sentence about the best point of each human dimension, level and coefficient.

        Returns
        -------
        list of str
            Sentences with the value on the same texts, on other texts, and of the default.
        """
        return [
            f"{row['human']}, {row['level']} {row['coefficient']}: best of {counted(row['n_points'], 'point')}"
            f" {row['value']:.3f} on the same texts, {row['tested']:.3f} on others, default"
            f" {row['default']:.3f}; {row['advice']}."
            for row in self.chosen
        ]


def swept(
    judged: Judgments,
    points: Mapping[str, Mapping[str, Any]],
    default: str | None = None,
    *,
    human: str | Sequence[str] | None = None,
    level: str | Sequence[str] = "system",
    coefficient: str | Sequence[str] = "kendall",
    choose_over: str = "segments",
    splits: int = 200,
    draws: int = 1000,
    seed: int = 12345,
    seconds: Mapping[str, tuple[float, bool]] | None = None,
    reason: str = "",
) -> Sweep:
    """Return the sweep of metrics that are scored already.

    `points` has the parameters of each metric by its label in `judged`; `default` is the label of the default, and `reason`
    why there is none.
    """
    if choose_over not in CHOOSE_OVER:
        raise ParameterError(f"choose_over must be 'segments', 'systems' or 'both', got {choose_over!r:.60}.")
    check_resampling(splits, seed)
    check_resampling(draws, seed)
    if judged.groups is not None:
        raise InputError("a sweep needs one group; select one.")
    dimensions = list(judged.humans) if human is None else [judged.dimension(name) for name in listed(human)]
    if not dimensions:
        raise InputError("a sweep needs human scores of the texts; pass judgments with human scores.")
    wanted = [
        (at, measure(name))
        for at in (check_level(each) for each in listed(level))
        for name in listed(coefficient)
    ]
    parameters = list(next(iter(points.values())))
    rows, chosen = [], []
    for dimension in dimensions:
        part = _judged_part(judged, dimension, choose_over)
        for at, one in wanted:
            if at not in one.levels:
                raise ParameterError(f"{one.name} cannot be computed at level {at}; choose another level.")
            found = choice(
                one,
                at,
                [_scores(part, label, dimension) for label in points],
                None if default is None else _scores(part, default, dimension),
                choose_over,
                splits,
                draws,
                seed,
            )
            values = _rows(judged, points, dimension, at, one, draws, seed, found, seconds or {})
            rows += values
            chosen.append(_chosen_row(values, found, list(points)))
    how = made(
        analysis="sweep",
        choose_over=choose_over,
        splits=splits,
        draws=draws,
        seed=seed,
        confidence=0.95,
        interval="both",
        parameters=parameters,
    )
    numeric = any(all(_is_number(point[name]) for point in points.values()) for name in parameters)
    notes = [
        "The value of the best point is on the texts that chose it. Tested values are on the half that did not choose"
        " the point, and are lower also because half of the texts are fewer.",
        *([f"There is no default: {reason}"] if default is None and reason else []),
    ]
    return Sweep(
        Findings(rows, how, "Agreement with people by parameters", drawn_as="sweep" if numeric else "forest"),
        Findings(chosen, how, "Chosen on one half, tested on the other", notes),
    )


def _judged_part(judged: Judgments, dimension: str, choose_over: str) -> Judgments:
    """Return the judgments of segments with human scores; raise if they are too few to be divided."""
    known = ~np.isnan(judged.human(dimension))
    part = judged.taken(segments=np.flatnonzero(known.any(axis=0)))
    units = {"segments": len(part.segments), "systems": int(known.any(axis=1).sum())}
    for name, number in units.items():
        if choose_over in (name, "both") and number < _FEWEST:
            raise InputError(
                f"a choice over {name} needs at least {_FEWEST} of them with human scores, got {number}."
            )
    return part


def _scores(judged: Judgments, label: str, dimension: str) -> Scores:
    return judged.scores(label, dimension)._replace(whole=None)


def _rows(
    judged: Judgments,
    points: Mapping[str, Mapping[str, Any]],
    dimension: str,
    level: str,
    one: Measure,
    draws: int,
    seed: int,
    found: Choice,
    seconds: Mapping[str, tuple[float, bool]],
) -> list[dict[str, Any]]:
    """Return the row of each point on all texts."""
    whole = correlate(
        judged.only(metrics=list(points), human=dimension), level, one, resamples=draws, seed=seed
    )
    rows = []
    for (label, parameters), row, share in zip(points.items(), whole, found.shares, strict=True):
        spent, shared = seconds.get(label, (math.nan, False))
        rows.append(
            {
                "metric": label,
                **parameters,
                **{
                    name: row[name] for name in ("human", "level", "coefficient", "value", "low", "high", "n")
                },
                "chosen": float(share),
                "cpu_seconds": spent,
                "shared": shared,
                "reason": row["reason"],
            }
        )
    return rows


def _chosen_row(rows: Sequence[Mapping[str, Any]], found: Choice, labels: Sequence[str]) -> dict[str, Any]:
    """Return the row about the best point of one human dimension, level and coefficient."""
    values = np.array([row["value"] for row in rows])
    best = None if np.isnan(values).all() else int(np.nanargmax(values))
    often = np.argsort(-found.shares, kind="stable")[:_SHOWN].tolist()
    first = rows[0]
    return {
        **{name: first[name] for name in ("human", "level", "coefficient")},
        "best": "" if best is None else labels[best],
        "value": math.nan if best is None else float(values[best]),
        "chosen_value": found.chosen,
        "tested": found.tested,
        "low": found.bounds.low,
        "high": found.bounds.high,
        "optimism": found.chosen - found.tested,
        "default": found.default,
        "gain": found.gain,
        "gain_low": found.gain_bounds.low,
        "gain_high": found.gain_bounds.high,
        "advice": _advice(found),
        "choices": ", ".join(f"{labels[i]} {100 * found.shares[i]:.0f}%" for i in often if found.shares[i]),
        "n": first["n"],
        "n_points": len(rows),
        "undefined_resamples": found.bounds.n_undefined,
        "reason": "" if best is not None else "no point has a value",
    }


def _advice(found: Choice) -> str:
    """Return what the gain means for a user.

    >>> from nlgauge.stats.intervals import Bounds
    >>> _advice(Choice(0.6, 0.5, Bounds(0, 1), 0.6, -0.1, Bounds(-0.2, 0.1), np.ones(2)))
    'choosing lowered the value; use the default'
    """
    if math.isnan(found.gain):
        return "no default to compare with"
    if found.gain_bounds.low > 0:
        return "better than the default"
    if found.gain < -_ROUNDING:
        return "choosing lowered the value; use the default"
    return "no difference to the default can be shown"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
