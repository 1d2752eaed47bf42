"""Novelty-n: the share of a summary's n-grams that its source does not have.

    novelty-n = |G_n(S) \\ G_n(A)| / |G_n(S)|        S the summary, A the source

G_n is the set of n-grams (as in SummEval, the default), or with `distinct=False` the list of them, in which a
new n-gram counts as often as it occurs. With against="references" A is the references, all n-grams of which
are known: the thesis' abstractness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Explanation, NgramMatches, Order
from nlgauge.features.findings import Findings
from nlgauge.features.tokens.text import TEXT_TOKENIZERS, Tokens
from nlgauge.kernels.ngram_sets import novel_ngrams
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import Arrays, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_order
from nlgauge.metric.mean import MeanMetric, share


@register
@dataclass(frozen=True)
class Novelty(MeanMetric):
    """novelty1 ... noveltyN, 0 to 1."""

    max_order: int = 4
    distinct: bool = True
    tokenizer: str = "punctuated"
    against: str = "source"

    name: ClassVar[str] = "novelty"
    missing_reason: ClassVar[str] = "empty"
    aliases: ClassVar[dict[str, Any]] = {"abstractness": {}, "novelty_n": {}}
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_order(self)
        require_choice(self, "tokenizer", TEXT_TOKENIZERS)
        require_choice(self, "against", ("source", "references"))
        if self.against == "references":
            object.__setattr__(self, "takes", "joint")
            object.__setattr__(self, "source", False)

    def measures(self) -> tuple[Output, ...]:
        nan = "the summary is too short to have such an n-gram"
        return tuple(Output(f"novelty{n}", None, 0, 1, nan) for n in range(1, self.max_order + 1))

    def values(self, view: View) -> Array:
        counts = view.rows(Findings(self))
        return share(counts[..., 0], counts[..., 1])

    def findings(self, view: View) -> Array:
        """Return (rows, orders, 2) new n-grams and all n-grams of the summary."""
        feature = Tokens(self.tokenizer)
        if self.against == "source":
            tokens, summaries, sources = view.get(feature, view.predictions, view.source)
        else:
            tokens, summaries, flat = view.get(feature, view.predictions, view.reference)
            tokens, sources = _with_joined(tokens, Ragged(flat, view.reference_groups.offsets))
        return novel_ngrams(tokens, summaries, sources, self.max_order, self.distinct)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        feature = Tokens(self.tokenizer)
        rows = self.statistics(view, fitted)["novelty"]
        known = Ragged.single(view.source) if self.against == "source" else view.reference_groups
        for row, counts, summary_id, known_ids in zip(
            rows, view.rows(Findings(self)), view.predictions, known, strict=True
        ):
            tokens, spans = feature.located(view.text(summary_id))
            longest = longest_matched(
                tokens, [feature.of(view.text(text_id)) for text_id in known_ids.tolist()], self.max_order
            )
            orders = [
                Order(f"{n}-grams of the {self.against}", total - new, total)
                for n, (new, total) in enumerate(counts.tolist(), 1)
            ]
            title = "novelty " + ", ".join(
                f"{value:.4f} ({name[7:]})" for name, value in self.score("novelty", row).items()
            )
            yield NgramMatches(title, {"novelty": row}, tokens, longest, orders, spans={"prediction": spans})


def _with_joined(tokens: Ragged, rows: Ragged) -> tuple[Ragged, Array]:
    """Append the joined texts of each row, with a token between two of them so that no n-gram crosses;
    also return their places.
    """
    apart = np.array([tokens.values.max(initial=-1) + 1], dtype=tokens.values.dtype)
    texts = [[part for text in row.tolist() for part in (tokens[text], apart)][:-1] for row in rows]
    joined = Ragged.of([np.concatenate([*parts, apart[:0]]) for parts in texts], tokens.values.dtype)
    return Ragged.concatenate([tokens, joined]), np.arange(len(tokens), len(tokens) + len(joined))
