"""Parts of benchmarks and results: some systems, and the rows that meet expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.errors import InputError, UnknownNameError, no_such
from nlgauge.results.groups import taken
from nlgauge.results.joined import of_metrics, of_systems

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks.benchmark import Benchmark
    from nlgauge.results.result import Result
    from nlgauge.spans.span import Annotation


@dataclass(frozen=True)
class Part:
    """Some systems (none means all), without others, and expressions that rows must all meet."""

    systems: Sequence[str] = ()
    without: Sequence[str] = ()
    where: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.systems or self.without or self.where)

    def of(self, benchmark: Benchmark) -> Benchmark:
        """Return this part of a benchmark."""
        for expression in self.where:
            benchmark = benchmark.where(expression)
        if not self.systems and not self.without:
            return benchmark
        return benchmark.where(systems=self.systems or None, without=self.without)

    def of_result(self, result: Result) -> Result:
        """Return this part of a result."""
        for expression in self.where:
            result = result.where(expression)
        if not self.systems and not self.without:
            return result
        # Unknown names are an error, also names to leave out.
        of_systems(result, *self.without)
        names = [system for system in self.systems or result.systems if system not in self.without]
        if not names:
            raise InputError("no system is left; leave out fewer systems.")
        return of_systems(result, *names)

    def of_annotations(self, annotations: Sequence[Annotation]) -> list[Annotation]:
        """Return the annotations of this part."""
        from nlgauge.corpus.conditions import meeting, of_records
        from nlgauge.corpus.records import Records

        found = list(annotations)
        for name in (*self.systems, *self.without):
            known = dict.fromkeys(each.system for each in found)
            if name not in known:
                raise UnknownNameError(no_such("system", name, known))
        found = [
            each
            for each in found
            if (not self.systems or each.system in self.systems) and each.system not in self.without
        ]
        columns: dict[str, list[Any]] = {
            "id": [each.segment for each in found],
            "system": [each.system for each in found],
            "annotator": [each.annotator for each in found],
            "score": [each.score for each in found],
            "marks": [len(each.spans) for each in found],
            "source": [each.source for each in found],
            "references": [list(each.references) for each in found],
            "prediction": [each.target for each in found],
        }
        rows = meeting(self.where, of_records(Records(columns, len(found))), "annotation")
        return [found[row] for row in rows]


def results_of_part(
    results: Mapping[str, Result], whole: Benchmark, part: Benchmark, say: Callable[[str], None] | None = None
) -> dict[str, Result]:
    """Return the results of a part of a benchmark from the results of the whole benchmark.

    Scores of a metric that fits nothing on the corpus are reused. Other metrics, and all metrics if the part is
    not systems times segments, are scored again; `say` receives a message about them.
    """
    from nlgauge.engine.prepare import as_spec

    found = {}
    for group in part.groups:
        texts = part.where(group=group) if len(part.groups) > 1 else part
        result = _rows_of(results[group], whole.where(group=group), texts)
        labels = list(results[group].labels)
        reused = [] if result is None else [label for label in labels if result._metrics[label].fit() is None]
        again = [label for label in labels if label not in reused]
        if again and say is not None:
            say(f"scoring {', '.join(again)} again, because these scores depend on the other texts")
        specs = [as_spec(label, results[group]._metrics[label]) for label in again]
        seed = results[group]._job.options.seed
        if result is None or not reused:
            (found[group],) = texts.score(*specs, seed=seed).values()
        else:
            scored = of_metrics(result, *reused)
            found[group] = of_metrics(scored.add(*specs), *labels) if specs else scored
    return found


def _rows_of(result: Result, whole: Benchmark, part: Benchmark) -> Result | None:
    """Return the rows of a result that belong to a part; None if they are not systems times segments."""
    if not whole.is_grid():
        rows = {f"{row.segment}/{row.system}" for row in part.rows}
        return taken(result, np.flatnonzero([str(name) in rows for name in result.corpus.ids]))
    if not part.is_grid():
        return None
    segments = set(part.segments)
    kept = np.flatnonzero([str(name) in segments for name in result.corpus.ids])
    return of_systems(taken(result, kept), *part.systems)
