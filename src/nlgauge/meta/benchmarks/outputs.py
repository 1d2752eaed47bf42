"""All outputs of a benchmark as one corpus, whatever segments its systems have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.diagnostics.covariates import aligned, covariates
from nlgauge.meta.papers.tasks import Classifier, labeled

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments
    from nlgauge.results.result import Result


@dataclass(frozen=True)
class Outputs:
    """The outputs behind judgments: of a benchmark, or of a saved result."""

    judgments: Judgments
    given: Benchmark | Result

    def covariates(self) -> dict[str, Array]:
        """Return properties of the texts, (S, N) by name."""
        if not isinstance(self.given, Benchmark):
            return aligned(self.judgments, self.given)
        return {name: self._cells(values) for name, values in covariates(self._rows).items()}

    def words(self) -> Array:
        """Return the number of words of each output, (S, N)."""
        return self.covariates()["length"]

    def labeled(self, classifier: Classifier) -> tuple[Array, dict[str, float]]:
        """Return the agreement of each output with its source on a task, (S, N), and the shares of labels."""
        found = labeled(self._rows if isinstance(self.given, Benchmark) else self.given, classifier)
        shares = {str(label): share for label, share in found.shares.items()}
        if isinstance(self.given, Benchmark):
            return self._cells(found.agreement), shares
        corpus = self.given.corpus
        order = {segment: place for place, segment in enumerate(corpus.ids)}
        rows = [list(corpus.systems).index(system) for system in self.judgments.systems]
        return found.agreement[rows][:, [order[segment] for segment in self.judgments.segments]], shares

    @property
    def _rows(self) -> Corpus:
        """Each output as a segment of one system."""
        assert isinstance(self.given, Benchmark)
        rows = self.given.rows
        if any(row.prediction is None for row in rows):
            raise InputError(f"{self.given.name} has only scores, without texts.")
        sources = [row.source for row in rows]
        known = [source for source in sources if source is not None]
        return Corpus.read(
            [row.prediction or "" for row in rows],
            [list(row.references) for row in rows] if all(row.references for row in rows) else None,
            sources=known if len(known) == len(rows) else None,
        )

    def _cells(self, values: Array) -> Array:
        assert isinstance(self.given, Benchmark)
        return self.given.cells(values[0].tolist())
