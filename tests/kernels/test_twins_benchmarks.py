"""Compiled kernels of sequences against the Python kernels on pairs of the human-judgment sets, where
these lie beside the repository.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from human_judgments import FOLDER
from marks import thorough
from twins import assert_twins, needs_native

from nlgauge._core.ragged import Ragged
from nlgauge.kernels.edits.character import character_edits
from nlgauge.kernels.edits.distances import edit_counts
from nlgauge.kernels.edits.jumps import JumpCosts, jump_distances
from nlgauge.kernels.edits.tercom import shift_edits
from nlgauge.kernels.lcs import lcs_lengths, union_lcs_hits
from nlgauge.kernels.skip_bigrams import skip_bigram_matches
from nlgauge.kernels.weighted_lcs import weighted_lcs_hits
from nlgauge.kernels.word_order import ascending_pairs, word_places

pytestmark = [
    needs_native,
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the human-judgment sets are not here"),
]
# Pairs of each set; the Python kernels need a second for some pairs of stories.
COUNTS = {"quick": 40, "slow": 2, "slowest": 1}


def texts_of(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Every prediction of a line with its first reference."""
    predictions = [row[key]["text"] for key in ("better", "worse", "first", "second") if key in row] or [
        row["prediction"]
    ]
    references = row.get("references") or [row.get("source") or ""]
    return [(prediction, references[0]) for prediction in predictions]


@cache
def sampled(count: int) -> list[str]:
    """The texts of so many pairs of each set, evenly spread over it; a prediction, its reference, the
    next prediction, and so on.
    """
    found = []
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        if "." in path.name.removesuffix(".jsonl.gz"):  # scores of other metrics
            continue
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = file.readlines()
        pairs = [
            pair
            for line in lines[:: max(1, len(lines) // count)][:count]
            for pair in texts_of(json.loads(line))
        ]
        found += [text for pair in pairs[:count] for text in pair]
    return found


@cache
def columns(count: int) -> tuple[Ragged, Ragged, Ragged, tuple[np.ndarray, np.ndarray]]:
    """Words, words of lines and characters of the pairs, and which rows are predictions and references;
    lines come in threes.
    """
    texts = sampled(count)
    numbers: dict[str, int] = {}
    words = [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in texts]
    characters = [[ord(character) for character in " ".join(text.split())] for text in texts]
    lines = [part.tolist() for row in words for part in np.array_split(np.array(row, dtype=np.int64), 3)]
    rows = np.arange(0, len(texts), 2), np.arange(1, len(texts), 2)
    return *(Ragged.of(column, dtype=np.int32) for column in (words, lines, characters)), rows


KERNELS: dict[str, tuple[str, Any]] = {
    "edit_counts of words": ("quick", lambda words, lines, characters, rows: (edit_counts, words, *rows)),
    "edit_counts of characters": (
        "quick",
        lambda words, lines, characters, rows: (edit_counts, characters, *rows),
    ),
    "lcs_lengths": ("quick", lambda words, lines, characters, rows: (lcs_lengths, words, *rows)),
    "union_lcs_hits": (
        "quick",
        lambda words, lines, characters, rows: (union_lcs_hits, lines, *in_threes(rows)),
    ),
    "weighted_lcs_hits": (
        "slow",
        lambda words, lines, characters, rows: (weighted_lcs_hits, lines, *in_threes(rows), 1.2),
    ),
    "shift_edits": ("slowest", lambda words, lines, characters, rows: (shift_edits, words, *rows)),
    "character_edits": (
        "slow",
        lambda words, lines, characters, rows: (character_edits, characters, *rows, False),
    ),
    "character_edits, rounded": (
        "slow",
        lambda words, lines, characters, rows: (character_edits, characters, *rows, True),
    ),
    "jump_distances, eed": (
        "slow",
        lambda words, lines, characters, rows: (
            jump_distances,
            characters,
            *rows,
            JumpCosts(2, 10, 10, 20, 10),
            32,
        ),
    ),
    "jump_distances, cder": (
        "quick",
        lambda words, lines, characters, rows: (jump_distances, words, *rows, JumpCosts(1, 1, 1, 1, 1)),
    ),
    "skip_bigram_matches": (
        "quick",
        lambda words, lines, characters, rows: (skip_bigram_matches, words, *rows, 4, True, False),
    ),
    "word_places": ("quick", lambda words, lines, characters, rows: (word_places, words, *rows)),
    "ascending_pairs": (
        "quick",
        lambda words, lines, characters, rows: (ascending_pairs, word_places(words, *rows)),
    ),
}


def in_threes(rows: tuple[np.ndarray, np.ndarray]) -> list[Ragged]:
    """The rows of the lines of each text."""
    return [
        Ragged((3 * side[:, None] + np.arange(3)).ravel(), np.arange(0, 3 * len(side) + 1, 3))
        for side in rows
    ]


# The Python kernels of these take longest, and test_twins_sequences.py compares them on texts of every kind.
LONGEST = ("shift_edits", "character_edits, rounded")


@pytest.mark.parametrize(
    "kernel", [*thorough(*LONGEST), *(kernel for kernel in KERNELS if kernel not in LONGEST)]
)
def test_pairs_of_the_human_judgment_sets(kernel):
    speed, call = KERNELS[kernel]
    assert_twins(*call(*columns(COUNTS[speed])))
