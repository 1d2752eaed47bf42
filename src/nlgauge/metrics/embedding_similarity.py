"""Embedding similarity: the cosine of the sentence embeddings of prediction and reference.

    cos(e(prediction), e(reference)),    e(x) = mean of the last vectors of all pieces of x, scaled to length 1

A text without tokens has no meaning to compare: 0 against any other text, 1 against another empty text. A
text without any token that the model knows scores 0. sentence-transformers gives the cosine with whatever the
encoder makes of start and end marks, or of unknown tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.metric import TRUNCATED, Arrays, Metric, Output, View, register
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, read_pairs, unknown_share
from nlgauge.models import ModelSpec


@register
@dataclass(frozen=True)
class EmbeddingSimilarity(UsesEncoder, Metric):
    """Cosine of sentence embeddings, from -1 to 1."""

    model: ModelSpec = "minilm"

    name: ClassVar[str] = "embedding_similarity"
    revision: ClassVar[int] = 2
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "sentence_cosine": {},
        "sbert_cosine": {},
        "semantic_similarity": {},
    }

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "embedding_similarity": (Output("embedding_similarity", True, -1, 1), TRUNCATED, UNKNOWN_TOKENS)
        }

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        read = read_pairs(view.features, self.model, "encoder", view.predictions, view.reference)
        embedded, predictions, references = view.get(
            TextEmbedding(self.model, precision=self.precision), read.first.ids, read.second.ids
        )
        vectors, cut = embedded.vectors.values, embedded.truncated.values
        cosines = np.einsum("ij,ij->i", vectors[predictions], vectors[references], dtype=np.float64).clip(
            -1, 1
        )
        cosines[((read.first.known > 0) != (read.second.known > 0)) | read.undefined] = 0.0
        truncated = np.maximum(cut[predictions], cut[references])
        return {
            "embedding_similarity": np.column_stack([cosines, np.ones(len(view)), truncated, read.counts])
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        first = {
            "embedding_similarity": statistics[..., 0] / statistics[..., 1],
            "truncated": statistics[..., 2],
        }
        return {**first, **unknown_share(statistics)}
