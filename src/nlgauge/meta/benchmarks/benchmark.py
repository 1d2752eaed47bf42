"""Benchmark: judged texts, as a corpus to be scored and as judgments to correlate metrics with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import RawColumns
from nlgauge.errors import InputError, UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.card import BenchmarkCard
from nlgauge.meta.benchmarks.rows import BenchmarkRow, Pair
from nlgauge.meta.readers import RATINGS

if TYPE_CHECKING:
    from pathlib import Path

    from nlgauge.engine.prepare import MetricSpec
    from nlgauge.meta.judgments import Judgments
    from nlgauge.results.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """Rows of judged texts, or pairs with a better and a worse text, with the card that describes them."""

    card: BenchmarkCard
    rows: tuple[BenchmarkRow, ...]
    pairs: tuple[Pair, ...] = ()

    def __repr__(self) -> str:
        judged = ", ".join(self.dimensions) if not self.pairs else f"{len(self.pairs)} pairs"
        return (
            f"Benchmark({self.card.name}: {len(self.segments)} segments, {len(self.systems)} systems,"
            f" {judged})"
        )

    @property
    def name(self) -> str:
        """The benchmark's name."""
        return self.card.name

    @lazy
    def systems(self) -> tuple[str, ...]:
        """The systems' names, in order of first appearance."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @lazy
    def segments(self) -> tuple[str, ...]:
        """The segments' ids, in order of first appearance."""
        return tuple(dict.fromkeys(row.segment for row in self.rows))

    @lazy
    def dimensions(self) -> tuple[str, ...]:
        """The human dimensions, in order of first appearance."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.human))

    @lazy
    def groups(self) -> tuple[str, ...]:
        """The language pairs; a single "" if the rows have none."""
        return tuple(dict.fromkeys(row.group for row in self.rows))

    @property
    def has_texts(self) -> bool:
        """True if every prediction is known."""
        return all(row.prediction is not None for row in self.rows)

    def machines(self) -> Benchmark:
        """Return the benchmark without human texts, which are often the reference itself and would make any
        metric look good.
        """
        rows = [row for row in self.rows if not row.by_human and row.system not in self.card.people]
        return self if len(rows) == len(self.rows) else self._with_rows(rows)

    def where(
        self,
        *,
        group: str | None = None,
        systems: Iterable[str] | None = None,
        segments: Iterable[str] | None = None,
        **fields: Any,
    ) -> Benchmark:
        """Choose the part with this language pair, these systems and these segments, and these values of
        further fields, such as type="abstractive".

        A list of values asks for any of them.
        """
        known = dict.fromkeys(name for row in self.rows for name in row.meta)
        for kind, names, there in (
            ("field", fields, known),
            ("group", [] if group is None else [group], self.groups),
        ):
            for name in names:
                if name not in there:
                    raise UnknownNameError(
                        f"{self.name} has no {kind} {name!r}{did_you_mean(name, there)}; it has"
                        f" {', '.join(there) or 'none'}."
                    )
        several = (list, tuple, set, frozenset)
        wanted = {name: value if isinstance(value, several) else [value] for name, value in fields.items()}
        parts = {"group": None if group is None else [group], "system": systems, "segment": segments}
        chosen = {name: set(values) for name, values in parts.items() if values is not None}
        rows = [
            row
            for row in self.rows
            if all(getattr(row, name) in values for name, values in chosen.items())
            and all(row.meta.get(name) in values for name, values in wanted.items())
        ]
        if not rows:
            raise InputError(f"{self.name} has no rows that match this selection; select fewer conditions.")
        return self._with_rows(rows)

    def sample(self, segments: int, seed: int = 12345) -> Benchmark:
        """Return a part with this number of segments of each language pair, drawn at random, or all segments
        if there are fewer.
        """
        rng = np.random.default_rng(seed)
        drawn: set[str] = set()
        for group in self.groups:
            ids = list(dict.fromkeys(row.segment for row in self.rows if row.group == group))
            drawn |= {ids[i] for i in rng.permutation(len(ids))[:segments].tolist()}
        return self.where(segments=drawn)

    def _with_rows(self, rows: Sequence[BenchmarkRow]) -> Benchmark:
        there = {(row.segment, row.system) for row in rows}
        pairs = tuple(
            pair
            for pair in self.pairs
            if (pair.segment, pair.better) in there and (pair.segment, pair.worse) in there
        )
        return replace(self, rows=tuple(rows), pairs=pairs)

    def is_grid(self) -> bool:
        """Return True if every system has every segment, with the same source and references."""
        shared = {(row.segment, row.source, row.references) for row in self.rows}
        return len(self.rows) == len(self.systems) * len(self.segments) and len(shared) == len(self.segments)

    def corpus(self) -> Corpus:
        """Return the texts, with human scores as system fields named by their dimension (ratings:
        DIMENSION.ratings), and further facts about segments as fields.

        If some system lacks some segment, the rows are pooled: each row is a separate segment, with its system
        and human scores as fields.
        """
        if not self.has_texts:
            raise InputError(
                f"{self.name} has only scores, without texts",
                python="pass peers=True to correlate the published metrics",
                cli="use --peers to correlate the published metrics",
            )
        rows = self.rows
        if not self.is_grid():
            ids = [f"{row.segment}/{row.system}" for row in rows]
            parts = RawColumns(
                {"system": [row.prediction for row in rows]},
                **_shared(rows),
                ids=ids,
                fields={**self._fields(rows), "system": [row.system for row in rows]},
            )
            return Corpus.of_parts(parts, self.language)
        by_system = {system: self._in_order(system) for system in self.systems}
        own = {system: self._fields(each) for system, each in by_system.items()}
        first = own[self.systems[0]]
        constant = {
            name
            for name in first
            if name.removesuffix(RATINGS) not in self.dimensions
            and all(each[name] == first[name] for each in own.values())
        }
        parts = RawColumns(
            {system: [row.prediction for row in each] for system, each in by_system.items()},
            **_shared(by_system[self.systems[0]]),
            ids=list(self.segments),
            fields={name: values for name, values in first.items() if name in constant},
            system_fields={
                name: {system: each[name] for system, each in own.items()}
                for name in first
                if name not in constant
            },
        )
        return Corpus.of_parts(parts, self.language)

    def _in_order(self, system: str) -> list[BenchmarkRow]:
        by_segment = {row.segment: row for row in self.rows if row.system == system}
        return [by_segment[segment] for segment in self.segments]

    def _fields(self, rows: Sequence[BenchmarkRow]) -> dict[str, list[Any]]:
        fields: dict[str, list[Any]] = {
            name: [row.human.get(name) for row in rows] for name in self.dimensions
        }
        for name in self.dimensions:
            if any(row.ratings.get(name) for row in self.rows):
                fields[f"{name}{RATINGS}"] = [list(row.ratings.get(name, ())) for row in rows]
        for name in dict.fromkeys(name for row in self.rows for name in row.meta):
            fields.setdefault(name, [row.meta.get(name) for row in rows])
        return fields

    @property
    def language(self) -> str | None:
        """The language of the texts; None if there are several or none."""
        spoken = {group.rpartition("-")[2] for group in self.groups if group} or set(self.card.languages)
        return spoken.pop() if len(spoken) == 1 else None

    def cells(self, values: Iterable[float]) -> Array:
        """Return one value per row as (systems, segments), NaN if a system lacks a segment."""
        cells = np.full((len(self.systems), len(self.segments)), np.nan)
        cells[self._places] = np.fromiter(values, dtype=np.float64, count=len(self.rows))
        return cells

    @lazy
    def numbers(self) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
        """The numbers of systems and of segments, by name."""
        systems: dict[Hashable, int] = {name: i for i, name in enumerate(self.systems)}
        return systems, {name: i for i, name in enumerate(self.segments)}

    @lazy
    def _places(self) -> tuple[Array, Array]:
        systems, segments = self.numbers
        return (
            np.array([systems[row.system] for row in self.rows]),
            np.array([segments[row.segment] for row in self.rows]),
        )

    def human(self, dimension: str) -> Array:
        """Return human scores (systems, segments), NaN for missing ones."""
        if dimension not in self.dimensions:
            known = ", ".join(self.dimensions) or "only pairs"
            raise UnknownNameError(
                f"{self.name} has no dimension {dimension!r}{did_you_mean(dimension, self.dimensions)}; it has"
                f" {known}."
            )
        return self.cells(row.human.get(dimension, np.nan) for row in self.rows)

    def ratings(self, dimension: str) -> Array | None:
        """Return single ratings (systems, segments, raters), NaN if an output has fewer; None if the ratings are
        unknown.
        """
        most = max((len(row.ratings.get(dimension, ())) for row in self.rows), default=0)
        if not most:
            return None
        found = np.full((len(self.systems), len(self.segments), most), np.nan)
        for system, segment, row in zip(*self._places, self.rows, strict=True):
            own = row.ratings.get(dimension, ())
            found[system, segment, : len(own)] = own
        return found

    @lazy
    def group_of_segments(self) -> tuple[str, ...]:
        """The language pair of each segment."""
        known = {row.segment: row.group for row in self.rows}
        return tuple(known[segment] for segment in self.segments)

    def peers(self) -> dict[str, Array]:
        """(systems, segments) scores of published metrics, by name."""
        names = dict.fromkeys(name for row in self.rows for name in row.metrics)
        return {name: self.cells(row.metrics.get(name, np.nan) for row in self.rows) for name in names}

    def score(
        self,
        *metrics: MetricSpec,
        output: str | Path | None = None,
        overwrite: bool = False,
        seed: int = 12345,
        batch_size: int | None = None,
        device: str | None = None,
        cache: bool = True,
        show_progress: bool | None = None,
        say: Callable[[str], None] | None = None,
    ) -> dict[str, Result]:
        """Score each language pair by itself, since languages differ; return the results by language pair
        ("" if there are none).

        output: a directory with one saved result for each language pair. Metrics that a result already has are
        not scored again, and an interrupted run is resumed. overwrite=True starts an interrupted run again, and
        replaces results of other texts. `say` is called with a message for each step. The other options are
        documented in `nlgauge.score`.
        """
        from nlgauge.meta.benchmarks.scoring import Run

        models = {"batch_size": batch_size, "device": device}
        return Run(overwrite, seed, cache, show_progress, models, say).results(self, metrics, output)

    def judgments(
        self,
        scores: Mapping[str, Result] | None = None,
        *,
        dimensions: Iterable[str] | None = None,
        peers: bool = False,
        outputs: str = "first",
        corpus_scores: bool = False,
    ) -> Judgments:
        """Return human scores with the scores of metrics: the results of `score` (outputs="all": all of their
        outputs) and, if `peers`, the published scores.

        A system's score is the mean over its segments, or the score of all its texts (corpus BLEU) if
        `corpus_scores`; with several language pairs there are no scores of whole systems.
        """
        from nlgauge.meta.judgments import Judgments

        chosen = list(self.dimensions if dimensions is None else dimensions)
        several = len(self.groups) > 1
        metrics: dict[str, Array] = {}
        directions: dict[str, bool | None] = {}
        whole: dict[str, Array] = {}
        for group, result in (scores or {}).items():
            part = Judgments.from_result(
                result, [], outputs=outputs, corpus_scores=corpus_scores and not several
            )
            rows, columns = self._checked(group, result, part)
            directions |= part.higher_is_better
            for label in part.labels if several else part.metrics:
                full = metrics.setdefault(label, np.full(tuple(map(len, self.numbers)), np.nan))
                if label in part.metrics:
                    cells, values = np.ix_(rows, columns), part.metrics[label]
                    full[cells] = np.where(np.isnan(values), full[cells], values)
            if not several:
                whole = {label: values[np.argsort(rows)] for label, values in part.system_scores.items()}
        published = self.peers() if peers else {}
        if peers and not published:
            raise InputError(f"{self.name} has no published metric scores.")
        systems, segments = self.numbers
        pairs = [(segments[pair.segment], systems[pair.better], systems[pair.worse]) for pair in self.pairs]
        return Judgments(
            systems=self.systems,
            segments=self.segments,
            humans={name: self.human(name) for name in chosen},
            metrics={**metrics, **published},
            higher_is_better={
                **directions,
                **{label: label not in self.card.lower_is_better for label in published},
            },
            groups=self.group_of_segments if several else None,
            ratings={name: rated for name in chosen if (rated := self.ratings(name)) is not None},
            system_scores=whole,
            pairs=np.array(pairs, dtype=np.int64) if pairs else None,
        )

    def _checked(self, group: str, result: Result, part: Judgments) -> list[list[int]]:
        """Return the numbers of the systems and segments of a result, checked to be of a language pair's
        texts.
        """
        texts = sum(row.group == group for row in self.rows)
        try:
            named = zip(self.numbers, (part.systems, part.segments), strict=True)
            found = [[number[name] for name in names] for number, names in named]
        except KeyError:
            texts = -1
        if len(result.corpus) * len(result.systems) != texts:
            raise InputError(
                f"the result with {', '.join(result.labels)} was not scored on the texts of {self.name}; score"
                " the texts of this benchmark."
            )
        return found


def _shared(rows: Sequence[BenchmarkRow]) -> dict[str, Any]:
    sources = [row.source for row in rows]
    return {
        "references": [list(row.references) for row in rows] if any(row.references for row in rows) else None,
        "sources": None if any(source is None for source in sources) else sources,
    }
