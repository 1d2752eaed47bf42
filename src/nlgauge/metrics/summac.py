"""SummaC: whether some sentence of the document entails each sentence of the summary, by a classifier of
natural language inference.

    E_ij, C_ij = P(entailment), P(contradiction) of  (document chunk i, summary chunk j)
    ZS   = mean over j of ( max_i E_ij - max_i C_ij )
    Conv = sigmoid(-1.6173 r - 0.3712),  r = mean over j of ( w . hist_j + 0.6318 )       hist_j: the E_.j counted in 23 bins

Chunks are sentences, or as `granularity` selects; the first hundred of a document are read. The 23 weights of
Conv are the authors', trained on the model albert-vitaminc and valid only for it. The authors' program
(`compat="summac"`) drops chunks of at most ten characters, gives ZS 0 if nothing is left (Conv scores one
chunk that nothing entails), and lets Conv ignore the summary from the eleventh sentence on; here all chunks
and sentences count, and an empty summary has the worst score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.encoders.entailment import NLI, label_order, probabilities
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.passages import GRANULARITIES, Passages
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.model_means import empty_rows
from nlgauge.metrics._shared.pair_scores import (
    LABELS,
    NOTHING,
    PairValues,
    SentencePairScores,
    every_pair,
    require_nli,
    texts_of,
)
from nlgauge.metrics._shared.unknown_tokens import read_pairs, readable
from nlgauge.models import ModelSpec

_DOCUMENT_CHUNKS, _CONV_CHUNKS, _SHORT = 100, 10, 10
# fmt: off
_EDGES = (0, .01, .02, .03, .04, .07, .13, .37, .90, .91, .92, .93, .94, .95, .955, .96, .965, .97, .975, .98, .985, .99, .995, 1)
_WEIGHTS = np.array([
    -0.0045237439, -0.0147974687, -0.0223585889, 0.0212591141, -0.0109850522, -0.0795737654, -0.0558557287, -0.0841959566,
    -0.2454244047, -0.5175526142, -0.3847576082, -0.4863938987, -0.6250595450, -0.4775149524, -0.7723822594, -0.9258637428,
    -1.0009461641, -1.0922597647, -1.1167588234, -1.1111185551, -1.5992856026, -2.0340392590, -2.3670299053,
])
# fmt: on
_BIAS, _SLOPE, _SHIFT = 0.6317588091, -1.6173016577, -0.3711860701


def zero_shot(entailment: Array, contradiction: Array) -> float:
    """Return ZS, from two matrices (document chunks, summary chunks).

    >>> round(zero_shot(np.array([[0.9, 0.2], [0.1, 0.3]]), np.array([[0.0, 0.5], [0.6, 0.1]])), 9)
    0.05
    """
    return float((entailment.max(axis=0) - contradiction.max(axis=0)).mean())


def convolved(entailment: Array) -> float:
    """Return Conv, from a matrix (document chunks, summary chunks).

    >>> round(convolved(np.zeros((3, 1))), 9)
    0.202461258
    """
    rates = [float(_WEIGHTS @ np.histogram(column, bins=_EDGES)[0]) + _BIAS for column in entailment.T]
    return float(1 / (1 + np.exp(-(_SLOPE * np.mean(rates) + _SHIFT))))


@register
@dataclass(frozen=True)
class SummaC(SentencePairScores):
    """SummaC ZS or Conv (the score), and the means over the summary's sentences of the largest entailment
    and the largest contradiction.
    """

    model: ModelSpec = "albert-vitaminc"
    variant: str = "zs"
    granularity: str = "sentence"
    labels: tuple[str, ...] | None = None
    splitter: str = "sentencex"
    max_length: int = 500
    compat: str | None = None

    name: ClassVar[str] = "summac"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"summac_zs": {}, "summac_conv": {"variant": "conv"}}
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "variant", ("zs", "conv"))
        sizes = self.granularity.split("-") if isinstance(self.granularity, str) else []
        known = (
            f"{', '.join(map(repr, GRANULARITIES))}, or two of them joined by '-', for the document and the"
            " summary"
        )
        self.require(0 < len(sizes) < 3 and set(sizes) <= set(GRANULARITIES), "granularity", known)
        self.require_labels(NLI)
        require_whole(self, "max_length", 5)
        require_choice(self, "compat", (None, "summac"))

    def measures(self) -> tuple[Output, ...]:
        score = Output("summac", True, -1 if self.variant == "zs" else 0, 1, nan=NOTHING)
        return (
            score,
            Output("entailment", True, 0, 1, nan=NOTHING),
            Output("contradiction", False, 0, 1, nan=NOTHING),
        )

    def findings(self, view: View) -> PairValues:
        read = read_pairs(view.features, self.model, "pair", view.predictions, view.source)
        chunks = [
            self._chunks(view, granularity, ids)
            for granularity, ids in zip(self._sizes, (read.second.ids, read.first.ids), strict=True)
        ]
        scored = readable(view, read.first, read.second)
        documents = [ids[:_DOCUMENT_CHUNKS] for ids in chunks[0]]
        summaries = [ids if known else ids[:0] for ids, known in zip(chunks[1], scored, strict=True)]
        order = require_nli(
            label_order(self.model, self.labels, NLI, view.features.options.device), "ec", self.model
        )
        matrices, cut = every_pair(
            view, PairLogits(self.model, "longest_first", self.max_length), len(order), documents, summaries
        )
        values, shown = np.full((len(view), 3), np.nan), []
        for i, logits in enumerate(matrices):
            found = {
                LABELS[label]: probabilities(logits)[..., order.index(label)]
                for label in "ecn"
                if label in order
            }
            shown.append((found, texts_of(view, documents[i]), texts_of(view, summaries[i])))
            if logits.size or self.compat:
                values[i] = self._values(found)
        longer = np.array([len(ids) > _DOCUMENT_CHUNKS for ids in chunks[0]], dtype=bool)
        return PairValues(values, cut | longer, empty_rows(view, read.first, read.second), read.counts, shown)

    @property
    def _sizes(self) -> tuple[str, str]:
        first, _, second = self.granularity.partition("-")
        return first, second or first

    def _chunks(self, view: View, granularity: str, ids: Array) -> list[Array]:
        passages = Passages(
            granularity, Sentences(view.lang or "en", self.splitter), _SHORT if self.compat else 0
        )
        column, rows = view.get(passages, ids)
        return [column[row] for row in rows]

    def _values(self, found: dict[str, Array]) -> tuple[float, float, float]:
        entailment, contradiction = (
            found[name] if found[name].size else np.zeros((1, 1)) for name in ("entail", "contradict")
        )
        counted = entailment[:, :_CONV_CHUNKS] if self.compat else entailment
        score = zero_shot(entailment, contradiction) if self.variant == "zs" else convolved(counted)
        return score, float(entailment.max(axis=0).mean()), float(contradiction.max(axis=0).mean())

    def called(self) -> str:
        return f"summac {self.variant}"
