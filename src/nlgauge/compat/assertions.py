"""Assertion for test suites that fails if a new system is significantly worse than a baseline."""

from __future__ import annotations

import math
import warnings
from typing import Any, Unpack

from nlgauge._core.numbers import counted
from nlgauge._core.options import takes_options
from nlgauge.engine.prepare import MetricSpec
from nlgauge.errors import InputError, ParameterError
from nlgauge.results.comparison import Compared
from nlgauge.results.gate import units_needed
from nlgauge.scoring import DEFAULTS, CallOptions, Scorer
from nlgauge.show.pages.missing import missing_note


@takes_options(CallOptions, DEFAULTS)
def assert_not_worse(
    predictions: Any,
    references: Any,
    baseline: Any,
    metric: MetricSpec = "chrf",
    *,
    output: str | None = None,
    margin: float = 0.0,
    alpha: float = 0.05,
    test: str = "randomization",
    resamples: int = 1000,
    sources: Any = None,
    **options: Unpack[CallOptions],
) -> None:
    """Raise AssertionError if predictions are significantly worse than the predictions of a baseline.

    The assertion fails if the score is worse by more than `margin` and the p-value is below `alpha`. The error shows
    both scores, the gain over the baseline with its interval, and p. A difference that is not significant passes, so
    passing does not show that two systems are equal, especially with few segments.

    Parameters
    ----------
    predictions, references, baseline : sequence
        Predictions of the new system, references, and predictions of the baseline, in forms that `nlgauge.score`
        accepts.
    metric : str, metric or mapping
        One metric, in any form that `nlgauge.score` accepts.
    output : str, optional
        Output of the metric to compare, such as "rouge2". Default: the first.
    margin : float, default 0
        Allowed difference, in the unit of the metric.
    alpha : float, default 0.05
        Significance level.
    test, resamples
        See `Result.compare`.
    sources : sequence of str, optional
        Source texts.
    **options
        Further options of `nlgauge.score`.

    Examples
    --------
    >>> references = [f"the cat sat on mat number {number}" for number in range(20)]
    >>> assert_not_worse(references, references, baseline=["a cat"] * 20)
    >>> assert_not_worse(["no"] * 20, references, baseline=references, metric="wer")
    Traceback (most recent call last):
    AssertionError: wer is significantly worse than the baseline: 1.0000 against 0.0000, ...
    """
    if not (isinstance(alpha, float) and 0 < alpha < 1):
        raise ParameterError(f"alpha must be between 0 and 1, got {alpha!r:.60}.")
    if not isinstance(margin, int | float) or not 0 <= margin < math.inf:
        raise ParameterError(
            f"margin must be a finite number from 0, in the unit of the metric, got {margin!r:.60}."
        )
    result = Scorer([metric])({"new": predictions, "baseline": baseline}, references, sources, **options)
    comparison = result.compare("baseline", "new", test=test, resamples=resamples)
    label = next(iter(result.labels))
    row = comparison[label if output is None else (label, output)]
    if not row.units:
        raise AssertionError(f"cannot compare {row.name} with the baseline: {row.reason}.")
    if row.units < (needed := units_needed(alpha, 1)):
        units = counted(row.units, "segment (or document)", "segments (or documents)")
        raise InputError(
            f"{units} with scores of both systems cannot reach p < {alpha:g}, so the assertion cannot fail; pass"
            f" at least {needed}."
        )
    if comparison.caution:
        warnings.warn(comparison.caution, stacklevel=2)
    if not row.robust:
        warnings.warn(missing_note(row), stacklevel=2)
    if row.output.higher_is_better is None:
        raise ParameterError(
            f"{row.output.name} has no better direction, so no system can be worse; choose another output."
        )
    if math.isnan(row.gain) or math.isnan(row.p):
        raise AssertionError(f"cannot compare {row.name} with the baseline: {row.reason}.")
    if row.gain < 0 and -row.gain > margin and row.p < alpha:
        raise AssertionError(_message(row, comparison.confidence, margin))


def _message(row: Compared, confidence: float, margin: float) -> str:
    beyond = f", and by more than the margin {margin:g}" if margin else ""
    numbers = f"{row.second_score:.4f} against {row.first_score:.4f}, gain {row.gain:+.4f}"
    interval = f"[{row.gain_low:+.4f}, {row.gain_high:+.4f}] ({confidence * 100:g}%)"
    return (
        f"{row.name} is significantly worse than the baseline{beyond}: {numbers} {interval}, p = {row.p:.2g}"
        f" ({row.test}, {counted(row.resamples, 'resample')})."
    )
