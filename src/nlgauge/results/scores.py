"""The scores of a result as records: one per system, metric and output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result


_TESTED = ("gain", "gain_low", "gain_high", "p", "p_holm")


def score_records(
    result: Result, intervals: Mapping[str, Any] | None = None, comparison: Comparison | None = None
) -> list[dict[str, Any]]:
    """Return records with system, metric, output and score, with the bounds of the interval and the test
    against the baseline if they are passed.

    `reason` is why the score or its interval is NaN; `undefined` is the number of segments without a value,
    which are left out.
    """
    reasons, undefined = result.reasons(), result.undefined()
    tests = {(row.second, row.label, row.output.name): row for row in comparison or ()}
    found = []
    for (system, label), table in result._tables.items():
        scores = table.scores()
        for output in table.outputs():
            key = system, label, output.name
            record = {
                "system": system,
                "metric": label,
                "output": output.name,
                "score": scores.get(output.name, math.nan),
            }
            reason = reasons.get(key, "")
            if intervals is not None:
                interval = (intervals[system] if len(result.systems) > 1 else intervals)[label][output.name]
                record |= {"low": interval.low, "high": interval.high}
                reason = reason or interval.reason
            if comparison is not None:
                row = tests.get(key)
                record |= {
                    **{name: getattr(row, name) if row else math.nan for name in _TESTED},
                    "baseline": row.first if row else None,
                }
            found.append(
                {
                    **record,
                    "higher_is_better": output.higher_is_better,
                    "undefined": undefined.get(key, 0),
                    "reason": reason,
                }
            )
    return found
