"""The data with which a page computes scores of some segments again: means of segment scores, or sums of statistics
and the program that makes scores of them.

A program is the metric's own `score`, executed once on symbols (`nlgauge.metric.compiled.plain_scores`): plain data,
which `show/web/programs.js` runs on the sums of the selected segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge._core.safe_text import visible
from nlgauge.metric import Metric
from nlgauge.metric.compiled import plain_scores
from nlgauge.show.page_data.parts import array_part

if TYPE_CHECKING:
    from nlgauge.results.result import Result

WHOLE = "not computed from statistics of segments"


@dataclass
class Sums:
    """The parts of a page with sums, and their description: `labels` for meta["sums"], `sources` by label and output:
    "mean", "sums", or the reason why an output is not computed again.
    """

    parts: dict[str, bytes] = field(default_factory=dict)
    labels: list[dict[str, Any]] = field(default_factory=list)
    sources: dict[tuple[str, str], str] = field(default_factory=dict)

    def within(self, room: float) -> list[str]:
        """Leave out the largest parts until all take at most `room` bytes; return their labels."""
        left = []
        while self.labels and sum(len(self.parts[one["part"]]) for one in self.labels) * 4 / 3 > room:
            largest = max(self.labels, key=lambda one: len(self.parts[one["part"]]))
            self.labels.remove(largest)
            del self.parts[largest["part"]]
            left.append(largest["label"])
            for label, output in self.sources:
                if visible(label) == largest["label"] and self.sources[label, output] == "sums":
                    self.sources[label, output] = "its sums were left out, to limit the file to max_size"
        return left

    def describe(self, outputs: Sequence[dict[str, Any]]) -> None:
        """Add to each output of a page the source of its computation, or the reason if it is not computed."""
        known = {
            (visible(label), visible(output)): source for (label, output), source in self.sources.items()
        }
        for output in outputs:
            source = known.get((output["label"], output["inner"]), WHOLE)
            output["from"] = source if source in ("mean", "sums") else "whole"
            output["whole"] = "" if source in ("mean", "sums") else source


def sums_of(result: Result) -> Sums:
    """Return the sums and programs with which a page recomputes the leading outputs of every metric."""
    found = Sums()
    for label in result.labels:
        tables = [result._tables[system, label] for system in result.systems]
        metric = tables[0].metric
        leading = [output.name for output in tables[0].leading()]
        if not isinstance(metric, Metric):
            found.sources |= {(label, name): WHOLE for name in leading}
            continue
        means = {output.name: metric.is_mean(output) for output in tables[0].leading()}
        if not all(means.values()):
            _add(found, label, metric, [table.statistics for table in tables])
        for name in leading:
            if means[name]:
                found.sources[label, name] = "mean"
    return found


def _add(found: Sums, label: str, metric: Metric, statistics: Sequence[Mapping[str, Array]]) -> None:
    """Add the statistics and the program of a metric, or the reason why there is none."""
    parts = {part: rows.shape[1] for part, rows in statistics[0].items()}
    names = [outputs[0].name for outputs in metric.outputs().values()]
    program = plain_scores(metric, parts)
    if program is None:
        found.sources |= {(label, name): "its score is not plain arithmetic" for name in names}
        return
    values = np.stack([np.hstack([rows[part] for part in parts]) for rows in statistics])
    is_whole = bool((values >= 0).all() and (values < 2**32).all() and (values == np.rint(values)).all())
    part = f"sums{len(found.labels)}"
    found.parts[part] = array_part(values.astype(np.uint32 if is_whole else np.float32))
    found.labels.append(
        {
            "label": visible(label),
            "part": part,
            "width": values.shape[2],
            "whole": is_whole,
            "outputs": [visible(output) for output in program["outputs"]],
            "program": {"steps": program["steps"], "outputs": list(program["outputs"].values())},
        }
    )
    found.sources |= {(label, name): "sums" for name in names}
