"""Matches of METEOR: words of a prediction and of its reference, and their counts by module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature, RowKernel
from nlgauge.features.lexical.paraphrases import phrase_table
from nlgauge.features.lexical.word_keys import meteor_stems, no_keys, numbered
from nlgauge.features.lexical.wordnet import accepted_stems, synset_column
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.alignment import BUDGET, Match, match_column, word_alignments
from nlgauge.kernels.alignment_compat import beam, beam_alignments, greedy_alignments
from nlgauge.kernels.phrase_alignment import most_places, phrase_alignment

MODULES = ("exact", "stem", "synonym", "paraphrase")
# The counts of words: content and function words of both sides, and those that each module matches.
WORD_COUNTS = 4 * (1 + len(MODULES))


class Matched(NamedTuple):
    """(rows, counts) content and function words of prediction and reference, the words matched by each module, matches,
    chunks.

    Words that phrases match are counted on either side, and their mean is the number of matches. With copy words five
    more counts: their numbers in prediction and reference, the numbers matched, and 1 for the segment. The compiled kernel
    returns the counts only, without the words of the texts as numbers, how each number is spelt, the rows of predictions
    and references, and the matches of each pair.
    """

    counts: Array
    words: Ragged | None = None
    spelt: list[str] | None = None
    predictions: Array | None = None
    references: Array | None = None
    matches: Ragged | None = None


@dataclass(frozen=True)
class WordMatches(RowFeature):
    """The alignment of each prediction with its one reference by the modules of METEOR."""

    tokens: Tokens
    # The version of METEOR, which decides the stems; None matches no stems.
    stems: str | None
    synonyms: bool
    # Groups of interchangeable words, or the file of a table of phrases.
    paraphrases: tuple[str, ...] | str
    function_words: frozenset[str]
    copy_words: frozenset[str] = frozenset()
    # "nltk" or "jar": the alignment that the program finds.
    compat: str | None = None

    def __str__(self) -> str:
        return f"word matches of {self.tokens}"

    def compute(self, view: Any) -> Matched:
        words, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        sides = words, predictions, references
        spelt = view.features.memory_of(self.tokens).words()
        if self.compat == "nltk":
            stems = self._stems(spelt) or spelt
            synsets = accepted_stems(stems) if self.synonyms else no_keys(stems)
            matches = greedy_alignments(*sides, numbered(stems), synsets)
        elif isinstance(self.paraphrases, str):
            matches = match_column(self._with_phrases(*sides, spelt, self._modules(spelt)))
        elif self.compat == "jar":
            matches = beam_alignments(*sides, self._modules(spelt))
        else:
            matches = word_alignments(*sides, self._modules(spelt), BUDGET)
        return Matched(self._counts(*sides, spelt, matches), words, spelt, predictions, references, matches)

    def kernel(self) -> RowKernel | None:
        """Return the compiled function; None for alignments of other programs, phrases and copy words."""
        if self.compat is not None or isinstance(self.paraphrases, str) or self.copy_words:
            return None
        return RowKernel("word_alignment", self.tokens, WORD_COUNTS + 2, Matched, BUDGET, self._keys)

    def _keys(self, words: list[str]) -> tuple[list[str] | None, list[Ragged], list[bool]]:
        """Return the stems of words, None without them, the columns of their synsets and of their groups of paraphrases,
        and whether each is a function word.
        """
        columns = [self._synsets(words), *([self._groups(words)] if self.paraphrases else [])]
        return self._stems(words), columns, [word in self.function_words for word in words]

    def _modules(self, spelt: list[str]) -> list[Ragged]:
        """Return for each module the keys of each word: itself, its stem, its synsets, the groups of
        paraphrases that it is in.
        """
        stems = self._stems(spelt)
        return [
            Ragged.single(np.arange(len(spelt), dtype=np.int32)),
            no_keys(spelt) if stems is None else numbered(stems),
            self._synsets(spelt),
            self._groups(spelt),
        ]

    def _stems(self, words: list[str]) -> list[str] | None:
        return None if self.stems is None else meteor_stems(words, self.stems)

    def _synsets(self, words: list[str]) -> Ragged:
        return synset_column(words, self.compat == "jar") if self.synonyms else no_keys(words)

    def _groups(self, words: list[str]) -> Ragged:
        if not self.paraphrases or isinstance(self.paraphrases, str):
            return no_keys(words)
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(self.paraphrases):
            for word in dict.fromkeys(group.lower().split()):
                numbers[word].append(number)
        return Ragged.of([numbers.get(word, []) for word in words], dtype=np.int32)

    def _with_phrases(
        self, words: Ragged, predictions: Array, references: Array, spelt: list[str], modules: list[Ragged]
    ) -> Iterator[list[Match]]:
        """Yield the alignment of each row with the phrases of the table."""
        assert isinstance(self.paraphrases, str)
        table = phrase_table(self.paraphrases)
        rows, keys = words.lists(), [module.lists() for module in modules]
        for p, r in zip(predictions.tolist(), references.tolist(), strict=True):
            prediction, reference = rows[p], rows[r]
            most = None if self.compat == "jar" else most_places(reference)
            places = table.matches(
                [spelt[word] for word in prediction], [spelt[word] for word in reference], most
            )
            phrases = [Match(place, other, 3, *lengths) for place, other, *lengths in places]
            if self.compat == "jar":
                yield beam(prediction, reference, keys, phrases)
            else:
                longer = [phrase for phrase in phrases if phrase[3:] != (1, 1)]
                yield phrase_alignment(
                    prediction, reference, [*keys[:3], _single(phrases, prediction, reference)], longer
                )

    def _counts(
        self, words: Ragged, predictions: Array, references: Array, spelt: list[str], matches: Ragged
    ) -> Array:
        """Return the counts of `Matched`."""
        copied = self.copy_words - self.function_words
        rows = len(predictions)
        in_list, in_copied = (
            np.array([word in chosen for word in spelt], dtype=bool)[words.values]
            for chosen in (self.function_words, copied)
        )
        fours = np.zeros((rows, 1 + len(MODULES), 2, 2))
        copies = np.zeros((rows, 2, 2))
        for side, texts in enumerate((predictions, references)):
            listed, copies[:, 0, side] = (_sums(words, counted)[texts] for counted in (in_list, in_copied))
            fours[:, 0, side] = np.column_stack([words.lengths[texts] - listed, listed])
            lengths = matches.values[:, 3 + side]
            # Every word of every match: its place among all words, and its side.
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            starts = words.offsets[texts][matches.owners] + matches.values[:, side]
            places = np.repeat(starts, lengths) + within
            owners = np.repeat(matches.owners, lengths)
            kinds = 2 * (len(MODULES) * owners + np.repeat(matches.values[:, 2], lengths)) + in_list[places]
            fours[:, 1:, side] = np.bincount(kinds, minlength=2 * len(MODULES) * rows).reshape(
                rows, len(MODULES), 2
            )
            copies[:, 1, side] = np.bincount(owners, in_copied[places], rows)
        matched = fours[:, 1:].sum(axis=(1, 3))
        chunks = np.bincount(matches.owners, _chunk_begins(matches), rows)
        columns = [fours.reshape(rows, WORD_COUNTS), matched.sum(axis=1) / 2, chunks]
        if self.copy_words:
            columns += [copies.reshape(rows, 4), np.ones(rows)]
        return np.column_stack(columns)


def _single(
    phrases: list[Match], prediction: list[int], reference: list[int]
) -> dict[int, list[tuple[int, int]]]:
    """Return the keys that join the words of a table's entries with one word on either side."""
    keys: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for match in phrases:
        if match[3:] == (1, 1):
            pair = prediction[match.prediction], reference[match.reference]
            for word in pair:
                keys[word].append(pair)
    return keys


def _sums(column: Ragged, values: Array) -> Array:
    """Return the sum of each row's values."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return np.asarray(sums[column.offsets[1:]] - sums[column.offsets[:-1]])


def _chunk_begins(matches: Ragged) -> Array:
    """Return True for each match that begins a chunk: it does not continue at the end of the previous
    match.
    """
    begins = np.ones(len(matches.values), dtype=bool)
    values = matches.values
    begins[1:] = (values[1:, :2] != values[:-1, :2] + values[:-1, 3:]).any(axis=1)
    begins[matches.offsets[:-1][matches.lengths > 0]] = True
    return begins
