"""Commands that continue a result: compare, gate, explain and add, for a reader of a page to copy."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from nlgauge.metric import Metric
from nlgauge.metric.imported import Imported
from nlgauge.results.labels import short_names

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# The directory of the result, which a page does not know, and of another result.
_RESULT, _OTHER = "RESULT", "BASELINE_RESULT"


def commands(result: Result, baseline: str | None = None) -> list[tuple[str, str]]:
    """Return pairs of a purpose and a command of the command line; systems are compared with `baseline`."""
    systems, named = result.systems, _option("--baseline", baseline or result.systems[0])
    found = [("Compare with the baseline", f"nlgauge compare {_RESULT} {named}")] if len(systems) > 1 else []
    condition = _condition(result)
    if condition:
        other = named if len(systems) > 1 else f"--baseline {_OTHER}"
        found.append(
            (
                "Exit with code 3 if a system is significantly worse",
                f"nlgauge check {_RESULT} {other} {_option('--fail-if', condition)}",
            )
        )
    computed = _computed(result)
    if computed and result.has_texts:
        segment = _option("--segment", str(result.corpus.ids[0]))
        found.append(
            ("Explain a segment", f"nlgauge explain {_RESULT} {segment} {_option('--metric', computed)}")
        )
    answered = any(len(texts.values) for texts in result.corpus.predictions.values())
    if result.has_texts and answered and result.corpus.references is not None:
        found.append(("Add a metric", f"nlgauge add {_RESULT} -m chrf"))
    return [*found, ("Open the explorer", f"nlgauge serve {_RESULT}")]


def _condition(result: Result) -> str:
    """Return a condition of `nlgauge check` on the first metric that has a direction; "" if none has."""
    names = short_names(result.labels)
    for label in result.labels:
        table = result._tables[result.systems[0], label]
        output = next(iter(table.outputs()), None)
        if output is not None and output.higher_is_better is not None:
            return f"{names[label]} {'drops' if output.higher_is_better else 'rises'}"
    return ""


def _computed(result: Result) -> str:
    """Return the first metric that was not imported; "" if all were."""
    names = short_names(result.labels)
    metrics = result._job.metrics
    return next(
        (
            names[label]
            for label in result.labels
            if isinstance(metrics[label], Metric) and not isinstance(metrics[label], Imported)
        ),
        "",
    )


def _option(name: str, value: str) -> str:
    """Return an option with its value, quoted for a shell; a value that begins with "-" follows an equals sign."""
    return f"{name}={quote(value)}" if value.startswith("-") else f"{name} {quote(value)}"
