"""A small COMET that reads source, translation and reference."""

from __future__ import annotations

from pathlib import Path

from tiny import comet_networks


def write(directory: Path, seed: int) -> None:
    comet_networks.write(directory, seed, "regression", layer_transformation="sparsemax")
