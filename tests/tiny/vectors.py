"""Random vectors of five dimensions for most words of the tests' sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from strategies import SENTENCES

from nlgauge.features.tokens.text import Tokens
from nlgauge.models.weights import vectors


def write(directory: Path, seed: int) -> None:
    words = dict.fromkeys(
        word
        for prediction, references in SENTENCES
        for text in (prediction, *references)
        for word in Tokens("unicode").of(text)
    )
    known = [word for word in [*words, "mat."] if word not in ("a", "again")]
    directory.mkdir()
    vectors.write(
        zip(known, np.random.default_rng(seed).standard_normal((len(known), 5)), strict=True), directory
    )
