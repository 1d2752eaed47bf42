"""Embedding similarity: the cosine of the sentence embeddings of prediction and reference.

    cos(e(prediction), e(reference)),    e(x) = mean of the last vectors of all pieces of x, scaled to length 1

A blank text has no meaning to compare: 0 against any other text, 1 against another blank one. sentence-transformers gives the cosine with
whatever the encoder makes of its start and end marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.features.encoders import TextEmbedding
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.models import ModelSpec, is_model_spec, model_facts


@register
@dataclass(frozen=True)
class EmbeddingSimilarity(Metric):
    """Cosine of sentence embeddings, from -1 to 1."""

    model: ModelSpec = "minilm"

    name: ClassVar[str] = "embedding_similarity"
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {"sentence_cosine": {}, "sbert_cosine": {}, "semantic_similarity": {}}

    def __post_init__(self) -> None:
        self.require(is_model_spec(self.model), "model", "a name, a directory or nlgauge.Model(model, tokenizer)")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"embedding_similarity": (Output("embedding_similarity", True, -1, 1), Output("truncated", None, 0))}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), **model_facts(self.model)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        embedded, predictions, references = view.get(TextEmbedding(self.model), view.predictions, view.reference)
        vectors, cut = embedded.vectors.values, embedded.truncated.values
        cosines = np.einsum("ij,ij->i", vectors[predictions], vectors[references], dtype=np.float64).clip(-1, 1)
        blank = [np.array([not view.text(text).strip() for text in side.tolist()], dtype=bool) for side in (view.predictions, view.reference)]
        cosines[blank[0] != blank[1]] = 0.0
        return {"embedding_similarity": np.column_stack([cosines, np.ones(len(view)), np.maximum(cut[predictions], cut[references])])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"embedding_similarity": statistics[..., 0] / statistics[..., 1], "truncated": statistics[..., 2]}
