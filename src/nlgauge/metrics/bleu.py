"""BLEU: clipped n-gram precision with a brevity penalty.

    BLEU = BP * exp( (1/N) sum_{n<=N} log p_n ),   p_n = matched n-grams / predicted n-grams over the whole corpus
    BP   = 1 if c >= r else exp(1 - r/c),          r = sum of the reference lengths closest to each prediction's (ties: shorter)

c is the predicted length. The numbers are sacreBLEU's: its tokenisers and its four smoothings. Orders without any predicted
n-gram make the score 0 unless `effective_order` leaves them out; that is off for the corpus and on for single segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array, Ragged
from nlgauge.explain import Explanation, NgramMatches, Order
from nlgauge.features.pairs import ClippedMatches
from nlgauge.features.text import SACREBLEU_TOKENIZERS, Tokens, language_tokenizer
from nlgauge.kernels.ngrams import longest_matched, ngram_totals
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_number, require_order
from nlgauge.metric.versions import installed_version

# Each smoothing with its default value, which "none" and "exp" have no use for.
_SMOOTHING = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


def require_bleu(metric: Any) -> None:
    """Raises unless the parameters that a metric has of BLEU's are in their domains."""
    require_order(metric)
    metric.require(metric.tokenizer in (None, *SACREBLEU_TOKENIZERS), "tokenizer", f"one of {', '.join(SACREBLEU_TOKENIZERS)}")
    metric.require(metric.smooth_method in _SMOOTHING, "smooth_method", f"one of {', '.join(_SMOOTHING)}")
    require_number(metric, "smooth_value", 0, 1_000_000, optional=True)


@register
@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU as sacreBLEU computes it, 0 to 100."""

    max_order: int = 4
    tokenizer: str | None = None
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    effective_order: bool | None = None

    name: ClassVar[str] = "bleu"
    aliases: ClassVar[dict[str, Any]] = {"sacrebleu": {}}
    spellings: ClassVar[Mapping[str, str]] = {**SPELLINGS, "max_ngram_order": "max_order", "n_gram": "max_order"}
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        require_bleu(self)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        precisions = [Output(f"precision{n}", True, 0, 100) for n in range(1, self.max_order + 1)]
        lengths = [Output(name, None, 0) for name in ("length_ratio", "translation_length", "reference_length")]
        return {"bleu": (Output("bleu", True, 0, 100), *precisions, Output("brevity_penalty", None, 0, 1), *lengths)}

    def for_language(self, lang: str | None) -> Bleu:
        return replace(self, tokenizer=self.tokenizer or language_tokenizer(lang))

    def words(self, lang: str | None) -> Tokens:
        return self.for_language(lang)._tokens

    def for_segments(self) -> Bleu:
        return replace(self, effective_order=True) if self.effective_order is None else self

    def facts(self, corpus: Corpus) -> dict[str, str]:
        smoothing = f"{self.smooth_method}[{self._value:.2f}]" if self.smooth_method in ("floor", "add-k") else self.smooth_method
        return {
            "nrefs": corpus.reference_count,
            "case": "lc" if self.lowercase else "mixed",
            "eff": "yes" if self.effective_order else "no",
            "tok": self._tokens.tokenizer,
            "smooth": smoothing,
            "version": installed_version("sacrebleu"),
            "order": str(self.max_order),
            "seg-eff": "no" if self.effective_order is False else "yes",
        }

    @property
    def _tokens(self) -> Tokens:
        return Tokens(self.tokenizer or "13a", self.lowercase)

    @property
    def _value(self) -> float:
        return _SMOOTHING[self.smooth_method] if self.smooth_value is None else self.smooth_value

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        assert view.references is not None
        tokens, predictions, references = view.get(self._tokens, view.predictions, view.reference)
        groups = Ragged(references, view.references.offsets)
        lengths = tokens.lengths[predictions]
        reference_lengths = tokens.lengths[references]
        # Sorting by distance, then by length, puts each row's closest (on a tie the shorter) reference first.
        order = np.lexsort((reference_lengths, np.abs(reference_lengths - lengths[groups.owners]), groups.owners))
        closest = reference_lengths[order][groups.offsets[:-1]]
        matches = view.rows(ClippedMatches(self._tokens, self.max_order))
        return {"bleu": np.column_stack([lengths, closest, matches, ngram_totals(lengths, self.max_order)])}

    def score(self, part: str, statistics: Array) -> Arrays:
        statistics = np.asarray(statistics, dtype=np.float64)
        length, reference = statistics[..., 0], statistics[..., 1]
        matched = statistics[..., 2 : 2 + self.max_order]
        total = statistics[..., 2 + self.max_order :]
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where(length < reference, np.where(length > 0, np.exp(1 - reference / length), 0.0), 1.0)
            ratio = np.where(reference > 0, length / reference, 0.0)
            precisions, orders = self._precisions(matched, total)
            used = np.arange(self.max_order) < orders[..., None]
            logs = np.where(used, np.log(precisions), 0.0)
            some = matched.sum(axis=-1) > 0
            score = np.where(some, penalty * np.exp(logs.sum(axis=-1) / orders), 0.0)
        precisions = np.where(some[..., None], precisions, 0.0)
        return {
            "bleu": score,
            **{f"precision{n + 1}": precisions[..., n] for n in range(self.max_order)},
            "brevity_penalty": penalty,
            "length_ratio": ratio,
            "translation_length": length,
            "reference_length": reference,
        }

    def _precisions(self, matched: Array, total: Array) -> tuple[Array, Array]:
        """Smoothed precisions in per cent, and how many orders count."""
        if self.smooth_method == "add-k":
            later = np.arange(self.max_order) > 0
            matched, total = matched + self._value * later, total + self._value * later
        reached = np.logical_and.accumulate(total > 0, axis=-1)
        precisions = np.where(reached, 100.0 * matched / np.where(total > 0, total, 1.0), 0.0)
        missed = reached & (matched == 0)
        if self.smooth_method == "exp":
            precisions = np.where(missed, 100.0 / (2.0 ** np.cumsum(missed, axis=-1) * np.where(total > 0, total, 1.0)), precisions)
        elif self.smooth_method == "floor":
            precisions = np.where(missed, 100.0 * self._value / np.where(total > 0, total, 1.0), precisions)
        orders = np.maximum(reached.sum(axis=-1), 1) if self.effective_order else np.full(reached.shape[:-1], self.max_order)
        return precisions, orders

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        assert view.references is not None
        rows = self.statistics(view, fitted)["bleu"]
        found: list[Explanation] = []
        for row, prediction, references in zip(rows, view.predictions, view.references, strict=True):
            tokens = self._tokens.of(view.text(prediction))
            longest = longest_matched(tokens, [self._tokens.of(view.text(reference)) for reference in references], self.max_order)
            scores = self.for_segments().score("bleu", row)
            orders = [Order(f"{n + 1}-grams", row[2 + n], row[2 + self.max_order + n]) for n in range(self.max_order)]
            title = f"bleu {scores['bleu']:.2f} (brevity penalty {scores['brevity_penalty']:.3f}, {row[0]:.0f} tokens for {row[1]:.0f})"
            found.append(NgramMatches(title, {"bleu": row}, tokens, longest, orders))
        return found
