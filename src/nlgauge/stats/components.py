"""Variance components of scores: items, answers to an item, and judge runs on an answer.

    y = mean + item + answer(item) + run(answer)

Balanced data (equally many answers per item and runs per answer) have the estimators of the analysis of
variance. Other data have restricted maximum likelihood (REML): the likelihood depends on the two ratios of the
components to the run component, and has closed forms for sums over runs and answers. A component that is not
replicated cannot be separated and is part of the component above it: without repeated runs, `answer` includes
the run component; without repeated answers, `item` includes both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError

_PRECISE = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
# A smaller ratio of a component to the residual is 0.
_ZERO = 1e-9


class Components(NamedTuple):
    """Variances of items, answers and judge runs; NaN if a component is not replicated.

    `mean` is the estimate of the mean, with its standard error. `answers` and `runs` are the mean numbers of
    answers per item and of runs per answer. `remarks` names components whose estimate was negative.
    """

    item: float
    answer: float
    run: float
    mean: float
    standard_error: float
    items: int
    answers: float
    runs: float
    method: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Nested:
    """All scores with the answer of each score and the item of each answer, numbered from 0."""

    scores: Array
    answer: Array
    item: Array

    @classmethod
    def of(cls, values: Sequence[Any]) -> _Nested:
        """Return the scores of items, which are numbers, lists of answers, or lists of lists of runs."""
        scores: list[float] = []
        answers: list[int] = []
        owners: list[int] = []
        items = 0
        for item in values:
            filled = [runs for runs in map(_numbers, listed(item)) if runs]
            for runs in filled:
                scores += runs
                answers += [len(owners)] * len(runs)
                owners.append(items)
            items += bool(filled)
        return cls(np.array(scores), np.array(answers, dtype=np.int64), np.array(owners, dtype=np.int64))

    @property
    def runs_per_answer(self) -> Array:
        return np.bincount(self.answer)

    @property
    def answers_per_item(self) -> Array:
        return np.bincount(self.item)

    @property
    def is_balanced(self) -> bool:
        return bool(np.ptp(self.runs_per_answer) == 0 and np.ptp(self.answers_per_item) == 0)


def components(values: Sequence[Any]) -> Components:
    """Return the variance components of scores.

    Parameters
    ----------
    values : sequence
        One entry per item: a number, a list of numbers (one per answer), or a list of lists of numbers (the
        judge runs of each answer). NaN and None are missing.

    Returns
    -------
    Components
        The components.

    Raises
    ------
    InputError
        If fewer than two items have scores.
    """
    nested = _Nested.of(values)
    if nested.item.max(initial=-1) < 1:
        raise InputError("variance components need scores of two or more items.")
    return _anova(nested) if nested.is_balanced else _reml(nested)


def _anova(nested: _Nested) -> Components:
    """Return the estimators of the analysis of variance, of balanced data."""
    answers, runs = int(nested.answers_per_item[0]), int(nested.runs_per_answer[0])
    scores = nested.scores.reshape(-1, answers, runs)
    items = len(scores)
    by_answer, by_item = scores.mean(axis=2), scores.mean(axis=(1, 2))
    squares_item = answers * runs * float(by_item.var(ddof=1))
    within = [
        runs * float(((by_answer - by_item[:, None]) ** 2).sum()) / (items * (answers - 1))
        if answers > 1
        else math.nan,
        float(((scores - by_answer[:, :, None]) ** 2).sum()) / (items * answers * (runs - 1))
        if runs > 1
        else math.nan,
    ]
    # The mean square of the next level that is replicated; its part of a level above is subtracted.
    below_answer = 0.0 if runs == 1 else within[1]
    below_item = within[0] if answers > 1 else below_answer
    estimates = {
        "item": (squares_item - below_item) / (answers * runs),
        "answer": (within[0] - below_answer) / runs,
        "run": within[1],
    }
    remarks = tuple(
        f"the estimate of the {name} component was negative ({value:.3g}) and is set to 0"
        for name, value in estimates.items()
        if value < 0
    )
    item, answer, run = (value if math.isnan(value) else max(0.0, value) for value in estimates.values())
    error = math.sqrt(squares_item / nested.scores.size)
    mean = float(nested.scores.mean())
    return Components(item, answer, run, mean, error, items, answers, runs, "anova", remarks)


def _reml(nested: _Nested) -> Components:
    """Return the estimates of restricted maximum likelihood."""
    from scipy.optimize import minimize

    repeated_runs = bool((nested.runs_per_answer > 1).any())
    repeated_answers = bool((nested.answers_per_item > 1).any())
    # With one component fewer, answers (or runs, if only they are repeated) are the residual.
    free = [repeated_answers and repeated_runs, repeated_answers or repeated_runs]

    def ratios(roots: Array) -> tuple[float, float]:
        squares = iter((roots**2).tolist())
        answer, item = (next(squares) if is_free else 0.0 for is_free in free)
        return answer, item

    starts = [np.full(sum(free), start) for start in (0.5, 1.5)]
    fits = [
        minimize(
            lambda roots: _profile(nested, *ratios(roots)).deviance,
            start,
            method="Nelder-Mead",
            options=_PRECISE,
        )
        for start in starts
    ]
    best = min(fits, key=lambda fit: float(fit.fun))
    answer, item = ratios(best.x)
    profile = _profile(nested, answer, item)
    run = profile.residual
    remarks = tuple(
        f"the estimate of the {name} component is 0"
        for name, ratio, is_free in (("answer", answer, free[0]), ("item", item, free[1]))
        if is_free and ratio < _ZERO
    )
    between, within = item * run, answer * run
    if not repeated_runs:
        within, run = run, math.nan
    elif not repeated_answers:
        within = math.nan
    answers, runs = float(nested.answers_per_item.mean()), float(nested.runs_per_answer.mean())
    items, error = len(nested.answers_per_item), profile.standard_error
    return Components(between, within, run, profile.mean, error, items, answers, runs, "reml", remarks)


class _Profile(NamedTuple):
    """The restricted likelihood at two ratios, with its mean and residual variance."""

    deviance: float
    residual: float
    mean: float
    standard_error: float


def _profile(nested: _Nested, answer: float, item: float) -> _Profile:
    """Return the restricted likelihood if the answer and item components are these multiples of the residual."""
    runs = nested.runs_per_answer
    means = np.bincount(nested.answer, nested.scores) / runs
    within = float(((nested.scores - means[nested.answer]) ** 2).sum())
    # The precision of an answer's mean, of an item's mean given its answers, and of an item's mean.
    by_answer = runs / (1 + runs * answer)
    given_answers = np.bincount(nested.item, by_answer)
    item_means = np.bincount(nested.item, by_answer * means) / given_answers
    by_item = given_answers / (1 + item * given_answers)
    total = float(by_item.sum())
    mean = float(by_item @ item_means) / total
    squares = (
        within
        + float(by_answer @ (means - item_means[nested.item]) ** 2)
        + float(by_item @ (item_means - mean) ** 2)
    )
    freedom = len(nested.scores) - 1
    residual = squares / freedom
    logs = float(np.log1p(runs * answer).sum() + np.log1p(item * given_answers).sum())
    deviance = freedom * math.log(max(residual, 1e-300)) + logs + math.log(total)
    return _Profile(deviance, residual, mean, math.sqrt(residual / total))


def listed(item: Any) -> list[Any]:
    """Return the answers of an item, or the runs of an answer; a number has itself only."""
    return list(item) if isinstance(item, Sequence | np.ndarray) and not isinstance(item, str) else [item]


def _numbers(answer: Any) -> list[float]:
    """Return the numbers of an answer's runs, without missing ones."""
    try:
        numbers = [float(run) for run in listed(answer) if run is not None]
    except (TypeError, ValueError):
        raise InputError(f"a score is {answer!r:.60}, but must be a number or a list of numbers.") from None
    if any(map(math.isinf, numbers)):
        raise InputError("a score is infinite; scores must be finite numbers.")
    return [number for number in numbers if not math.isnan(number)]
