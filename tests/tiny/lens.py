"""A small LENS on RoBERTa."""

from __future__ import annotations

from pathlib import Path

from tiny import comet_networks


def write(directory: Path, seed: int) -> None:
    comet_networks.write(directory, seed, "lens", "roberta", train_data="train.csv")
