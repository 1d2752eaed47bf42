"""Benchmark: judged texts, as a corpus to be scored and as judgments to correlate metrics with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.language import code, codes
from nlgauge._core.lazy import lazy
from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import RawColumns
from nlgauge.corpus.records import FIELD_NAMES, Records
from nlgauge.errors import InputError, UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks import graded
from nlgauge.meta.benchmarks.card import BenchmarkCard
from nlgauge.meta.benchmarks.rows import AnyPair, BenchmarkRow, GradedPair, Pair
from nlgauge.meta.readers import RATINGS

if TYPE_CHECKING:
    from pathlib import Path

    from nlgauge.engine.prepare import MetricSpec
    from nlgauge.meta.judgments import Judgments
    from nlgauge.results.result import Result

_SHOWN_NAMES = 20


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """Judged texts of a benchmark: rows with human scores, better/worse pairs or graded pairs.

    Parameters
    ----------
    card : BenchmarkCard
        Description of the benchmark.
    rows : tuple of BenchmarkRow
        One row per system and segment.
    pairs : tuple of Pair, optional
        Better/worse pairs.
    graded : tuple of GradedPair, optional
        Pairs with graded preferences. `judgments` then has differences: the second text minus the first.
    """

    card: BenchmarkCard
    rows: tuple[BenchmarkRow, ...]
    pairs: tuple[Pair, ...] = ()
    graded: tuple[GradedPair, ...] = ()

    @classmethod
    def of(
        cls, card: BenchmarkCard, rows: Iterable[BenchmarkRow], pairs: Iterable[AnyPair] = ()
    ) -> Benchmark:
        """Make a benchmark from rows and pairs of both kinds.

        Parameters
        ----------
        card : BenchmarkCard
            Description of the benchmark.
        rows : iterable of BenchmarkRow
            One row per system and segment.
        pairs : iterable of Pair or GradedPair, optional
            Pairs of the rows.

        Returns
        -------
        Benchmark
            The judged texts.
        """
        judged = list(pairs)
        plain = tuple(pair for pair in judged if isinstance(pair, Pair))
        return cls(card, tuple(rows), plain, tuple(pair for pair in judged if isinstance(pair, GradedPair)))

    def __repr__(self) -> str:
        judged = ", ".join(self.dimensions) if not self.pairs else f"{counted(len(self.pairs), 'pair')}"
        judged = f"{counted(len(self.graded), 'graded pair')}: {judged}" if self.graded else judged
        return (
            f"Benchmark({self.card.name}: {counted(len(self.segments), 'segment')}, {counted(len(self.systems), 'system')},"
            f" {judged})"
        )

    @property
    def name(self) -> str:
        """Name of the benchmark."""
        return self.card.name

    @lazy
    def systems(self) -> tuple[str, ...]:
        """Names of the S systems, in order of first appearance."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @lazy
    def segments(self) -> tuple[str, ...]:
        """Ids of the N segments, in order of first appearance."""
        return tuple(dict.fromkeys(row.segment for row in self.rows))

    @lazy
    def dimensions(self) -> tuple[str, ...]:
        """Human dimensions, in order of first appearance."""
        return tuple(dict.fromkeys(name for row in self.graded or self.rows for name in row.human))

    @lazy
    def groups(self) -> tuple[str, ...]:
        """Language pairs; ("",) if the benchmark has none."""
        return tuple(dict.fromkeys(row.group for row in self.rows))

    @property
    def has_texts(self) -> bool:
        """True if every prediction is known."""
        return all(row.prediction is not None for row in self.rows)

    def machines(self) -> Benchmark:
        """Return the benchmark without texts that humans wrote.

        Returns
        -------
        Benchmark
            Rows of machines only. Human texts are often the reference itself, which makes any metric look good.
        """
        rows = [row for row in self.rows if not row.by_human and row.system not in self.card.people]
        return self if len(rows) == len(self.rows) else self._with_rows(rows)

    def where(
        self,
        expression: str = "",
        /,
        *,
        group: str | None = None,
        systems: Iterable[str] | None = None,
        segments: Iterable[str] | None = None,
        without: Iterable[str] = (),
        **fields: Any,
    ) -> Benchmark:
        """Return the rows that meet an expression and all conditions.

        Parameters
        ----------
        expression : str, optional
            Expression over the fields of rows, such as `'type = abstractive and words < 500'`. A row also has the names
            `system`, `group`, `id`, `source`, `reference`, `prediction` and the human dimensions.
        group : str, optional
            Language pair.
        systems : iterable of str, optional
            Systems.
        segments : iterable of str, optional
            Segments.
        without : iterable of str, optional
            Systems to leave out.
        **fields
            Further fields and their values, such as `type="abstractive"`; a list matches any of its items.

        Returns
        -------
        Benchmark
            The matching rows, and the pairs whose rows both match.

        Raises
        ------
        UnknownNameError
            If there is no such field, language pair, system or segment, or no row has the value of a field.
        ParameterError
            If the expression has a mistake.
        InputError
            If no row matches.
        """
        several = (list, tuple, set, frozenset)
        wanted = {name: value if isinstance(value, several) else [value] for name, value in fields.items()}
        self._check_known("field", wanted, dict.fromkeys(name for row in self.rows for name in row.meta))
        for name, values in wanted.items():
            self._check_known(name, values, dict.fromkeys(row.meta.get(name) for row in self.rows))
        names = {"group": None if group is None else [group], "system": systems, "segment": segments}
        chosen = {name: set(values) for name, values in names.items() if values is not None}
        left_out = set(without)
        known = {"group": self.groups, "system": self.systems, "segment": self.segments}
        for name, requested in (*chosen.items(), ("system", left_out)):
            self._check_known(name, sorted(requested, key=str), known[name])
        rows = [
            row
            for row in self._meeting(expression)
            if row.system not in left_out
            and all(getattr(row, name) in values for name, values in chosen.items())
            and all(row.meta.get(name) in values for name, values in wanted.items())
        ]
        if not rows:
            raise InputError(f"{self.name} has no rows that match this selection; select fewer conditions.")
        return self._with_rows(rows)

    def _check_known(self, kind: str, values: Iterable[Any], there: Collection[Any]) -> None:
        """Raise UnknownNameError for the first unknown value."""
        for value in values:
            if value not in there:
                names = [str(name) for name in there if name is not None]
                more = ", ..." if len(names) > _SHOWN_NAMES else ""
                raise UnknownNameError(
                    f"{self.name} has no {kind} {value!r}{did_you_mean(str(value), names)}; it has"
                    f" {', '.join(names[:_SHOWN_NAMES]) or 'none'}{more}."
                )

    def _meeting(self, expression: str) -> Sequence[BenchmarkRow]:
        """Return the rows that meet an expression; raise UnknownNameError if it compares with an unknown value."""
        if not expression.strip():
            return self.rows
        from nlgauge.corpus.conditions import meeting, of_records, unknown_values

        columns = of_records(self._records())
        for message in unknown_values(expression, columns):
            raise UnknownNameError(f"{self.name}: {message}.")
        return [self.rows[number] for number in meeting(expression, columns, "row")]

    def _records(self) -> Records:
        """Return the rows as records, with human scores, published scores and fields."""
        columns: dict[str, list[Any]] = {
            "id": [row.segment for row in self.rows],
            "segment": [row.segment for row in self.rows],
            "system": [row.system for row in self.rows],
            "group": [row.group for row in self.rows],
            "source": [row.source for row in self.rows],
            "references": [list(row.references) for row in self.rows],
            "prediction": [row.prediction for row in self.rows],
        }
        for part in ("human", "metrics", "meta"):
            for name in dict.fromkeys(name for row in self.rows for name in getattr(row, part)):
                columns.setdefault(name, [getattr(row, part).get(name) for row in self.rows])
        return Records(columns, len(self.rows))

    def sample(self, segments: int, seed: int = 12345) -> Benchmark:
        """Draw a random sample of segments from each language pair.

        Parameters
        ----------
        segments : int
            Number of segments per language pair; all segments are returned if there are fewer.
        seed : int, default 12345
            Seed of the sample.

        Returns
        -------
        Benchmark
            Rows of the sampled segments.
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
        both = tuple(
            pair
            for pair in self.graded
            if (pair.segment, pair.first) in there and (pair.segment, pair.second) in there
        )
        if self.graded and not both:
            raise InputError(
                f"no pair of {self.name} has both texts in this selection; select fewer conditions."
            )
        return replace(self, rows=tuple(rows), pairs=pairs, graded=both)

    def is_grid(self) -> bool:
        """Return True if every system has every segment, with the same source and references.

        Returns
        -------
        bool
            False if a row is missing or texts differ.
        """
        shared = {(row.segment, row.source, row.references) for row in self.rows}
        return len(self.rows) == len(self.systems) * len(self.segments) and len(shared) == len(self.segments)

    def corpus(self) -> Corpus:
        """Return the texts as a corpus, with human scores as fields.

        Returns
        -------
        Corpus
            Human scores are system fields named after their dimension (ratings: DIMENSION.ratings), other facts are fields. If a
            system lacks a segment, the rows are pooled: each row is a segment, with its system and human scores as fields.

        Raises
        ------
        InputError
            If the benchmark has no texts.
        """
        if not self.has_texts:
            raise InputError(
                f"{self.name} has only scores, without texts",
                python="use judgments(peers=True) to correlate the published metrics",
                cli="use --peers without -m to correlate the published metrics",
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
        # Preferences belong to pairs, not to texts.
        dimensions = () if self.graded else self.dimensions
        fields: dict[str, list[Any]] = {name: [row.human.get(name) for row in rows] for name in dimensions}
        for name in dimensions:
            if any(row.ratings.get(name) for row in self.rows):
                fields[f"{name}{RATINGS}"] = [list(row.ratings.get(name, ())) for row in rows]
        for name in dict.fromkeys(name for row in self.rows for name in row.meta):
            # The system of a row is known; a second name of it would mark the corpus as pooled.
            if name not in FIELD_NAMES["system"]:
                fields.setdefault(name, [row.meta.get(name) for row in rows])
        return fields

    @property
    def language(self) -> str | None:
        """Language of the predictions; None if there are several or it is unknown."""
        ends = {group.rpartition("-")[2] for group in self.groups if group}
        are_languages = bool(ends) and all(code(end) in codes() for end in ends)
        spoken = ends if are_languages else set(self.card.languages)
        return spoken.pop() if len(spoken) == 1 else None

    def cells(self, values: Iterable[float]) -> Array:
        """Arrange one value per row as a table of systems and segments.

        Parameters
        ----------
        values : iterable of float
            One value per row.

        Returns
        -------
        ndarray of shape (S, N)
            The values; NaN if a system lacks a segment.
        """
        found = np.full((len(self.systems), len(self.segments)), np.nan)
        found[self._places] = np.fromiter(values, dtype=np.float64, count=len(self.rows))
        return found

    @lazy
    def numbers(self) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
        """Number of each system and of each segment, by name."""
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
        """Return the human scores of a dimension.

        Parameters
        ----------
        dimension : str
            Human dimension.

        Returns
        -------
        ndarray of shape (S, N), or (1, P) with graded pairs
            Human scores, or the preferences of P pairs; NaN if missing.

        Raises
        ------
        UnknownNameError
            If there is no such dimension.
        """
        if dimension not in self.dimensions:
            known = ", ".join(self.dimensions) or "only pairs"
            raise UnknownNameError(
                f"{self.name} has no dimension {dimension!r}{did_you_mean(dimension, self.dimensions)}; it has"
                f" {known}."
            )
        if self.graded:
            return graded.preferences(self.graded, dimension)
        return self.cells(row.human.get(dimension, np.nan) for row in self.rows)

    def ratings(self, dimension: str) -> Array | None:
        """Return the ratings of single raters.

        Parameters
        ----------
        dimension : str
            Human dimension.

        Returns
        -------
        ndarray of shape (S, N, raters) or None
            Ratings; NaN if an output has fewer. None if single ratings are unknown.
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
        """Language pair of each of the N segments."""
        known = {row.segment: row.group for row in self.rows}
        return tuple(known[segment] for segment in self.segments)

    def peers(self) -> dict[str, Array]:
        """Return the published scores of other metrics.

        Returns
        -------
        dict of str to ndarray of shape (S, N)
            Scores by metric.
        """
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
        """Score each language pair separately.

        Parameters
        ----------
        *metrics : str, metric or mapping
            Metrics, in any form that `nlgauge.score` accepts.
        output : str or Path, optional
            Directory with one saved result per language pair. Metrics that a result already has are not scored again, and an
            interrupted run is resumed.
        overwrite : bool, default False
            Restart an interrupted run, and replace results of other texts.
        seed : int, default 12345
            Seed of all random numbers of the run.
        batch_size : int, optional
            Number of texts that a model reads at once.
        device : str, optional
            Torch device, such as "cpu", "cuda" or "cuda:1".
        cache : bool, default True
            Read and write the cache of segment statistics of costly metrics.
        show_progress : bool, optional
            Show a progress bar. Default: if standard error is a terminal and the run is long.
        say : callable, optional
            Function that is called with a message about the metrics that are scored.

        Returns
        -------
        dict of str to Result
            Results by language pair ("" if the benchmark has none).
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
        """Return human scores together with metric scores.

        Parameters
        ----------
        scores : mapping of str to Result, optional
            Results of `score`, by language pair.
        dimensions : iterable of str, optional
            Human dimensions. Default: all.
        peers : bool, default False
            Add the published scores of other metrics.
        outputs : {"first", "all"}
            Outputs of each metric: the first, named LABEL, or also the others, named LABEL.OUTPUT.
        corpus_scores : bool, default False
            Use corpus scores at the system level instead of means over segments, for one language pair.

        Returns
        -------
        Judgments
            Human and metric scores. With graded pairs, the only system is "second - first" and each pair is a segment:
            human scores are preferences, metric scores are differences.

        Raises
        ------
        InputError
            If `peers` is True and the benchmark has no published metric scores, or `corpus_scores` is True and the benchmark
            has graded pairs.
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
            raise InputError(
                f"{self.name} has no published metric scores", python="leave out peers", cli="omit --peers"
            )
        systems, segments = self.numbers
        pairs = [(segments[pair.segment], systems[pair.better], systems[pair.worse]) for pair in self.pairs]
        # Of graded pairs only the differences have human scores.
        rated = [] if self.graded else chosen
        judged = Judgments(
            systems=self.systems,
            segments=self.segments,
            humans={name: self.human(name) for name in rated},
            metrics={**metrics, **published},
            higher_is_better={
                **directions,
                **{label: label not in self.card.lower_is_better for label in published},
            },
            groups=self.group_of_segments if several else None,
            ratings={name: each for name in rated if (each := self.ratings(name)) is not None},
            system_scores=whole,
            pairs=np.array(pairs, dtype=np.int64) if pairs else None,
        )
        return graded.differences(judged, self.graded, self.numbers, chosen) if self.graded else judged

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
