"""SARI: golden values of the three programs in use, the definition in exact fractions, and what nothing
scores.

The golden values were made with EASSE's sari.py at 6a4352e (`corpus_sari(sources, predictions, transposed
references)`, and with `use_f1_for_deletion=False` for ours), the authors' SARI.py at 0210f15 (`SARIsent`) and
metrics/sari/sari.py of Hugging Face's evaluate (`SARIsent` of what its `normalize` gives).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.sari import Sari
from nlgauge.show.pages.explanations import render

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "intl", "compat": "original"}
# There is no n-gram of any order.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline"}

SOURCES = [
    "About 95 species are currently accepted .",
    "The cat perched upon the imposing, ancient wall.",
    "He was, however, not present at the meeting that took place on Monday .",
    "A a b a c",
]
PREDICTIONS = [
    "About 95 you now get in .",
    "The cat sat on the old wall.",
    "He was not at the meeting on Monday .",
    "a b b c d",
]
REFERENCES = [
    [
        "About 95 species are currently known .",
        "About 95 species are now accepted .",
        "95 species are now accepted .",
    ],
    ["The cat sat on the big old wall.", "The cat was on the old wall.", "A cat sat upon the wall."],
    [
        "He was not at the meeting on Monday .",
        "He missed the meeting on Monday .",
        "He was not present at Monday 's meeting .",
    ],
    ["a b c d", "a a b c", "b c d"],
]


@pytest.mark.parametrize(
    ("compat", "expected"),
    [
        (None, (59.357392217140635, 45.12885488682814, 45.71173853301054, 87.23158323158323)),
        ("easse", (60.18974480413194, 45.12885488682814, 45.71173853301054, 89.72864099255715)),
    ],
)
def test_corpus_scores_are_easses(compat, expected):
    found = nlgauge.score(PREDICTIONS, REFERENCES, SOURCES, metrics=Sari(compat=compat))["sari"]
    assert (found["score"], found["sari_add"], found["sari_keep"], found["sari_delete"]) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize(
    ("compat", "expected"),
    [
        ("easse", [31.350246975246975, 65.24185036333374, 62.92545124802158, 64.13943355119825]),
        ("original", [26.827824116980743, 61.65422680912073, 67.92138958331243, 58.743386243386254]),
        ("evaluate", [26.953601953601954, 82.0113070446847, 72.58785822021116, 67.87037037037038]),
    ],
)
def test_segment_scores_of_the_other_programs(compat, expected):
    metric = Sari(compat=compat, tokenizer="none" if compat == "original" else None)
    result = nlgauge.score(PREDICTIONS, REFERENCES, SOURCES, metrics=metric)
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-9)
    if compat != "easse":
        assert result["sari"]["score"] == pytest.approx(sum(expected) / 4)


@pytest.mark.parametrize(
    ("compat", "expected"),
    [
        ("original", (26.82782411698074, 58.89995423074248, 50.71608864657479)),
        ("evaluate", (26.953601953601954, 61.709656084656075, 50.88681849551415)),
    ],
)
def test_the_examples_that_the_programs_print(compat, expected):
    predictions = [
        "About 95 you now get in .",
        "About 95 species are now agreed .",
        "About 95 species are currently agreed .",
    ]
    result = nlgauge.score(predictions, [REFERENCES[0]] * 3, [SOURCES[0]] * 3, metrics=Sari(compat=compat))
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-9)


def test_an_empty_text_is_one_empty_word_for_the_other_programs():
    one, other = (
        nlgauge.score(["a b"], ["a"], [""], metrics=Sari(compat=compat))["sari"]["score"]
        for compat in ("evaluate", "original")
    )
    assert (one, other) == pytest.approx((88.88888888888889, 13.888888888888888))
    assert nlgauge.score([""], ["a"], ["a"], metrics=Sari(compat="evaluate"))["sari"][
        "score"
    ] == pytest.approx(75)


def grams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def exact(segments: list[tuple[list[str], list[str], list[list[str]]]]) -> Fraction:
    """SARI in fractions, n-gram by n-gram."""
    total, used = Fraction(0), 0
    for n in range(1, 5):
        sums = {operation: [Fraction(0)] * 3 for operation in ("add", "keep", "delete")}
        for source, prediction, references in segments:
            s, p, rs = (
                grams(source, n),
                grams(prediction, n),
                [grams(reference, n) for reference in references],
            )
            for gram in {gram for side in (s, p, *rs) for gram in side}:
                r = Fraction(sum(reference[gram] for reference in rs), len(rs))
                kept, keep = Fraction(min(s[gram], p[gram])), min(Fraction(s[gram]), r)
                deleted, delete = Fraction(s[gram]) - kept, s[gram] - keep
                added, add = Fraction(not s[gram] and p[gram] > 0), Fraction(not s[gram] and r > 0)
                for name, done, wanted in (
                    ("add", added, add),
                    ("keep", kept, keep),
                    ("delete", deleted, delete),
                ):
                    sums[name] = [
                        a + b for a, b in zip(sums[name], (min(done, wanted), done, wanted), strict=True)
                    ]
        if not any(done or wanted for _, done, wanted in sums.values()):
            continue
        used += 1
        for name, (right, done, wanted) in sums.items():
            if not done and not wanted:
                total += 1
            elif right:
                precision, recall = right / done, right / wanted
                total += precision if name == "delete" else 2 * precision * recall / (precision + recall)
    return 100 * total / (3 * used) if used else Fraction(0)


WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


@given(st.lists(st.tuples(WORDS, WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=3))
def test_it_is_the_definition_in_fractions(segments):
    sources, predictions = ([" ".join(segment[i]) for segment in segments] for i in (0, 1))
    result = nlgauge.score(
        predictions,
        [[" ".join(words) for words in group] for _, _, group in segments],
        sources,
        metrics="sari",
    )
    assert result["sari"]["score"] == pytest.approx(float(exact(segments)), abs=1e-9)
    assert [row["sari"] for row in rows_by_label(result)] == pytest.approx(
        [float(exact([segment])) for segment in segments], abs=1e-9
    )


def test_copying_the_source_is_perfect_only_where_the_references_do_too():
    copied = nlgauge.score(["a b c"], [["a b", "a c"]], ["a b c"], metrics="sari")["sari"]
    assert copied["sari_delete"] == 0
    assert nlgauge.score(["a b c"], [["a b c"]], ["a b c"], metrics="sari")["sari"]["score"] == pytest.approx(
        100
    )


def test_the_language_chooses_the_tokenizer():
    texts = {"predictions": ["猫坐在垫子上"], "references": ["猫在垫子上"], "sources": ["那只猫正坐在垫子上"]}
    assert nlgauge.score(**texts, metrics="sari", lang="zh").labels == ("sari(tokenizer='zh')",)
    assert (
        nlgauge.score(**texts, metrics="sari", lang="zh")["sari"]["score"]
        > nlgauge.score(**texts, metrics="sari")["sari"]["score"]
    )


def test_explanation_groups_words_by_what_became_of_them():
    (explanation,) = nlgauge.score(PREDICTIONS[:1], REFERENCES[:1], SOURCES[:1], metrics="sari").explain(
        "sari", 0
    )
    assert list(explanation.groups.values()) == [
        ["now"],
        ["you", "get", "in"],
        ["about", "95", "."],
        [],
        [],
        ["species", "are", "currently", "accepted"],
        ["known"],
    ]


def test_explanation_in_a_terminal():
    (explanation,) = nlgauge.score(PREDICTIONS[:1], REFERENCES[:1], SOURCES[:1], metrics="sari").explain(
        "sari", 0
    )
    console = Console(width=100, file=StringIO())
    console.print(render(explanation))
    shown = console.file.getvalue()
    assert shown.startswith("sari 26.95, add ")
    assert "added, unlike all references" in shown and "you get in" in shown


@pytest.mark.parametrize("bad", [{"tokenizer": "14a"}, {"compat": "paper"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"sari: {next(iter(bad))} must be"):
        Sari(**bad)
