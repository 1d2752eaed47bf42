"""Corpus chunks from columns of files that are read some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nlgauge.corpus import Corpus
from nlgauge.corpus.fields import NothingMatches
from nlgauge.corpus.raw_columns import RawColumns, check_left
from nlgauge.io.choice import Choice


class ColumnPieces:
    """Converter of chunks of columns to chunks of a corpus.

    Segments that do not match `where`, and with `skip_missing` segments with a missing text, are left out.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._start = self._looked_at = self._gaps = 0
        self._nothing: NothingMatches | None = None

    def taken(self, parts: RawColumns) -> Iterator[Corpus]:
        """Yield the corpus of the next chunk; yield nothing if all its segments are left out."""
        numbers = range(self._start, self._start + parts.count)
        self._start = numbers.stop
        is_chosen = self._choice.where or self._choice.skip_missing
        if parts.ids is None and is_chosen:
            parts = replace(parts, ids=list(numbers))
        try:
            parts = matching(parts, self._choice.where)
        except NothingMatches as error:
            self._nothing = error
            return
        self._looked_at += parts.count
        if self._choice.skip_missing:
            gaps = parts.gaps()
            self._gaps += len(gaps)
            if len(gaps) == parts.count:
                return
            parts = parts.without(gaps)
        corpus = Corpus.of_parts(parts, self._choice.lang, piece=True)
        yield replace(corpus, ids=numbers) if parts.ids is None else corpus

    def end(self) -> None:
        """Warn how many segments had a missing text; raise InputError if all segments were left out."""
        if not self._looked_at and self._nothing is not None:
            raise self._nothing
        if self._gaps:
            check_left(self._gaps, self._looked_at)


def matching(parts: RawColumns, where: str | Sequence[str]) -> RawColumns:
    """Return the segments that meet all expressions, with their original ids or numbers."""
    if not where:
        return parts
    from nlgauge.corpus.conditions import meeting, of_parts

    rows = meeting(where, of_parts(parts), "segment")
    taken = parts.take(rows)
    return taken if taken.ids is not None else replace(taken, ids=rows)
