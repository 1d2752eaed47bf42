"""Results of compiled metrics: statistics are available at once, everything else is made at the first use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from nlgauge._core.backend import chosen
from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array, blocks
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import DEFAULT_SYSTEM
from nlgauge.metric import Arrays
from nlgauge.metric.compiled import Compiled
from nlgauge.metric.table import Table, with_score
from nlgauge.results.result import Result

if TYPE_CHECKING:
    from nlgauge.engine.chunk import Job
    from nlgauge.engine.costs import Costs

_NO_TABLE: Mapping[str, Any] = {
    "values": {},
    "weights": None,
    "saved_segments": {},
    "unknown": "",
    "left_out": {},
}


class Computed(NamedTuple):
    """The statistics of a compiled metric: rows of all parts side by side, and the seconds in all and by feature."""

    form: Compiled
    rows: Array
    spent: float
    features: list[float]


class _Call(NamedTuple):
    """The arguments of a call, copied, and the statistics by label."""

    predictions: list[str]
    # All references one after another, with the number of each segment; None if each has one string. A copy of each
    # list would cost more than the statistics of its texts.
    references: list[str]
    counts: list[int] | None
    job: Job
    computed: dict[str, Computed]


class CompiledTable(Table):
    """A table whose statistics are still in one array; a copy with other fields has separate statistics."""

    _computed: Computed | None = None

    @lazy
    def statistics(self) -> Arrays:
        """Statistics by part."""
        assert self._computed is not None
        return self._computed.form.split(self._computed.rows)

    @lazy
    def _scores(self) -> dict[str, Any]:
        if self._computed is None or self.weights is not None or self.left_out or chosen() != "native":
            whole: dict[str, Any] = Table._scores.compute(self)
            return whole
        rows = self._computed.rows
        # In the blocks of the ordinary way: sums in another order have other last bits.
        sums: Any = sum((rows[start:end].sum(axis=0) for start, end in blocks(len(rows))), 0.0)
        (values,) = self._computed.form.corpus.run(sums[None]).tolist()
        return with_score(dict(zip(self._computed.form.outputs, values, strict=True)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, tuple(getattr(self, field.name) for field in fields(Table))


class CompiledResult(Result):
    """A result whose corpus, signatures, costs and environment are made at first use."""

    _call: _Call

    @lazy
    def corpus(self) -> Corpus:
        """Segments with the predictions of one system."""
        texts = iter(self._call.references)
        counts = self._call.counts
        references = texts if counts is None else (list(islice(texts, count)) for count in counts)
        return Corpus.read(self._call.predictions, list(references))

    @lazy
    def signatures(self) -> Mapping[str, str]:
        """Signature of each metric, by label."""
        from nlgauge.engine.prepare import signatures

        return signatures(self.corpus, self._job)

    @lazy
    def environment(self) -> Mapping[str, str]:
        """Versions and machine of the run."""
        from nlgauge.engine.environment import environment

        return {**environment(), "kernels": "native"}

    @lazy
    def costs(self) -> Costs:
        """Seconds and memory of the run."""
        from nlgauge.engine.costs import Costs
        from nlgauge.engine.memory import peak, peak_since

        costs = Costs()
        for label, (form, _, spent, parts) in self._call.computed.items():
            features = form.seconds(parts)
            costs.add(Costs({label: max(0.0, spent - sum(parts))}, features, {}, {label: sorted(features)}))
        memory = peak_since(peak())
        costs.memory, costs.memory_note = memory.bytes, memory.note
        return costs

    @lazy
    def _job(self) -> Job:
        return self._call.job

    def __reduce__(self) -> tuple[Any, ...]:
        return Result, tuple(getattr(self, field.name) for field in fields(Result))


def compiled_result(
    job: Job, computed: dict[str, Computed], predictions: list[str], references: list[Any]
) -> CompiledResult:
    """Return the result of a call from the statistics of each metric, by label."""
    tables = {}
    for label, statistics in computed.items():
        table = tables[DEFAULT_SYSTEM, label] = object.__new__(CompiledTable)
        table.__dict__.update(_NO_TABLE, metric=job.metrics[label], _computed=statistics)
    counts = list(map(len, references)) if type(references[0]) is list else None
    flat = list(references) if counts is None else list(chain.from_iterable(references))
    result = object.__new__(CompiledResult)
    result.__dict__.update(
        _tables=tables, has_texts=True, _last=[], _call=_Call(list(predictions), flat, counts, job, computed)
    )
    return result


def texts_of(result: CompiledResult) -> tuple[list[str], list[str]]:
    """Return the predictions and all references, without making a corpus."""
    return result._call.predictions, result._call.references
