"""The model index of Hugging Face: scores as the YAML metadata of a model card."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nlgauge.errors import ParameterError
from nlgauge.results.labels import output_name

if TYPE_CHECKING:
    from nlgauge.results.result import Result

_KEYS = {"task": ("type", "name"), "dataset": ("type", "name", "config", "split", "revision", "args")}
# Keys that need no quotes.
_PLAIN = {
    *("model-index", "name", "results", "task", "dataset", "metrics", "type", "value", "args", "signature"),
    *("confidence", "low", "high", "config", "split", "revision"),
}
# Characters that JSON may contain and YAML may not.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def model_index(
    result: Result,
    task: str | Mapping[str, Any],
    dataset: str | Mapping[str, Any],
    system: str,
    name: str,
    intervals: Mapping[str, Any],
    confidence: float,
) -> str:
    """Return the YAML of the first outputs of all metrics of a system."""
    several = len(result.systems) > 1
    metrics = []
    for label in result.labels:
        table = result._tables[system, label]
        bounds = (intervals[system] if several else intervals)[label]
        for output in table.leading():
            interval = bounds[output.name]
            arguments: dict[str, Any] = {"signature": result.signatures[label]}
            if not math.isnan(interval.low):
                arguments |= {"confidence": confidence, "low": interval.low, "high": interval.high}
            metrics.append(
                {
                    "type": table.metric.name,
                    "name": output_name(label, output.name, table.metric.name),
                    "value": float(table.scores()[output.name]),
                    "args": arguments,
                }
            )
    entry = {"task": described("task", task), "dataset": described("dataset", dataset), "metrics": metrics}
    return yaml_of({"model-index": [{"name": name, "results": [entry]}]})


def described(kind: str, value: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a task or a dataset as a mapping with a type and, for a dataset, a name."""
    if isinstance(value, str) and value:
        return {"type": value, "name": value}
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        raise ParameterError(f"{kind} must be a name, or a mapping with 'type', got {value!r:.60}.")
    unknown = [key for key in value if key not in _KEYS[kind]]
    if unknown:
        raise ParameterError(
            f"{kind} has the unknown key {unknown[0]!r}; its keys are {', '.join(_KEYS[kind])}."
        )
    return {"type": value["type"], "name": value["type"], **value}


def yaml_of(value: Any, indent: str = "") -> str:
    r"""Return lists and mappings as YAML; texts are in double quotes.

    >>> print(yaml_of({"task": [{"low": 1, "name": "no: \n"}], "no": {}}), end="")
    task:
    - low: 1
      name: "no: \n"
    "no": {}
    """
    if isinstance(value, list):
        items = [yaml_of(item, f"{indent}  ").lstrip(" ") for item in value]
        return "".join(f"{indent}- {item}" for item in items)
    if not isinstance(value, Mapping):
        return f"{_scalar(value)}\n"
    lines = []
    for key, item in value.items():
        if isinstance(item, Mapping | list) and item:
            inner = indent if isinstance(item, list) else f"{indent}  "
            lines.append(f"{indent}{_key(key)}:\n{yaml_of(item, inner)}")
        else:
            lines.append(f"{indent}{_key(key)}: {_scalar(item)}\n")
    return "".join(lines)


def _key(key: Any) -> str:
    return str(key) if key in _PLAIN else _scalar(str(key))


def _scalar(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: ".inf", -math.inf: "-.inf"}.get(value, ".nan")
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
