"""Result: what a run found. Every view (table, frame, interval, test, explanation, report) reads it and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.errors import NlgaugeError, ParameterError, ResultError, did_you_mean
from nlgauge.explain import Explanation
from nlgauge.features import Features
from nlgauge.metric import AnyMetric, Metric, WholeMetric
from nlgauge.metric.registry import find, parse
from nlgauge.results import inference
from nlgauge.results.comparison import Compared, Comparison
from nlgauge.results.frames import as_frame
from nlgauge.results.inference import Clusters, Interval, PairTest, Resampling
from nlgauge.results.table import Table, with_score

if TYPE_CHECKING:
    from nlgauge.run.chunk import Fits, Job
    from nlgauge.run.costs import Costs


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
    fits: Fits
    job: Job
    config: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    has_texts: bool = True

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(dict.fromkeys(system for system, _ in self.tables))

    @property
    def labels(self) -> tuple[str, ...]:
        """The metrics' labels."""
        return tuple(dict.fromkeys(label for _, label in self.tables))

    def __getitem__(self, key: str) -> Any:
        several = len(self.systems) > 1
        if key in self.systems and (several or key not in self.labels):
            return _ByLabel(self, {label: self.tables[key, label].scores(self.corpus.weights) for label in self.labels})
        if several:
            if key in self.labels or self._found(key):
                raise KeyError(f"there are several systems ({', '.join(self.systems)}): use result[system][{key!r}]")
            raise KeyError(f"no system {key!r}{did_you_mean(key, self.systems)}; there are {', '.join(self.systems)}")
        return self.tables[self.systems[0], self.label(key)].scores(self.corpus.weights)

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
            raise KeyError(f"{name!r} may be {' or '.join(map(repr, found))}; name one of them")
        raise KeyError(f"no metric {name!r}{did_you_mean(name, self.labels)}; there are {', '.join(self.labels)}")

    def _found(self, name: str) -> list[str]:
        try:
            wanted = str(parse(name))
            equal = [label for (_, label), table in self.tables.items() if str(table.metric) == wanted]
            if equal or "(" in name:
                return list(dict.fromkeys(equal))
            bare = find(name).name
        except NlgaugeError:
            return []
        return list(dict.fromkeys(label for (_, label), table in self.tables.items() if str(table.metric).partition("(")[0] == bare))

    def _by_shape(self, values: dict[tuple[str, str], Any]) -> dict[str, Any]:
        if len(self.systems) == 1:
            return _ByLabel(self, {label: value for (_, label), value in values.items()})
        return {system: _ByLabel(self, {label: values[system, label] for label in self.labels}) for system in self.systems}

    def reasons(self) -> dict[tuple[str, str, str], str]:
        """Why a score is NaN, by (system, label, output)."""
        found = {}
        for (system, label), table in self.tables.items():
            scores = table.scores(self.corpus.weights)
            for output in table.outputs():
                if isinstance(scores.get(output.name), float) and math.isnan(scores[output.name]):
                    found[system, label, output.name] = output.nan
        return found

    def segments(self, frame: str | None = None) -> Any:
        """One row a segment and system, a column an output: the label for the first, label.output for the others.

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

    def _resampling(self, confidence: float, resamples: int, seed: int | None) -> Resampling:
        if not 0 < confidence < 1:
            raise ParameterError(f"confidence must be between 0 and 1, got {confidence!r}.")
        if not isinstance(resamples, int) or resamples < 1:
            raise ParameterError(f"resamples must be a whole number from 1, got {resamples!r}.")
        clusters = Clusters(self.corpus.documents, len(self.corpus))
        return Resampling(clusters, self.corpus.weights, resamples, self.job.options.seed if seed is None else seed, confidence)

    def intervals(self, confidence: float = 0.95, resamples: int = 1000, seed: int | None = None) -> dict[str, Any]:
        """The score of every output with the bounds of its interval, in the shape of the result itself."""
        plan = self._resampling(confidence, resamples, seed)
        additive = {key: table for key, table in self.tables.items() if table.additive}
        samples: dict[tuple[str, str], dict[str, Array]] = {}
        if additive and plan.clusters.count > 1:
            samples = dict(zip(additive, inference.bootstrap_scores(list(additive.values()), plan), strict=True))
        found = {}
        for key, table in self.tables.items():
            scores = table.scores(self.corpus.weights)
            reason = self._no_resampling(table, plan)
            if not reason and not table.additive:
                samples[key] = self._halves(key[0], table, plan)
            intervals = {}
            for output in table.outputs():
                score = scores[output.name]
                if reason:
                    intervals[output.name] = Interval(score, math.nan, math.nan, reason)
                else:
                    make = inference.percentile if table.additive else inference.half_sample_interval
                    intervals[output.name] = make(score, samples[key][output.name], confidence)
            found[key] = with_score(intervals)
        return self._by_shape(found)

    def _halves(self, system: str, table: Table, plan: Resampling) -> dict[str, Array]:
        assert isinstance(table.metric, WholeMetric)
        features = Features(self.corpus.texts, self.job.options)
        values = [
            table.metric.whole(self.corpus.take(half), system, features)
            for half in plan.clusters.halves(min(plan.resamples, table.metric.resamples), plan.seed)
        ]
        return {output.name: np.array([value[output.name] for value in values]) for output in table.outputs()}

    def _no_resampling(self, table: Table, plan: Resampling) -> str:
        """Why a table's uncertainty cannot be known; "" where it can."""
        if plan.clusters.count < 2:
            return "one segment (or document) alone: nothing to resample"
        if table.additive:
            return ""
        assert isinstance(table.metric, WholeMetric)
        if self.corpus.weights is not None:
            return "no sum over segments, so segment weights have no meaning for it"
        if not table.metric.resamples:
            return "no sum over segments, and recomputing it many times costs too much"
        return "" if self.has_texts else "no sum over segments, and the texts to recompute it were not saved"

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
        first output, and Holm's correction counts all tests of the comparison.
        """
        plan = self._resampling(confidence, resamples, seed)
        if test not in ("randomisation", "bootstrap"):
            raise ParameterError(f"test must be 'randomisation' or 'bootstrap', got {test!r}.")
        for system in systems:
            if system not in self.systems:
                raise KeyError(f"no system {system!r}{did_you_mean(system, self.systems)}; there are {', '.join(self.systems)}")
        pairs = list(combinations(systems, 2)) if systems else [(self.systems[0], other) for other in self.systems[1:]]
        if not pairs:
            raise ResultError(
                f"a comparison needs two systems, this result has {', '.join(self.systems)}; score them together with predictions={{name: texts}}."
            )
        rows = [row for one, other in pairs for row in self._compared(one, other, test, plan)]
        corrected = inference.holm([row.p for row in rows])
        return Comparison([row._replace(p_holm=p) for row, p in zip(rows, corrected, strict=True)], test, confidence, resamples)

    def _compared(self, one: str, other: str, test: str, plan: Resampling) -> list[Compared]:
        additive = [label for label in self.labels if self.tables[one, label].additive]
        tests: dict[str, dict[str, PairTest]] = {}
        if additive and plan.clusters.count > 1:
            first, second = ([self.tables[system, label] for label in additive] for system in (one, other))
            tests = dict(zip(additive, inference.compare_tables(first, second, plan, test), strict=True))
        unknown = PairTest(math.nan, math.nan, math.nan)
        rows = []
        for label in self.labels:
            table = self.tables[one, label]
            scores, others = (self.tables[system, label].scores(plan.weights) for system in (one, other))
            reason = self._no_resampling(table, plan)
            if not reason and not table.additive:
                tests[label] = self._swapped(one, other, label, plan)
            for output in [outputs[0] for outputs in table.metric.outputs().values()] or table.outputs()[:1]:
                tested = tests.get(label, {}).get(output.name, unknown)
                if not table.additive and not reason:
                    reason = "tested by recomputing, which gives no interval of the difference"
                rows.append(Compared(label, output, one, other, scores[output.name], others[output.name], *tested, p_holm=math.nan, reason=reason))
        return rows

    def _swapped(self, one: str, other: str, label: str, plan: Resampling) -> dict[str, PairTest]:
        metric = self.tables[one, label].metric
        assert isinstance(metric, WholeMetric)
        features = Features(self.corpus.texts, self.job.options)

        def differences(mask: Array) -> dict[str, float]:
            corpus = self.corpus.swapping(one, other, mask > 0)
            ours, theirs = metric.whole(corpus, one, features), metric.whole(corpus, other, features)
            return {name: ours[name] - theirs[name] for name in ours}

        observed = differences(np.zeros(len(self.corpus)))
        swaps = plan.clusters.swaps(min(plan.resamples, metric.resamples), plan.seed)
        return {name: PairTest(math.nan, math.nan, p) for name, p in inference.swap_test(differences, observed, swaps).items()}

    def explain(self, metric: str, segment: int | str, system: str | None = None) -> list[Explanation]:
        """Why a segment got its score; `segment` is its number or its id."""
        from nlgauge.run import chunk

        self._need_texts("explain")
        label = self.label(metric)
        if system is None:
            if len(self.systems) > 1:
                raise ParameterError(
                    f"there are several systems ({', '.join(self.systems)}): say which one, explain(..., system={self.systems[0]!r})."
                )
            system = self.systems[0]
        if system not in self.systems:
            raise KeyError(f"no system {system!r}{did_you_mean(system, self.systems)}; there are {', '.join(self.systems)}")
        place = segment if isinstance(segment, int) else self.corpus.ids.index(segment) if segment in self.corpus.ids else -1
        if not 0 <= place < len(self.corpus):
            raise ParameterError(
                f"there is no segment {segment!r}; there are {len(self.corpus)}, from {self.corpus.ids[0]!r} to {self.corpus.ids[-1]!r}."
            )
        found = self.job.metrics[label]
        return chunk.explain(self.corpus, place, system, found, replace(self.job, fits=self.fits)) if isinstance(found, Metric) else []

    def add(self, *metrics: str | AnyMetric, predictions: Mapping[str, Any] | None = None) -> Result:
        """This result with more metrics, or with more systems on the metrics it has; nothing is scored again."""
        from nlgauge.scorer import extended

        self._need_texts("add to")
        return extended(self, metrics, predictions)

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


class _ByLabel(dict[str, Any]):
    """What belongs to labels, found by whatever else stands for a label too."""

    def __init__(self, result: Result, values: dict[str, Any]) -> None:
        super().__init__(values)
        self._result = result

    def __missing__(self, key: str) -> Any:
        return self[self._result.label(key)]
