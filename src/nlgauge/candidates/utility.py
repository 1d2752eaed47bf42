"""The utility of every candidate to every reference, with the bits of a reward of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nlgauge._core.backend import chosen
from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array, Ragged
from nlgauge.candidates.programs import OutputProgram, output_program
from nlgauge.compat.rewards import Reward
from nlgauge.corpus import Corpus
from nlgauge.engine.checks import warn_about_languages
from nlgauge.kernels.ngram_square import mean_ngram_matches, ngram_square
from nlgauge.kernels.ngrams import ngram_totals

# Pairs that a reward scores in one call, so that a model reads texts in full batches.
_PAIRS_TOGETHER = 1 << 16
# Texts that show which languages there are.
_TEXTS_LOOKED_AT = 64


class Input(NamedTuple):
    """The candidates for one input, the references that they are compared with, and its source text."""

    candidates: list[str]
    references: list[str]
    # (references,) weights that sum to 1.
    weights: Array
    source: str | None = None


class Distinct(NamedTuple):
    """The texts of an input, each once."""

    texts: list[str]
    # Numbers of the different candidates and of the different references among the texts.
    candidates: Array
    references: Array
    # The place of each candidate, and of each reference, among the different ones.
    of_candidate: Array
    of_reference: Array

    @classmethod
    def of(cls, each: Input) -> Distinct:
        """Return the texts of an input in order of first appearance."""
        numbers: dict[str, int] = {}
        of_candidate = [numbers.setdefault(text, len(numbers)) for text in each.candidates]
        candidates = np.arange(len(numbers))
        if each.references is each.candidates:
            return cls(list(numbers), candidates, candidates, np.array(of_candidate), np.array(of_candidate))
        texts = [numbers.setdefault(text, len(numbers)) for text in each.references]
        places = {number: place for place, number in enumerate(dict.fromkeys(texts))}
        of_reference = np.array([places[number] for number in texts])
        return cls(list(numbers), candidates, np.array(list(places)), np.array(of_candidate), of_reference)

    def pairs(self) -> tuple[Array, Array]:
        """Return the text numbers of every pair of a candidate and a reference, row after row."""
        return (
            np.repeat(self.candidates, len(self.references)),
            np.tile(self.references, len(self.candidates)),
        )

    def spread(self, utilities: Array) -> Array:
        """Return the (candidates, references) utilities from the utilities of different texts."""
        if len(self.of_candidate) == len(self.candidates) and len(self.of_reference) == len(self.references):
            return utilities
        spread: Array = utilities[np.ix_(self.of_candidate, self.of_reference)]
        return spread


@dataclass(eq=False)
class Utility:
    """A reward as a utility: of candidates to references, all with all."""

    reward: Reward

    @lazy
    def program(self) -> OutputProgram | None:
        """The program of the output; None if only the reward can score pairs."""
        return output_program(self.reward.job.metrics[self.reward.__name__], self.reward.output.name)

    @property
    def averages(self) -> bool:
        """True if references can be averaged, because the output depends on counts of n-grams only."""
        return self.program is not None and self.program.reads_ngrams

    def warn(self, texts: Sequence[str]) -> None:
        """Warn if the metric was made for other languages than the language of the texts."""
        if self.reward.lang is not None or not all(map(str.isascii, texts)):
            some = list(texts[:: len(texts) // _TEXTS_LOOKED_AT + 1])
            warn_about_languages(Corpus.read(some, lang=self.reward.lang), self.reward.job.metrics)

    def matrices(self, inputs: Sequence[Input]) -> list[Array]:
        """Return the (candidates, references) utilities of each input."""
        texts = [Distinct.of(each) for each in inputs]
        return [
            distinct.spread(utilities)
            for distinct, utilities in zip(texts, self._of_distinct(inputs, texts), strict=True)
        ]

    def expected(self, inputs: Sequence[Input]) -> list[Array]:
        """Return the expected utility of each candidate of each input: sums in the order of the references."""
        texts = [Distinct.of(each) for each in inputs]
        program = self.program
        sums: list[Array | None] = [None] * len(inputs)
        if program is not None and program.native is not None and chosen() == "native":
            for place, (each, distinct) in enumerate(zip(inputs, texts, strict=True)):
                sums[place] = program.native.expected(
                    distinct.texts,
                    distinct.candidates,
                    distinct.references,
                    distinct.of_reference,
                    each.weights,
                    *self._scale,
                )
        left = [place for place, values in enumerate(sums) if values is None]
        utilities = self._of_distinct([inputs[place] for place in left], [texts[place] for place in left])
        for place, values in zip(left, utilities, strict=True):
            sums[place] = _expected(values[:, texts[place].of_reference], inputs[place].weights)
        return [
            values[distinct.of_candidate]
            for distinct, values in zip(texts, sums, strict=True)
            if values is not None
        ]

    def aggregated(self, each: Input) -> Array:
        """Return the utility of each candidate to the weighted mean of the references.

        The counts of an n-gram are averaged over the references; the metric does all other arithmetic.
        """
        program = self.program
        assert program is not None
        distinct = Distinct.of(each)
        references = distinct.references[distinct.of_reference]
        columns = []
        for counts in program.counts:
            tokens = counts.tokens.new_memory().tokens(distinct.texts)
            matched = mean_ngram_matches(tokens, distinct.candidates, references, each.weights, counts.orders)
            predicted, totals = (
                ngram_totals(tokens.lengths[side], counts.orders)
                for side in (distinct.candidates, references)
            )
            # cumsum adds in order, whatever the number of references.
            mean = (each.weights[:, None] * totals).cumsum(axis=0)[-1]
            columns += [matched, predicted, np.broadcast_to(mean, predicted.shape)]
        utilities = self.reward.scaled(program.run(np.hstack(columns)))
        return utilities[distinct.of_candidate]

    @property
    def _scale(self) -> tuple[float, float, float]:
        return (*self.reward.ends, self.reward.undefined)

    def _of_distinct(self, inputs: Sequence[Input], texts: Sequence[Distinct]) -> list[Array]:
        """Return the utilities of the different candidates to the different references of each input."""
        found = [self._matrix(distinct) for distinct in texts]
        left = [place for place, utilities in enumerate(found) if utilities is None]
        for places in _batches(left, [len(each.candidates) * len(each.references) for each in texts]):
            rewards = self._rewards([(inputs[place], texts[place]) for place in places])
            for place, utilities in zip(places, rewards, strict=True):
                found[place] = utilities
        return [utilities for utilities in found if utilities is not None]

    def _matrix(self, distinct: Distinct) -> Array | None:
        """Return the utilities of different texts by the program; None if the reward has to score the pairs."""
        program = self.program
        if program is None:
            return None
        if program.native is not None and chosen() == "native":
            utilities: Array | None = program.native.utilities(
                distinct.texts, distinct.candidates, distinct.references, *self._scale
            )
            return utilities
        return self._by_ngrams(program, distinct) if program.reads_ngrams else None

    def _by_ngrams(self, program: OutputProgram, distinct: Distinct) -> Array:
        """Return the utilities of different texts whose tokens only Python can make."""
        tokens = [counts.tokens.new_memory().tokens(distinct.texts) for counts in program.counts]
        shape = len(distinct.candidates), len(distinct.references)
        utilities = np.empty(shape)
        for part in np.array_split(np.arange(shape[0]), shape[0] * shape[1] // _PAIRS_TOGETHER + 1):
            columns = [
                values
                for counts, column in zip(program.counts, tokens, strict=True)
                for values in _columns(counts.orders, column, distinct.candidates[part], distinct.references)
            ]
            utilities[part] = self.reward.scaled(program.run(np.hstack(columns))).reshape(len(part), -1)
        return utilities

    def _rewards(self, inputs: Sequence[tuple[Input, Distinct]]) -> list[Array]:
        """Return the utilities of the different texts of some inputs, by one call of the reward."""
        predictions: list[str] = []
        references: list[str] = []
        sources: list[str | None] = []
        for each, distinct in inputs:
            first, second = distinct.pairs()
            predictions += [distinct.texts[number] for number in first.tolist()]
            references += [distinct.texts[number] for number in second.tolist()]
            sources += [each.source] * len(first)
        if self.program is not None:
            rewards = np.array(self.reward(predictions, references))
        else:
            metric = self.reward.job.metrics[self.reward.__name__]
            corpus = Corpus.read(
                predictions, references, sources if metric.source else None, lang=self.reward.lang
            )
            rewards = self.reward.of_corpus(corpus, share_features=True)
        sizes = [len(distinct.candidates) * len(distinct.references) for _, distinct in inputs]
        parts = np.split(rewards, np.cumsum(sizes)[:-1])
        return [
            part.reshape(len(distinct.candidates), -1)
            for part, (_, distinct) in zip(parts, inputs, strict=True)
        ]


def _batches(places: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places in runs of not much more than _PAIRS_TOGETHER pairs."""
    batch: list[int] = []
    pairs = 0
    for place in places:
        batch.append(place)
        pairs += sizes[place]
        if pairs >= _PAIRS_TOGETHER:
            yield batch
            batch, pairs = [], 0
    if batch:
        yield batch


def _columns(orders: int, tokens: Ragged, candidates: Array, references: Array) -> list[Array]:
    """Return the clipped matches of all pairs, then the n-grams of the candidate and of the reference."""
    matched = ngram_square(tokens, candidates, references, orders)
    predicted, expected = (
        ngram_totals(tokens.lengths[side], orders)[numbers]
        for side, numbers in (
            (candidates, np.repeat(np.arange(len(candidates)), len(references))),
            (references, np.tile(np.arange(len(references)), len(candidates))),
        )
    )
    return [matched.reshape(len(predicted), orders), predicted, expected]


def _expected(utilities: Array, weights: Array) -> Array:
    """Return the weighted sums of rows of utilities; an undefined utility has weight 0, and a row of them is NaN."""
    sums = np.zeros(len(utilities))
    for column, weight in zip(utilities.T, weights.tolist(), strict=True):
        sums += np.where(np.isnan(column), 0.0, weight * column)
    sums[np.isnan(utilities).all(axis=1)] = np.nan
    return sums
