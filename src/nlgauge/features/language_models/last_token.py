"""The state of a causal language model at the last token of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.errors import ModelError
from nlgauge.features import Feature, Work
from nlgauge.features.batches import by_length
from nlgauge.features.encoders.embeddings import Embedded
from nlgauge.features.language_models.model_halves import is_transformer
from nlgauge.models import ModelSpec
from nlgauge.models.loader import inference, load

_BATCH_TOKENS = 2048


@dataclass(frozen=True)
class LastState(Feature):
    """The last layer's state at the last token of a text's first tokens, scaled to length 1; of an empty
    text, at the start token.
    """

    model: ModelSpec
    at_most: int

    kept: ClassVar[bool] = True

    def compute(self, keys: list[str], work: Work) -> Embedded:
        loaded = load(self.model, "causal", work.options.device)
        if not is_transformer(loaded):
            raise ModelError(
                f"the model {loaded.name} returns no hidden states; use a causal language model of"
                " Transformers."
            )
        window = min(self.at_most, loaded.max_length)
        whole = [loaded.tokenizer(text, verbose=False).input_ids or [loaded.start_token] for text in keys]
        ids = Ragged.of([row[:window] for row in whole])
        states = np.empty((len(keys), int(loaded.model.config.hidden_size)))
        for rows in by_length(
            ids.lengths, work.options.batch_size, _BATCH_TOKENS, f"reading ({loaded.name})"
        ):
            part = ids.take(rows)
            # Padding is on the right, invisible to all real tokens.
            padded = np.zeros((len(rows), int(part.lengths.max())), dtype=np.int64)
            padded[np.arange(padded.shape[1]) < part.lengths[:, None]] = part.values
            with inference() as torch:
                found = loaded.model.base_model(
                    input_ids=torch.from_numpy(padded).to(loaded.device), use_cache=False
                )[0]
                states[rows] = found[np.arange(len(rows)), part.lengths - 1].double().cpu().numpy()
        norms = np.linalg.norm(states, axis=1, keepdims=True)
        cut = [[int(len(row) > window)] for row in whole]
        return Embedded(Ragged.single(states / np.where(norms > 0, norms, 1)), Ragged.of(cut))
