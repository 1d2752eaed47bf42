"""Result: what a run found. Every view (table, frame, interval, test, explanation, report) reads it and nothing else."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.errors import NlgaugeError, ParameterError, ResultError, UnknownNameError, did_you_mean
from nlgauge.explain import Explanation
from nlgauge.metric import AnyMetric, Metric
from nlgauge.metric.registry import find, parse
from nlgauge.results import inference
from nlgauge.results.comparison import Comparison
from nlgauge.results.frames import as_frame
from nlgauge.results.inference import Inference
from nlgauge.results.resampling import Clusters, Resampling, caution, checked_plan
from nlgauge.results.table import Table

if TYPE_CHECKING:
    from nlgauge.run.chunk import Job
    from nlgauge.run.costs import Costs
    from nlgauge.run.executors import Executor


@dataclass(frozen=True, eq=False)
class Result(Mapping[str, Any]):
    """A mapping label -> outputs, or system -> label -> outputs where there are several systems.

    >>> import nlgauge
    >>> result = nlgauge.score(["the cat sat"], ["the cat sat"], metrics=["bleu(max_order=2)", "wer"])
    >>> result["wer"]["score"], result["bleu"]["score"]
    (0.0, 100.00000000000004)
    """

    corpus: Corpus
    tables: Mapping[tuple[str, str], Table]
    signatures: Mapping[str, str]
    costs: Costs
    job: Job
    environment: Mapping[str, str] = field(default_factory=dict)
    has_texts: bool = True
    # What was drawn last, so that intervals and a comparison after them draw once.
    _last: list[Inference] = field(default_factory=list, repr=False)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(dict.fromkeys(system for system, _ in self.tables))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The metrics' labels."""
        return tuple(dict.fromkeys(label for _, label in self.tables))

    @property
    def config(self) -> dict[str, Any]:
        """The options of the run, as plain data."""
        from nlgauge.run.chunk import describe

        return describe(self.job)

    def __getitem__(self, key: str) -> Any:
        several = len(self.systems) > 1
        if key in self.systems and (several or key not in self.labels):
            return _ByLabel(self, {label: self.tables[key, label].scores() for label in self.labels})
        if several:
            if key in self.labels or self._found(key):
                raise UnknownNameError(f"there are several systems ({', '.join(self.systems)}): use result[system][{key!r}].")
            self._check_system(key)
        return self.tables[self.systems[0], self.label(key)].scores()

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems if len(self.systems) > 1 else self.labels)

    def __len__(self) -> int:
        return len(self.systems if len(self.systems) > 1 else self.labels)

    def label(self, name: str) -> str:
        """The label that a label, a metric as printed, an alias or a unique bare name stands for."""
        found = [name] if name in self.labels else self._found(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNameError(f"{name!r} may be {' or '.join(map(repr, found))}; name one of them.")
        near = did_you_mean(str(name), self.labels)
        raise UnknownNameError(f"there is no metric {name!r} in this result{near}; there are {', '.join(self.labels)}.")

    def _found(self, name: str) -> list[str]:
        if not isinstance(name, str):
            return []
        try:
            wanted = str(parse(name))
            equal = [label for (_, label), table in self.tables.items() if str(table.metric) == wanted]
            if equal or "(" in name:
                return list(dict.fromkeys(equal))
            bare = find(name).name
        except NlgaugeError:
            return []
        return list(dict.fromkeys(label for (_, label), table in self.tables.items() if str(table.metric).partition("(")[0] == bare))

    def _check_system(self, name: str) -> None:
        if name not in self.systems:
            near = did_you_mean(str(name), self.systems)
            raise UnknownNameError(f"there is no system {name!r} in this result{near}; there are {', '.join(self.systems)}.")

    def _by_shape(self, values: dict[tuple[str, str], Any]) -> dict[str, Any]:
        if len(self.systems) == 1:
            return _ByLabel(self, {label: value for (_, label), value in values.items()})
        return {system: _ByLabel(self, {label: values[system, label] for label in self.labels}) for system in self.systems}

    def reasons(self) -> dict[tuple[str, str, str], str]:
        """Why a score is NaN, by (system, label, output)."""
        found = {}
        for (system, label), table in self.tables.items():
            scores = table.scores()
            for output in table.outputs():
                if isinstance(scores.get(output.name), float) and math.isnan(scores[output.name]):
                    found[system, label, output.name] = output.nan
        return found

    def undefined(self) -> dict[tuple[str, str, str], int]:
        """How many segments have no value, and so are left out of a mean, by (system, label, output); only where that is any."""
        return {(system, label, name): count for (system, label), table in self.tables.items() for name, count in table.undefined().items()}

    def segments(self, frame: str | None = None) -> Any:
        """One row per segment and system, one column per output: the label for the first, label.output for the others.

        A pandas or polars frame, whichever is installed, else a list of dictionaries; `frame` ("pandas", "polars", "records")
        decides otherwise. Metrics without segment scores have no column.
        """
        rows = []
        for system in self.systems:
            columns: dict[str, Array] = {}
            for label in self.labels:
                names = self.tables[system, label].segments()
                columns.update({label if i == 0 else f"{label}.{name}": values for i, (name, values) in enumerate(names.items())})
            rows += [
                {"segment": segment, "system": system, **{name: float(values[i]) for name, values in columns.items()}}
                for i, segment in enumerate(self.corpus.ids)
            ]
        return as_frame(rows, frame)

    def intervals(self, confidence: float = 0.95, resamples: int = 1000, seed: int | None = None) -> dict[str, Any]:
        """The score of every output with the bounds of its interval, in the shape of the result itself."""
        return self._by_shape(self._inference(confidence, resamples, seed).intervals())

    def compare(
        self,
        *systems: str,
        test: str = "randomisation",
        confidence: float = 0.95,
        resamples: int = 1000,
        seed: int | None = None,
    ) -> Comparison:
        """Every pair of the named systems (by default the first against each other one), tested on every metric.

        `test` is "randomisation" (approximate randomisation) or "bootstrap" (paired). Each part of a metric is tested on its
        first output, and Holm's correction counts all tests of the comparison: with more metrics or systems every corrected p grows.
        """
        if test not in ("randomisation", "bootstrap"):
            raise ParameterError(f"test must be 'randomisation' or 'bootstrap', got {test!r:.60}.")
        inferred = self._inference(confidence, resamples, seed)
        pairs = self._pairs(systems)
        warned = caution(inferred.plan.clusters.count, test)
        if warned and test == "bootstrap":
            warnings.warn(f"{warned}; use test='randomisation'.", stacklevel=2)
        rows = inferred.compared(pairs, test)
        corrected = inference.holm([row.p for row in rows])
        found = [row._replace(p_holm=p) for row, p in zip(rows, corrected, strict=True)]
        return Comparison(found, test, inferred.plan.confidence, resamples, warned, inferred.plan.seed, self.label)

    def _pairs(self, systems: tuple[str, ...]) -> list[tuple[str, str]]:
        for system in systems:
            self._check_system(system)
        if len(self.systems) < 2:
            alone = self.systems[0]
            raise ResultError(f"a comparison needs two systems, this result has {alone!r} alone; score them with predictions={{name: texts}}.")
        if len(set(systems)) == 1:
            others = ", ".join(repr(system) for system in self.systems if system not in systems)
            raise ParameterError(f"name two systems to compare; you named {systems[0]!r}, and there is also {others}.")
        return list(combinations(systems, 2)) if systems else [(self.systems[0], other) for other in self.systems[1:]]

    def _inference(self, confidence: float, resamples: int, seed: int | None) -> Inference:
        clusters = Clusters(self.corpus.documents, len(self.corpus))
        plan = checked_plan(clusters, self.corpus.weights, resamples, self.job.options.seed if seed is None else seed, confidence)
        if not self._last or not _same_draws(self._last[0].plan, plan):
            self._last[:] = [Inference(self.tables, self.corpus, self.job.options, self.has_texts, plan)]
        self._last[0].plan = plan
        return self._last[0]

    def explain(self, metric: str, segment: Hashable, system: str | None = None) -> list[Explanation]:
        """Why a segment got its score; `segment` is its id, also as text, or else its number.

        Where several references decide different parts of a metric there is one explanation for each of them.
        """
        from nlgauge.run.chunk import explain

        self._need_texts("explain")
        label = self.label(metric)
        if system is None:
            if len(self.systems) > 1:
                raise ParameterError(
                    f"there are several systems ({', '.join(self.systems)}): say which one, explain(..., system={self.systems[0]!r})."
                )
            system = self.systems[0]
        self._check_system(system)
        place = self.corpus.number(segment)
        if place is None:
            raise ParameterError(
                f"there is no segment {segment!r}; there are {len(self.corpus)}, from {self.corpus.ids[0]!r} to {self.corpus.ids[-1]!r}."
            )
        return explain(self.corpus, place, system, label, self.job) if isinstance(self.job.metrics[label], Metric) else []

    def add(self, *metrics: str | AnyMetric, predictions: Mapping[str, Any] | None = None, executor: Executor | None = None) -> Result:
        """This result with more metrics, or with more systems on the metrics it has; nothing is scored again."""
        from nlgauge.run.executors import Serial
        from nlgauge.run.extend import extended

        self._need_texts("add to")
        return extended(self, metrics, predictions, executor or Serial())

    def save(self, directory: str | Path, *, texts: bool = True, overwrite: bool = False) -> Path:
        """Writes the result to a directory, whole or not at all; `texts=False` keeps only hashes of the texts."""
        from nlgauge.results.storage import save

        return save(self, Path(directory), texts, overwrite)

    def _need_texts(self, what: str) -> None:
        if not self.has_texts:
            raise ResultError(f"cannot {what} this result: it was saved without its texts (texts=False).")

    def __rich__(self) -> Any:
        from nlgauge.terminal.tables import result_table

        return result_table(self, None)


def _same_draws(one: Resampling, other: Resampling) -> bool:
    return (one.resamples, one.seed) == (other.resamples, other.seed)


class _ByLabel(dict[str, Any]):
    """A dict by label that also accepts aliases and unique bare names."""

    def __init__(self, result: Result, values: dict[str, Any]) -> None:
        super().__init__(values)
        self._result = result

    def __missing__(self, key: str) -> Any:
        return self[self._result.label(key)]
