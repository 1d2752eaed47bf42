"""Pairs with graded preferences: differences of metric scores against the strength of the preference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sacrebleu.metrics import CHRF
from scipy import stats

from nlgauge.errors import InputError
from nlgauge.meta import benchmarks
from nlgauge.meta.benchmarks import Benchmark

STRENGTHS = [2, -1, 0, 1, -2, 1]
TEXTS = [
    ("the dog", "the cat sat"),
    ("a cat", "cat"),
    ("x", "y"),
    ("sat", "the cat"),
    ("the cat", "no"),
    ("a", "cats"),
]


def lines(**changes: Any) -> list[dict[str, Any]]:
    """The pairs in the shared format: two systems change places, one preference is missing in one dimension."""
    found = []
    for number, (strength, sides) in enumerate(zip(STRENGTHS, TEXTS, strict=True)):
        names = ("A", "B") if number % 2 else ("B", "C")
        both = {
            side: {"system": name, "text": text}
            for side, name, text in zip(("first", "second"), names, sides, strict=True)
        }
        human = {"overall": strength, "style": None if number == 2 else -strength}
        raters = {"overall": [strength, strength + 1]}
        line = {"segment": str(number), "source": "q", "references": ["the cat sat"], **both}
        found.append({**line, "human": human, "human_raw": raters, "meta": {"half": number % 2}, **changes})
    return found


@pytest.fixture
def pairs(tmp_path: Path) -> Benchmark:
    place = tmp_path / "pairs.jsonl"
    place.write_bytes(b"\n".join(map(msgspec.json.encode, lines())))
    return benchmarks.load(place)


def test_metrics_are_differences_of_the_second_and_the_first_text(pairs: Benchmark) -> None:
    assert (pairs.dimensions, len(pairs.rows), len(pairs.graded)) == (("overall", "style"), 12, 6)
    judged = pairs.judgments(pairs.score("chrf", "ter", show_progress=False))
    assert (judged.systems, judged.segments) == (("second - first",), tuple("012345"))
    chrf = CHRF()
    scores = [[chrf.sentence_score(text, ["the cat sat"]).score for text in sides] for sides in TEXTS]
    assert judged.metrics["chrf"][0] == pytest.approx([second - first for first, second in scores])
    assert judged.sign("ter") == -1
    assert judged.humans["overall"].tolist() == [STRENGTHS]
    assert np.isnan(judged.humans["style"][0, 2])
    assert judged.ratings["overall"].shape == (1, 6, 2)


def test_coefficients_are_those_of_scipy(pairs: Benchmark) -> None:
    judged = pairs.judgments(pairs.score("chrf", show_progress=False))
    found = judged.correlate(
        "global", ["pearson", "spearman", "same_sign"], human="overall", interval="inputs", resamples=50
    )
    x = judged.metrics["chrf"][0]
    agree = [
        np.sign(one) == np.sign(strength) for one, strength in zip(x, STRENGTHS, strict=True) if strength
    ]
    expected = [stats.pearsonr(x, STRENGTHS)[0], stats.spearmanr(x, STRENGTHS)[0], np.mean(agree)]
    assert [row["value"] for row in found] == pytest.approx(expected)
    assert all(row["low"] <= row["value"] <= row["high"] for row in found)


def test_claims_are_about_new_pairs(pairs: Benchmark) -> None:
    judged = pairs.judgments(pairs.score("chrf", "ter", show_progress=False))
    compared = judged.compare(level="global", human="overall", resamples=50)
    assert compared.made["generalize_to"] == "inputs"
    assert compared[0]["low"] < compared[0]["high"]


def test_a_selection_keeps_pairs_with_both_texts(pairs: Benchmark) -> None:
    assert [pair.segment for pair in pairs.where(half=1).graded] == ["1", "3", "5"]
    with pytest.raises(InputError, match=r"no pair .* has both texts"):
        pairs.where(systems=["A"])


def test_a_corpus_score_of_pairs_is_refused(pairs: Benchmark) -> None:
    with pytest.raises(InputError, match="no corpus scores"):
        pairs.judgments(pairs.score("bleu", show_progress=False), corpus_scores=True)


def test_two_pairs_of_a_segment_have_names_of_their_own(tmp_path: Path) -> None:
    place = tmp_path / "pairs.jsonl"
    one, two = lines(segment="s")[:2]
    place.write_bytes(
        b"\n".join(map(msgspec.json.encode, (one, {**two, "first": {"system": "A", "text": "z"}})))
    )
    found = benchmarks.load(place)
    judged = found.judgments(found.score("chrf", show_progress=False))
    assert len(judged.segments) == len(set(judged.segments)) == 2
