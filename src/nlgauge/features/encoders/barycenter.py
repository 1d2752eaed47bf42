"""The barycenter of a text's token measures at several layers of an encoder, by optimal transport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import ModelError
from nlgauge.estimators.transport import barycenter
from nlgauge.features.encoders.embeddings import Pieces
from nlgauge.features.encoders.encoder_layers import LayerFeature
from nlgauge.models import ModelSpec


class Barycenters(NamedTuple):
    """The points of each text's barycenter, the text's pieces, and whether it was cut."""

    points: Ragged
    ids: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class LayerBarycenter(LayerFeature):
    """The Wasserstein barycenter of the last layers of a text: one point of equal weight per piece, special
    pieces included.

    A layer is the uniform measure on the unit vectors of all pieces. The search for the barycenter starts
    from each piece's mean vector ("mean"), or with every point at zero ("zero"). The layers are stored only
    for a batch; the points for a chunk, 8 bytes times the width for each piece.
    """

    model: ModelSpec
    layers: int
    start: str = "mean"

    def layers_of(self, depth: int) -> tuple[int, ...]:
        if self.layers > depth:
            raise ModelError(f"layers must be 1 to {depth} for this model, got {self.layers}.")
        return tuple(range(depth - self.layers + 1, depth + 1))

    def room(self, pieces: int, width: int) -> Array:
        return np.empty((pieces, width))

    def fill(self, values: Array, ids: Ragged, rows: Array, mask: Array, layers: Sequence[Any]) -> None:
        # Scaled by torch, as in the authors' program: started at zero, the last bit of a norm decides which
        # barycenter is found.
        units = [
            layer.float() / layer.float().norm(dim=-1, keepdim=True).clamp(min=1e-30) for layer in layers
        ]
        states = np.stack([layer.cpu().numpy() for layer in units])
        for i, row in enumerate(rows):
            measures = states[:, i, mask[i]].astype(np.float64)
            start = np.zeros(measures.shape[1:]) if self.start == "zero" else measures.mean(axis=0)
            values[ids.offsets[row] : ids.offsets[row + 1]] = barycenter(measures, start)

    def column(self, values: Array, pieces: Pieces) -> Barycenters:
        return Barycenters(Ragged(values, pieces.ids.offsets), pieces.ids, pieces.truncated)
