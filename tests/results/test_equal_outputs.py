"""Outputs that are equal on every segment are one number: one test, one row of a table, and a sentence
that names them.
"""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge.results.equal_outputs import equal_note, equal_outputs
from nlgauge.results.result import Result
from nlgauge.stats.corrections import holm

_REFERENCES = [
    "the cat sat on the mat",
    "a dog barks at night here",
    "rain fell on the old town",
    "one two three four five",
]
_PREDICTIONS = {
    "A": [
        "the cat sat on a mat",
        "a dog barks here at night",
        "rain fell in town",
        "one two three five four",
    ],
    "B": ["on the mat the cat", "dogs bark at night", "the old town had rain", "two one four"],
    "C": ["the mat", "a dog", "rain fell on the old town", "one two"],
}


def scored(predictions: dict[str, list[str]], references: list[str]) -> Result:
    return nlgauge.score(predictions, [[text] for text in references], metrics=["rouge", "bleu", "ter"])


@pytest.fixture(scope="module")
def result() -> Result:
    return scored(_PREDICTIONS, _REFERENCES)


def test_rouge_lsum_repeats_rouge_l_if_no_text_has_a_line_break(result: Result) -> None:
    assert equal_outputs(result._tables) == {("rouge", "rougeLsum"): ("rouge", "rougeL")}
    broken = scored({"A": ["b c\na d", *_PREDICTIONS["A"][1:]]}, ["a d\nb c", *_REFERENCES[1:]])
    assert equal_outputs(broken._tables) == {}


def test_one_system_that_differs_is_enough(result: Result) -> None:
    other = scored(
        {**_PREDICTIONS, "C": ["b c\na d", *_PREDICTIONS["C"][1:]]}, ["a d\nb c", *_REFERENCES[1:]]
    )
    assert equal_outputs(other._tables) == {}


def test_other_metrics_with_the_same_scores_stay_apart() -> None:
    equal = scored({"A": _REFERENCES}, _REFERENCES)
    assert set(equal_outputs(equal._tables).values()) == {("rouge", "rougeL")}
    assert {label for label, _ in equal_outputs(equal._tables)} == {"rouge"}


def test_a_repeated_output_is_not_a_further_test(result: Result) -> None:
    compared = result.compare("A", "B", resamples=200)
    by_name = {row.output.name: row for row in compared}
    assert by_name["rougeLsum"].p_holm == by_name["rougeL"].p_holm
    others = [row for row in compared if row.output.name != "rougeLsum"]
    assert [row.p_holm for row in others] == holm([row.p for row in others])
    text = compared.to_text()
    assert "rougeLsum is the same as rougeL on every segment." in text
    assert f"corrected for the {len(others)} tests shown" in " ".join(text.split())


def test_tables_show_it_once_and_say_so(result: Result) -> None:
    said = "rougeLsum is the same as rougeL on every segment."
    for text in (
        result.to_text(),
        result.to_markdown(),
        result.to_latex(),
        result.to_html(),
        result.ranks(resamples=100).to_text(),
        str(result),
    ):
        flat = " ".join(text.split())
        assert "rouge.rougeLsum" not in flat
        assert said in flat
    assert "rougeLsum" in result.to_csv()
    assert said not in " ".join(result.to_text(details=True).split())
    assert np.isfinite(result["A"]["rouge"]["rougeLsum"])


def test_the_sentence_names_what_is_left_out() -> None:
    equal = {("rouge", "b"): ("rouge", "a"), ("rouge", "c"): ("rouge", "a"), ("x", "z"): ("x", "y")}
    assert (
        equal_note(equal, {("rouge", "a"), ("x", "y")})
        == "b and c are the same as a on every segment. z is the same as y on every segment."
    )
    assert equal_note(equal, {("rouge", "c")}) == ""
