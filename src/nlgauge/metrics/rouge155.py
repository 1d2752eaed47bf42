"""ROUGE-1.5.5: all types of Lin's script with its conventions: tokens, stemming, stop words, several
references, jackknifing.

    R = hits / expected,   P = hits / predicted,   F = P R / ( (1 - alpha) P + alpha R )

Hits and counts are of n-grams (rouge1 ... rouge9), of the union LCS of sentences on lines of their own
(rougeL), of skip-bigrams with at most d tokens between (rougeSd, rougeS*: any number), the same and unigrams
(rougeSUd, rougeSU*), or of the weighted LCS (rougeW), where runs and lengths count to the power w and ratios
to 1/w. Over several references they are summed before dividing ("pool", mode A), or those with the best
recall are taken ("best", mode B); `jackknife` averages that over all sets of references but one. The corpus
score is the mean over segments.

The script raises the reference's weight twice in rougeW, so that equal texts have a recall below 1, and never
counts a text's last unigram in rougeSU. compat=None does neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, NgramMatches, Order
from nlgauge.features.findings import Findings
from nlgauge.features.lexical.rouge155 import RougeTokens
from nlgauge.features.tokens.sentences import DerivedTextFeature, Lines, Sentences, TokenizedSentences
from nlgauge.features.tokens.text import token_libraries
from nlgauge.kernels.lcs import union_lcs_hits
from nlgauge.kernels.ngrams import longest_matched, ngram_matches, ngram_totals
from nlgauge.kernels.rouge_references import PairCounts, means, reference_sets
from nlgauge.kernels.skip_bigrams import skip_bigram_matches, skip_bigram_totals
from nlgauge.kernels.weighted_lcs import weighted_lcs_hits
from nlgauge.metric import Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_number

_SENTENCES = ("lines", "full stop", "sentencex")
_TYPE = re.compile(r"rouge([1-9]|L|W|(SU?)(0|[1-9]\d{0,5}|\*))")


@register
@dataclass(frozen=True)
class Rouge155(Metric):
    """ROUGE as the script ROUGE-1.5.5 computes it, 0 to 1; "score" is the F of the first type."""

    rouge_types: tuple[str, ...] = (
        "rouge1",
        "rouge2",
        "rouge3",
        "rouge4",
        "rougeL",
        "rougeW",
        "rougeS4",
        "rougeSU4",
    )
    stem: bool = False
    stop_words: bool = False
    references: str = "pool"
    jackknife: bool = False
    alpha: float = 0.5
    weight: float = 1.2
    tokenizer: str = "1.5.5"
    sentences: str | tuple[str, ...] = "lines"
    compat: str | None = "1.5.5"

    name: ClassVar[str] = "rouge155"
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        valid = (
            isinstance(self.rouge_types, tuple)
            and bool(self.rouge_types)
            and len(set(self.rouge_types)) == len(self.rouge_types)
        )
        valid = valid and all(isinstance(kind, str) and _TYPE.fullmatch(kind) for kind in self.rouge_types)
        self.require(
            valid,
            "rouge_types",
            "a list of different rouge1 ... rouge9, rougeL, rougeW, rougeS4, rougeS*, rougeSU4, rougeSU* and"
            " so on",
        )
        require_choice(self, "references", ("pool", "best"))
        require_number(self, "alpha", 0, 1)
        # Lengths are raised to it twice: a million tokens to the power 25 still is a number.
        require_number(self, "weight", 1, 5)
        require_choice(self, "tokenizer", ("1.5.5", "unicode"))
        self.require(
            isinstance(self.sentences, str | tuple)
            and len(self._sentences) == 2
            and all(kind in _SENTENCES for kind in self._sentences),
            "sentences",
            f"{', '.join(map(repr, _SENTENCES[:-1]))} or {_SENTENCES[-1]!r}, or two of them, for predictions"
            " and references",
        )
        require_choice(self, "compat", (None, "1.5.5"))

    def made_for(self) -> tuple[str, ...] | None:
        return ("en",) if self.tokenizer == "1.5.5" or self.stem or self.stop_words else None

    def libraries(self) -> tuple[str, ...]:
        return token_libraries(self.tokenizer, self.stem)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            kind: tuple(Output(kind + suffix, True, 0, 1) for suffix in ("", "_precision", "_recall"))
            for kind in self.rouge_types
        }

    def facts(self, corpus: Corpus) -> dict[str, str]:
        language = {"sentence_language": corpus.lang or "en"} if "sentencex" in self._sentences else {}
        return {**super().facts(corpus), **language}

    @property
    def _sentences(self) -> tuple[str, ...]:
        """The ways to split predictions and references into sentences."""
        return (self.sentences,) * 2 if isinstance(self.sentences, str) else self.sentences

    @property
    def _tokens(self) -> RougeTokens:
        return RougeTokens(self.tokenizer, stem=self.stem, stop_words=self.stop_words)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = {}
        for kind, ((hits, predicted, expected), owners) in view.rows(Findings(self)).items():
            power = 1 / self.weight if kind == "rougeW" else 1.0
            precision, recall = (_ratio(hits, count) ** power for count in (predicted, expected))
            below = (1 - self.alpha) * precision + self.alpha * recall
            f = _ratio(precision * recall, below)
            found[kind] = np.column_stack(
                [*(means(values, owners, len(view)) for values in (f, precision, recall)), np.ones(len(view))]
            )
        return found

    def findings(self, view: View) -> dict[str, tuple[tuple[Array, ...], Array]]:
        """Return for each type the hits, the predicted and the expected of every set of references, and the
        row that the set belongs to.
        """
        pool = self.references == "pool"
        return {
            kind: reference_sets(counts, view.reference_groups, pool, self.jackknife)
            for kind, counts in self._counts(view).items()
        }

    def _counts(self, view: View) -> dict[str, PairCounts]:
        """Return the counts of each type, for each prediction with each of its references."""
        predicted_ids = view.predictions[view.reference_groups.owners]
        tokens, predictions, references = view.get(self._tokens, predicted_ids, view.reference)
        lengths = tokens.lengths[predictions], tokens.lengths[references]
        highest = max(
            (int(kind[-1]) for kind in self.rouge_types if re.fullmatch(r"rouge\d", kind)), default=0
        )
        matches = ngram_matches(tokens, predictions, Ragged.single(references), highest)
        totals = [ngram_totals(length, highest) for length in lengths]
        found = {}
        for kind in self.rouge_types:
            skip = re.fullmatch(r"rougeS(U?)(.+)", kind)
            if skip:
                options = (None if skip[2] == "*" else int(skip[2]), bool(skip[1]), self.compat is None)
                hits, sides = (
                    skip_bigram_matches(tokens, predictions, references, *options),
                    [skip_bigram_totals(n, *options) for n in lengths],
                )
                found[kind] = PairCounts(hits, sides[0], sides[1], _ratio(hits, sides[1]))
            elif kind in ("rougeL", "rougeW"):
                found[kind] = self._subsequences(view, predicted_ids, kind == "rougeW")
            else:
                n = int(kind[-1]) - 1
                found[kind] = PairCounts(
                    matches[:, n], totals[0][:, n], totals[1][:, n], _ratio(matches[:, n], totals[1][:, n])
                )
        return found

    def _subsequences(self, view: View, predicted_ids: Array, weighted: bool) -> PairCounts:
        left, right = (
            self._split(view, kind, texts)
            for kind, texts in zip(self._sentences, (predicted_ids, view.reference), strict=True)
        )
        tokens, predicted, expected = view.get(self._tokens, left.values, right.values)
        sides = Ragged(predicted, left.offsets), Ragged(expected, right.offsets)
        lengths = [tokens.lengths[side.values].astype(np.float64) for side in sides]
        predicted_length = np.bincount(sides[0].owners, lengths[0], len(left))
        if not weighted:
            expected_length = np.bincount(sides[1].owners, lengths[1], len(right))
            hits = union_lcs_hits(tokens, *sides)
            return PairCounts(hits, predicted_length, expected_length, _ratio(hits, expected_length))
        hits = weighted_lcs_hits(tokens, *sides, self.weight)
        base = np.bincount(sides[1].owners, _power(lengths[1], self.weight), len(right))
        share = _power(_ratio(hits, base), 1 / self.weight)
        return PairCounts(
            hits,
            _power(predicted_length, self.weight),
            base if self.compat is None else _power(base, self.weight),
            share,
        )

    def _split(self, view: View, kind: str, texts: Array) -> Ragged:
        """Return the sentences of texts, as texts again."""
        features: dict[str, DerivedTextFeature] = {
            "lines": Lines(),
            "full stop": TokenizedSentences(),
            "sentencex": Sentences(view.lang or "en"),
        }
        column, rows = view.get(features[kind], texts)
        sentences: Ragged = column.take(rows)
        return sentences

    def score(self, part: str, statistics: Array) -> Arrays:
        return {
            output.name: statistics[..., i] / statistics[..., -1]
            for i, output in enumerate(self.outputs()[part])
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows, sets = self.statistics(view, fitted), view.rows(Findings(self))
        averages = {
            kind: [means(values, owners, len(view)) for values in counts]
            for kind, (counts, owners) in sets.items()
        }
        for i, (prediction, references) in enumerate(
            zip(view.predictions, view.reference_groups, strict=True)
        ):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(
                tokens, [self._tokens.of(view.text(reference)) for reference in references], 9
            )
            orders = [
                Order(kind, *(float(column[i]) for column in columns)) for kind, columns in averages.items()
            ]
            title = ", ".join(f"{kind} {values[i, 0]:.4f}" for kind, values in rows.items())
            yield NgramMatches(
                title,
                {kind: values[i] for kind, values in rows.items()},
                tokens,
                longest,
                orders,
                spans={"prediction": spans},
            )


def _ratio(hits: Array, counts: Array) -> Array:
    """Return hits / counts, 0 if the count is 0."""
    return np.asarray(hits / np.where(counts > 0, counts, 1.0))


def _power(values: Array, exponent: float) -> Array:
    """Return C's pow of every value, as in Perl: NumPy's may differ in the last bit, which can decide between
    two references.
    """
    return np.array([value**exponent for value in values.tolist()], dtype=np.float64)
