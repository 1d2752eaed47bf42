"""The results of metrics on a benchmark: one for each language pair, extended by what is missing."""

from __future__ import annotations

import hashlib
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nlgauge._core.paths import require_folder
from nlgauge.errors import InputError
from nlgauge.results.joined import of_metrics
from nlgauge.results.result import Result

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.engine.prepare import MetricSpec
    from nlgauge.meta.benchmarks.benchmark import Benchmark
    from nlgauge.metric import AnyMetric

_TEXTS = ("id", "source", "references", "predictions")


def saved(benchmark: Benchmark, directory: Path) -> dict[str, Result]:
    """Load the results of a benchmark, with the metrics that all language pairs have; none if one pair has
    no result.
    """
    results = {}
    for group, part in _parts(benchmark):
        place = directory / _folder(group or benchmark.name)
        if not place.is_dir():
            return {}
        results[group] = _loaded(place, part.corpus())
    first, *others = results.values()
    labels = [label for label in first.labels if all(label in other.labels for other in others)]
    return {group: of_metrics(result, *labels) for group, result in results.items()} if labels else {}


def _parts(benchmark: Benchmark) -> Iterator[tuple[str, Benchmark]]:
    """Yield each language pair as a benchmark."""
    for group in benchmark.groups:
        yield group, benchmark.where(group=group) if len(benchmark.groups) > 1 else benchmark


def _folder(name: str) -> str:
    """Return the name of a directory that every file system accepts, with a hash if it differs from the name.

    >>> _folder("en-de"), _folder("../x")
    ('en-de', 'x-d6b96a97')
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:60]
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Run:
    """Options for computing and extending results."""

    overwrite: bool
    seed: int
    cache: bool
    show_progress: bool | None
    models: Mapping[str, Any]
    say: Callable[[str], None] | None

    def results(
        self, benchmark: Benchmark, metrics: Iterable[MetricSpec], output: str | Path | None
    ) -> dict[str, Result]:
        """Return the results by language pair, saved in directories of the output if there is one."""
        from nlgauge.engine.prepare import labeled

        specs = list(metrics)
        if output is not None and specs:
            require_folder(Path(output))
            Path(output).mkdir(exist_ok=True)
        results = {}
        for group, part in _parts(benchmark) if specs else ():
            place = None if output is None else Path(output) / _folder(group or benchmark.name)
            results[group] = self._result(part.corpus(), labeled(specs), place)
        return results

    def _result(self, corpus: Corpus, metrics: Mapping[str, AnyMetric], place: Path | None) -> Result:
        """Return the result of these metrics, with the metrics that its directory already has."""
        from nlgauge.engine.prepare import as_spec
        from nlgauge.engine.run_options import run_options
        from nlgauge.scoring import Scorer

        # Filled in here, a metric has one label in all languages.
        filled = {
            label: metric.for_language(corpus.lang).for_reduction(None) for label, metric in metrics.items()
        }
        result = None if place is None or not place.exists() else self._known(corpus, filled, place)
        labels = () if result is None else result.labels
        missing = [label for label in filled if label not in labels]
        specs: list[Any] = [as_spec(label, filled[label]) for label in missing]
        options: dict[str, Any] = {"cache": self.cache}
        if place is not None:
            options |= {"output": place, "resume": not self.overwrite, "overwrite": True}
        if missing and self.say is not None:
            self.say(f"scoring {', '.join(missing)}")
        if result is None:
            scorer = Scorer(specs, **options)
            result = scorer.score_corpus(
                corpus, None, run_options(self.seed, **self.models), self.show_progress
            )
        elif missing:
            result = result.add(*specs, show_progress=self.show_progress, **self.models, **options)
        return of_metrics(result, *metrics)

    def _known(self, corpus: Corpus, metrics: Mapping[str, AnyMetric], place: Path) -> Result | None:
        """Return the saved result of these texts, without metrics that have changed since."""
        from nlgauge.engine.chunk import Job
        from nlgauge.engine.prepare import prepared, signatures
        from nlgauge.engine.run_options import run_options

        try:
            result = _loaded(place, corpus, refresh=True)
        except InputError:
            if self.overwrite:
                return None
            raise
        if result._job.options.seed != self.seed:
            raise InputError(
                f"{place} was scored with seed {result._job.options.seed}, got seed {self.seed}; use the same"
                " seed or another directory."
            )
        job = Job(prepared(metrics, corpus.lang, None), None, run_options(self.seed))
        changed = [
            label
            for label, signature in signatures(corpus, job).items()
            if label in result.labels
            and (signature, job.metrics[label]) != (result.signatures[label], result._job.metrics[label])
        ]
        if changed:
            warnings.warn(
                f"the scores of {', '.join(changed)} in {place} are of another version; they are computed"
                " again.",
                stacklevel=2,
            )
        current = [label for label in result.labels if label not in changed]
        return of_metrics(result, *current) if current else None


def _loaded(place: Path, corpus: Corpus, refresh: bool = False) -> Result:
    """Return the result of a directory, checked to have these texts, with their present fields; `refresh`
    saves these too.
    """
    from nlgauge.results.storage.load import load

    result = load(place)
    if (result.corpus.lang, len(result.corpus)) != (corpus.lang, len(corpus)) or any(
        map(operator.ne, _texts(result.corpus), _texts(corpus))
    ):
        raise InputError(
            f"the scores in {place} are of other texts",
            python="pass another directory, or overwrite=True to replace them",
            cli="use another directory, or replace them with --overwrite",
        )
    current = replace(result, corpus=corpus)
    if refresh and any(
        map(operator.ne, *(map(msgspec.json.encode, each.corpus.each_record()) for each in (result, current)))
    ):
        current.save(place, overwrite=True)
    return current


def _texts(corpus: Corpus) -> Iterator[list[Any]]:
    """Yield the scored texts of each segment."""
    return ([record.get(name) for name in _TEXTS] for record in corpus.each_record())
