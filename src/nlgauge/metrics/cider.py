"""CIDEr and CIDEr-D: cosine of tf-idf weighted n-grams, which gives little credit to words of every
reference.

    CIDEr   = 10 * mean over n <= N and references of  g(c) . g(r) / (|g(c)| |g(r)|)
    CIDEr-D = 10 * mean over n <= N and references of  min(g(c), g(r)) . g(r) / (|g(c)| |g(r)|) * exp( -(l(c) - l(r))^2 / (2 sigma^2) )
    g_k(text) = count of the n-gram k in the text * ( log S - log max(1, df_k) )

df_k counts the segments, of S, with the n-gram in a reference; l is the number of tokens. The "CIDEr" of the
COCO captions' program is CIDEr-D. The paper stems words; that program does not, nor does this one. With one
segment every weight is log 1 = 0: that program returns 0, this one NaN, because the number would mean
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Explanation, NgramMatches, Order
from nlgauge.features import RunOptions
from nlgauge.features.tokens.text import TokenKeys
from nlgauge.kernels.ngram_keys import count_keys, keys_once_each, look_up, ngram_keys
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.kernels.tfidf import tfidf_similarity
from nlgauge.metric import Arrays, Fit, Metric, Output, Stored, Takes, View, register
from nlgauge.metric.domains import require_choice, require_number, require_order
from nlgauge.metric.fits import weights_by_order


@dataclass(frozen=True)
class DocumentFrequencies(Fit):
    """log S - log df of every n-gram of the references, where the references of a segment are one of S
    documents.
    """

    tokens: TokenKeys
    max_order: int

    over: ClassVar = "references"

    def partial(self, view: View) -> Arrays:
        column, rows = view.get(self.tokens, view.reference)
        found: Arrays = {"documents": np.array([len(view.reference_groups)])}
        for n in range(1, self.max_order + 1):
            once = keys_once_each(ngram_keys(column, n), Ragged(rows, view.reference_groups.offsets))
            found[f"keys{n}"], found[f"frequencies{n}"] = count_keys(once, np.ones(len(once)))
        return found

    def merge(self, partials: Sequence[Arrays]) -> Arrays:
        found: Arrays = {"documents": np.sum([part["documents"] for part in partials], axis=0)}
        for n in range(1, self.max_order + 1):
            keys, frequencies = (
                np.concatenate([part[f"{name}{n}"] for part in partials]) for name in ("keys", "frequencies")
            )
            found[f"keys{n}"], found[f"frequencies{n}"] = count_keys(keys, frequencies)
        return found

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        counted = self.merge(partials)
        total = np.log(counted["documents"])
        found: Arrays = {"unseen": total}
        for n in range(1, self.max_order + 1):
            found[f"keys{n}"], found[f"weights{n}"] = (
                counted[f"keys{n}"],
                total - np.log(counted[f"frequencies{n}"]),
            )
        return found

    def layout(self, rows: int) -> dict[str, Stored]:
        return {"unseen": Stored("numbers", (1,)), **weights_by_order("weights", self.max_order)}


@register
@dataclass(frozen=True)
class Cider(Metric):
    """CIDEr, or CIDEr-D with variant="d", 0 to 10."""

    variant: str = "plain"
    max_order: int = 4
    sigma: float = 6.0
    tokenizer: str = "unicode"

    name: ClassVar[str] = "cider"
    aliases: ClassVar[dict[str, Any]] = {"cider_d": {"variant": "d"}, "cider-d": {"variant": "d"}}
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        require_choice(self, "variant", ("plain", "d"))
        require_order(self)
        require_number(self, "sigma", 0.001, 1_000_000)
        require_choice(self, "tokenizer", ("unicode", "whitespace"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "cider": (
                Output(
                    "cider",
                    True,
                    0,
                    10,
                    "document frequencies of one segment have no weight; score all segments together",
                ),
            )
        }

    @property
    def _tokens(self) -> TokenKeys:
        return TokenKeys(self.tokenizer)

    def fit(self) -> Fit:
        return DocumentFrequencies(self._tokens, self.max_order)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"cider": _rows(self._similarities(view, fitted))}

    def _similarities(self, view: View, fitted: Arrays) -> Array:
        """Return (rows, orders) similarities, averaged over the references."""
        column, predictions, references = view.get(self._tokens, view.predictions, view.reference)
        groups = Ragged(references, view.reference_groups.offsets)
        predictions = predictions[groups.owners]
        longer = column.lengths[predictions] - column.lengths[references]
        penalty = np.exp(-(longer**2) / (2 * self.sigma**2)) if self.variant == "d" else 1.0
        unseen = float(fitted["unseen"][0])
        found = []
        for n in range(1, self.max_order + 1):
            keys = ngram_keys(column, n)
            weights = look_up(keys.values, fitted[f"keys{n}"], fitted[f"weights{n}"], unseen)
            similarity = penalty * tfidf_similarity(
                keys, weights, predictions, references, clipped=self.variant == "d"
            )
            found.append(np.bincount(groups.owners, similarity, len(groups)) / groups.lengths)
        # log 1 = 0: there is one segment.
        return np.column_stack(found) if unseen > 0 else np.full((len(view), self.max_order), np.nan)

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"cider": statistics[..., 0] / statistics[..., 1]}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        similarities = self._similarities(view, fitted)
        rows = _rows(similarities)
        for i, (prediction, references) in enumerate(
            zip(view.predictions, view.reference_groups, strict=True)
        ):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(
                tokens, [self._tokens.of(view.text(reference)) for reference in references], self.max_order
            )
            orders = [
                Order(f"similarity of {n + 1}-grams", similarities[i, n], 1.0) for n in range(self.max_order)
            ]
            yield NgramMatches(
                f"{self} {rows[i, 0]:.4f}",
                {"cider": rows[i]},
                tokens,
                longest,
                orders,
                spans={"prediction": spans},
            )


def _rows(similarities: Array) -> Array:
    """Return the statistics: the score of each row, and 1."""
    return np.column_stack([10 * similarities.mean(axis=1), np.ones(len(similarities))])
