"""AlignScore's weights: an encoder with its pooler (`base_model.*`) and three linear heads on it.

A directory contains the weights as `model.safetensors`, and the configuration and tokenizer of the encoder.
The head over the vocabulary, which was also used in training, is omitted.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlgauge.errors import ModelError

# Number of outputs of each head. tri: aligned, neutral, contradicting; bin: not aligned, aligned; reg:
# degree.
HEADS = {"tri": 3, "bin": 2, "reg": 1}
_KEPT = ("base_model.", *(f"{head}_layer." for head in HEADS))
# Position ids are computed, not learned, but old checkpoints contain them.
_COUNTED = "embeddings.position_ids"


def converted(state: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights of the encoder and the heads, and the unchanged configuration of the encoder."""
    weights = {
        name: tensor
        for name, tensor in state.items()
        if name.startswith(_KEPT) and not name.endswith(_COUNTED)
    }
    missing = [f"{head}_layer.weight" for head in HEADS if f"{head}_layer.weight" not in weights]
    if missing or not any(name.startswith("base_model.pooler.") for name in weights):
        raise ModelError(
            f"this is not a checkpoint of AlignScore: it has no {', '.join(missing) or 'base_model.pooler'}; use"
            " another checkpoint or another layout."
        )
    return weights, dict(config)


def align_model(directory: Path, config: Any) -> Any:
    """Load the encoder and the heads of a directory as one module."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    path = directory / "model.safetensors"
    if not path.is_file():
        raise ModelError(
            f"{directory} has no model.safetensors; AlignScore's checkpoints must be converted: nlgauge"
            " models convert FILE --as align -o DIR"
        )
    state, _ = converted(importlib.import_module("safetensors.torch").load_file(path), {})
    model = torch.nn.Module()
    model.config = config
    with torch.random.fork_rng(devices=[]):  # torch draws random weights, which are then replaced
        model.base_model = transformers.AutoModel.from_config(config)
        for head, size in HEADS.items():
            setattr(model, f"{head}_layer", torch.nn.Linear(config.hidden_size, size))
    missing, unexpected = model.load_state_dict(
        {name: tensor.float() for name, tensor in state.items()}, strict=False
    )
    # Buffers are computed, so they may be missing.
    missing = [name for name in missing if name in dict(model.named_parameters())]
    if missing or unexpected:
        raise ModelError(
            f"the weights in {directory} do not fit their configuration:"
            f" {', '.join([*missing, *unexpected][:3])}."
        )
    return model
