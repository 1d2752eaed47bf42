"""Plots of explanations: every mark says what the explanation says."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgb

import nlgauge
from nlgauge import plots
from nlgauge.errors import ParameterError
from nlgauge.explanations import (
    Alignment,
    Edit,
    Edits,
    NgramMatches,
    Order,
    TokenScores,
    Transport,
    WordAlignment,
)
from nlgauge.show.plots.canvas import TEXT
from nlgauge.show.plots.explanations.flow import cleaned, measured
from tests.show.plots.drawn import check_readable, lines, words
from tests.show.plots.explanations.explained_cases import PLAN, SIMILARITY, every_kind

LONG = [f"word{i}" for i in range(120)]


def fills(ax) -> dict[str, float]:
    """How light the ground of each word is: 1 is white."""
    return {patch.get_label(): float(np.mean(to_rgb(patch.get_facecolor()))) for patch in ax.patches}


def drawn(ax, label: str) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_label() == label]


def test_tokens_are_darker_where_a_value_is_larger_on_one_scale():
    given = TokenScores(
        "t", {}, ["a", "b", "c"], {"alone": [0.0, 2.0, 4.0], "given it": [4.0, 1.0, 0.5]}, "source"
    )
    alone = fills(plots.tokens(given, "alone"))
    assert alone["a"] == pytest.approx(1.0)
    assert alone["a"] > alone["b"] > alone["c"]
    both = plots.tokens(given)
    assert [text.get_text() for text in both.texts if ":" in text.get_text()] == [
        "alone: total 6.00, darkest 4.00",
        "given it: total 5.50, darkest 4.00",
        "alone less given it: total 0.50",
    ]
    # What the summary makes more foreseeable has a line below, what it makes less so a dashed one.
    styles = [line.get_linestyle() for line in both.get_lines()]
    assert styles == ["--", "-", "-"]
    with pytest.raises(ParameterError, match=r"values.*'x'"):
        plots.tokens(given, "x")


def test_ngrams_are_marked_by_length():
    ax = plots.ngrams(NgramMatches("b", {}, ["a", "b", "c"], [1, 0, 4], [Order("1-grams", 2, 3)]))
    light = fills(ax)
    assert set(light) == {"a", "c"}
    assert light["a"] > light["c"]
    widths = {line.get_label(): line.get_linewidth() for line in ax.get_lines()}
    assert widths["_below a"] < widths["_below c"]
    assert "1-grams: 2 of 3" in plots.alt(ax)


def test_characters_without_spaces_are_drawn_with_the_spaces_of_the_text():
    text = "a cat sat on a mat " * 12
    explanation = nlgauge.score([text], ["the cat sat"], metrics="chrf").explain("chrf", 0)[0]
    assert " " not in explanation.tokens
    found, right, line = "", 0.0, None
    for letter in (text for text in plots.ngrams(explanation).texts if text.get_label() == "word"):
        left, base = letter.get_position()
        # A word is never broken at the end of a line.
        found += " " * (base != line or left - right > 1) + letter.get_text()
        right, line = left + measured(letter.get_text(), TEXT), base
    assert found.split() == text.split()


def test_words_have_their_chunks_and_reasons():
    matches = [(0, 1, "exact"), (2, 0, "stem"), (1, 2, "synonym")]
    ax = plots.words(WordAlignment("m", {}, ["a", "b", "c"], ["x", "y", "z", "u"], matches, [1, 2, 3]))
    assert {line.get_label(): line.get_linestyle() for line in ax.get_lines()} == {
        **{"_below a": "-", "_below y": "-"},
        **{"_below c": "--", "_below x": "--"},
        **{"_below b": ":", "_below z": ":"},
    }
    assert drawn(ax, "small") == ["1", "3", "2", "2", "1", "3"]
    assert "3 matches in 3 chunks (1 exact, 1 stem, 1 synonym)" in plots.alt(ax)


def test_edits_show_what_was_replaced_inserted_and_deleted():
    given = every_kind()["Edits"]
    ax = plots.edits(given)
    assert drawn(ax, "small") == ["cat"]
    assert [line.get_label() for line in ax.get_lines()] == ["_below sat", "_struck down"]
    assert plots.alt(ax) == "ter 50: 1 equal, 1 substituted, 1 inserted, 1 deleted, 1 moved, 1 jumped."
    with pytest.raises(ParameterError, match=r"form.*'lines' or 'lattice'"):
        plots.edits(given, "x")


def test_the_path_in_a_lattice_goes_through_every_edit():
    edits = [
        Edit("equal", ["a"], ["a"]),
        Edit("jump", [], [], 3),
        Edit("insert", [], ["x"]),
        Edit("delete", ["b"], []),
        Edit("replace", ["c", "d"], ["y", "z"]),
    ]
    ax = plots.edits(Edits("e", {}, edits), "lattice")
    steps = {
        kind: [line.tolist() for line in lines(ax, kind)]
        for kind in ("equal", "jump", "insert", "delete", "replace")
    }
    assert steps == {
        "equal": [[[0, 0], [1, 1]]],
        "jump": [[[1, 1], [3, 1]]],
        "insert": [[[3, 1], [4, 1]]],
        "delete": [[[4, 1], [4, 2]]],
        "replace": [[[4, 2], [5, 3]], [[5, 3], [6, 4]]],
    }
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "", "", "x", "y", "z"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "d"]
    check_readable(ax.figure)
    named = plots.edits(Edits("e", {}, edits, prediction=["a", "p", "q", "x", "y", "z", "end"]), "lattice")
    assert [label.get_text() for label in named.get_xticklabels()] == ["a", "p", "q", "x", "y", "z", "end"]


@pytest.mark.parametrize("metric", ["eed", "cder"])
def test_every_token_of_the_prediction_is_named_in_a_lattice(metric: str):
    prediction = "people enjoy driving foreign cars ."
    explanation = nlgauge.score(
        [prediction], ["imported cars are preferred by people ."], metrics=metric
    ).explain(metric, 0)[0]
    ax = plots.edits(explanation, "lattice")
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert "".join(shown) == "".join(explanation.prediction).replace(" ", "")
    assert "driving" in "".join(shown)


@pytest.mark.parametrize("form", ["matrix", "links", "text"])
def test_an_alignment_has_the_similarities_of_nearest_tokens(form: str):
    given = every_kind()["Alignment"]
    ax = plots.alignment(given, form)
    check_readable(ax.figure)
    best = SIMILARITY.argmax(axis=1)
    if form == "matrix":
        assert np.asarray(ax.images[0].get_array()) == pytest.approx(SIMILARITY)
        assert [patch.get_xy()[0] + 0.5 for patch in ax.patches] == best.tolist()
    elif form == "links":
        assert sorted(patch.get_label() for patch in ax.patches) == sorted(
            f"{given.prediction[i]}\u2192{given.reference[j]}" for i, j in enumerate(best)
        )
    else:
        assert drawn(ax, "small") == [
            f"{value:.2f}" for value in [*SIMILARITY.max(axis=1), *SIMILARITY.max(axis=0)]
        ]


@pytest.mark.parametrize("form", ["links", "plan", "cost"])
def test_a_transport_has_its_plan_and_its_costs(form: str):
    given = every_kind()["Transport"]
    ax = plots.transport(given, form)
    check_readable(ax.figure)
    if form == "links":
        moved = {patch.get_label(): patch.get_linewidth() for patch in ax.patches}
        assert len(moved) == int((PLAN > 0).sum())
        assert moved["the\u2192the"] > moved["the\u2192down"]
    else:
        assert np.asarray(ax.images[0].get_array()) == pytest.approx(
            PLAN if form == "plan" else 1 - SIMILARITY
        )
    assert f"total cost {(PLAN * (1 - SIMILARITY)).sum():.3f}" in plots.alt(ax)
    with pytest.raises(ParameterError, match="form must be"):
        plots.transport(given, "x")


def test_texts_without_tokens_are_said_to_be_empty():
    nothing = np.zeros((0, 2))
    check_readable(
        plots.alignment(Alignment("a", {}, [], ["x", "y"], nothing, np.zeros(0), np.ones(2))).figure
    )
    check_readable(plots.transport(Transport("t", {}, [], [], np.zeros((0, 0)), np.zeros((0, 0)))).figure)
    check_readable(plots.ngrams(NgramMatches("b", {}, [], [], [])).figure)
    check_readable(plots.edits(Edits("e", {}, [])).figure)


def test_guesses_are_to_the_side_of_the_text_that_makes_them_likely():
    ax = plots.guesses(every_kind()["Distributions"])
    bars = {bar.get_y() + bar.get_height() / 2: bar.get_width() for bar in ax.patches}
    assert bars == pytest.approx({0.0: -0.3, 1.0: 0.2})
    assert "75% of the whole difference" in plots.alt(ax)


def test_long_texts_flow_over_many_lines():
    given = TokenScores("long", {}, LONG, {"v": list(range(120))})
    ax = plots.tokens(given)
    check_readable(ax.figure)
    placed = [text.get_position() for text in ax.texts if text.get_label() == "word"]
    assert len(placed) == 120
    assert len({y for _, y in placed}) > 5
    assert placed == sorted(placed, key=lambda at: (at[1], at[0]))
    assert [text for text in words(ax.figure) if text in LONG] == LONG


def test_marks_of_tokenizers_are_not_shown():
    assert cleaned(["\u0120the", "\u0120cat", "s"]) == (["the", "cat", "s"], [False, False, True])
    assert cleaned(["\u2581a", "b"]) == (["a", "b"], [False, True])
    assert cleaned(["a", "b"]) == (["a", "b"], [True, True])
    assert cleaned(["ab", "c"]) == (["ab", "c"], [False, False])
    assert cleaned(["The", " ramp", " rust", "ed", "\n"]) == (
        ["The", "ramp", "rust", "ed", "\u2423"],
        [True, False, False, True, False],
    )
    assert cleaned([]) == ([], [])


def test_errors_are_underlined_by_severity():
    kind = every_kind()["ErrorSpans"]
    ax = plots.errors(kind)
    widths = [line.get_linewidth() for line in ax.get_lines()]
    assert widths[0] > widths[-1]
    assert drawn(ax, "small") == ["0.75"]
    assert plots.alt(ax) == "xcomet 0.7: 1 critical, 1 minor."
    assert "".join(drawn(ax, "word")) == kind.text.replace(" ", "")


def test_entailment_stacks_what_the_deciding_premise_says():
    kind = every_kind()["Entailment"]
    ax = plots.entailment(kind)
    shares = {
        label: [bar.get_width() for bar in bars]
        for label, bars in ((bars.get_label(), bars) for bars in ax.containers)
    }
    assert shares == {
        label: pytest.approx(matrix[0].tolist()) for label, matrix in kind.probabilities.items()
    }
    assert "entail of 2 sentences: 0.70, 0.10" in plots.alt(ax)


def test_a_verdict_has_its_levels_and_its_reason():
    kind = every_kind()["Verdict"]
    ax = plots.verdict(kind)
    assert [bar.get_width() for bar in ax.patches] == list(kind.levels.values())
    assert "score 3.50; the levels cover 90%" in plots.alt(ax)
