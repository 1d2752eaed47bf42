"""Pieces of a text and its embedding by a Transformers encoder; `encoder_layers` has the vectors of the
pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.features.batches import by_length
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load
from nlgauge.models.precision import autocast, warn_if_slow

_BATCH_TOKENS = 4096


class Pieces(NamedTuple):
    """Token ids with special ones, which of them are start and end marks, and whether the text was cut."""

    ids: Ragged
    special: Ragged
    truncated: Ragged


class Embedded(NamedTuple):
    """One vector per text, and whether the text was cut."""

    vectors: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class EncoderFeature(Feature):
    """A feature that an encoder computes with a precision."""

    precision: str = field(default="float32", kw_only=True)

    def __str__(self) -> str:
        return repr(self).replace("precision='float32', ", "")


@dataclass(frozen=True)
class EncoderPieces(Feature):
    """The pieces of a text as an encoder gets them; no model is run."""

    model: ModelSpec

    def compute(self, keys: list[str], work: Work) -> Pieces:
        return pieces_of(load(self.model, "encoder", work.options.device), keys)


@dataclass(frozen=True)
class TextEmbedding(EncoderFeature):
    """One vector per text: the mean of the last vectors of its tokens; of length 1 if `unit`.

    It is the mean pooling of sentence-transformers. The third field requests a separate forward pass for each
    text, so that no bit of its vector depends on the other texts of a batch. It is for models that are trained
    on the vectors, and not the default, because texts of 6, 20 and 60 words take 4.6, 2.1 and 1.4 times as long
    (texts of 180 words: as long).
    """

    model: ModelSpec
    unit: bool = True
    alone: bool = False

    kept: ClassVar[bool] = True

    def compute(self, keys: list[str], work: Work) -> Embedded:
        loaded = load(self.model, "encoder", work.options.device)
        ids, _, truncated = pieces_of(loaded, keys, loaded.pooling_length)
        options = replace(work.options, batch_size=1) if self.alone else work.options
        sums = _summed(loaded, ids, options, self.precision)
        if not self.unit:
            return Embedded(Ragged.single(sums / ids.lengths[:, None].clip(1)), truncated)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return Embedded(Ragged.single(sums / np.where(norms > 0, norms, 1)), truncated)


def piece_strings(spec: ModelSpec, ids: Array, device: str | None) -> list[str]:
    """Return the pieces as people read them."""
    return list(load(spec, "encoder", device).tokenizer.convert_ids_to_tokens(ids.tolist()))


def pieces_of(loaded: Loaded, texts: list[str], at_most: int | None = None) -> Pieces:
    """Return the pieces of each text, cut to the model's window or to fewer."""
    window = loaded.max_length if at_most is None else min(at_most, loaded.max_length)
    if not texts:
        empty = Ragged.of([])
        return Pieces(empty, Ragged(empty.values.astype(bool), empty.offsets), empty)
    tokenizer = loaded.tokenizer
    stripped = [text.strip() for text in texts]
    whole = tokenizer(stripped, add_special_tokens=True, verbose=False).input_ids
    long = [i for i, row in enumerate(whole) if len(row) > window]
    for i in long:
        whole[i] = tokenizer(
            stripped[i], add_special_tokens=True, truncation=True, max_length=window
        ).input_ids
    ids = Ragged.of(whole)
    marks = [
        token
        for token in (
            tokenizer.cls_token_id,
            tokenizer.sep_token_id,
            tokenizer.bos_token_id,
            tokenizer.eos_token_id,
        )
        if token is not None
    ]
    truncated = np.zeros(len(texts), dtype=np.int64)
    truncated[long] = 1
    return Pieces(ids, Ragged(np.isin(ids.values, marks), ids.offsets), Ragged.single(truncated))


def encoder_batches(
    loaded: Loaded,
    model: Any,
    ids: Ragged,
    options: RunOptions,
    what: str,
    types: Ragged | None = None,
    precision: str = "float32",
    **asked: Any,
) -> Iterator[tuple[Array, Array, Any]]:
    """Yield for each batch its rows of `ids`, the places of its tokens (rows, longest), and the output of the
    model.

    `types` are the tokens' types, for a model that reads pairs of texts so.
    """
    padding = loaded.tokenizer.pad_token_id or 0
    warn_if_slow(precision, loaded.device)
    for rows in by_length(ids.lengths, options.batch_size, _BATCH_TOKENS, what):
        part = ids.take(rows)
        mask = np.arange(int(part.lengths.max())) < part.lengths[:, None]
        columns = {
            "input_ids": (part, padding),
            **({} if types is None else {"token_type_ids": (types.take(rows), 0)}),
        }
        inputs = {}
        for name, (column, filling) in columns.items():
            inputs[name] = np.full(mask.shape, filling, dtype=np.int64)
            inputs[name][mask] = column.values
        inputs["attention_mask"] = mask.astype(np.int64)
        with inference() as torch, autocast(precision, loaded.device):
            found = model(
                **{name: torch.from_numpy(values).to(loaded.device) for name, values in inputs.items()},
                **asked,
            )
        yield rows, mask, found


def _summed(loaded: Loaded, ids: Ragged, options: RunOptions, precision: str) -> Array:
    """Return (texts, d) sums of each text's last vectors; no more than a batch has vectors for its pieces at
    a time.
    """
    sums = np.zeros((len(ids), int(loaded.model.config.hidden_size)), dtype=np.float32)
    for rows, mask, found in encoder_batches(
        loaded, loaded.model, ids, options, f"embedding ({loaded.name})", precision=precision
    ):
        vectors, lengths = found.last_hidden_state.float().cpu().numpy()[mask], ids.lengths[rows]
        sums[rows] = np.add.reduceat(vectors, np.cumsum(lengths) - lengths, axis=0)
    return sums
