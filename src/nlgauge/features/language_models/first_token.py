"""The start of a language model's answer to a prompt: the logits of a few tokens, such as "Yes" and "No", at
the first place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.errors import ParameterError
from nlgauge.features import Feature, Work
from nlgauge.features.batches import by_length
from nlgauge.features.language_models.model_halves import halves, is_transformer
from nlgauge.features.language_models.seq2seq import padded, reading_window, start_token
from nlgauge.features.vocabulary import SPACE
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load

_BATCH_TOKENS = 2048


class FirstLogits(NamedTuple):
    """One row per prompt: the logit of each token, and whether the prompt was cut."""

    logits: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class FirstTokenLogits(Feature):
    """The logits of some tokens as the first of an answer: at the decoder's first step, or after the last
    token of a causal model's prompt.

    A token is a number, or a string whose first piece counts. The prompt is encoded by the tokenizer, special
    tokens included, up to `max_length` tokens: a sequence-to-sequence model loses the end of a longer prompt
    but not the end token, a causal model loses the beginning. `drop_eos` takes the last token away.
    """

    model: ModelSpec
    tokens: tuple[str | int, ...]
    max_length: int | None = None
    drop_eos: bool = False
    kind: Literal["seq2seq", "causal"] = "seq2seq"

    def compute(self, keys: list[str], work: Work) -> FirstLogits:
        loaded = load(self.model, self.kind, work.options.device)
        tokens = [first_piece(loaded, token) for token in self.tokens]
        window = reading_window(loaded, self.max_length)
        whole = [list(loaded.tokenizer(text, verbose=False).input_ids) for text in keys]
        rows = [self._cut(ids, window) or [loaded.start_token] for ids in whole]
        logits = np.empty((len(keys), len(tokens)))
        ask = _decoder_logits if self.kind == "seq2seq" else _last_logits
        for batch in by_length(
            [len(row) for row in rows], work.options.batch_size, _BATCH_TOKENS, f"asking ({loaded.name})"
        ):
            with inference() as torch:
                logits[batch] = ask(torch, loaded, [rows[i] for i in batch])[:, tokens].double().cpu().numpy()
        truncated = np.array([int(len(ids) > window) for ids in whole], dtype=np.int64)
        return FirstLogits(Ragged.single(logits), Ragged.single(truncated))

    def _cut(self, ids: list[int], window: int) -> list[int]:
        if len(ids) > window:
            ids = [*ids[: window - 1], ids[-1]] if self.kind == "seq2seq" else ids[-window:]
        return ids[:-1] if self.drop_eos else ids


def first_piece(loaded: Loaded, token: str | int) -> int:
    """Return the number of a token: itself, or the first piece of a text; a piece that is only a space is
    refused, because any word could follow.
    """
    found = (
        [token]
        if isinstance(token, int)
        else list(loaded.tokenizer(token, add_special_tokens=False).input_ids)
    )
    tokenizer, size = loaded.tokenizer, getattr(getattr(loaded.model, "config", None), "vocab_size", None)
    space = tokenizer.convert_tokens_to_ids(SPACE) if hasattr(tokenizer, "convert_tokens_to_ids") else None
    if (
        not found
        or found[0] in (space, getattr(tokenizer, "unk_token_id", None))
        or (size is not None and found[0] >= size)
    ):
        raise ParameterError(
            f"{token!r} is not a token of {loaded.name}, so the model cannot answer with it; use a model that was"
            " trained for this answer."
        )
    return int(found[0])


def _decoder_logits(torch: Any, loaded: Loaded, rows: list[list[int]]) -> Any:
    """Return logits at the decoder's first step."""
    ids, mask = padded(torch, loaded, rows)
    start = torch.full((len(rows), 1), start_token(loaded), device=loaded.device)
    return (
        loaded.model(input_ids=ids, attention_mask=mask, decoder_input_ids=start, use_cache=False)
        .logits[:, 0]
        .float()
    )


def _last_logits(torch: Any, loaded: Loaded, rows: list[list[int]]) -> Any:
    """Return logits after the last token of each row; padding is on the right, invisible to all real
    tokens.
    """
    ids = torch.zeros((len(rows), max(map(len, rows))), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
    options = {"use_cache": False} if is_transformer(loaded) else {}
    states = halves(loaded).body(input_ids=ids.to(loaded.device), **options)
    last = states[torch.arange(len(rows)), torch.tensor([len(row) - 1 for row in rows])]
    return halves(loaded).head(last).float()
