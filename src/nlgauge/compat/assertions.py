"""assert_not_worse: for a test-suite, fails when a new system is worse than a baseline beyond chance."""

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
    """Raises AssertionError where the predictions score worse than those of the baseline by more than
    `margin`, with a p-value below `alpha`.

    The error shows both scores, the gain over the baseline with its interval, and p. What is worse but may be chance
    passes: to pass does not show that two systems are equal, least of all on few segments. output: another
    than the metric's first, such as "rouge2". test, resamples: as in `Result.compare`; `nlgauge.score`
    describes the other options.

    >>> references = [f"the cat sat on mat number {number}" for number in range(20)]
    >>> assert_not_worse(references, references, baseline=["a cat"] * 20)
    >>> assert_not_worse(["no"] * 20, references, baseline=references, metric="wer")
    Traceback (most recent call last):
    AssertionError: wer is worse than that of the baseline, beyond chance: 1.0000 against 0.0000, ...
    """
    if not (isinstance(alpha, float) and 0 < alpha < 1):
        raise ParameterError(f"alpha must be between 0 and 1, got {alpha!r:.60}.")
    if not isinstance(margin, int | float) or not 0 <= margin < math.inf:
        raise ParameterError(f"margin must be a number from 0, in the metric's own unit, got {margin!r:.60}.")
    result = Scorer([metric])({"new": predictions, "baseline": baseline}, references, sources, **options)
    comparison = result.compare("baseline", "new", test=test, resamples=resamples)
    label = next(iter(result.labels))
    row = comparison[label if output is None else (label, output)]
    if not row.units:
        raise AssertionError(f"cannot compare {row.name} with the baseline: {row.reason}.")
    if row.units < (needed := units_needed(alpha, 1)):
        segments = counted(row.units, "segment")
        raise InputError(
            f"{segments} with both scores cannot reach p < {alpha:g}, so the assertion cannot fail; pass at least"
            f" {needed} segments."
        )
    if comparison.caution:
        warnings.warn(comparison.caution, stacklevel=2)
    if not row.robust:
        warnings.warn(missing_note(row), stacklevel=2)
    if row.output.higher_is_better is None:
        raise ParameterError(f"of {row.output.name} neither direction is better, so no system is worse.")
    if math.isnan(row.gain) or math.isnan(row.p):
        raise AssertionError(f"cannot compare {row.name} with the baseline: {row.reason}.")
    if row.gain < 0 and -row.gain > margin and row.p < alpha:
        raise AssertionError(_message(row, comparison.confidence, margin))


def _message(row: Compared, confidence: float, margin: float) -> str:
    beyond = "beyond chance" + (f" and by more than {margin:g}" if margin else "")
    numbers = f"{row.second_score:.4f} against {row.first_score:.4f}, gain {row.gain:+.4f}"
    interval = f"[{row.gain_low:+.4f}, {row.gain_high:+.4f}] ({confidence * 100:g}%)"
    return (
        f"{row.name} is worse than that of the baseline, {beyond}: {numbers} {interval}, p = {row.p:.4f}"
        f" ({row.test}, {row.resamples} resamples)."
    )
