"""Probability of detecting a real difference: between two correlations, by theory or on a data set, and between
two accuracies.

Power is the share of repetitions in which the test rejects at `alpha`. The power of Williams' test is simulated
from normal populations, whose sample correlations are drawn directly (Bartlett's decomposition of the Wishart
distribution), so its cost does not grow with n. The power of McNemar's exact test is summed without simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.findings import Findings, made
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.coefficients import pearson
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.resampling import check_resampling
from nlgauge.stats.williams import williams

Sides = Literal[1, 2]
RESAMPLES = 20_000
# No study has more systems: a difference that needs them is not one.
_MOST = 1_000_000


def williams_power(
    r1: float,
    r2: float,
    r12: float,
    n: int | Iterable[int],
    *,
    alpha: float = 0.05,
    sides: Sides = 1,
    resamples: int = RESAMPLES,
    seed: int = 12345,
) -> Findings:
    """Compute the power of Williams' test for the difference of two metrics.

    Parameters
    ----------
    r1 : float
        Correlation of the first metric with human scores.
    r2 : float
        Correlation of the second metric with human scores.
    r12 : float
        Correlation of the metrics with each other.
    n : int or iterable of int
        Numbers of systems.
    alpha : float, default 0.05
        Significance level.
    sides : {1, 2}
        1 tests whether the first metric is better, 2 whether the metrics differ.
    resamples : int, default 20,000
        Number of simulated samples.
    seed : int, default 12345
        Seed of the simulated samples.

    Returns
    -------
    Findings
        One row per n, with the standard error of the simulation.

    Raises
    ------
    ParameterError
        If no three variables have these correlations, or an option is invalid.
    """
    _check(alpha, sides, resamples, seed)
    rows = []
    for size in _sizes(n, 4):
        share = _williams_share(r1, r2, r12, size, alpha, sides, resamples, seed)
        rows.append(
            {
                "n": size,
                "r1": r1,
                "r2": r2,
                "r12": r12,
                "power": share,
                "standard_error": math.sqrt(share * (1 - share) / resamples),
            }
        )
    how = made(
        test="williams", sides=sides, alpha=alpha, resamples=resamples, seed=seed, generalizes_to="systems"
    )
    return Findings(rows, how, "Power of Williams' test", drawn_as="power")


def min_detectable(
    r1: float,
    r12: float,
    n: int | Iterable[int],
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    sides: Sides = 1,
    resamples: int = RESAMPLES,
    seed: int = 12345,
) -> Findings:
    """Compute the smallest difference r1 - r2 that Williams' test detects with the target power.

    Parameters
    ----------
    r1 : float
        Correlation of the first metric with human scores.
    r12 : float
        Correlation of the metrics with each other.
    n : int or iterable of int
        Numbers of systems.
    target : float, default 0.8
        Power to reach.
    alpha : float, default 0.05
        Significance level.
    sides : {1, 2}
        1 tests whether the first metric is better, 2 whether the metrics differ.
    resamples : int, default 20,000
        Number of simulated samples.
    seed : int, default 12345
        Seed of the simulated samples.

    Returns
    -------
    Findings
        One row per n; `difference` is NaN, with a reason, if no difference reaches the target.
    """
    _check(alpha, sides, resamples, seed)
    _share(target, "target")
    lowest = r1 * r12 - math.sqrt((1 - r1**2) * (1 - r12**2)) + 1e-9
    rows = []
    for size in _sizes(n, 4):

        def reached(r2: float, size: int = size) -> bool:
            return _williams_share(r1, r2, r12, size, alpha, sides, resamples, seed) >= target

        found = _bisected(lowest, r1, reached) if reached(lowest) else math.nan
        reason = (
            ""
            if not math.isnan(found)
            else f"no metric that correlates by {r12:g} with the first is so much worse"
        )
        rows.append(
            {"n": size, "r1": r1, "r12": r12, "difference": r1 - found, "power": target, "reason": reason}
        )
    return Findings(
        rows,
        made(test="williams", sides=sides, alpha=alpha, resamples=resamples, seed=seed),
        "Smallest difference that Williams' test detects",
    )


def systems_needed(
    r1: float,
    r2: float,
    r12: float,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    sides: Sides = 1,
    resamples: int = RESAMPLES,
    seed: int = 12345,
) -> int:
    """Compute the number of systems that Williams' test needs to detect that r1 exceeds r2.

    Parameters
    ----------
    r1 : float
        Correlation of the first metric with human scores.
    r2 : float
        Correlation of the second metric with human scores.
    r12 : float
        Correlation of the metrics with each other.
    target : float, default 0.8
        Power to reach.
    alpha : float, default 0.05
        Significance level.
    sides : {1, 2}
        1 tests whether the first metric is better, 2 whether the metrics differ.
    resamples : int, default 20,000
        Number of simulated samples.
    seed : int, default 12345
        Seed of the simulated samples.

    Returns
    -------
    int
        Number of systems.

    Raises
    ------
    ParameterError
        If r1 is not greater than r2, or more than 1,000,000 systems are needed.
    """
    _check(alpha, sides, resamples, seed)
    _share(target, "target")
    if not r1 > r2:
        raise ParameterError(f"r1 must be greater than r2, got {r1:g} and {r2:g}.")

    def enough(n: int) -> bool:
        return _williams_share(r1, r2, r12, n, alpha, sides, resamples, seed) >= target

    high = 4
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise ParameterError(
                f"more than {_MOST:,} systems are needed to distinguish r1={r1:g} from r2={r2:g}; choose"
                " correlations that differ more."
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def data_power(
    judgments: Judgments,
    first: str,
    second: str,
    effect: float,
    *,
    human: str | None = None,
    systems: int | Iterable[int] | None = None,
    inputs: int | None = None,
    alpha: float = 0.05,
    sides: Sides = 2,
    resamples: int = 2000,
    seed: int = 12345,
) -> Findings:
    """Compute the power of Williams' test at the system level on data like the judgments.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    first : str
        First metric.
    second : str
        Second metric.
    effect : float
        Difference of the Pearson correlations of the first and the second metric.
    human : str, optional
        Human dimension. Required if there are several.
    systems : int or iterable of int, optional
        Numbers of systems to draw. Default: the number of systems with scores.
    inputs : int, optional
        Number of segments to draw. Default: N.
    alpha : float, default 0.05
        Significance level.
    sides : {1, 2}
        1 tests whether the first metric is better, 2 whether the metrics differ.
    resamples : int, default 2000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Findings
        One row per number of systems.

    Raises
    ------
    InputError
        If there are several groups, or fewer than four systems with scores of both metrics and human scores.

    Notes
    -----
    A multiple of the systems' human means is added to the scores of the second metric, so that its correlation is lower than
    the correlation of the first metric by `effect`. Then systems and segments are drawn with replacement.
    """
    _check(alpha, sides, resamples, seed)
    dimension = judgments.dimension(human)
    if len(set(judgments.groups or ())) > 1:
        raise InputError(
            "power on data needs judgments of one group (language pair), and these have several; pass a part of"
            " judgments.by_group()."
        )
    cells = np.stack([judgments.oriented(first), judgments.oriented(second), judgments.humans[dimension]])
    known = ~np.isnan(cells).any(axis=0)
    judged = known.any(axis=1)
    if judged.sum() < 4:
        raise InputError(
            f"power on data needs four systems with scores and judgments, got {int(judged.sum())}."
        )
    cells, known = np.where(known, cells, 0.0)[:, judged], known[judged].astype(np.float64)
    one, other, people = cells.sum(axis=2) / known.sum(axis=1)
    cells[1] = _injected(one, other, people, cells[1], known, effect)
    rng = np.random.default_rng(seed)
    n = known.shape[1]
    size = n if inputs is None else _sizes(inputs, 1)[0]
    weights = rng.multinomial(size, np.full(n, 1 / n), resamples).T.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.moveaxis((cells @ weights) / (known @ weights), 1, 2)
    rows = []
    for count in _sizes(len(known) if systems is None else systems, 4):
        places = rng.integers(len(known), size=(resamples, count))
        one, other, people = np.take_along_axis(means, places[None], axis=2)
        tested = williams(pearson(one, people), pearson(other, people), pearson(one, other), count)
        p = tested.p if sides == 2 else tested.p_greater if effect >= 0 else 1 - tested.p_greater
        share = float((p <= alpha).mean())
        error = math.sqrt(share * (1 - share) / resamples)
        row = {
            "metric": first,
            "other": second,
            "human": dimension,
            "effect": effect,
            "systems": count,
            "inputs": size,
            "power": share,
        }
        rows.append({**row, "standard_error": error, "n_undefined": int(np.isnan(p).sum())})
    how = made(
        test="williams",
        level="system",
        coefficient="pearson",
        sides=sides,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        generalizes_to="systems",
    )
    return Findings(rows, how, "Power on data like these", drawn_as="power")


def mcnemar_power(
    accuracy: float, other: float, agreement: float, n: int | Iterable[int], *, alpha: float = 0.05
) -> Findings:
    """Compute the power of the exact two-sided McNemar test for two accuracies on the same items.

    Parameters
    ----------
    accuracy : float
        First accuracy.
    other : float
        Second accuracy.
    agreement : float
        Share of items on which both are right or both are wrong, at most `1 - |accuracy - other|`.
    n : int or iterable of int
        Numbers of items.
    alpha : float, default 0.05
        Significance level.

    Returns
    -------
    Findings
        One row per n.

    Raises
    ------
    ParameterError
        If a share is not from 0 to 1, or the agreement is impossible.

    Examples
    --------
    >>> mcnemar_power(accuracy=0.9, other=0.8, agreement=0.8, n=100).column("power")
    [0.544...]
    """
    from scipy.stats import binom

    check_confidence(alpha, "alpha")
    for name, value in (("accuracy", accuracy), ("other", other), ("agreement", agreement)):
        _share(value, name)
    better, worse = (1 - agreement + accuracy - other) / 2, (1 - agreement - accuracy + other) / 2
    both = min(accuracy, other) - min(better, worse)
    if min(better, worse) < -1e-12 or both < -1e-12 or both > agreement + 1e-12:
        raise ParameterError(
            f"agreement for accuracies of {accuracy:g} and {other:g} must be from {abs(accuracy + other - 1):g} to"
            f" {1 - abs(accuracy - other):g}, got {agreement:g}."
        )
    better, worse = max(better, 0.0), max(worse, 0.0)
    rows = []
    for size in _sizes(n, 1):
        differing = np.arange(size + 1)
        cut = binom.ppf(alpha / 2, differing, 0.5)
        cut = np.where(binom.cdf(cut, differing, 0.5) > alpha / 2 + 1e-15, cut - 1, cut)
        chance = better / (better + worse) if better + worse > 0 else 0.5
        rejected = np.where(
            cut >= 0,
            binom.cdf(cut, differing, chance) + binom.sf(differing - cut - 1, differing, chance),
            0.0,
        )
        found = float((binom.pmf(differing, size, min(1.0, better + worse)) * rejected).sum())
        rows.append({"n": size, "accuracy": accuracy, "other": other, "agreement": agreement, "power": found})
    return Findings(
        rows,
        made(test="mcnemar", sides=2, alpha=alpha, generalizes_to="inputs"),
        "Power of McNemar's test",
        drawn_as="power",
    )


def _williams_share(
    r1: float, r2: float, r12: float, n: int, alpha: float, sides: int, resamples: int, seed: int
) -> float:
    """Return the share of samples of n in which the test rejects; the same seed serves all sizes and
    correlations, so that shares are comparable.
    """
    sample = _sample_correlations(np.array([[1, r1, r2], [r1, 1, r12], [r2, r12, 1]]), n, resamples, seed)
    tested = williams(sample[:, 0, 1], sample[:, 0, 2], sample[:, 1, 2], n)
    return float(((tested.p if sides == 2 else tested.p_greater) <= alpha).mean())


def _sample_correlations(population: Array, n: int, resamples: int, seed: int) -> Array:
    try:
        root = np.linalg.cholesky(population)
    except np.linalg.LinAlgError as error:
        r1, r2, r12 = population[0, 1], population[0, 2], population[1, 2]
        raise ParameterError(
            f"no three variables have the correlations r1={r1:g}, r2={r2:g}, r12={r12:g}; change one of them."
        ) from error
    rng = np.random.default_rng(seed)
    lower = np.zeros((resamples, 3, 3))
    lower[:, [1, 2, 2], [0, 0, 1]] = rng.standard_normal((resamples, 3))
    for i in range(3):
        lower[:, i, i] = np.sqrt(rng.chisquare(n - 1 - i, resamples))
    factors = root @ lower
    factors /= np.linalg.norm(factors, axis=2, keepdims=True)
    found: Array = factors @ np.swapaxes(factors, 1, 2)
    return found


def _injected(first: Array, second: Array, human: Array, cells: Array, known: Array, effect: float) -> Array:
    """Return the second metric's cells with a share of the human means added, so that it correlates by `effect`
    less than the first.
    """
    r1, r2 = float(pearson(first, human)), float(pearson(second, human))
    wanted = r1 - effect
    if math.isnan(r1) or math.isnan(r2) or abs(r2) >= 1:
        raise InputError(
            "power on data needs two metrics whose system scores vary and differ from the human scores; choose"
            " other metrics."
        )
    if not abs(wanted) < 1:
        raise ParameterError(
            f"effect must leave the second metric a correlation between -1 and 1; the first has {r1:.3f},"
            f" effect is {effect:g}."
        )
    added = wanted * math.sqrt((1 - r2**2) / (1 - wanted**2)) - r2
    scaled: Array = cells / second.std() + known * (added * (human - human.mean()) / human.std())[:, None]
    return scaled


def _bisected(low: float, high: float, reached: Callable[[float], bool]) -> float:
    """Return the highest value that is reached, to 1e-4, if low is reached and high is not."""
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low


def _sizes(n: int | Iterable[int], least: int) -> list[int]:
    sizes = [n] if isinstance(n, int | np.integer) else list(n)
    for size in sizes:
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < least:
            raise ParameterError(f"a size must be a whole number from {least}, got {size!r}.")
    return [int(size) for size in sizes]


def _share(value: float, name: str) -> None:
    if not 0 <= value <= 1:
        raise ParameterError(f"{name} must be from 0 to 1, got {value!r}.")


def _check(alpha: float, sides: int, resamples: int, seed: int) -> None:
    check_confidence(alpha, "alpha")
    if sides not in (1, 2):
        raise ParameterError(f"sides must be 1 or 2, got {sides!r}.")
    check_resampling(resamples, seed)
