"""Strengths without a finite maximum: named with the reason, and ranked with a prior."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.preferences import rank
from nlgauge.preferences.bounds import unbounded
from nlgauge.preferences.design import design_of
from nlgauge.preferences.likelihood import fitted
from nlgauge.preferences.reading import read_records


def games(*words: str) -> list[dict[str, Any]]:
    """Comparisons such as "A>B" and "A=B", each a segment."""
    return [
        {"item": n, "first": word[0], "second": word[2], "winner": {">": "first", "=": "tie"}[word[1]]}
        for n, word in enumerate(words)
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "A>B",
            "A won all of its 1 comparison: its strength has no upper bound; B lost all of its 1 comparison",
        ),
        (
            "A>B B>A A>C B>C B>C",
            "A and B won all of their 3 comparisons against the others: their strength has no upper bound; C lost all"
            " of its 3 comparisons: its strength has no lower bound",
        ),
        (
            "A>B B>A C>D D>C",
            "no comparison connects these 2 groups of systems, so their strengths cannot be compared: A and B | C and D",
        ),
        ("A=B B=C", "all 2 comparisons are ties, so no system is better"),
        ("A>B A=B", "no comparison contradicts the order of the systems, so the strengths have no bounds"),
    ],
)
def test_unbounded_strengths_are_named(words: str, message: str):
    records = games(*words.split())
    with pytest.raises(InputError) as raised:
        rank(records)
    assert message in str(raised.value)
    assert "prior=0.5" in str(raised.value) and "--prior 0.5" in raised.value.for_cli()
    ranked = rank(records, prior=0.5, resamples=50)
    assert all(np.isfinite(row.strength) for row in ranked.rows)
    assert any("Prior: each system has 0.5 wins and 0.5 losses" in note for note in ranked.notes)


def test_ties_that_are_left_out_or_halved():
    assert rank(games("A=B", "A=B"), ties="half", resamples=0).strengths == {"A": 0, "B": 0}
    assert rank(games("A>B", "A=B"), ties="half", resamples=0).rows[0].system == "A"
    with pytest.raises(InputError, match="all 2 comparisons are ties, so none is left"):
        rank(games("A=B", "A=B"), ties="drop")


def test_one_comparison_has_no_interval():
    ranked = rank(games("A>B"), prior=0.5)
    assert ranked.strengths["A"] == pytest.approx(np.log(3) / 2)
    assert ranked.ranks == {"A": None, "B": None} and np.isnan(ranked.rows[0].low)
    assert "Intervals and letters need at least two segments, got one." in ranked.notes


def test_a_covariate_that_predicts_every_decision():
    records = [
        {
            "item": n,
            "first": "A",
            "second": "B",
            "winner": w,
            "first_length": 2.0 if w == "A" else 1.0,
            "second_length": 1.5,
        }
        for n, w in enumerate("ABAB")
    ]
    with pytest.raises(InputError, match="the effect of length has no bound"):
        rank(records, control="length")


def test_resamples_without_a_maximum_have_a_prior():
    """B won once, so that many resamples have no win of B: their intervals reach further than those with one."""
    ranked = rank(games(*["A>B"] * 19, "B>A"), resamples=400)
    assert any("resamples a system has no finite strength" in note for note in ranked.notes)
    assert np.isfinite(ranked.rows[0].high) and 2 * ranked.rows[0].high > np.log(19)


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_bounded_samples_are_those_that_have_a_maximum(ties: str):
    """All outcomes of four comparisons of three systems: Newton's method agrees with the rule."""
    pairs = ["AB", "BC", "CA", "AB"]
    for outcome in product((0, 1, 2), repeat=4):
        words = ["first", "tie", "second"]
        records = [
            {"first": pair[0], "second": pair[1], "winner": words[value]}
            for pair, value in zip(pairs, outcome, strict=True)
        ]
        verdicts = read_records(records)
        design = design_of(verdicts, np.empty((4, 0)), ties)
        counts = design.by_unit(np.zeros(4, dtype=np.int64)).toarray()
        if ties == "davidson" and 1 not in outcome:
            continue  # Bradley-Terry's model
        parameters = fitted(design, counts, np.zeros(design.width))
        # Separated samples may end in a flat place far away.
        has_maximum = np.isfinite(parameters).all() and np.abs(parameters).max() < 8
        assert unbounded(design, counts)[0] == (not has_maximum), outcome


def test_a_prior_that_decides_is_named():
    notes = " ".join(rank(games("A>B", "A>B", "A>B", "A>B"), prior=0.5, resamples=50).notes)
    assert "Without the prior: A won all of its 4 comparisons: its strength has no upper bound" in notes
    notes = " ".join(rank(games("A>B", "A>B", "B>A", "A>B"), prior=0.5, resamples=50).notes)
    assert "Without the prior" not in notes


def test_ties_alone_have_a_caution():
    notes = " ".join(rank(games("A=B", "A=B", "A=B"), ties="half", resamples=50).notes)
    assert "All comparisons are ties" in notes
    notes = " ".join(rank(games("A=B", "A>B", "B>A"), ties="half", resamples=50).notes)
    assert "All comparisons are ties" not in notes
