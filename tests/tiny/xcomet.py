"""A small XCOMET on XLM-R-XL."""

from __future__ import annotations

from pathlib import Path

from tiny import comet_networks


def write(directory: Path, seed: int) -> None:
    comet_networks.write(directory, seed, "xcomet", "xlm-roberta-xl", encoder_model="XLM-RoBERTa-XL")
