"""One explanation of every kind, with tokens that no format may take for its own: the tests of every
medium go over them.
"""

from __future__ import annotations

import numpy as np

import nlgauge.explanations as kinds
from nlgauge.explanations import (
    Alignment,
    Distributions,
    Edit,
    Edits,
    Explanation,
    Guesses,
    NgramMatches,
    Order,
    TokenScores,
    Transport,
    WordAlignment,
    WordGroups,
)

HOSTILE = "<b>$x_1$&amp;</b>"
PREDICTION = ["the", HOSTILE, "sat"]
REFERENCE = ["the", "cat", "sat", "down"]
SIMILARITY = np.array([[0.9, 0.2, 0.1, 0.3], [0.1, 0.8, 0.3, 0.2], [0.2, 0.1, 1.0, 0.4]])
PLAN = np.array([[0.25, 0.0, 0.0, 0.08], [0.0, 0.25, 0.0, 0.08], [0.0, 0.0, 0.25, 0.09]])


def every_kind() -> dict[str, Explanation]:
    """By name of its kind. A kind without an entry here fails the tests of all media."""
    found: list[Explanation] = [
        NgramMatches(
            "bleu 50", {}, PREDICTION, [2, 0, 1], [Order("1-grams", 2, 3), Order("2-grams", 1, 2, 3)]
        ),
        Edits(
            "ter 50",
            {},
            [
                Edit("shift", [], ["sat"], 2),
                Edit("equal", ["the"], ["the"]),
                Edit("replace", ["cat"], [HOSTILE]),
                Edit("insert", [], ["sat"]),
                Edit("jump", [], [], 2),
                Edit("delete", ["down"], []),
            ],
        ),
        Alignment("bertscore 0.9", {}, PREDICTION, REFERENCE, SIMILARITY, np.ones(3), np.ones(4)),
        Transport("wmd 0.3", {}, PREDICTION, REFERENCE, PLAN, 1 - SIMILARITY),
        Distributions(
            "infolm 0.4",
            {},
            [("cat", 0.1, 0.4), (HOSTILE, 0.3, 0.1)],
            0.75,
            [Guesses("the", 0.5, [("a", 0.3)])],
            [Guesses("cat", 0.2, [])],
        ),
        TokenScores(
            "shannon 0.2",
            {},
            PREDICTION,
            {"alone": [1.0, 4.0, 2.0], "given the prediction": [0.5, 5.0, 1.0]},
            "source",
        ),
        WordGroups("sari 40", {}, {"kept": ["the", HOSTILE], "deleted": []}),
        WordAlignment("meteor 0.5", {}, PREDICTION, REFERENCE, [(0, 0, "exact"), (2, 2, "stem")], [1, 2]),
    ]
    if hasattr(kinds, "ErrorSpans"):
        text = f"the {HOSTILE} sat"
        spans = [
            kinds.ErrorSpan(4, 4 + len(HOSTILE), "critical", 0.75),
            kinds.ErrorSpan(len(text) - 3, len(text), "minor", None),
        ]
        found.append(kinds.ErrorSpans("xcomet 0.7", {}, text, spans))
    if hasattr(kinds, "Entailment"):
        probabilities = {
            "entail": np.array([[0.7, 0.1]]),
            "neutral": np.array([[0.2, 0.3]]),
            "contradict": np.array([[0.1, 0.6]]),
        }
        found.append(
            kinds.Entailment(
                "summac 0.4", {}, ["the cat sat"], [f"a {HOSTILE} sat", "it ran"], probabilities, [0, 0]
            )
        )
    if hasattr(kinds, "Verdict"):
        found.append(
            kinds.Verdict(
                "geval 3.5",
                {},
                f"fluency {HOSTILE}",
                3.5,
                {"3": 0.5, "4": 0.5},
                0.9,
                "",
                ["rate it"],
                [["4"]],
            )
        )
    return {type(one).__name__: one for one in found}
