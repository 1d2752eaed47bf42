"""BLEU: clipped n-gram precision with a brevity penalty.

    BLEU = BP * exp( (1/N) sum_{n<=N} log p_n ),   p_n = matched n-grams / predicted n-grams over the whole corpus
    BP   = 1 if c >= r else exp(1 - r/c),          r = sum of the reference lengths closest to each prediction's (ties: shorter)

c is the predicted length. The numbers are sacreBLEU's: its tokenizers and its four smoothings. Orders without
any predicted n-gram make the score 0 unless `effective_order` leaves them out; that is off for the corpus and
on for single segments. `compat="coco"` is the BLEU of the COCO captions' program: nothing is left out, and
tiny numbers take the place of smoothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged
from nlgauge._core.versions import installed_version
from nlgauge.features.pairs import ClippedMatches
from nlgauge.features.tokens.sentencepiece import BLEU_TOKENIZERS, described, is_bleu_tokenizer
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.kernels.smoothing import SMOOTHING, coco, smoothed
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_number, require_order
from nlgauge.metrics._shared.language_tokenizer import LanguageTokenizer

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.explanations import Explanation


def require_bleu(metric: Any) -> None:
    """Raise ParameterError unless the BLEU parameters of a metric are in their domains."""
    require_order(metric)
    metric.require(
        is_bleu_tokenizer(metric.tokenizer), "tokenizer", f"one of {', '.join(BLEU_TOKENIZERS)} or spm:FILE"
    )
    require_choice(metric, "smooth_method", SMOOTHING)
    require_number(metric, "smooth_value", 0, 1_000_000, optional=True)


@cache
def _outputs(max_order: int) -> tuple[Output, ...]:
    precisions = [Output(f"precision{n}", True, 0, 100) for n in range(1, max_order + 1)]
    lengths = [Output(name, None, 0) for name in ("length_ratio", "translation_length", "reference_length")]
    return (Output("bleu", True, 0, 100), *precisions, Output("brevity_penalty", None, 0, 1), *lengths)


@register
@dataclass(frozen=True)
class Bleu(LanguageTokenizer, Metric):
    """BLEU as sacreBLEU computes it, 0 to 100."""

    max_order: int = 4
    tokenizer: str | None = None
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    effective_order: bool | None = None
    compat: str | None = None

    name: ClassVar[str] = "bleu"
    aliases: ClassVar[dict[str, Any]] = {"sacrebleu": {}, "bleu4": {}, "bleu_4": {}}
    spellings: ClassVar[Mapping[str, str]] = {
        **SPELLINGS,
        "max_ngram_order": "max_order",
        "n_gram": "max_order",
    }
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        require_bleu(self)
        require_choice(self, "compat", (None, "coco"))
        if self.compat == "coco":
            own = (self.smooth_method, self.smooth_value, self.effective_order) == ("exp", None, None)
            self.require(
                own,
                "compat",
                "None if smooth_method, smooth_value or effective_order is set, because COCO's program fixes them",
            )

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"bleu": _outputs(self.max_order)}

    def libraries(self) -> tuple[str, ...]:
        return ()  # the facts have the version of sacreBLEU

    def for_segments(self) -> Bleu:
        return (
            replace(self, effective_order=True)
            if self.effective_order is None and self.compat is None
            else self
        )

    def facts(self, corpus: Corpus) -> dict[str, str]:
        smoothing = (
            f"{self.smooth_method}[{self._value:.2f}]"
            if self.smooth_method in ("floor", "add-k")
            else self.smooth_method
        )
        return {
            "nrefs": corpus.reference_count,
            "case": "lc" if self.lowercase else "mixed",
            "eff": "yes" if self.effective_order else "no",
            "tok": described(self._tokens.tokenizer),
            "smooth": self.compat or smoothing,
            "version": installed_version("sacrebleu"),
            "order": str(self.max_order),
            "seg-eff": "no" if self.effective_order is False or self.compat else "yes",
        }

    @property
    def _value(self) -> float:
        return SMOOTHING[self.smooth_method] if self.smooth_value is None else self.smooth_value

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        matched, predicted, expected = view.rows(ClippedMatches(self._tokens, self.max_order))
        lengths = predicted[:, 0]
        closest = _closest(lengths, Ragged(expected[:, 0], view.reference_groups.offsets))
        return {"bleu": np.column_stack([lengths, closest, matched, predicted])}

    def score(self, part: str, statistics: Array) -> Arrays:
        length, reference = statistics[..., 0], statistics[..., 1]
        matched = statistics[..., 2 : 2 + self.max_order]
        total = statistics[..., 2 + self.max_order :]
        if self.compat == "coco":
            score, penalty, precisions = coco(length, reference, matched, total)
        else:
            score, penalty, precisions = smoothed(
                length, reference, matched, total, self.smooth_method, self._value, bool(self.effective_order)
            )
        ratio = np.where(reference > 0, length / np.where(reference > 0, reference, 1.0), 0.0)
        return {
            "bleu": score,
            **{f"precision{n + 1}": precisions[..., n] for n in range(self.max_order)},
            "brevity_penalty": penalty,
            "length_ratio": ratio,
            "translation_length": length,
            "reference_length": reference,
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import Brevity, NgramMatches, Order

        rows = self.statistics(view, fitted)["bleu"]
        for row, prediction, references in zip(rows, view.predictions, view.reference_groups, strict=True):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(
                tokens, [self._tokens.of(view.text(reference)) for reference in references], self.max_order
            )
            scores = self.for_segments().score("bleu", row)
            orders = [
                Order(f"{n + 1}-grams", row[2 + n], row[2 + self.max_order + n])
                for n in range(self.max_order)
            ]
            title = (
                f"bleu {scores['bleu']:.2f} (brevity penalty {scores['brevity_penalty']:.3f},"
                f" {counted(row[0], 'token', spec='.0f')} for {row[1]:.0f})"
            )
            yield NgramMatches(
                title,
                {"bleu": row},
                tokens,
                longest,
                orders,
                brevity=Brevity(float(scores["brevity_penalty"]), float(row[0]), float(row[1])),
                spans={"prediction": spans},
            )


def _closest(lengths: Array, references: Ragged) -> Array:
    """Return for each length the closest of those of its references, on a tie the shorter."""
    if references.is_single:
        return references.values
    # Sorting by distance, then by length, puts each row's closest reference first.
    order = np.lexsort(
        (references.values, np.abs(references.values - lengths[references.owners]), references.owners)
    )
    return np.asarray(references.values[order][references.offsets[:-1]])
