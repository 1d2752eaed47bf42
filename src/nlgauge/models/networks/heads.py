"""Weights of a language model that its files lack, and that Transformers would initialize at random."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec


def missing_weights(model: Any, missed: Iterable[str], directory: Path) -> list[str]:
    """Return the names of the missing weights of a model.

    They are the weights that Transformers reports as `missed`, without sinusoidal tables, which are computed,
    and with a missing head that Transformers does not report.
    """
    computed = [
        name for name in missed if "Sinusoidal" in type(model.get_submodule(name.rpartition(".")[0])).__name__
    ]
    return sorted({*missed, *(["lm_head.weight"] if _lacks_own_head(directory) else [])} - set(computed))


def _lacks_own_head(directory: Path) -> bool:
    """Return True if the files lack the head of a T5 model whose head is not tied to its embeddings.

    Transformers 5 ties the head of every T5 to its input embeddings, so it does not report a missing head.
    """
    config = msgspec.json.decode((directory / "config.json").read_bytes())
    if not (config.get("is_encoder_decoder") and config.get("tie_word_embeddings") is False):
        return False
    return config.get("model_type") in ("t5", "mt5", "umt5") and "lm_head.weight" not in _tensors(directory)


def _tensors(directory: Path) -> set[str]:
    """Return the names of the tensors in the safetensors files of a directory."""
    from safetensors import safe_open

    names: set[str] = set()
    for file in directory.glob("*.safetensors"):
        with safe_open(file, "np") as tensors:
            names |= set(tensors.keys())
    return names
