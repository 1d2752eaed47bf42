"""Weights that are the same on every machine and with every version of torch: sines of their places."""

from __future__ import annotations

from typing import Any

import numpy as np


def sines(shape: tuple[int, ...], start: int) -> Any:
    """sin(7.3 i + 1.7 start) for the i-th number; neighbors in rows and columns have little to do with
    each other.
    """
    places = np.arange(int(np.prod(shape)), dtype=np.float64)
    return np.sin(places * places * 0.0137 + 7.3 * places + 1.7 * start).reshape(shape)


def fill(model: Any, seed: int, scale: float = 0.35) -> Any:
    """The model in evaluation mode with sines for weights; its normalisations stay near 1, its biases
    small.
    """
    import torch

    with torch.no_grad():
        for number, (name, weights) in enumerate(sorted(model.named_parameters())):
            values = torch.from_numpy(sines(tuple(weights.shape), number + 100 * seed)).float()
            if weights.ndim > 1:
                weights.copy_(scale * values)
            else:
                weights.copy_(0.1 * values + (1.0 if "norm" in name and name.endswith("weight") else 0.0))
    return model.eval()
