"""Outputs of the networks of the COMET family: one vector for each text, or a score and labels for texts that
are read together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RunOptions, Work
from nlgauge.features.batches import by_length
from nlgauge.features.encoders.embeddings import EncoderFeature
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load
from nlgauge.models.networks.comet import CometNetwork
from nlgauge.models.precision import autocast, warn_if_slow

# The states of all layers are in memory at the same time.
_BATCH_TOKENS = 2048


class CometVectors(NamedTuple):
    """One vector per text, how many pieces the text has, and whether it was cut."""

    vectors: Ragged
    pieces: Ragged
    truncated: Ragged


class JointScores(NamedTuple):
    """Values of texts that were read together: the score, the probability of each label at each piece of the
    first text, the places of these pieces in the text, the least number of pieces of a text after the first,
    and True if something was cut.
    """

    scores: Ragged
    labels: Ragged
    offsets: Ragged
    pieces: Ragged
    truncated: Ragged


class _Read(NamedTuple):
    """Texts as pieces with special tokens, the place of each piece in its text, and True for each text that
    was cut.
    """

    ids: list[list[int]]
    offsets: list[list[tuple[int, int]]]
    truncated: list[bool]


@dataclass(frozen=True)
class CometEmbedding(EncoderFeature):
    """The vector of each text, from the mixed and pooled states of its pieces; sources and references
    serve all systems.
    """

    model: ModelSpec

    kept: ClassVar[bool] = True

    def compute(self, keys: list[str], work: Work) -> CometVectors:
        loaded = load(self.model, "comet", work.options.device)
        network: CometNetwork = loaded.model
        read = _read(loaded, keys)
        vectors = np.zeros((len(keys), int(network.config.hidden_size)), dtype=np.float32)
        for rows, states, mask in _passes(loaded, read.ids, work.options, self.precision):
            with inference():
                vectors[rows] = network.sentence(states, mask).float().cpu().numpy()
        return CometVectors(
            Ragged.single(vectors), _numbers([len(ids) - 2 for ids in read.ids]), _numbers(read.truncated)
        )


@dataclass(frozen=True)
class CometJoint(EncoderFeature):
    """Texts that are read as one, with the judged text first: <s> first </s></s> second </s></s> third
    </s>.
    """

    model: ModelSpec

    def compute(self, keys: list[tuple[str, ...]], work: Work) -> JointScores:
        loaded = load(self.model, "comet", work.options.device)
        network: CometNetwork = loaded.model
        texts = list(dict.fromkeys(text for key in keys for text in key))
        read, number = _read(loaded, texts), {text: i for i, text in enumerate(texts)}
        rows = [[number[text] for text in key] for key in keys]
        joined = [_joined([read.ids[i] for i in row]) for row in rows]
        window, kinds = network.window + 2, len(network.settings.labels) + 1
        scores = np.zeros(len(keys))
        firsts = [min(len(read.ids[row[0]]), window) for row in rows]
        labels: list[Array] = [np.zeros((size, kinds), dtype=np.float32) for size in firsts]
        inputs = [ids[:window] for ids in joined]
        for part, states, mask in _passes(loaded, inputs, work.options, self.precision):
            with inference():
                scores[part] = network.estimate(network.sentence(states, mask, "cls")).double().cpu().numpy()
                if network.settings.labels:
                    found = network.label_probabilities(states).float().cpu().numpy()
                    for row, probabilities in zip(part, found, strict=True):
                        labels[row] = probabilities[: firsts[row]]
        offsets = [
            np.array(read.offsets[row[0]][:size], dtype=np.int64).reshape(-1, 2)
            for row, size in zip(rows, firsts, strict=True)
        ]
        cut = [
            len(ids) > window or any(read.truncated[i] for i in row)
            for ids, row in zip(joined, rows, strict=True)
        ]
        fewest = [min(len(read.ids[i]) - 2 for i in row[1:]) for row in rows]
        return JointScores(
            Ragged.single(scores),
            Ragged.of(labels, np.float32),
            Ragged.of(offsets),
            _numbers(fewest),
            _numbers(cut),
        )


def _read(loaded: Loaded, texts: list[str]) -> _Read:
    """Return the texts as pieces, each cut to the network's window."""
    if not texts:
        return _Read([], [], [])
    whole = loaded.tokenizer(texts, verbose=False, return_offsets_mapping=True)
    ids, offsets, window = list(whole.input_ids), list(whole["offset_mapping"]), loaded.model.window
    long = [len(row) > window for row in ids]
    for i in np.flatnonzero(long):
        one = loaded.tokenizer(texts[i], truncation=True, max_length=window, return_offsets_mapping=True)
        ids[i], offsets[i] = one.input_ids, one["offset_mapping"]
    return _Read(ids, offsets, long)


def _joined(parts: list[list[int]]) -> list[int]:
    """Return several texts as one, with two end marks between them."""
    start, end = parts[0][0], parts[0][-1]
    found = [start, *parts[0][1:-1]]
    for part in parts[1:]:
        found += [end, end, *part[1:-1]]
    return [*found, end]


def _passes(
    loaded: Loaded, ids: list[list[int]], options: RunOptions, precision: str
) -> Iterator[tuple[Array, tuple[Any, ...], Any]]:
    """Yield for each batch its rows, the states of every layer, and the places of its pieces."""
    padding = loaded.tokenizer.pad_token_id
    warn_if_slow(precision, loaded.device)
    for rows in by_length(
        [len(row) for row in ids], options.batch_size, _BATCH_TOKENS, f"COMET ({loaded.name})"
    ):
        longest = max(len(ids[i]) for i in rows)
        with inference() as torch:
            padded = torch.tensor(
                [[*ids[i], *[padding] * (longest - len(ids[i]))] for i in rows], device=loaded.device
            )
            mask = torch.tensor(
                [[1] * len(ids[i]) + [0] * (longest - len(ids[i])) for i in rows], device=loaded.device
            )
            with autocast(precision, loaded.device):
                states = loaded.model.states(padded, mask)
            states = tuple(state.float() for state in states)
        yield rows, states, mask


def _numbers(values: list[Any]) -> Ragged:
    return Ragged.single(np.array(values, dtype=np.int64))
