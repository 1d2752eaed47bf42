"""The word for a computed value next to a printed one."""

from __future__ import annotations

import math

import pytest

from nlgauge.reproduce.printed_tables import Misprint, Printed
from nlgauge.reproduce.verdicts import Computed, cell, difference_verdict

TABLE = Printed(
    "t",
    "d",
    "",
    "Table 1",
    "",
    "",
    "",
    ["c", "off", "exchanged"],
    ["r"],
    [[0.25, 0.853, 0.9]],
    2,
    misprints=[Misprint("r", "off", "off the grid"), Misprint("r", "exchanged", "exchanged", 0.4)],
)


def word(printed: object, computed: Computed, decimals: int = 2) -> tuple[str, str]:
    table = Printed("t", "d", "", "", "", "", "", ["c"], ["r"], [[printed]], decimals)
    made = cell(table, "r", "c", computed)
    return made.verdict, made.why


@pytest.mark.parametrize(
    ("printed", "computed", "expected"),
    [
        (0.25, Computed(0.2549), "equal"),
        (0.25, Computed(0.2451), "equal"),
        (0.25, Computed(0.2599), "equal"),  # cut
        (0.25, Computed(0.26), "near"),
        (0.25, Computed(0.27), "near"),
        (0.25, Computed(0.2701), "differs"),
        (0.25, Computed(0.23), "near"),
        (0.25, Computed(0.2299), "differs"),
        (-0.25, Computed(-0.2599), "equal"),
        (-0.25, Computed(-0.2701), "differs"),
        (-0.25, Computed(0.25), "differs"),
        (0.25, Computed(0.3, 0.2, 0.4), "inside"),
        (0.25, Computed(0.3, 0.25, 0.4), "inside"),
        (0.25, Computed(0.3, 0.2501, 0.4), "differs"),
        (0.25, Computed(0.2501, stand_in="MiniLM"), "differs"),
        (0.25, Computed(0.2501, 0.1, 0.3, stand_in="MiniLM"), "inside"),
        (0.25, Computed(), "not computed"),
        (None, Computed(0.2), "not computed"),
        ("a statement", Computed(0.2), "not computed"),
        (True, Computed(1.0), "not computed"),
        (72, Computed(72.4), "equal"),
    ],
)
def test_words_of_numbers(printed: object, computed: Computed, expected: str) -> None:
    assert word(printed, computed, 0 if printed == 72 else 2)[0] == expected


def test_kendall_counts_swapped_pairs() -> None:
    """A swap of two of 17 systems changes tau-b by 4 / (17 * 16)."""
    step = 4 / (17 * 16)
    for swaps, expected in ((0, "equal"), (1, "near"), (3, "near"), (4, "differs")):
        table = Printed("t", "d", "", "", "", "", "", ["c"], ["r"], [[0.25]], 4)
        made = cell(table, "r", "c", Computed(0.25 + swaps * step, systems=17))
        assert made.verdict == expected
        assert made.swaps == pytest.approx(swaps)


def test_a_misprint_is_neither_equal_nor_different() -> None:
    assert cell(TABLE, "r", "off", Computed(0.853)).verdict == "misprint"
    assert cell(TABLE, "r", "c", Computed(0.25)).verdict == "equal"


@pytest.mark.parametrize(
    ("computed", "why"),
    [
        (Computed(0.4), "exchanged; the right number, 0.4: equal"),
        (Computed(0.42, why="data"), "exchanged; the right number, 0.4: near"),
        (Computed(0.9, 0.8, 1), "exchanged; the right number, 0.4: differs"),
        (Computed(0.4, 0.3, 0.5, stand_in="MiniLM"), "exchanged; the right number, 0.4: inside"),
    ],
)
def test_a_misprint_is_compared_with_the_right_number(computed: Computed, why: str) -> None:
    made = cell(TABLE, "r", "exchanged", computed)
    assert (made.verdict, made.printed, made.why, made.swaps) == ("misprint", 0.9, why, None)


def test_a_misprint_that_is_not_computed_keeps_the_reason() -> None:
    made = cell(TABLE, "r", "exchanged", Computed(why="weights"))
    assert (made.verdict, made.why) == ("not computed", "weights")


def test_a_difference_has_a_reason() -> None:
    assert word(0.25, Computed(0.5)) == ("differs", "unknown")
    assert word(0.25, Computed(0.5, why="definition")) == ("differs", "definition")


def test_values_are_saved_without_nan() -> None:
    made = cell(TABLE, "r", "c", Computed())
    assert (made.value, made.low, made.high) == (None, None, None)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.1, 0.2, "supported"),
        (-0.2, -0.1, "contradicted"),
        (-0.1, 0.1, "undecided"),
        (0.0, 0.1, "undecided"),
        (math.nan, 0.1, "not tested"),
    ],
)
def test_claims_about_differences(low: float, high: float, expected: str) -> None:
    assert difference_verdict(low, high) == expected
