"""A small network of UniTE's and CometKiwi's form, which labels words too; one of those that like equal
texts better than others.
"""

from __future__ import annotations

from pathlib import Path

from tiny import comet_networks


def write(directory: Path, seed: int) -> None:
    comet_networks.write(
        directory, seed + 3, "unified", word_level_training=True, error_labels=["minor", "major"]
    )
