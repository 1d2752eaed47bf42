"""NIST: n-gram precision in which a match counts by how surprising it is.

    NIST = BP * sum_{n<=N} (information of the matched n-grams) / (predicted n-grams),   both summed over the whole corpus
    info(w_1 ... w_n) = log2( count(w_1 ... w_{n-1}) / count(w_1 ... w_n) )   in all references; for n = 1 the numerator is their words
    BP = exp( beta * ln(min(c / r, 1))^2 ),   beta = ln(1/2) / ln(3/2)^2:   half the score at two thirds of the length

c is the predicted length, r sums the mean length of each segment's references. Matches are clipped at the
greatest count in any one reference. This is mteval's computation; NLTK chooses the best reference order by
order, which is another number with several references. An order of which nothing was predicted adds 0 (NLTK
divides by zero).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Brevity, Explanation, NgramMatches, Order
from nlgauge.features import RunOptions
from nlgauge.features.tokens.text import (
    SACREBLEU_TOKENIZERS,
    TokenKeys,
)
from nlgauge.kernels.ngram_keys import count_keys, look_up, ngram_keys, weighted_matches
from nlgauge.kernels.ngrams import longest_matched, ngram_totals
from nlgauge.metric import Arrays, Fit, Metric, Output, Stored, Takes, View, register
from nlgauge.metric.domains import require_choice, require_order
from nlgauge.metric.fits import weights_by_order
from nlgauge.metrics._shared.language_tokenizer import LanguageTokenizer

_BETA = math.log(0.5) / math.log(1.5) ** 2


@dataclass(frozen=True)
class InformationWeights(Fit):
    """The information in bits of every n-gram of the references, each occurrence of a reference counted."""

    tokens: TokenKeys
    max_order: int

    over: ClassVar = "references"

    def partial(self, view: View) -> Arrays:
        column, rows = view.get(self.tokens, view.reference)
        references = column.take(rows)
        found: Arrays = {"counts0": np.array([float(len(references.values))])}
        for n in range(1, self.max_order + 1):
            keys = ngram_keys(references, n).values
            found[f"keys{n}"], first, counts = np.unique(keys, return_index=True, return_counts=True)
            found[f"counts{n}"] = counts.astype(np.float64)
            found[f"prefixes{n}"] = ngram_keys(references, n, first=n - 1).values[first]
        return found

    def merge(self, partials: Sequence[Arrays]) -> Arrays:
        found: Arrays = {"counts0": np.sum([part["counts0"] for part in partials], axis=0)}
        for n in range(1, self.max_order + 1):
            keys, counts, prefixes = (
                np.concatenate([part[f"{name}{n}"] for part in partials])
                for name in ("keys", "counts", "prefixes")
            )
            found[f"prefixes{n}"] = prefixes[np.unique(keys, return_index=True)[1]]
            found[f"keys{n}"], found[f"counts{n}"] = count_keys(keys, counts)
        return found

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        counted = self.merge(partials)
        # The empty n-gram has the key 0 and occurs as often as there are words.
        shorter, shorter_counts = np.zeros(1, dtype=np.uint64), counted["counts0"]
        found: Arrays = {}
        for n in range(1, self.max_order + 1):
            keys, counts, prefixes = (counted[f"{name}{n}"] for name in ("keys", "counts", "prefixes"))
            found[f"keys{n}"] = keys
            found[f"information{n}"] = np.log2(look_up(prefixes, shorter, shorter_counts, 1.0) / counts)
            shorter, shorter_counts = keys, counts
        return found

    def layout(self, rows: int) -> dict[str, Stored]:
        return weights_by_order("information", self.max_order)


@register
@dataclass(frozen=True)
class Nist(LanguageTokenizer, Metric):
    """NIST as mteval computes it, from 0 and without an upper bound."""

    max_order: int = 5
    tokenizer: str | None = None
    lowercase: bool = True

    name: ClassVar[str] = "nist"
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        require_order(self)
        require_choice(self, "tokenizer", (None, *SACREBLEU_TOKENIZERS))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        lengths = [
            Output(name, None, 0) for name in ("length_ratio", "translation_length", "reference_length")
        ]
        return {"nist": (Output("nist", True, 0), Output("brevity_penalty", None, 0, 1), *lengths)}

    @property
    def _tokens(self) -> TokenKeys:
        return TokenKeys(self.tokenizer or "13a", self.lowercase)

    def fit(self) -> Fit:
        return InformationWeights(self._tokens, self.max_order)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        column, predictions, references = view.get(self._tokens, view.predictions, view.reference)
        groups = Ragged(references, view.reference_groups.offsets)
        lengths = column.lengths[predictions]
        expected = np.bincount(groups.owners, column.lengths[references], len(groups)) / groups.lengths
        information = []
        for n in range(1, self.max_order + 1):
            keys = ngram_keys(column, n)
            weights = look_up(keys.values, fitted[f"keys{n}"], fitted[f"information{n}"], 0.0)
            information.append(weighted_matches(keys, weights, predictions, groups))
        return {
            "nist": np.column_stack([lengths, expected, *information, ngram_totals(lengths, self.max_order)])
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        length, reference = statistics[..., 0], statistics[..., 1]
        information, total = statistics[..., 2 : 2 + self.max_order], statistics[..., 2 + self.max_order :]
        ratio = np.where(reference > 0, length / np.where(reference > 0, reference, 1.0), 0.0)
        short = np.where((length > 0) & (length < reference), ratio, 1.0)
        penalty = np.where((length == 0) & (reference > 0), 0.0, np.exp(_BETA * np.log(short) ** 2))
        gained = np.where(total > 0, information / np.where(total > 0, total, 1.0), 0.0).sum(axis=-1)
        return {
            "nist": penalty * gained,
            "brevity_penalty": penalty,
            "length_ratio": ratio,
            "translation_length": length,
            "reference_length": reference,
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        for row, prediction, references in zip(
            self.statistics(view, fitted)["nist"], view.predictions, view.reference_groups, strict=True
        ):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(
                tokens, [self._tokens.of(view.text(reference)) for reference in references], self.max_order
            )
            orders = [
                Order(f"bits in {n + 1}-grams", row[2 + n], row[2 + self.max_order + n])
                for n in range(self.max_order)
            ]
            scores = self.score("nist", row)
            title = (
                f"nist {scores['nist']:.4f} (brevity penalty {scores['brevity_penalty']:.3f},"
                f" {counted(row[0], 'token', spec='.0f')} for {row[1]:.1f})"
            )
            yield NgramMatches(
                title,
                {"nist": row},
                tokens,
                longest,
                orders,
                brevity=Brevity(float(scores["brevity_penalty"]), float(row[0]), float(row[1])),
                spans={"prediction": spans},
            )
