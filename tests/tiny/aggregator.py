"""A network of two layers that makes one number of NUBIA's features."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file


def write(directory: Path, seed: int, features: int = 8) -> None:
    directory.mkdir(parents=True)
    sizes = {
        "layers.0.weight": (6, features),
        "layers.0.bias": (6,),
        "layers.1.weight": (1, 6),
        "layers.1.bias": (1,),
    }
    tensors = {
        name: 0.5 * np.sin((np.arange(1, np.prod(size) + 1) % 1009) ** 2 / 10 + len(size) + seed - 1)
        for name, size in sizes.items()
    }
    save_file(
        {name: tensor.reshape(sizes[name]) for name, tensor in tensors.items()},
        directory / "model.safetensors",
    )
    (directory / "config.json").write_text(json.dumps({"activation": "relu"}))
