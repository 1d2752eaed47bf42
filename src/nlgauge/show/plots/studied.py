"""The plots of `nlgauge.show.plots.meta`, drawn in the place of an axes: what a metric agrees with people
on, what it costs, and what it misses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.meta.comparison import MetricComparison
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots import meta as plots
from nlgauge.show.plots.place import on_figure


def scatter(
    judgments: Judgments, metric: str, human: str | None = None, *, ax: Any = None, **options: Any
) -> Any:
    """A metric against people, one point per system or output, with the coefficient and its interval
    (thesis 3.7).
    """
    return on_figure(
        plots.scatter,
        ax,
        judgments,
        metric,
        human,
        said=f"{metric} against {judgments.dimension(human)}.",
        **options,
    )


def winmatrix(compared: MetricComparison, held_out: Findings | None = None, *, ax: Any = None) -> Any:
    """The adjusted p of all pairs of metrics, the best first, with clusters."""
    best = ", ".join(str(name) for name in compared.matrix("p_adjusted").column("metric"))
    return on_figure(
        plots.winmatrix,
        ax,
        compared,
        held_out,
        said=f"Adjusted p of pairs of metrics, from the best: {best}.",
    )


def pareto(
    found: Findings,
    seconds: Mapping[str, float] | None = None,
    co2: Mapping[str, float] | None = None,
    *,
    ax: Any = None,
) -> Any:
    """Agreement against time, or against grams of CO2-equivalents where they are given, and the frontier
    (thesis 4.1).
    """
    return on_figure(plots.pareto, ax, found, seconds, co2, said=f"Agreement and cost of {_listed(found)}.")


def calibration(
    judgments: Judgments, metric: str, human: str | None = None, *, ax: Any = None, **options: Any
) -> Any:
    """How often people agree with a difference of a metric."""
    return on_figure(
        plots.calibration,
        ax,
        judgments,
        metric,
        human,
        said=f"How often people agree with a difference in {metric}.",
        **options,
    )


def landscape(judgments: Judgments, metric: str, *given: Any, ax: Any = None, **options: Any) -> Any:
    """Scores from the worst to the best system, with lines for empty texts and the like."""
    return on_figure(
        plots.landscape,
        ax,
        judgments,
        metric,
        *given,
        said=f"Scores of {metric} from the worst to the best system.",
        **options,
    )


def topk(found: Findings, *, ax: Any = None) -> Any:
    """Agreement among the best k systems alone."""
    return on_figure(plots.topk, ax, found, said=f"Agreement among the best k systems of {_listed(found)}.")


def stress(found: Findings, *, ax: Any = None) -> Any:
    """Which faults each metric notices."""
    return on_figure(plots.stress, ax, found, said=f"Shares of faults that are noticed by {_listed(found)}.")


def power(found: Findings, *, ax: Any = None, **options: Any) -> Any:
    """How many systems or items it takes to find a difference."""
    return on_figure(plots.power, ax, found, said="Power by number of systems or items.", **options)


def sweep(found: Findings, parameter: str, *, ax: Any = None, **options: Any) -> Any:
    """A value against a parameter, one line with its band for each metric, or for each of the column `by`.

    Rows need the columns `parameter`, `by` and value; low and high make the band. InfoLM 4 and 5 sweep
    temperature and measure, Shannon 3 and 4 the size of the model and the number of sentences before, COSMIC
    11 and 12 the length of summaries.
    """
    values = [row["value"] for row in found.rows if "value" in row]
    said = f"{len(values)} values by {parameter}" + (
        f", from {min(values):.3g} to {max(values):.3g}" if values else ""
    )
    return on_figure(plots.sweep, ax, found, parameter, said=f"{said}.", **options)


def _listed(found: Findings) -> str:
    return ", ".join(dict.fromkeys(str(row.get("metric", "")) for row in found.rows))
