"""Texts with published values against their source, and SummEval's system-level correlations."""

from __future__ import annotations

import numpy as np
from human_judgments import rows_of
from hypothesis import strategies as st
from scipy.stats import kendalltau

import nlgauge

SOURCE = "the cat sat on the mat and then the cat slept on the red mat ."
SUMMARY = "the cat slept on the mat today ."
# Texts of few different words, so that runs meet, overlap and repeat.
FEW_WORDS = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)


def summeval_taus(label: str, output: str) -> list[float]:
    """Kendall's tau-b of 17 systems' mean values with the experts: coherence, consistency, fluency,
    relevance.
    """
    data = rows_of("summeval")
    systems = sorted({row["system"] for row in data})
    segments = sorted({row["segment"] for row in data})
    by_key = {(row["system"], row["segment"]): row for row in data}
    predictions = {
        system: [by_key[system, segment]["prediction"] for segment in segments] for system in systems
    }
    result = nlgauge.score(
        predictions, sources=[by_key[systems[0], segment]["source"] for segment in segments], metrics=label
    )
    assert len(systems) == 17
    found = []
    for dimension in ("coherence", "consistency", "fluency", "relevance"):
        human = [
            np.mean([by_key[system, segment]["human"][dimension] for segment in segments])
            for system in systems
        ]
        found.append(
            round(
                float(kendalltau([result[system][label][output] for system in systems], human).statistic), 4
            )
        )
    return found


def grams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
