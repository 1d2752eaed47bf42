"""between_metrics: how much metrics agree with each other, whatever people say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings, made
from nlgauge.stats.coefficients import coefficient as coefficient_of
from nlgauge.stats.levels import Scores, at_level, check_level, human_means

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


def between_metrics(
    judgments: Judgments,
    level: str = "global",
    coefficient: str = "pearson",
    metrics: Sequence[str] | None = None,
    with_human: bool = False,
) -> Findings:
    """Correlate metrics with each other, over the outputs that both score.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    level : {"system", "input", "global", "by_system"}
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    coefficient : str, default "pearson"
        Name in `nlgauge.stats.coefficients`.
    metrics : sequence of str, optional
        Metrics. Default: all.
    with_human : bool, default False
        Treat human dimensions as further metrics.

    Returns
    -------
    Findings
        One row per pair of metrics. Metrics are multiplied by their direction. With groups, the value is the average over
        the groups in which it is defined.

    Raises
    ------
    InputError
        If there are fewer than two metrics, or a metric has the name of a human dimension.

    Examples
    --------
    >>> from nlgauge.meta import Judgments
    >>> judged = Judgments.from_arrays([[1, 2], [3, 4]], {"a": [[1, 2], [3, 4]], "b": [[2, 4], [6, 9]]})
    >>> between_metrics(judged).column("value")
    [0.994...]
    """
    chosen = judgments if metrics is None else judgments.only(metrics=metrics)
    parts = chosen.by_group().values()
    names = [*chosen.labels, *(chosen.humans if with_human else ())]
    if len(names) < 2:
        raise InputError(
            f"agreement between metrics needs two, got {', '.join(names) or 'none'}; score another metric."
        )
    if len(set(names)) < len(names):
        raise InputError(
            f"{next(name for name in names if names.count(name) > 1)!r} is both a metric and a human dimension",
            python="leave out with_human",
            cli="omit --with-humans",
        )
    measure = coefficient_of(coefficient)
    check_level(level)
    rows: list[dict[str, Any]] = []
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            found = [
                at_level(measure, level, Scores(*_sides(part, one, other, level), part.weights))
                for part in parts
            ]
            known = [of for of in found if of.value == of.value]
            row = {"metric": one, "other": other, "level": level, "coefficient": measure.name}
            value = sum(of.value for of in known) / len(known) if known else float("nan")
            undefined = sum(of.n_undefined for of in found)
            rows.append({**row, "value": value, "n": sum(of.n for of in found), "n_undefined": undefined})
    return Findings(
        rows,
        made(analysis="between_metrics", metrics=", ".join(names)),
        "Agreement of metrics with each other",
        drawn_as="heatmap",
    )


def _sides(part: Judgments, one: str, other: str, level: str) -> tuple[Array, Array]:
    """Return the scores of both; if either has scores of whole systems, one score per system, as if there
    were one segment.
    """
    x, z = (part.oriented(name) if name in part.labels else part.humans[name] for name in (one, other))
    whole = [part.oriented_system_scores(name) if name in part.labels else None for name in (one, other)]
    if level != "system" or all(of is None for of in whole):
        return x, z
    first, second = (
        human_means(side, part.weights) if of is None else of for side, of in zip((x, z), whole, strict=True)
    )
    return np.broadcast_to(first[:, None], x.shape), np.broadcast_to(second[:, None], x.shape)
