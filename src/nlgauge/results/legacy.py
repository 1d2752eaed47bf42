"""p-values as sacreBLEU gives them, draw for draw, to repeat numbers that were published.

It takes absolute differences, shifts those of the bootstrap by their mean, and counts draws that are strictly
larger: a system against itself then has the smallest p there is, and p of the bootstrap is rarely above .5.
`Result.compare` does neither by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.results.comparison import Compared
from nlgauge.results.inference import Inference, randomized
from nlgauge.results.resampling import drawn_in_groups


def as_sacrebleu(inferred: Inference, rows: Sequence[Compared], test: str) -> list[Compared]:
    """Return the rows with sacreBLEU's p-values; metrics that are not computed from per-segment statistics
    keep theirs.
    """
    if inferred.corpus.documents is not None or inferred.corpus.weights is not None:
        raise ParameterError(
            "sacreBLEU resamples single segments of equal weight, but the corpus has documents or weights",
            python="pass legacy=None",
            cli="compare without sacreBLEU's p-values",
        )
    if inferred.plan.clusters.grouped:
        raise ParameterError(
            f"sacreBLEU resamples single segments, but here {drawn_in_groups(inferred.plan.clusters)}",
            python="pass legacy=None",
            cli="compare without sacreBLEU's p-values",
        )
    return [row._replace(p=_p(inferred, row, test)) if _testable(inferred, row) else row for row in rows]


def _testable(inferred: Inference, row: Compared) -> bool:
    return inferred.tables[row.first, row.label].additive and not math.isnan(row.p)


def _p(inferred: Inference, row: Compared, test: str) -> float:
    name = row.output.name
    if test == "bootstrap":
        # The same draws as sacreBLEU's, of the same seed.
        drawn = np.abs(
            inferred.bootstrapped(row.second, row.label, row.first)[name]
            - inferred.bootstrapped(row.first, row.label, row.second)[name]
        )
        drawn = drawn - drawn.mean()
    else:
        first, second = ([table] for table in inferred.common(row.first, row.second, row.label))
        drawn = np.abs(randomized(first, second, inferred.plan, [_swaps(inferred)])[0][name])
    return (1 + int((drawn > abs(row.gain)).sum())) / (1 + len(drawn))


def _swaps(inferred: Inference) -> Array:
    """Return 1 where the two systems change places: coins thrown all at once, as sacreBLEU does."""
    plan = inferred.plan
    kept = np.random.default_rng(plan.seed).integers(
        2, size=(plan.resamples, plan.clusters.count), dtype=bool
    )
    return np.asarray(~kept, dtype=np.float64)
