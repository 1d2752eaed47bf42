"""chrF, chrF++: F-score of character (and word) n-grams.

    chrF_b = (1 + b^2) P R / (b^2 P + R)

P and R are the means, over the orders that both sides have, of matched n-grams over predicted and over
reference n-grams (the thesis swaps the two). As in sacreBLEU an order that the reference lacks adds no
predicted n-grams to the sums; `eps_smoothing` instead averages the F of every order, as chrF++.py does. The
best reference keeps its counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.features.pairs import ClippedMatches
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_number, require_order

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation

_EPSILON = 1e-16


@register
@dataclass(frozen=True)
class Chrf(Metric):
    """chrF as sacreBLEU computes it, 0 to 100; chrF++ with word_order=2."""

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    name: ClassVar[str] = "chrf"
    aliases: ClassVar[dict[str, Any]] = {"chrf++": {"word_order": 2}}
    spellings: ClassVar[Mapping[str, str]] = {
        **SPELLINGS,
        "n_char_order": "char_order",
        "n_word_order": "word_order",
    }

    def __post_init__(self) -> None:
        require_order(self, "char_order")
        require_order(self, "word_order", least=0)
        require_number(self, "beta", 0.001, 1000)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"chrf": (Output("chrf", True, 0, 100),)}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {
            "nrefs": corpus.reference_count,
            "case": "lc" if self.lowercase else "mixed",
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": str(self.char_order),
            "nw": str(self.word_order),
            "space": "yes" if self.whitespace else "no",
            "version": installed_version("sacrebleu"),
            "beta": str(self.beta),
        }

    def words(self, lang: str | None) -> Tokens | None:
        return Tokens("chrf-words") if self.word_order else None

    @property
    def _levels(self) -> list[tuple[Tokens, int]]:
        characters = Tokens("characters" if self.whitespace else "visible-characters", self.lowercase)
        words = Tokens("chrf-words", self.lowercase)
        return [
            (tokens, order)
            for tokens, order in ((characters, self.char_order), (words, self.word_order))
            if order
        ]

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        levels = [view.rows(ClippedMatches(tokens, order)) for tokens, order in self._levels]
        matched, predicted, expected = (np.hstack(counts) for counts in zip(*levels, strict=True))
        return {"chrf": np.hstack([np.where(expected > 0, predicted, 0.0), expected, matched])}

    def score(self, part: str, statistics: Array) -> Arrays:
        orders = self.char_order + self.word_order
        predicted, expected, matched = (statistics[..., k * orders : (k + 1) * orders] for k in range(3))
        factor = self.beta**2
        precision = np.where(predicted > 0, matched / np.where(predicted > 0, predicted, 1.0), _EPSILON)
        recall = np.where(expected > 0, matched / np.where(expected > 0, expected, 1.0), _EPSILON)
        if self.eps_smoothing:
            denominator = factor * precision + recall
            f = np.where(
                denominator > 0,
                (1 + factor) * precision * recall / np.where(denominator > 0, denominator, 1.0),
                _EPSILON,
            )
            return {"chrf": 100 * f.mean(axis=-1)}
        both = (predicted > 0) & (expected > 0)
        count = np.maximum(both.sum(axis=-1), 1)
        p, r = (np.where(both, values, 0.0).sum(axis=-1) / count for values in (precision, recall))
        denominator = factor * p + r
        return {
            "chrf": np.where(
                denominator > 0, 100 * (1 + factor) * p * r / np.where(denominator > 0, denominator, 1.0), 0.0
            )
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import NgramMatches, Order

        rows = self.statistics(view, fitted)["chrf"]
        characters = self._levels[0][0]
        names = [f"{n}-characters" for n in range(1, self.char_order + 1)] + [
            f"{n}-words" for n in range(1, self.word_order + 1)
        ]
        for row, prediction, reference in zip(rows, view.predictions, view.reference, strict=True):
            tokens, spans = characters.located(view.text(prediction))
            longest = longest_matched(tokens, [characters.of(view.text(reference))], self.char_order)
            orders = [Order(name, m, p, e) for name, p, e, m in zip(names, *np.split(row, 3), strict=True)]
            yield NgramMatches(
                f"{self} {self.score('chrf', row)['chrf']:.2f}",
                {"chrf": row},
                tokens,
                longest,
                orders,
                spans={"prediction": spans},
            )
