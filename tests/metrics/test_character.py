"""CharacTER against the PyPI package cer 1.2.0, bit for bit with compat="released", and the values that
the released program gave.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import SENTENCES, texts

import nlgauge
from nlgauge.errors import ParameterError

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"compat": "released"}
# As in the released program, a side without words is the worst.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline"}
LABEL = "character(compat='released')"


def assert_equals_cer(predictions: list[str], references: list[str]) -> None:
    cer = pytest.importorskip("cer", reason="the package cer is not installed: pip install cer")
    result = nlgauge.score(predictions, references, metrics=LABEL)
    expected = [
        cer.calculate_cer(p.split(), r.split()) if r.split() else 1.0
        for p, r in zip(predictions, references, strict=True)
    ]
    assert [row[LABEL] for row in rows_by_label(result)] == expected
    assert result[LABEL]["score"] == pytest.approx(sum(expected) / len(expected), abs=1e-12)


@given(st.lists(st.tuples(texts(), texts()), min_size=1, max_size=4))
def test_texts_equal_cer(pairs):
    assert_equals_cer([pair[0] for pair in pairs], [pair[1] for pair in pairs])


@given(
    st.lists(
        st.tuples(*[st.lists(st.sampled_from(["a", "bb", "c", "ddd"]), max_size=12).map(" ".join)] * 2),
        min_size=1,
        max_size=4,
    )
)
def test_many_shifts_equal_cer(pairs):
    assert_equals_cer([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def test_real_sentences_equal_cer():
    assert_equals_cer(
        [prediction for prediction, _ in SENTENCES], [references[0] for _, references in SENTENCES]
    )


def swapped(seed: int) -> tuple[str, str]:
    """A text and the same with its halves swapped and some words changed, where rounding matters most."""
    rng = random.Random(seed)
    reference = [rng.choice("abcdefghijklmnop") * rng.randrange(1, 3) for _ in range(rng.randrange(5, 22))]
    cut = rng.randrange(1, len(reference))
    prediction = reference[cut:] + reference[:cut]
    for _ in range(rng.randrange(4)):
        prediction[rng.randrange(len(prediction))] = rng.choice([*reference, "zz"])
    return " ".join(prediction), " ".join(reference)


def test_swapped_halves_equal_cer():
    assert_equals_cer(*map(list, zip(*map(swapped, range(500)), strict=True)))


SAUDI = (
    "this week the saudis denied information published in the new york times",
    "saudi arabia denied this week information published in the american new york times",
)


@pytest.mark.parametrize("compat", [None, "released"])
@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("the cat is on the mat", "the cat sat on the mat", 0.1428571429),
        ("on the mat the cat sat", "the cat sat on the mat", 0.2575757576),
        (*SAUDI, 0.3661971831),
        ("a b", "b a", 0.3333333333),
        ("hello world", "hello brave new world", 0.9090909091),
        ("xx", "yyyyyyyy", 1),
        ("", "abc", 1),
        ("abc", "", 1),
        ("", "", 1),
        ("the cat", "the cat", 0),
    ],
)
def test_published_values(prediction, reference, expected, compat):
    result = nlgauge.score([prediction], [reference], metrics=f"character(compat={compat!r})")
    assert next(iter(result.values()))["score"] == pytest.approx(expected, abs=1e-9)


def test_a_shift_that_gains_nothing_is_not_made():
    """After "f g" has moved, moving "ee" leaves four of six words wrong as before, but 5/6 - (5/6 - 2/6)
    is above 2/6 in floats.
    """
    result = nlgauge.score(["f g b ee zz cc"], ["hh ee b cc f g"], metrics=["character", LABEL])
    assert result["character"]["score"] == pytest.approx(5 / 14)
    assert result[LABEL]["score"] == pytest.approx(3 / 14)


def test_the_best_reference_and_the_mean():
    result = nlgauge.score(["a b", "xx"], [["q", "b a"], ["xx"]], metrics="character")
    assert [row["character"] for row in rows_by_label(result)] == pytest.approx([1 / 3, 0])
    assert result["character"]["score"] == pytest.approx(1 / 6)


def test_alias_and_parameters():
    assert nlgauge.score(["a"], ["a"], metrics="characTER")["character"]["score"] == 0
    with pytest.raises(ParameterError, match=r"compat.*'released'.*'new'"):
        nlgauge.score(["a"], ["a"], metrics="character(compat='new')")


def test_explanation_shows_shifts_then_edited_characters():
    (explanation,) = nlgauge.score(
        ["on the mat the cat sits"], ["the cat sat on the mat"], metrics="character"
    ).explain("character", 0)
    first, *rest = explanation.edits
    assert (first.kind, first.prediction, first.target) == ("shift", ["on", "the", "mat"], 3)
    assert "".join(c for edit in rest for c in edit.reference) == "the cat sat on the mat"
    assert (
        explanation.statistics["character"].tolist()
        == nlgauge.score(["on the mat the cat sits"], ["the cat sat on the mat"], metrics="character")
        ._tables["system", "character"]
        .statistics["character"][0]
        .tolist()
    )
