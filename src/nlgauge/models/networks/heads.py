"""Which weights of a language model its files do not hold, so that Transformers would make them up."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec


def missing_weights(model: Any, missed: Iterable[str], directory: Path) -> list[str]:
    """What Transformers missed, but for tables of sines, which are computed, and the head that it would
    not miss.
    """
    computed = [
        name for name in missed if "Sinusoidal" in type(model.get_submodule(name.rpartition(".")[0])).__name__
    ]
    return sorted({*missed, *(["lm_head.weight"] if _lacks_own_head(directory) else [])} - set(computed))


def _lacks_own_head(directory: Path) -> bool:
    """Whether the configuration says that the head is not the input vectors, and the weights hold none.

    Transformers 5 reads every T5 as one whose head is its input vectors, and would not miss it.
    """
    config = msgspec.json.decode((directory / "config.json").read_bytes())
    if not (config.get("is_encoder_decoder") and config.get("tie_word_embeddings") is False):
        return False
    return config.get("model_type") in ("t5", "mt5", "umt5") and "lm_head.weight" not in _tensors(directory)


def _tensors(directory: Path) -> set[str]:
    """The names of the tensors in a directory's safetensors files."""
    from safetensors import safe_open

    found: set[str] = set()
    for file in directory.glob("*.safetensors"):
        with safe_open(file, "np") as tensors:
            found |= set(tensors.keys())
    return found
