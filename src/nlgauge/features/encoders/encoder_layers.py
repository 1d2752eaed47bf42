"""Values from the layers of an encoder: the vectors of the pieces of a text.

Features of one model that metrics have announced share one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.features.encoders.embeddings import EncoderFeature, EncoderPieces, Pieces, encoder_batches
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, first_layers, load

# Encoders whose hidden states are what the model without the layers above gives: nothing comes after the last
# layer.
_PLAIN = ("albert", "bert", "camembert", "distilbert", "electra", "mpnet", "roberta", "xlm-roberta")


class Hidden(NamedTuple):
    """Pieces with one vector each: of length 1, or of several layers one after the other, each of length
    1.
    """

    vectors: Ragged
    ids: Ragged
    special: Ragged
    truncated: Ragged


class LayerFeature(EncoderFeature):
    """A feature that is read off one or more layers, batch by batch."""

    model: ModelSpec

    def layers_of(self, depth: int) -> tuple[int, ...]:
        """Return the layers that are read, of a model with this number of layers; 0 is the input of the first
        layer.
        """
        raise NotImplementedError

    def room(self, pieces: int, width: int) -> Array:
        """Return the empty array to fill, for this number of pieces and a model of this width."""
        raise NotImplementedError

    def fill(self, values: Array, ids: Ragged, rows: Array, mask: Array, layers: Sequence[Any]) -> None:
        """Store the values of a batch, from its texts, the places of their pieces (rows, longest), and the
        states.
        """
        raise NotImplementedError

    def column(self, values: Array, pieces: Pieces) -> Any:
        """Return the value of the feature, from the filled array and the pieces of the texts."""
        raise NotImplementedError

    def together(self, expected: Sequence[Feature], options: RunOptions) -> list[Feature]:
        loaded = load(self.model, "encoder", options.device)
        depth, own = depth_of(loaded), getattr(loaded.model.config, "model_type", "") in _PLAIN
        same = [
            other
            for other in expected
            if isinstance(other, LayerFeature)
            and (other.model, other.precision) == (self.model, self.precision)
        ]
        top = max(self.layers_of(depth))
        return [other for other in same if max(other.layers_of(depth)) == top or own]

    def compute(self, keys: list[str], work: Work) -> Any:
        return self.compute_with([], keys, work)[0]

    def compute_with(self, others: Sequence[Feature], keys: list[str], work: Work) -> list[Any]:
        features = [self, *(other for other in others if isinstance(other, LayerFeature))]
        loaded = load(self.model, "encoder", work.options.device)
        pieces: Pieces = work.get(EncoderPieces(self.model), keys)
        depth = depth_of(loaded)
        layers = [feature.layers_of(depth) for feature in features]
        top, lowest = max(map(max, layers)), min(map(min, layers))
        model = (
            loaded.model
            if top == depth
            else loaded.made(("layers", top), lambda: first_layers(loaded.model, top))
        )
        asked: dict[str, Any] = {} if top == lowest else {"output_hidden_states": True}
        values = [
            feature.room(len(pieces.ids.values), int(loaded.model.config.hidden_size)) for feature in features
        ]
        for rows, mask, found in encoder_batches(
            loaded,
            model,
            pieces.ids,
            work.options,
            f"encoding ({loaded.name})",
            precision=self.precision,
            **asked,
        ):
            for feature, wanted, room in zip(features, layers, values, strict=True):
                # After the last layer some encoders scale its vectors once more.
                states = [
                    found.last_hidden_state if layer == top else found.hidden_states[layer]
                    for layer in wanted
                ]
                feature.fill(room, pieces.ids, rows, mask, states)
        return [feature.column(room, pieces) for feature, room in zip(features, values, strict=True)]


@dataclass(frozen=True)
class HiddenLayers(LayerFeature):
    """The vectors of a text's pieces at several layers, each of length 1, side by side; layers above the last
    are not run.

    They are held for a chunk: 4 bytes times the width times the layers for each piece, with one layer 150 MB
    for 200,000 characters (50,000 pieces) and 768 dimensions.
    """

    model: ModelSpec
    layers: tuple[int, ...]

    def layers_of(self, depth: int) -> tuple[int, ...]:
        return self.layers

    def room(self, pieces: int, width: int) -> Array:
        return np.empty((pieces, len(self.layers) * width), dtype=np.float32)

    def fill(self, values: Array, ids: Ragged, rows: Array, mask: Array, layers: Sequence[Any]) -> None:
        units = []
        for layer in layers:
            vectors = layer.float().cpu().numpy()[mask]
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            units.append(vectors / np.where(norms > 0, norms, 1))
        values[ids.places(rows)] = units[0] if len(units) == 1 else np.concatenate(units, axis=1)

    def column(self, values: Array, pieces: Pieces) -> Hidden:
        return Hidden(Ragged(values, pieces.ids.offsets), *pieces)


def last_layers(model: ModelSpec, count: int, options: RunOptions) -> tuple[int, ...]:
    """Return the numbers of the last layers of a model; fewer if the model has fewer."""
    depth = depth_of(load(model, "encoder", options.device))
    return tuple(range(max(depth - count, 0) + 1, depth + 1))


def depth_of(loaded: Loaded) -> int:
    """Return the number of layers of an encoder."""
    return int(loaded.model.config.num_hidden_layers)
