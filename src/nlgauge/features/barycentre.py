"""The barycentre of a text's token measures at several layers of an encoder, by optimal transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nlgauge.corpus.columns import Ragged
from nlgauge.errors import ModelError
from nlgauge.estimators.transport import barycentre
from nlgauge.features import Feature, Work
from nlgauge.features.encoders import EncoderPieces, encoder_batches
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load_encoder


class Barycentres(NamedTuple):
    """The points of each text's barycentre, the text's pieces, and whether it was cut."""

    points: Ragged
    ids: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class LayerBarycentre(Feature):
    """As many equally heavy points as a text has pieces, special ones included: the Wasserstein barycentre of its last layers.

    A layer is the uniform measure on the unit vectors of all pieces. The search for the barycentre starts from each piece's mean vector ("mean"), or
    with every point at zero ("zero"). The layers are held for a batch only; the points for a chunk, 8 bytes times the width for each piece.
    """

    model: ModelSpec
    layers: int
    start: str = "mean"

    def compute(self, keys: list[str], work: Work) -> Barycentres:
        loaded = load_encoder(self.model, work.options.device)
        depth = int(loaded.model.config.num_hidden_layers)
        if self.layers > depth:
            raise ModelError(f"layers must be from 1 to {depth} for this model, got {self.layers}.")
        ids, _, truncated = work.get(EncoderPieces(self.model), keys)
        points = np.empty((len(ids.values), int(loaded.model.config.hidden_size)))
        for rows, mask, found in encoder_batches(loaded, loaded.model, ids, work.options, f"encoding ({loaded.name})", output_hidden_states=True):
            # Scaled by torch, as in the authors' program: started at zero, the last bit of a norm decides which barycentre is found.
            units = [layer.float() / layer.float().norm(dim=-1, keepdim=True).clamp(min=1e-30) for layer in found.hidden_states[-self.layers :]]
            states = np.stack([layer.cpu().numpy() for layer in units])
            for i, row in enumerate(rows):
                measures = states[:, i, mask[i]].astype(np.float64)
                start = np.zeros(measures.shape[1:]) if self.start == "zero" else measures.mean(axis=0)
                points[ids.offsets[row] : ids.offsets[row + 1]] = barycentre(measures, start)
        return Barycentres(Ragged(points, ids.offsets), ids, truncated)
