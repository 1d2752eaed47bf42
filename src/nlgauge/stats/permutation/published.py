"""The pair-swap test of pairwise accuracies, as mt-metrics-eval has it for acc_eq: exact, for comparison with
published tables.

Every pair of outputs is right or wrong by each of two metrics. Swapping the verdicts of the metrics on a pair
changes the difference of their accuracies only if exactly one is right, so that the null is
binomial: a sign test. It takes the pairs of one segment as independent, which they are not:
`compare(level="input", coefficient="acc_eq", generalize_to="inputs")` swaps whole segments instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from nlgauge.errors import InputError


class PairSwaps(NamedTuple):
    """Number of pairs that only the first metric and only the second has right, the difference of accuracies,
    and p that the first is better.
    """

    first_alone: int
    second_alone: int
    delta: float
    p: float


def sign_test(more: int, less: int) -> float:
    """Return P(at least `more` of more + less fair coins are heads).

    >>> round(sign_test(90, 69), 4)
    0.0562
    """
    return 1.0 if more == 0 else float(betainc(more, less + 1, 0.5))


def pair_swap_test(first: ArrayLike, second: ArrayLike) -> PairSwaps:
    """Test whether the first metric is better (one-sided), from arrays that are True for pairs which a metric
    has right.

    >>> pair_swap_test([True, True, True, False], [False, True, False, False]).p
    0.25
    """
    one, other = np.asarray(first, bool), np.asarray(second, bool)
    if one.shape != other.shape or not one.size:
        raise InputError(
            "first and second must have one value for each of the same pairs, and at least one pair; got the shapes"
            f" {one.shape} and {other.shape}."
        )
    more, less = int((one & ~other).sum()), int((other & ~one).sum())
    return PairSwaps(more, less, (more - less) / one.size, sign_test(more, less))
