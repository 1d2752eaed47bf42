"""Jensen-Shannon divergence of the n-gram distributions of a summary and its source, in bits.

    JS(P || Q) = (KL(P || M) + KL(Q || M)) / 2,    M = (P + Q) / 2,    P(g) = (count(g) + d) / (|n-grams| + d |V|)

P is the summary's distribution, Q the source's, V all n-grams of either, d the `smoothing` (0: none). 0 for
equal distributions, 1 for texts that share no n-gram.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge._core.ragged import Array
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.tokens.text import TEXT_TOKENIZERS, Tokens
from nlgauge.kernels.ngram_sets import js_divergences, js_terms, ngram_counts
from nlgauge.metric import Arrays, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_number, require_order
from nlgauge.metric.mean import MeanMetric


@register
@dataclass(frozen=True)
class JensenShannon(MeanMetric):
    """Jensen-Shannon divergence between summary and source, 0 to 1 bit; lower is nearer."""

    order: int = 1
    smoothing: float = 0.0
    tokenizer: str = "unicode"

    name: ClassVar[str] = "js_divergence"
    aliases: ClassVar[dict[str, Any]] = {"jensen_shannon": {}}
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_order(self, "order")
        require_number(self, "smoothing", 0, 1_000_000)
        require_choice(self, "tokenizer", TEXT_TOKENIZERS)

    def measures(self) -> tuple[Output, ...]:
        return (Output("js_divergence", False, 0, 1, "neither text has such an n-gram"),)

    def values(self, view: View) -> Array:
        tokens, summaries, sources = view.get(Tokens(self.tokenizer), view.predictions, view.source)
        return js_divergences(tokens, summaries, sources, self.order, self.smoothing)[:, None]

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        """Return each n-gram with its probability in both texts and its part of the divergence, the greatest
        first.
        """
        feature = Tokens(self.tokenizer)
        for row, *ids in zip(
            self.statistics(view, fitted)["js_divergence"], view.predictions, view.source, strict=True
        ):
            summary, source = (ngram_counts(feature.of(view.text(text_id)), self.order) for text_id in ids)
            terms = js_terms(summary, source, self.smoothing) if summary and source else {}
            ranked = sorted(terms.items(), key=lambda term: -term[1][2])
            columns = {
                name: [values[i] for _, values in ranked]
                for name, i in (("bits", 2), ("summary", 0), ("source", 1))
            }
            title = f"js_divergence {self.score('js_divergence', row)['js_divergence']:.4f} bits"
            yield TokenScores(
                title,
                {"js_divergence": row},
                [" ".join(map(str, gram)) for gram, _ in ranked],
                columns,
                "",
            )
