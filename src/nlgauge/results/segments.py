"""Segments of a result: their scores and texts as records, the worst of them, and those on which two
metrics disagree.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from nlgauge._core.frames import as_frame
from nlgauge._core.numbers import counted, number
from nlgauge._core.page import Cell, Column, Page, Sheet, column
from nlgauge._core.ragged import Array, Ragged, blocks
from nlgauge._core.shown import Exported
from nlgauge.errors import ParameterError
from nlgauge.metric import Output
from nlgauge.results.labels import output_named, output_names
from nlgauge.results.missing import part_of, reason_by_segment

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result

# The names of a record before its scores: a field of such a name is called field.NAME.
_TAKEN = ("segment", "system", "source", "reference", "references", "prediction", "predictions")


@dataclass(frozen=True, repr=False)
class SegmentList(Exported, Sequence[dict[str, Any]]):
    """Some segments with scores and texts, as plain dictionaries in a meaningful order; `note` describes
    the segments that were left out.
    """

    rows: list[dict[str, Any]]
    numbers: dict[str, Output]
    note: str = ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[dict[str, Any]]: ...

    def __getitem__(self, place: int | slice) -> dict[str, Any] | Sequence[dict[str, Any]]:
        return self.rows[place]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return list(self.rows)

    def frame(self, frame: str | None = None) -> Any:
        """Return the rows as a pandas or polars frame, whichever is installed, else a list of dictionaries."""
        return as_frame(self.rows, frame)

    def _page(self, decimals: int | None = None) -> Page:
        """Return one row per segment and system, its texts one below the other."""
        reasons = [column("missing")] if any("missing" in row for row in self.rows) else []
        columns = [
            column("segment"),
            column("system"),
            *(Column(Cell(name), "number") for name in self.numbers),
            *reasons,
            column("texts"),
        ]
        rows: list[list[Cell]] = []
        for row in self.rows:
            scores = [
                Cell(number(row[name], output.with_decimals(decimals)))
                for name, output in self.numbers.items()
            ] + [Cell(row["missing"]) for _ in reasons]
            first, *others = _texts_of(row) or [Cell()]
            rows.append([Cell(str(row["segment"])), Cell(row["system"]), *scores, first])
            rows += [[Cell(), Cell(), *(Cell() for _ in scores), text] for text in others]
        return Page([Sheet(columns, rows)], notes=[self.note] if self.note else [])

    _short_page = _page
    _csv_records = records


def _texts_of(row: dict[str, Any]) -> list[Cell]:
    found = []
    for name in ("prediction", "predictions", "reference", "references", "source"):
        texts = row.get(name, [])
        for text in [texts] if isinstance(texts, str) else texts:
            found.append(
                Cell(f"{name.removesuffix('s')}: {text}", "" if name.startswith("prediction") else "quiet")
            )
    return found


def segment_columns(
    result: Result, wide: bool = False, texts: bool = False
) -> Iterator[dict[str, Sequence[Any]]]:
    """Yield the columns of one row per segment and system, system by system and some segments at a time, so
    that not all records are in memory at once.

    If `wide`, there is one row per segment, with columns system/output. Fields and texts precede scores.
    """
    names, shown = output_names(result), _Shown.of(result.corpus, texts)
    for systems in [result.systems] if wide else [(system,) for system in result.systems]:
        for start, stop in blocks(len(result.corpus)):
            corpus = _between(result.corpus, start, stop)
            shared = _shared_columns(corpus, shown)
            own = {
                system: {
                    **_system_columns(corpus, system, shown),
                    **_scores(result, system, names, start, stop),
                }
                for system in systems
            }
            if wide:
                beside = {
                    f"{system}/{name}": values
                    for system, columns in own.items()
                    for name, values in columns.items()
                    if values is not None
                }
                yield {"segment": corpus.ids, **shared, **beside}
            else:
                (system,) = systems
                unknown = [None] * len(corpus)
                filled = {name: unknown if values is None else values for name, values in own[system].items()}
                yield {"segment": corpus.ids, "system": [system] * len(corpus), **shared, **filled}


def _between(corpus: Corpus, start: int, stop: int) -> Corpus:
    return corpus if stop - start == len(corpus) else corpus.take(np.arange(start, stop))


def _scores(
    result: Result, system: str, names: dict[tuple[str, str], str], start: int, stop: int
) -> dict[str, Sequence[Any]]:
    found: dict[str, Sequence[Any]] = {}
    for label in result.labels:
        found |= {
            names[label, output]: values.tolist()
            for output, values in result._tables[system, label].segment_block(start, stop).items()
        }
    return found


class _Shown(NamedTuple):
    """True for texts that are shown, for a single reference of each segment in the whole corpus, and for a
    single prediction of each system.
    """

    texts: bool
    single_reference: bool
    single_prediction: bool

    @classmethod
    def of(cls, corpus: Corpus, texts: bool) -> _Shown:
        """Return the settings for the texts of a corpus."""
        references = corpus.references is not None and corpus.references.is_single
        return cls(texts, references, all(column.is_single for column in corpus.predictions.values()))


def _shared_columns(corpus: Corpus, shown: _Shown) -> dict[str, Sequence[Any]]:
    """Return the columns that all systems share: further fields and, with texts, source and references."""
    columns: dict[str, Sequence[Any]] = {field_name(name): values for name, values in corpus.fields.items()}
    if shown.texts and corpus.sources is not None:
        columns["source"] = corpus.texts.many(corpus.sources)
    if shown.texts and corpus.references is not None:
        columns |= _ragged("reference", corpus, corpus.references, shown.single_reference)
    return columns


def _system_columns(corpus: Corpus, system: str, shown: _Shown) -> dict[str, Sequence[Any] | None]:
    """Return the columns of one system's predictions: further fields, None for fields that it lacks, and, with
    texts, the prediction.
    """
    found: dict[str, Sequence[Any] | None] = {
        field_name(name): values.get(system) for name, values in corpus.system_fields.items()
    }
    return found | (
        _ragged("prediction", corpus, corpus.predictions[system], shown.single_prediction)
        if shown.texts
        else {}
    )


def field_name(name: str, taken: Container[str] = _TAKEN) -> str:
    """Return the column name of a field: field.NAME if a built-in column has this name."""
    return f"field.{name}" if name in taken else name


def _ragged(name: str, corpus: Corpus, column: Ragged, single: bool) -> dict[str, Sequence[Any]]:
    """Return one text per segment, or else lists of texts under the plural."""
    texts = corpus.texts.many(column.values)
    if single:
        return {name: texts}
    return {f"{name}s": [texts[start:stop] for start, stop in pairwise(column.offsets.tolist())]}


def worst(result: Result, metric: str, n: int, system: str | None) -> SegmentList:
    """Return the segments with the worst scores first."""
    chosen = _Chosen(result, system, n)
    name, scores, goodness = chosen.values(metric)
    known = np.flatnonzero(~np.isnan(goodness))
    order = known[np.argsort(goodness[known], kind="stable")]
    return chosen.listed(order[:n], {name: scores}, len(goodness) - len(known))


def missing(result: Result, metric: str, system: str | None) -> SegmentList:
    """Return the segments without a score of a metric, each with the reason."""
    label, output = output_named(result, metric)
    chosen = _Chosen(result, system, 1)
    places, reasons = [], []
    for i, name in enumerate(result.systems if system is None else (system,)):
        table = result._tables[name, label]
        if not table.additive:
            raise ParameterError(f"{label} has no segment scores; choose another metric.")
        part = part_of(table, output.name)
        segments = np.flatnonzero(table.missing(part))
        places.append(i * len(result.corpus) + segments)
        reasons += reason_by_segment(table, part, segments)
    listed = chosen.listed(np.concatenate(places), {}, 0)
    return replace(
        listed, rows=[{**row, "missing": reason} for row, reason in zip(listed.rows, reasons, strict=True)]
    )


def disagreements(result: Result, one: str, other: str, n: int, system: str | None) -> SegmentList:
    """Return the segments that two metrics rank most differently; ranks are shares, from near 0 (worst) to 1
    (best).
    """
    chosen = _Chosen(result, system, n)
    (one, ours, our_goodness), (other, theirs, their_goodness) = chosen.values(one), chosen.values(other)
    known = np.flatnonzero(~np.isnan(our_goodness) & ~np.isnan(their_goodness))
    ranks = {name: np.full(len(ours), math.nan) for name in (one, other)}
    ranks[one][known], ranks[other][known] = (
        fractional_ranks(our_goodness[known]),
        fractional_ranks(their_goodness[known]),
    )
    order = known[np.argsort(-np.abs(ranks[one] - ranks[other])[known], kind="stable")]
    columns = {one: ours, other: theirs, **{f"rank of {name}": values for name, values in ranks.items()}}
    return chosen.listed(order[:n], columns, len(ours) - len(known))


def fractional_ranks(values: Array) -> Array:
    """Return the rank of each value as a share of their number, the highest 1; equal values share their mean
    rank.

    >>> fractional_ranks(np.array([5.0, 7.0, 5.0, 9.0])).tolist()
    [0.375, 0.75, 0.375, 1.0]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[places.reshape(-1)] / max(1, len(values))
    return ranks


class _Chosen:
    """The segments of one system or of all, one after the other, among which some are looked for."""

    def __init__(self, result: Result, system: str | None, n: int) -> None:
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ParameterError(f"n must be a whole number from 1, got {n!r:.60}.")
        if system is not None:
            result._check_system(system)
        self._result = result
        self._systems = result.systems if system is None else (system,)
        self._outputs: dict[str, Output] = {}

    def values(self, metric: str) -> tuple[str, Array, Array]:
        """Return the name of the output, its scores, and the same turned so that higher is better."""
        label, output = output_named(self._result, metric)
        tables = [self._result._tables[system, label] for system in self._systems]
        if not all(table.has_segments for table in tables):
            raise ParameterError(f"{label} has no segment scores; choose another metric.")
        if output.higher_is_better is None:
            raise ParameterError(
                f"{output.name} of {label} has no better direction, so its segments cannot be ordered from worst to best",
                python="choose another output, or sort result.segments() by it",
                cli="choose another output, or print all segments and sort them",
            )
        name = output_names(self._result)[label, output.name]
        self._outputs[name] = output
        scores = np.concatenate([table.segments_of(output.name) for table in tables])
        return name, scores, scores if output.higher_is_better else -scores

    def listed(self, places: Array, columns: dict[str, Array], unknown: int) -> SegmentList:
        """Return the segments at these places with these columns, and their texts as far as the result has
        them.
        """
        count = len(self._result.corpus)
        share = Output("rank", None, 0, 1)
        corpus = self._result.corpus.take(places % count)
        shown = _Shown.of(self._result.corpus, self._result.has_texts)
        shared = _shared_columns(corpus, shown)
        own = {system: _system_columns(corpus, system, shown) for system in self._systems}
        rows = []
        for i, place in enumerate(places.tolist()):
            system = self._systems[place // count]
            numbers = {name: float(values[place]) for name, values in columns.items()}
            texts = {
                name: None if values is None else values[i]
                for name, values in {**shared, **own[system]}.items()
            }
            rows.append({"segment": corpus.ids[i], "system": system, **numbers, **texts})
        note = (
            f"{counted(unknown, 'segment')} without a value {'was' if unknown == 1 else 'were'} left out."
            if unknown
            else ""
        )
        return SegmentList(rows, {name: self._outputs.get(name, share) for name in columns}, note)
