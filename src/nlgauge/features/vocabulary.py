"""The tokens of a text in a model's vocabulary, and the number of unknown tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import Feature, Work
from nlgauge.features.encoders.embeddings import EncoderPieces
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, load
from nlgauge.models.weights.catalog import Kind

# The piece for a space before a word: of an unknown word it is the only piece that is known.
SPACE = "▁"


@dataclass(frozen=True)
class TokenIds(Feature):
    """The tokens of a text as a language model reads them, without special ones; none is cut off."""

    model: ModelSpec
    kind: Kind

    def compute(self, keys: list[str], work: Work) -> Ragged:
        tokenizer = load(self.model, self.kind, work.options.device).tokenizer
        return Ragged.of(
            [
                list(tokenizer(text, add_special_tokens=False, verbose=False).input_ids) if text else []
                for text in keys
            ]
        )


@dataclass(frozen=True)
class UnknownTokens(Feature):
    """One row per text: how many of its tokens the vocabulary does not know, and how many tokens it has,
    both without special ones.
    """

    model: ModelSpec
    kind: Kind

    kept: ClassVar[bool] = True

    def compute(self, keys: list[str], work: Work) -> Ragged:
        loaded = load(self.model, self.kind, work.options.device)
        if self.kind != "encoder":
            return Ragged.single(unknown_counts(loaded, work.get(TokenIds(self.model, self.kind), keys)))
        pieces = work.get(EncoderPieces(self.model), keys)
        return Ragged.single(unknown_counts(loaded, pieces.ids, pieces.special.values))


def unknown_counts(loaded: Loaded, ids: Ragged, special: Array | None = None) -> Array:
    """Return (texts, 2): unknown tokens and all tokens of each text, from its token ids and which of those
    are special.
    """
    unknown, space = loaded.made("unknown token", lambda: _unknown_and_space(loaded))
    counted = ids.values != space
    if special is not None:
        counted &= ~special
    return np.column_stack(
        [np.bincount(ids.owners, counted & which, len(ids)) for which in (ids.values == unknown, True)]
    )


def _unknown_and_space(loaded: Loaded) -> tuple[int, int]:
    """Return the unknown token, and the piece for a space; -1 if there is none."""
    tokenizer = loaded.tokenizer
    unknown = getattr(tokenizer, "unk_token_id", None)
    marks = [getattr(tokenizer, f"{name}_token_id", None) for name in ("bos", "eos", "cls", "sep", "pad")]
    # Tokenizers of bytes know everything; some of them call their end token the unknown one.
    unknown = -1 if unknown is None or unknown in marks else int(unknown)
    space = tokenizer.convert_tokens_to_ids(SPACE) if hasattr(tokenizer, "convert_tokens_to_ids") else None
    return unknown, -1 if space in (None, unknown) else int(space)
