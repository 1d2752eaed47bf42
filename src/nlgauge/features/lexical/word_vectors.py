"""The words of a text as rows of a table of word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.corpus.texts import Texts
from nlgauge.features import Feature, Features, Work
from nlgauge.features.lexical.stop_words import ENGLISH
from nlgauge.features.tokens.text import Tokens
from nlgauge.models.weights.vectors import WordTable, load_vectors

_LEFT_OUT, _UNKNOWN = -2, -1


class Words(NamedTuple):
    """The rows of a text's words in the table, in order; (texts, 2) how many words are not in the table,
    and how many there are.
    """

    rows: Ragged
    counts: Ragged


@dataclass(frozen=True)
class WordVectors(Feature):
    """Rows of the table for the words of a text; the vectors are not copied.

    `stop="english"` leaves English stop words out, and words with anything but letters. Words that the table
    lacks are dropped, or with `unknown="mean"` are the row behind the last, which is the mean of all vectors.
    """

    vectors: str
    tokenizer: str = "unicode"
    stop: str = "none"
    unknown: str = "drop"

    @property
    def table(self) -> WordTable:
        """The words and their vectors."""
        return load_vectors(self.vectors)

    def compute(self, keys: list[str], work: Work) -> Words:
        features = work.features or Features(Texts(), work.options)
        tokens = Tokens(self.tokenizer)
        column, rows = features.get(tokens, features.ids_of(keys))
        column = column.take(rows)
        found = (
            self.rows_of(features.memory_of(tokens).words())[column.values]
            if len(column.values)
            else np.empty(0, dtype=np.int64)
        )
        words, unknown = found != _LEFT_OUT, found == _UNKNOWN
        counts = np.column_stack([np.bincount(column.owners, which, len(keys)) for which in (unknown, words)])
        kept = words & ~unknown
        if self.unknown == "mean":
            kept, found = words, np.where(unknown, len(self.table.words), found)
        return Words(
            Ragged(found[kept], offsets_of(np.bincount(column.owners, kept, len(keys)))),
            Ragged.single(counts),
        )

    def rows_of(self, words: list[str]) -> Array:
        """Return the row of each word in the table; below 0 if the word is missing or left out."""
        table = self.table.rows
        found = np.fromiter((table.get(word, _UNKNOWN) for word in words), np.int64, len(words))
        if self.stop == "english":
            found[
                np.fromiter(
                    (word.lower() in ENGLISH or not word.isalpha() for word in words), bool, len(words)
                )
            ] = _LEFT_OUT
        return found
