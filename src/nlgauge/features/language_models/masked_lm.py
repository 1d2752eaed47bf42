"""States of a masked language model for a text with some of its tokens hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import ModelError
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.features.encoders.embeddings import encoder_batches
from nlgauge.features.language_models.model_halves import TokenStates, halves
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, first_layers, load, torch_modules


@dataclass(frozen=True)
class MaskedStates(Feature):
    """The state at each token of a text when only that token is hidden; special tokens are read, but never
    hidden.
    """

    model: ModelSpec

    def compute(self, keys: list[str], work: Work) -> TokenStates:
        loaded = load(self.model, "masked", work.options.device)
        ids, hidden, cut = encoded(loaded, keys)
        rows = ids.take(hidden.owners)
        rows.values[rows.offsets[:-1] + hidden.values] = mask_token(loaded)
        states = states_at(loaded, rows, Ragged.single(hidden.values), work.options)
        tokens = ids.values[ids.offsets[hidden.owners] + hidden.values]
        return TokenStates(Ragged(states, hidden.offsets), Ragged(tokens, hidden.offsets), Ragged.single(cut))


def mask_token(loaded: Loaded) -> int:
    """Return the token that hides another."""
    if loaded.tokenizer.mask_token_id is None:
        raise ModelError(
            f"the tokenizer of {loaded.name} has no mask token; choose a masked language model"
            " (BERT, RoBERTa, DistilBERT, XLM-R, ALBERT)."
        )
    return int(loaded.tokenizer.mask_token_id)


def encoded(loaded: Loaded, texts: list[str]) -> tuple[Ragged, Ragged, Array]:
    """Return the tokens of each text with special tokens, cut to the model's window; the places of tokens
    that are not special; True for texts that were cut.
    """
    rows, places, cut = [], [], []
    for text in texts:
        ids = loaded.tokenizer(text, verbose=False).input_ids
        cut.append(len(ids) > loaded.max_length)
        if cut[-1]:
            ids = loaded.tokenizer(text, truncation=True, max_length=loaded.max_length).input_ids
        special = loaded.tokenizer.get_special_tokens_mask(ids, already_has_special_tokens=True)
        rows.append(ids)
        # An unknown word is a word, though tokenizers count its token among the special ones.
        unknown = loaded.tokenizer.unk_token_id
        places.append(
            [
                place
                for place, (token, mark) in enumerate(zip(ids, special, strict=True))
                if not mark or token == unknown
            ]
        )
    return Ragged.of(rows), Ragged.of(places), np.array(cut, dtype=np.int64)


def states_at(
    loaded: Loaded, ids: Ragged, places: Ragged, options: RunOptions, layer: int | None = None
) -> Array:
    """Return (all places, width) states of rows of tokens at the places of each row: those that the head
    reads, or those of an inner layer.
    """
    torch = torch_modules("a masked language model")[1]
    body = (
        halves(loaded).body
        if layer is None
        else loaded.made(("states", layer), lambda: _inner(loaded, layer))
    )
    found = np.empty((0, loaded.model.config.hidden_size), dtype=np.float32)
    for rows, _, answer in encoder_batches(
        loaded, body, ids, options, f"guessing hidden words ({loaded.name})"
    ):
        wanted = places.take(rows)
        states = (
            answer[torch.from_numpy(wanted.owners), torch.from_numpy(wanted.values)].float().cpu().numpy()
        )
        if not len(found):
            found = np.empty((len(places.values), states.shape[1]), dtype=np.float32)
        found[places.places(rows)] = states
    return found


def _inner(loaded: Loaded, layer: int) -> Any:
    model = first_layers(loaded.model.base_model, layer)
    return lambda **inputs: model(**inputs)[0]
