"""Corpora: `Corpus` stores predictions, references and sources of all supported forms of input.

Each distinct text is stored once and has an integer id. Columns contain the text ids of each segment.

    predictions             references               meaning
    [p1, ..., pk]           [r1, ..., rk]            one prediction, one reference per segment
    [p1, ..., pk]           [[r11, ...], ...]        any number of references per segment (ragged)
    [[p11, ...], ...]       [[r11, ...], ...]        several predictions per segment
    {"A": ..., "B": ...}    as above                 several systems on the same segments
    [p1, ..., pk]           None                     no references
    [{"prediction": ...}]   in the records           records: dictionaries, a data frame, an Arrow table, a dataset
    a frame with columns    in the frame             the same, with systems=["A", "B"]: one column of predictions per system

``references[i]`` always belongs to ``predictions[i]``: a list of reference *files* must be transposed first.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core import language
from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged, blocks, offsets_of
from nlgauge.corpus.fields import asks_for, check_some, kept, plain, saved_id
from nlgauge.corpus.raw_columns import RawColumns, given_parts, parts_of, system_names
from nlgauge.corpus.records import as_records, check_alone, find_field
from nlgauge.corpus.store.lazy_values import picked
from nlgauge.corpus.texts import Texts, text_lengths
from nlgauge.corpus.validation import (
    ColumnInput,
    check_system,
    ids_of,
    is_hashable,
    labels_of,
    references_of,
    sources_of,
    values_of,
    weights_of,
)
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.spans.columns import Spans


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Segments with the predictions of one or more systems, references and sources.

    Parameters
    ----------
    texts : Texts
        Distinct texts. All columns contain ids of these texts.
    ids : sequence
        N identifiers, one per segment.
    predictions : mapping of str to Ragged
        Text ids of the predictions, one or more per segment, by system.
    references : Ragged, optional
        Text ids of the references, any number per segment.
    sources : ndarray of shape (N,), optional
        Text ids of the sources.
    weights : ndarray of shape (N,), optional
        Weights of the segments.
    documents : sequence of str, optional
        N document labels, one per segment.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    fields : mapping, optional
        Further columns that are the same for every system: N values by field.
    system_fields : mapping, optional
        Further columns that differ between systems: N values by field and system.
    repeats : bool, default False
        Several predictions of a segment are repeats: their scores are averaged, never the best of them taken, and a
        segment may have no prediction.
    spans : mapping of str to Spans, optional
        Error spans by annotator or metric, see `nlgauge.spans`; `nlgauge.spans.with_spans` adds them.

    Notes
    -----
    `Corpus.read` accepts texts in all supported forms.
    """

    texts: Texts
    ids: Sequence[Hashable]
    predictions: Mapping[str, Ragged]
    references: Ragged | None = None
    sources: Array | None = None
    weights: Array | None = None
    documents: Sequence[str] | None = None
    lang: str | None = None
    # Further columns of the records. The values in `fields` are the same for every system; the values in
    # `system_fields` differ between systems.
    fields: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    system_fields: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    repeats: bool = False
    # Error spans by annotator and metric, with the numbers of the segments as their ids.
    spans: Mapping[str, Spans] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        predictions: Any,
        references: Any = None,
        sources: Any = None,
        *,
        ids: Iterable[Any] | None = None,
        weights: Iterable[float] | None = None,
        documents: Iterable[Any] | None = None,
        lang: str | None = None,
        fields: Mapping[str, Iterable[Any]] | None = None,
        systems: Sequence[str] | None = None,
        mapping: Mapping[str, str] | None = None,
        skip_missing: bool = False,
        common: bool = False,
        pooled: bool = False,
    ) -> Corpus:
        """Read a corpus from texts in any form that `nlgauge.score` accepts.

        Parameters
        ----------
        predictions : sequence of str, mapping, records, data frame or Corpus
            N texts, one per segment, or a list of texts per segment; a mapping from systems to such sequences; or records
            (dictionaries, a data frame, an Arrow table, a dataset), which also contain references and sources; or a `Corpus`.
        references : sequence, optional
            N items, one per segment: a text or a list of texts. `references[i]` belongs to `predictions[i]`.
        sources : sequence of str, optional
            N source texts, one per segment.
        ids : iterable, optional
            N identifiers, one per segment. Default: 0 to N - 1.
        weights : iterable of float, optional
            N weights, one per segment.
        documents : iterable, optional
            N document labels, one per segment. Segments of a document are resampled together.
        lang : str, optional
            ISO language code, used for tokenizers, sentence splitters and default models.
        fields : mapping, optional
            Further values of the segments: a mapping from field names to N values each.
        systems : sequence of str, optional
            Systems to read. If records have no prediction field, these are the columns that contain predictions.
        mapping : mapping of str to str, optional
            Columns of records by name of the field, such as {"prediction": "answer", "reference": "expected"}.
        skip_missing : bool, default False
            Skip segments with a missing text, and warn how many.
        common : bool, default False
            Skip segments that some system lacks, and warn how many.
        pooled : bool, default False
            Treat every record as a separate segment, whichever system it is from.

        Returns
        -------
        Corpus
            N segments with the predictions of S systems.

        Raises
        ------
        InputError
            If texts are missing, empty or of unequal numbers.
        """
        if isinstance(predictions, Corpus):
            others = {"references": references, "sources": sources, "ids": ids, "weights": weights}
            others |= {
                "documents": documents,
                "lang": lang,
                "fields": fields,
                "systems": systems,
                "mapping": mapping,
            }
            flags = {"skip_missing": skip_missing, "common": common, "pooled": pooled}
            passed = [name for name, value in others.items() if value is not None]
            if passed := [*passed, *(name for name, value in flags.items() if value)]:
                raise InputError(f"predictions are a Corpus, which is complete; omit {passed[0]}.")
            return predictions
        records = as_records(predictions)
        if records is not None:
            check_alone(
                references=references,
                sources=sources,
                ids=ids,
                weights=weights,
                documents=documents,
                fields=fields,
            )
            parts = parts_of(
                records.renamed(mapping),
                system_names(systems),
                common=common,
                pooled=pooled,
                skip_missing=skip_missing,
            )
        else:
            parts = given_parts(
                predictions, system_names(systems), references, sources, ids, weights, documents, fields
            )
        return cls.of_parts(parts.without_gaps() if skip_missing else parts, lang)

    @classmethod
    def of_parts(cls, parts: RawColumns, lang: str | None, piece: bool = False) -> Corpus:
        """Make a corpus from columns that are already assembled.

        Parameters
        ----------
        parts : RawColumns
            Columns of texts and values.
        lang : str, optional
            ISO language code, used for tokenizers, sentence splitters and default models.
        piece : bool, default False
            The columns are a chunk of a larger corpus; all weights of a chunk may be 0.

        Returns
        -------
        Corpus
            N segments with the predictions of S systems.

        Raises
        ------
        InputError
            If there is no system or no segment, or the systems have unequal numbers of segments.
        """
        language.checked(lang)
        if not parts.predictions:
            raise InputError("predictions is an empty mapping; pass at least one system.")
        for system in parts.predictions:
            check_system(system)
        texts = Texts()
        columns: dict[str, Ragged] = {}
        count = -1
        for system, given_texts in parts.predictions.items():
            name = parts.name(system)
            column = ColumnInput.of(given_texts, name)
            if count >= 0 and len(column) != count:
                raise InputError(
                    f"{name} has {counted(len(column), 'segment')} but {next(iter(columns))!r} has {count}; all systems need"
                    " the same segments."
                )
            count = len(column)
            columns[system] = column.column(texts, least=0 if parts.repeats else 1)
        if count == 0:
            raise InputError("predictions is empty; pass at least one segment.")
        return cls(
            texts=texts,
            ids=ids_of(parts.ids, count),
            predictions=columns,
            references=None if parts.references is None else references_of(parts.references, count, texts),
            sources=None if parts.sources is None else sources_of(parts.sources, count, texts),
            weights=None if parts.weights is None else weights_of(parts.weights, count, piece),
            documents=None if parts.documents is None else labels_of(parts.documents, count, "documents"),
            lang=lang,
            fields={
                name: kept(values_of(values, count, f"fields[{name!r}]"))
                for name, values in parts.fields.items()
            },
            system_fields={
                name: {system: kept(values) for system, values in by_system.items()}
                for name, by_system in parts.system_fields.items()
            },
            repeats=parts.repeats,
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        shown = {"systems": self.systems, "fields": (*self.fields, *self.system_fields), "lang": self.lang}
        return (
            f"Corpus({counted(len(self), 'segment')},"
            f" {', '.join(f'{name}={value!r}' for name, value in shown.items() if value)})"
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the S systems, in the order of the input."""
        return tuple(self.predictions)

    @property
    def reference_count(self) -> str:
        """Number of references of every segment as text, "var" if it varies."""
        if self.references is None:
            return "0"
        if self.references.is_single:
            return "1"
        least, most = self.references.lengths.min(), self.references.lengths.max()
        return str(least) if least == most else "var"

    def take(self, segments: Array) -> Corpus:
        """Return the corpus of some segments, with the same text ids.

        Parameters
        ----------
        segments : ndarray of int
            Numbers of the segments, in the new order.

        Returns
        -------
        Corpus
            The corpus of these segments.
        """
        numbers = segments.tolist()
        return replace(
            self,
            ids=_taken(self.ids, numbers),
            predictions={system: column.take(segments) for system, column in self.predictions.items()},
            references=None if self.references is None else self.references.take(segments),
            sources=None if self.sources is None else self.sources[segments],
            weights=None if self.weights is None else self.weights[segments],
            documents=None if self.documents is None else picked(self.documents, numbers),
            fields={name: picked(values, numbers) for name, values in self.fields.items()},
            system_fields={
                name: {system: picked(values, numbers) for system, values in by_system.items()}
                for name, by_system in self.system_fields.items()
            },
            spans={name: each.take(segments).renumbered() for name, each in self.spans.items()},
        )

    def bare(self) -> Corpus:
        """Return the corpus without weights and documents, which the rows of segments do not need.

        Returns
        -------
        Corpus
            The corpus with texts and fields only.
        """
        return replace(self, weights=None, documents=None)

    def by_document(self, separator: str = "\n") -> Corpus:
        r"""Return the corpus whose segments are whole documents, so that metrics score documents.

        Parameters
        ----------
        separator : str, default "\n"
            Text between the segments of a document. Metrics that split sentences need a character that ends a line or a
            sentence.

        Returns
        -------
        Corpus
            One segment per document, in the order of the first segments. The k-th references of all segments become the
            k-th reference. Numbers in fields are averaged; other fields must not vary within a document, or are left out
            with a warning.

        Raises
        ------
        InputError
            If there are no documents, segments of a document have different numbers of texts, or the segments have
            weights or error spans.

        Examples
        --------
        >>> corpus = Corpus.read(["a b", "c", "d"], ["a b", "x", "d"], documents=["1", "1", "2"])
        >>> corpus.by_document(" ").records()[0]["predictions"]
        {'system': ['a b c']}
        """
        from nlgauge.corpus.whole_documents import whole_documents

        return whole_documents(self, separator)

    def with_fields(self, names: Collection[str]) -> Corpus:
        """Return the corpus with only some of its fields.

        Parameters
        ----------
        names : collection of str
            Fields of the corpus.

        Returns
        -------
        Corpus
            The corpus without other fields.
        """
        return replace(
            self,
            fields={name: values for name, values in self.fields.items() if name in names},
            system_fields={name: values for name, values in self.system_fields.items() if name in names},
        )

    def apart(self, segments: Array) -> Corpus:
        """Return the corpus of some segments with a separate store of their distinct texts.

        Parameters
        ----------
        segments : ndarray of int
            Numbers of the segments, in the new order.

        Returns
        -------
        Corpus
            The corpus of these segments, with new text ids.
        """
        part = self.take(segments)
        columns = [*part.predictions.values(), *([] if part.references is None else [part.references])]
        ids = np.concatenate(
            [*(column.values for column in columns), *([] if part.sources is None else [part.sources])]
        )
        old, places = np.unique(ids, return_inverse=True)
        texts = Texts()
        new = texts.intern_all(self.texts.many(old))[places]
        parts = iter(np.split(new, np.cumsum([len(column.values) for column in columns])))
        return replace(
            part,
            texts=texts,
            predictions={
                system: replace(column, values=next(parts)) for system, column in part.predictions.items()
            },
            references=None if part.references is None else replace(part.references, values=next(parts)),
            sources=None if part.sources is None else next(parts),
        )

    def matching(self, **conditions: Any) -> Array:
        """Return the numbers of the segments that meet all conditions.

        Parameters
        ----------
        **conditions
            Fields of the segments and their values, such as `domain="news"`; a list matches any of its items. Values are
            compared directly or as text.

        Returns
        -------
        ndarray of int
            Numbers of the segments, in order.

        Raises
        ------
        InputError
            If a field is unknown or no segment matches.
        """
        segments = np.arange(len(self))
        for name, condition in conditions.items():
            values = self.values(name)
            segments = _fitting(segments, values, asks_for(condition))
            check_some(segments, name, condition, values, "segment")
        return segments

    def where(self, expression: str = "", /, **conditions: Any) -> Corpus:
        """Return the corpus of the segments that meet an expression and all conditions.

        Parameters
        ----------
        expression : str, optional
            Expression over fields and texts, such as `'domain = news and words < 5'`.
        **conditions
            Fields of the segments and their values, such as `domain="news"`; a list matches any of its items.

        Returns
        -------
        Corpus
            The corpus of these segments.

        Raises
        ------
        InputError
            If a field is unknown or no segment matches.
        ParameterError
            If the expression has a mistake.

        Examples
        --------
        >>> corpus = Corpus.read(["a", "b", "c"], fields={"domain": ["news", "ted", "news"], "year": [2020, 2021, 2021]})
        >>> list(corpus.where(domain="news", year="2021").ids)
        [2]
        >>> list(corpus.where("domain = news and year < 2021").ids)
        [0]
        """
        corpus = self
        if expression.strip():
            from nlgauge.corpus.conditions import meeting, of_corpus

            corpus = self.take(np.array(meeting(expression, of_corpus(self), "segment"), dtype=np.int64))
        return corpus.take(corpus.matching(**conditions)) if conditions else corpus

    def groups(self, name: str) -> dict[Any, Array]:
        """Group the segments by the values of a field.

        Parameters
        ----------
        name : str
            Field of the segments.

        Returns
        -------
        dict
            Numbers of the segments by value, in order of first appearance.
        """
        segments: dict[Any, array[int]] = {}
        for i, value in enumerate(self.values(name)):
            segments.setdefault(value if is_hashable(value) else str(value), array("q")).append(i)
        return {value: np.array(numbers, dtype=np.int64) for value, numbers in segments.items()}

    def values(self, name: str) -> Sequence[Any]:
        """Return the values of a field.

        Parameters
        ----------
        name : str
            Field of the segments. "id" (or "segment") and "document" are also fields, unless another field has the name.

        Returns
        -------
        sequence
            N values, one per segment.

        Raises
        ------
        InputError
            If the field is unknown or differs between systems.
        """
        columns: dict[str, Sequence[Any]] = {"id": self.ids}
        if self.documents is not None:
            columns["document"] = self.documents
        columns |= self.fields
        names = [*columns, *self.system_fields]
        match = find_field("id" if name == "segment" and name not in names else name, names, "the segments")
        if match not in columns:
            raise InputError(
                f"the field {match!r} differs between the systems of a segment, so it cannot select segments;"
                " choose another field."
            )
        return columns[match]

    def number(self, segment: Hashable) -> int | None:
        """Return the number of a segment.

        Parameters
        ----------
        segment : hashable
            Id of the segment, an id as text, or the number of the segment, tried in this order.

        Returns
        -------
        int or None
            Number of the segment; None if no segment matches.

        Examples
        --------
        >>> corpus = Corpus.read(["a", "b", "c"], ids=[2, 1, 7])
        >>> corpus.number(1), corpus.number("7"), corpus.number(0), corpus.number("x")
        (1, 2, 0, None)
        """
        if segment in self.ids:
            return self.ids.index(segment)
        text = str(segment)
        match = (
            next((i for i, segment_id in enumerate(self.ids) if str(segment_id) == text), None)
            if isinstance(segment, str)
            else None
        )
        if match is not None:
            return match
        place = int(text) if isinstance(segment, int) or (text.isascii() and text.isdecimal()) else -1
        return place if 0 <= place < len(self) else None

    def distinct_references(self) -> Array:
        """Return the text ids of all references, each once per segment.

        Returns
        -------
        ndarray of int
            Text ids, segment by segment.
        """
        assert self.references is not None
        pairs = np.unique(np.column_stack([self.references.owners, self.references.values]), axis=0)
        return np.asarray(pairs[:, 1])

    def only(self, *systems: str) -> Corpus:
        """Return the corpus with some of the systems.

        Parameters
        ----------
        *systems : str
            Systems of the corpus.

        Returns
        -------
        Corpus
            The corpus with only these systems.
        """
        return replace(
            self,
            predictions={system: self.predictions[system] for system in systems},
            system_fields={
                name: {system: by_system[system] for system in systems if system in by_system}
                for name, by_system in self.system_fields.items()
            },
        )

    def adding(self, predictions: Mapping[str, Any]) -> Corpus:
        """Return the corpus of the same segments with the predictions of other systems only.

        Parameters
        ----------
        predictions : mapping
            N predictions by system.

        Returns
        -------
        Corpus
            The corpus of the new systems. Text ids remain valid, and new texts get further ids.

        Raises
        ------
        InputError
            If a system already exists or has another number of segments.
        """
        columns = {}
        for system, given_texts in predictions.items():
            check_system(system)
            if system in self.predictions:
                raise InputError(f"system {system!r} is already in the result; choose another name.")
            name = f"predictions[{system!r}]"
            column = ColumnInput.of(given_texts, name)
            if len(column) != len(self):
                raise InputError(
                    f"{name} has {counted(len(column), 'segment')} but the result has {len(self)}; pass one prediction per"
                    " segment."
                )
            columns[system] = column.column(self.texts, least=1)
        return replace(self, predictions=columns, system_fields={}, spans={})

    def swapping(self, one: str, other: str, where: Array) -> Corpus:
        """Return the corpus in which two systems have exchanged their predictions in some segments.

        Parameters
        ----------
        one : str
            First system.
        other : str
            Second system.
        where : ndarray of bool, shape (N,)
            True for the segments to exchange.

        Returns
        -------
        Corpus
            The corpus with exchanged predictions.
        """
        both = Ragged.concatenate([self.predictions[one], self.predictions[other]])
        ours, theirs = np.arange(len(self)), np.arange(len(self)) + len(self)
        swapped = {
            one: both.take(np.where(where, theirs, ours)),
            other: both.take(np.where(where, ours, theirs)),
        }
        return replace(self, predictions={**self.predictions, **swapped})

    def chunks(self, characters: int = 200_000) -> list[Array]:
        """Split the segments into consecutive chunks of about equal amounts of text.

        Parameters
        ----------
        characters : int, default 200,000
            Approximate number of characters per chunk.

        Returns
        -------
        list of ndarray of int
            Numbers of the segments of each chunk.
        """
        lengths = text_lengths(self.texts.strings)
        columns = [*self.predictions.values()] + ([self.references] if self.references is not None else [])
        if (
            int(lengths.max(initial=0)) * (sum(len(column.values) for column in columns) + len(self))
            <= characters
        ):
            return [np.arange(len(self))]
        # Number of characters up to the end of each segment.
        total = np.zeros(len(self), dtype=np.int64)
        for column in columns:
            total += offsets_of(lengths[column.values])[column.offsets[1:]]
        if self.sources is not None:
            total += lengths[self.sources].cumsum()
        number = np.maximum(total - 1, 0) // characters
        bounds = [0, *(np.flatnonzero(number[1:] != number[:-1]) + 1).tolist(), len(self)]
        return [np.arange(start, end) for start, end in pairwise(bounds)]

    def records(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per segment.

        Returns
        -------
        list of dict
            N records: id, predictions and, if present, source, references, weight, document and fields.
        """
        return list(self.each_record())

    def each_record(self) -> Iterator[dict[str, Any]]:
        """Yield the dictionaries of `records` one by one, for corpora that exceed memory.

        Yields
        ------
        dict
            Record of a segment.
        """
        sources = None if self.sources is None else self.sources.tolist()
        references = None if self.references is None else self.references.lists()
        predictions = {system: column.lists() for system, column in self.predictions.items()}
        strings = self.texts.strings
        documents = None if self.documents is None else iter(self.documents)
        fields = {plain(name): iter(values) for name, values in self.fields.items()}
        system_fields = {
            plain(name): {system: iter(values) for system, values in by_system.items()}
            for name, by_system in self.system_fields.items()
        }
        for i, segment in enumerate(self.ids):
            record: dict[str, Any] = {"id": saved_id(segment)}
            if sources is not None:
                record["source"] = strings[sources[i]]
            if references is not None:
                record["references"] = [strings[j] for j in references[i]]
            record["predictions"] = {
                system: [strings[j] for j in rows[i]] for system, rows in predictions.items()
            }
            if self.weights is not None:
                record["weight"] = float(self.weights[i])
            if documents is not None:
                record["document"] = next(documents)
            if fields:
                record["fields"] = {name: plain(next(values)) for name, values in fields.items()}
            if system_fields:
                record["system_fields"] = {
                    name: {system: plain(next(values)) for system, values in by_system.items()}
                    for name, by_system in system_fields.items()
                }
            yield record


def _fitting(segments: Array, values: Sequence[Any], fits: Callable[[Any], bool]) -> Array:
    """Return the segments whose value meets the condition `fits`."""
    matches = [np.empty(0, dtype=np.int64)]
    for start, stop in blocks(len(segments)):
        block = segments[start:stop]
        matches.append(block[np.array(list(map(fits, picked(values, block.tolist()))), dtype=bool)])
    return np.concatenate(matches)


def _taken(ids: Sequence[Hashable], numbers: list[int]) -> Sequence[Hashable]:
    """Return the ids of these segments, as a range if ids and segments are consecutive numbers."""
    if isinstance(ids, range) and numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return ids[numbers[0] : numbers[0] + len(numbers)]
    return picked(ids, numbers)
