"""The gate of `nlgauge check` for Python: conditions that a result must meet, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.engine.prepare import MetricSpec
from nlgauge.errors import ParameterError
from nlgauge.results.comparison import Comparison
from nlgauge.results.gate import ANY, Change, CheckOutcome, Limit, Margin, Rule, verdicts
from nlgauge.results.joined import baseline_system, joined
from nlgauge.results.result import Result
from nlgauge.results.storage.load import load
from nlgauge.scoring import Scorer

Margins = float | str | Mapping[str, float | str]


@dataclass(frozen=True)
class Gate:
    """Verdicts on the conditions of a gate; printed, they are a table."""

    outcomes: Sequence[CheckOutcome]
    comparison: Comparison | None
    alpha: float

    @property
    def failed(self) -> list[CheckOutcome]:
        """Verdicts that failed."""
        return [verdict for verdict in self.outcomes if verdict.failed]

    @property
    def inconclusive(self) -> list[CheckOutcome]:
        """Verdicts that are inconclusive."""
        return [verdict for verdict in self.outcomes if verdict.failed is None]

    def __str__(self) -> str:
        from nlgauge.show.pages.gate import gate_page
        from nlgauge.show.writers.text import text_of

        return text_of(gate_page(self.outcomes, self.comparison, self.alpha, whole=False), width=100)


def gate(
    result: Result | str | Path,
    baseline: Result | str | Path | None = None,
    *fail_if: str,
    fail_under: Mapping[str, float] | None = None,
    fail_over: Mapping[str, float] | None = None,
    margin: Margins | None = None,
    systems: Sequence[str] = (),
    baseline_name: str | None = None,
    alpha: float = 0.05,
    max_missing: float = 0.05,
    **options: Any,
) -> Gate:
    """Return the verdicts on the conditions of a gate, as `nlgauge check` does.

    Parameters
    ----------
    result : Result, str or Path
        Result, or the directory of a saved result.
    baseline : Result, str or Path, optional
        System of the result, another result on the same segments, or its directory.
    *fail_if : str
        Failing changes against the baseline, such as "chrf drops" or "wer rises by 0.01". Default: "any worsens".
    fail_under : mapping of str to float, optional
        Lowest scores that pass.
    fail_over : mapping of str to float, optional
        Highest scores that pass.
    margin : float, str or mapping, optional
        Acceptable loss of all metrics, as a number or a share such as "1%", or by metric.
    systems : sequence of str, optional
        Systems to check. Default: all except the baseline.
    baseline_name : str, optional
        System of the other result, if it has several.
    alpha : float, default 0.05
        Significance level.
    max_missing : float, default 0.05
        Share of missing scores that a verdict may ignore.
    **options
        Options of `Result.compare`: test, confidence, resamples and seed.

    Returns
    -------
    Gate
        One verdict per condition and system.

    Examples
    --------
    >>> import nlgauge
    >>> texts = [f"page {number} of the book" for number in range(20)]
    >>> result = nlgauge.score({"old": texts, "new": texts}, texts, metrics="chrf")
    >>> [verdict.word for verdict in gate(result, "old", "chrf drops", fail_under={"chrf": 90}).outcomes]
    ['passed', 'passed']
    """
    if not 0 < _share(alpha, "alpha") < 1:
        raise ParameterError(f"alpha must be between 0 and 1, got {alpha}; 0.05 is usual.")
    rule = Rule(alpha, tuple(_margins(margin)), _share(max_missing, "max_missing"))
    limits = [
        Limit.read(f"{metric}={value}", above)
        for above, values in ((False, fail_under), (True, fail_over))
        for metric, value in (values or {}).items()
    ]
    changes = [Change.read(text) for text in fail_if or ([] if baseline is None else [f"{ANY} worsens"])]
    if not changes and not limits:
        raise ParameterError("the gate has no condition; pass a baseline, fail_under or fail_over.")
    if changes and baseline is None:
        raise ParameterError(f"{str(changes[0])!r} needs a baseline; pass a system or another result.")
    current = result if isinstance(result, Result) else load(result)
    for system in systems:
        current._check_system(system)
    checked = list(systems or current.systems)
    if baseline is not None:
        current, baseline = _with_baseline(current, baseline, baseline_name, checked)
        checked = [system for system in checked if system != baseline]
        if not checked:
            raise ParameterError(f"the baseline {baseline!r} is the only system; score another system.")
    outcomes, comparison = verdicts(current, baseline, checked, changes, limits, rule, **options)
    return Gate(outcomes, comparison, alpha)


def not_worse(
    predictions: Any,
    references: Any,
    baseline: Any,
    metric: MetricSpec = "chrf",
    *,
    output: str | None = None,
    sources: Any = None,
    margin: float | str | None = None,
    alpha: float = 0.05,
    **options: Any,
) -> Gate:
    """Return the verdict of a gate on new predictions and the predictions of a baseline.

    Parameters
    ----------
    predictions, references, baseline : sequence
        Predictions of the new system, references, and predictions of the baseline, in forms that `nlgauge.score`
        accepts.
    metric : str, metric or mapping
        One metric, in any form that `nlgauge.score` accepts.
    output : str, optional
        Output of the metric to compare, such as "rouge2". Default: the first.
    sources : sequence of str, optional
        Source texts.
    margin : float or str, optional
        Acceptable loss, as a number or a share such as "1%". With a margin, the verdict is "passed" only if the interval
        of the gain lies above it.
    alpha : float, default 0.05
        Significance level.
    **options
        Further options of `nlgauge.score`.

    Returns
    -------
    Gate
        One verdict.

    Examples
    --------
    >>> texts = [f"page {number} of the book" for number in range(20)]
    >>> [verdict.word for verdict in not_worse(["a page"] * 20, texts, texts).outcomes]
    ['failed']
    """
    result = Scorer([metric])({"new": predictions, "baseline": baseline}, references, sources, **options)
    name = result.labels[0] if output is None else f"{result.labels[0]}.{output}"
    return gate(result, "baseline", f"{name} worsens", margin=margin, alpha=alpha)


def _with_baseline(
    result: Result, baseline: Result | str | Path, name: str | None, checked: Sequence[str]
) -> tuple[Result, str]:
    """Return the result with the baseline among its systems, and the name of the baseline."""
    if isinstance(baseline, str) and baseline in result.systems:
        return result, baseline
    if isinstance(baseline, str) and not Path(baseline).is_dir():
        result._check_system(baseline)
    other = baseline if isinstance(baseline, Result) else load(baseline)
    chosen = name or baseline_system(other, checked)
    if chosen is None:
        raise ParameterError(
            f"the baseline has several systems; pass baseline_name, one of {', '.join(other.systems)}."
        )
    other._check_system(chosen)
    label = f"{chosen} ({'baseline' if isinstance(baseline, Result) else baseline})"
    return joined(result, other, chosen, label), label


def _margins(margin: Margins | None) -> list[Margin]:
    """Return the margins; a mapping has one by metric."""
    if margin is None:
        return []
    if isinstance(margin, Mapping):
        return [Margin.read(f"{metric}={value}") for metric, value in margin.items()]
    return [Margin.read(str(margin))]


def _share(value: float, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(f"{name} must be a number from 0 to 1, got {value!r:.60}.")
    return value
