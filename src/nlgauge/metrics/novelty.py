"""Novelty-n: the share of a summary's n-grams that its source does not have; "abstractness" in the thesis.

    novelty-n = |G_n(S) \\ G_n(A)| / |G_n(S)|        S the summary, A the source

G_n is the set of n-grams (as in SummEval, the default), or with `distinct=False` the list of them, in which a new n-gram counts as often
as it occurs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.corpus.columns import Array
from nlgauge.explain import Explanation, NgramMatches, Order
from nlgauge.features.pairs import Findings
from nlgauge.features.text import TEXT_TOKENIZERS, Tokens, token_libraries
from nlgauge.kernels.ngram_sets import novel_ngrams
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import Arrays, Output, Takes, View, register
from nlgauge.metric.domains import require_order
from nlgauge.metric.mean import MeanMetric, share


@register
@dataclass(frozen=True)
class Novelty(MeanMetric):
    """novelty1 ... noveltyN, 0 to 1."""

    max_order: int = 4
    distinct: bool = True
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "novelty"
    aliases: ClassVar[dict[str, Any]] = {"abstractness": {}, "novelty_n": {}}
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_order(self)
        self.require(self.tokenizer in TEXT_TOKENIZERS, "tokenizer", f"one of {', '.join(TEXT_TOKENIZERS)}")

    def libraries(self) -> tuple[str, ...]:
        return token_libraries(self.tokenizer)

    def measures(self) -> tuple[Output, ...]:
        nan = "the summary is too short to have such an n-gram"
        return tuple(Output(f"novelty{n}", None, 0, 1, nan) for n in range(1, self.max_order + 1))

    def values(self, view: View) -> Array:
        counts = view.rows(Findings(self))
        return share(counts[..., 0], counts[..., 1])

    def findings(self, view: View) -> Array:
        """(rows, orders, 2) new n-grams and all n-grams of the summary."""
        tokens, summaries, sources = view.get(Tokens(self.tokenizer), view.predictions, view.source)
        return novel_ngrams(tokens, summaries, sources, self.max_order, self.distinct)

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        feature = Tokens(self.tokenizer)
        rows = self.statistics(view, fitted)["novelty"]
        found: list[Explanation] = []
        for row, counts, summary_id, source_id in zip(rows, view.rows(Findings(self)), view.predictions, view.source, strict=True):
            tokens = feature.of(view.text(summary_id))
            longest = longest_matched(tokens, [feature.of(view.text(source_id))], self.max_order)
            orders = [Order(f"{n}-grams of the source", total - new, total) for n, (new, total) in enumerate(counts.tolist(), 1)]
            title = "novelty " + ", ".join(f"{value:.4f} ({name[7:]})" for name, value in self.score("novelty", row).items())
            found.append(NgramMatches(title, {"novelty": row}, tokens, longest, orders))
        return found
