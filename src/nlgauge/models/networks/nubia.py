"""The aggregator, a network that combines NUBIA's features into one score.

Its files are `model.safetensors` with layers.0.weight, layers.0.bias, ..., and `config.json`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ModelError
from nlgauge.models.loader import check_header
from nlgauge.models.weights import store

_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "identity": lambda x: x,
}


def network(directory: Path, features: Array) -> Array:
    """Return the aggregator's score for each row of features (pairs, 8).

    An aggregator for 6 features does not read the last two, which are numbers of words.
    """
    layers, activation = _aggregator(directory, store.fingerprint(directory))
    states: Array = features[:, : layers[0][0].shape[1]]
    for i, (weight, bias) in enumerate(layers):
        states = states @ weight.T + bias
        states = _ACTIVATIONS[activation](states) if i < len(layers) - 1 else states
    return states[:, 0]


@lru_cache(maxsize=4)
def _aggregator(directory: Path, content: Any) -> tuple[list[tuple[Array, Array]], str]:
    """Load the layers of the aggregator, and the name of the activation between them."""
    config = directory / "config.json"
    if not config.is_file() or not (directory / "model.safetensors").is_file():
        raise ModelError(
            f"aggregator must be a directory with model.safetensors and config.json, but {str(directory)!r} is"
            " not."
        )
    check_header(directory / "model.safetensors")
    tensors = importlib.import_module("safetensors.numpy").load_file(directory / "model.safetensors")
    count = sum(name.endswith(".weight") for name in tensors)
    names = {f"layers.{i}.{part}" for i in range(count) for part in ("weight", "bias")}
    activation = msgspec.json.decode(config.read_bytes()).get("activation", "relu")
    if (
        not count
        or set(tensors) != names
        or tensors["layers.0.weight"].shape[1] not in (6, 8)
        or activation not in _ACTIVATIONS
    ):
        raise ModelError(
            f"the aggregator in {directory} must have layers.0.weight, layers.0.bias, layers.1.weight, ...,"
            f" read 6 or 8 features, and name one of the activations {', '.join(_ACTIVATIONS)} in"
            " config.json."
        )
    layers = [(tensors[f"layers.{i}.weight"], tensors[f"layers.{i}.bias"]) for i in range(count)]
    return [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in layers], activation
