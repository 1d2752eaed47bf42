"""The Shannon paper's analyses: spoilt summaries, context, biases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import NlgaugeError
from nlgauge.meta.papers.shannon import Separation, biases, dependence_on_upstream, separation, spoilt

DOCUMENTS = [
    "The cat sat on the mat. It was a big cat, he said. Nobody knows why.",
    "Shares fell by 3.5 % in early trading. The bank said that it would wait.",
    "A ferry sank near the coast on Monday. All passengers were saved by fishermen.",
    "The president met the prime minister. They spoke of trade and of the weather.",
]
SUMMARIES = [
    "A big cat sat on the mat.",
    "Shares fell in early trading.",
    "All passengers of a ferry were saved.",
    "The president spoke of trade.",
]


def test_spoilt_summaries_are_what_they_are_called() -> None:
    found = spoilt([*SUMMARIES, SUMMARIES[0]])
    assert found["original"] == [*SUMMARIES, SUMMARIES[0]]
    for original, shuffled, wrong in zip(*found.values(), strict=True):
        assert sorted(shuffled.split()) == sorted(original.split())
        assert wrong != original
        assert wrong in SUMMARIES
    assert found["shuffled"] != found["original"]
    assert spoilt(SUMMARIES, seed=1) == spoilt(SUMMARIES, seed=1) != spoilt(SUMMARIES, seed=2)


def test_without_two_summaries_none_is_wrong() -> None:
    with pytest.raises(NlgaugeError, match="two different summaries"):
        spoilt(["a b", "a b"])


def test_shares_count_ties_as_half_and_leave_out_the_undefined() -> None:
    values = {"original": np.array([2.0, 1.0, 3.0, np.nan]), "shuffled": np.array([1.0, 1.0, 4.0, 0.0])}
    assert Separation(values, True).preferred("shuffled") == 0.5
    assert Separation(values, False).preferred("shuffled") == 0.5
    # 2, 1, 3 against 1, 1, 4, 0: 3 + (1 + 1) + 3 of 12
    assert Separation(values, True).separated("shuffled") == pytest.approx(8 / 12)
    assert Separation(values, False).separated("shuffled") == pytest.approx(4 / 12)


def test_a_divergence_of_words_tells_the_right_summary_from_a_wrong_one() -> None:
    found = separation(DOCUMENTS, SUMMARIES, "js_divergence")
    assert set(found.values) == {"original", "shuffled", "wrong"}
    assert found.preferred("wrong") == 1
    # It does not see the order of words.
    assert found.preferred("shuffled") == 0.5
    direct = rows_by_label(nlgauge.score(SUMMARIES, sources=DOCUMENTS, metrics="js_divergence"))
    assert found.values["original"].tolist() == pytest.approx([row["js_divergence"] for row in direct])


def test_a_metric_without_direction_separates_nothing() -> None:
    with pytest.raises(NlgaugeError, match=r"metric.*direction"):
        separation(DOCUMENTS, SUMMARIES, "coverage")


def test_separation_with_a_model(tiny_models: dict[str, Path]) -> None:
    metric = f"information_difference(model={str(tiny_models['causal'])!r})"
    found = separation(DOCUMENTS[:2], SUMMARIES[:2], metric)
    direct = nlgauge.score(SUMMARIES[:2], sources=DOCUMENTS[:2], metrics=metric)
    assert found.values["original"] == pytest.approx(
        direct._tables[direct.systems[0], direct.labels[0]].segments()["information_difference"], abs=1e-4
    )


def test_dependence_on_upstream(tiny_models: dict[str, Path]) -> None:
    metric = f"shannon(model={str(tiny_models['causal'])!r})"
    found = dependence_on_upstream({"A": SUMMARIES[:2], "B": SUMMARIES[1::-1]}, DOCUMENTS[:2], (0, 1), metric)
    assert [(one.upstream, one.system) for one in found] == [(0, "A"), (0, "B"), (1, "A"), (1, "B")]
    # What does not depend on the summary is equal for both systems, and changes with context.
    assert found[0].information == pytest.approx(found[1].information)
    assert found[0].information != pytest.approx(found[2].information, rel=1e-3)
    direct = nlgauge.score(SUMMARIES[:2], sources=DOCUMENTS[:2], metrics=metric.replace(")", ", upstream=1)"))
    assert found[2].information_difference == pytest.approx(
        direct["shannon"]["information_difference"], abs=1e-4
    )
    with pytest.raises(NlgaugeError, match="metric must be shannon"):
        dependence_on_upstream({"A": SUMMARIES}, DOCUMENTS, metric="bleu")


def test_biases_are_rank_correlations_over_all_summaries() -> None:
    systems = {
        "A": SUMMARIES,
        "B": [
            "The cat.",
            "Shares fell a lot and everybody sold them",
            "Ferry",
            "Trade and weather were spoken of by the president.",
        ],
    }
    result = nlgauge.score(systems, [[text] for text in SUMMARIES], DOCUMENTS, metrics=["chrf", "bleu"])
    found = biases(result, ["chrf"])
    assert list(found["chrf"]) == [
        "length",
        "novel 1",
        "novel 2",
        "novel 3",
        "coverage",
        "compression",
        "density",
    ]
    scores = [row["chrf"] for row in rows_by_label(result)]
    lengths = [len(text.split()) for texts in systems.values() for text in texts]
    assert found["chrf"]["length"] == pytest.approx(spearmanr(scores, lengths).statistic)
    compression = rows_by_label(nlgauge.score(systems, sources=DOCUMENTS, metrics="compression"))
    assert found["chrf"]["compression"] == pytest.approx(
        spearmanr(scores, [row["compression"] for row in compression]).statistic
    )
    assert set(biases(result)) == {"chrf", "bleu"}
    with pytest.raises(NlgaugeError, match="metric 'rouge'"):
        biases(result, ["rouge"])
