"""Williams' test: do two metrics correlate differently with the same human scores?

Human scores are 1, the metrics 2 and 3; the three correlations come from the same n points (systems).

    K = 1 - r12² - r13² - r23² + 2 r12 r13 r23
    t = (r12 - r13) sqrt( (n-1)(1+r23) / ( 2K (n-1)/(n-3) + ((r12+r13)/2)² (1-r23)³ ) ),  with n - 3 degrees of freedom

The sign of a correlation counts: a metric at r = -.60 is worse than one at .55. The test assumes points drawn
at random from a normal population, so its claim is about new points of that kind, and it is an approximation
for rank correlations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from nlgauge._core.ragged import Array

# Below this, the determinant of three correlations is negative only by rounding.
ROUNDING = 1e-9


class Williams(NamedTuple):
    """The statistic, its degrees of freedom, and the p-values that the correlations differ and that the
    first is greater.
    """

    t: Array
    df: Array
    p: Array
    p_greater: Array


def williams(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: ArrayLike) -> Williams:
    """Test whether two correlations with the same variable differ (Williams' test of r12 and r13).

    Parameters
    ----------
    r12 : array_like
        Correlation of the common variable with the first variable.
    r13 : array_like
        Correlation of the common variable with the second variable.
    r23 : array_like
        Correlation of the two variables with each other.
    n : array_like
        Number of observations.

    Returns
    -------
    Williams
        `t`, degrees of freedom `df`, two-sided `p`, and one-sided `p_greater` (r12 > r13), each of the common shape. NaN if
        n <= 3, a correlation is NaN, or no three variables have these correlations.

    Notes
    -----
    Identical metrics (r23 = 1, r12 = r13) have t = 0 and p = 1.

    Examples
    --------
    >>> float(williams(0.65, 0.55, 0.3, 50).p_greater.round(6))
    0.209286
    """
    one, other, among, n = np.broadcast_arrays(*(np.asarray(value, float) for value in (r12, r13, r23, n)))
    with np.errstate(divide="ignore", invalid="ignore"):
        k = 1 - one**2 - other**2 - among**2 + 2 * one * other * among
        spread = 2 * np.maximum(k, 0) * (n - 1) / (n - 3) + ((one + other) / 2) ** 2 * (1 - among) ** 3
        t = (one - other) * np.sqrt((n - 1) * (1 + among) / spread)
    t = np.where((spread <= 1e-15) & (np.abs(one - other) <= ROUNDING), 0.0, t)
    t = np.where((n > 3) & (k >= -ROUNDING), t, np.nan)
    p_greater = np.where(np.isnan(t), np.nan, stdtr(np.maximum(n - 3, 1), -t))
    return Williams(t, n - 3, 2 * np.minimum(p_greater, 1 - p_greater), p_greater)
