"""Parts of benchmarks: some systems, and rows that meet expressions."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from nlgauge.errors import ParameterError, UnknownNameError
from nlgauge.meta.benchmarks import Benchmark, card
from nlgauge.meta.benchmarks.parts import Part, results_of_part
from nlgauge.meta.benchmarks.rows import BenchmarkRow

WORDS = "the ferry stops at night because cars wait for a small boat".split()


def made(ragged: bool = False) -> Benchmark:
    rng = random.Random(5)
    rows = [
        BenchmarkRow(
            f"s{i}",
            system,
            {"quality": rng.random()},
            " ".join(rng.choices(WORDS, k=6)),
            references=(" ".join(WORDS[i % 4 : i % 4 + 6]),),
            meta={"type": "extractive" if system == "C" else "abstractive", "domain": "ab"[i % 2]},
        )
        for i in range(12)
        for system in "ABC"
    ]
    return Benchmark(replace(card("sample"), name="made"), tuple(rows[1:] if ragged else rows))


def test_expressions_systems_and_left_out_systems() -> None:
    whole = made()
    assert whole.where("type = abstractive").systems == ("A", "B")
    assert len(whole.where("type != abstractive and domain = a").segments) == 6
    assert whole.where(without=["B"]).systems == ("A", "C")
    part = Part(["A", "B"], ["B"], ["domain = a", "quality >= 0"]).of(whole)
    assert (part.systems, len(part.segments)) == (("A",), 6)
    assert not Part()


@pytest.mark.parametrize(
    "expression", ["type = abstractve", "type != abstractve", "id = s1 or type = abstractve"]
)
def test_an_unknown_value_is_an_error_with_a_suggestion(expression: str) -> None:
    with pytest.raises(UnknownNameError, match=r"never 'abstractve' .did you mean 'abstractive'"):
        made().where(expression)


def test_unknown_names_are_errors_with_suggestions() -> None:
    with pytest.raises(ParameterError, match="unknown column typ; did you mean type"):
        made().where("typ = abstractive")
    for wrong in ({"systems": ["D"]}, {"without": ["D"]}, {"group": "D"}, {"segments": ["D"]}, {"type": "D"}):
        with pytest.raises(UnknownNameError, match=r"has no .*'D'.*it has"):
            made().where(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("ragged", [False, True], ids=["grid", "pooled"])
@pytest.mark.parametrize("where", [["domain = a"], ["type = abstractive"], ["quality > 0.3"]])
def test_scores_of_the_whole_are_those_of_the_part(ragged: bool, where: list[str]) -> None:
    """METEOR and chrF are reused, CIDEr (document frequencies) and self-BLEU are scored on the part."""
    whole = made(ragged)
    labels = ("chrf", "cider", "meteor")
    part = Part(where=where).of(whole)
    notes: list[str] = []
    scores = whole.score(*labels, show_progress=False, cache=False)
    reused = results_of_part(scores, whole, part, notes.append)
    again = part.score(*labels, show_progress=False, cache=False)
    assert len(notes) == 1
    is_row_by_row = where == ["quality > 0.3"] and not ragged
    assert ("chrf" in notes[0]) == is_row_by_row
    assert "cider" in notes[0]
    one, other = part.judgments(reused), part.judgments(again)
    assert one.labels == other.labels == labels
    for label in labels:
        np.testing.assert_array_equal(one.metrics[label], other.metrics[label])
    if where == ["domain = a"]:
        # Document frequencies of half of the references are others.
        before = whole.judgments(scores).metrics["cider"][:, ::2]
        assert not np.array_equal(before, one.metrics["cider"], equal_nan=True)
