"""Perturbations by what they must keep and change; reports against counts made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import regex
from human_judgments import rows_of
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.perturbations import PERTURBATIONS, Perturbed, perturbation
from nlgauge.meta.diagnostics.stress import (
    ACES_WEIGHTS,
    Contrast,
    _Pairs,
    _report,
    aces_score,
    contrast,
    stress,
)
from nlgauge.stats.intervals import wilson

TEXTS = [
    "The mayor of Lyon, Anna Weber, was elected in 2019 with 53.5 per cent.",
    "Her rival Tom Fields didn't accept the result.\nHe said that three votes were missing.",
    "it rained",
    "",
]
REFERENCES = [
    "Anna Weber was elected mayor of Lyon in 2019 with 53.5 per cent.",
    "Tom Fields did not accept the result and said that three votes were missing.",
    "it rained all day",
    "nothing happened",
]

texts = st.lists(st.text(alphabet="ab cD1.,你好\n", max_size=25), min_size=1, max_size=5)


@given(texts, st.sampled_from(sorted(PERTURBATIONS)), st.integers(0, 3))
def test_every_perturbation_says_whether_it_changed_the_text(given_texts, name, seed):
    sources = [text[::-1] for text in given_texts]
    found = PERTURBATIONS[name](given_texts, sources, seed)
    assert found == PERTURBATIONS[name](given_texts, sources, seed)
    for text, one in zip(given_texts, found, strict=True):
        assert one.changed == (one.text != text)
        assert one.changed or one.reason


@pytest.mark.parametrize("name", sorted(set(PERTURBATIONS) - {"entity", "wrong_document", "length"}))
def test_other_texts_do_not_matter(name):
    sources = REFERENCES
    assert PERTURBATIONS[name](TEXTS[:2], sources[:2]) == PERTURBATIONS[name](TEXTS, sources)[:2]


def test_seeds_differ():
    assert PERTURBATIONS["word_order"](TEXTS, seed=1) != PERTURBATIONS["word_order"](TEXTS, seed=2)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It is cold.", "It is not cold."),
        ("It is not cold.", "It is cold."),
        ("They weren't there", "They were there"),
        ("It can’t be", "It can be"),
        ("Won't you come?", "Will you come?"),
        ("I cannot come", "I can come"),
        ("WILL he come", "WILL not he come"),
        ("Is not he there? He Was not.", "Is he there? He Was not."),
    ],
)
def test_negation(text, negated):
    assert perturbation("negation")([text]) == [Perturbed(negated)]


@given(st.from_regex(r"\A[a-c ]{0,9}[0-9]{1,4}([.,][0-9]{1,3})?[a-c ]{0,9}\Z"), st.integers(0, 50))
def test_a_number_becomes_another_of_the_same_form(text, seed):
    [one] = perturbation("number")([text], seed=seed)
    assert one.changed
    assert regex.sub(r"\d", "0", one.text) == regex.sub(r"\d", "0", text)
    assert bool(regex.search(r"(?<!\d)0\d", one.text)) <= bool(regex.search(r"(?<!\d)0", text))


def test_number_words():
    [one] = perturbation("number")(["Three men"])
    assert regex.fullmatch(r"[A-Z][a-z]+ men", one.text)
    assert one.text != "Three men"
    assert not perturbation("number")(["no numbers"])[0].changed


def test_entities_change_places():
    assert (
        perturbation("entity")(["The court asked Anna Weber to leave Lyon."])[0].text
        == "The court asked Lyon to leave Anna Weber."
    )
    one, other = perturbation("entity")(["We saw Lyon today.", "They live in Bremen."])
    assert (one.text, other.text) == ("We saw Bremen today.", "They live in Lyon.")
    assert not perturbation("entity")(["The rain fell. It stopped.", "A dog"])[0].changed


def test_what_the_others_do():
    found = {name: one(TEXTS, REFERENCES) for name, one in PERTURBATIONS.items()}
    assert found["empty"][0].text == ""
    assert found["copied_source"][0].text == REFERENCES[0]
    assert found["wrong_document"][0].text in TEXTS[1:3]
    assert found["truncation"][0].text == "The mayor of Lyon, Anna Weber, was"
    assert sorted(found["word_order"][1].text.split()) == sorted(TEXTS[1].split())
    assert "\n" in found["word_order"][1].text
    assert len(found["deletion"][0].text.split()) == len(TEXTS[0].split()) - 2
    assert len(found["repetition"][2].text.split()) == 6
    assert found["length"][0].text.startswith(TEXTS[0] + " ")
    assert found["case"][0].text == TEXTS[0].lower()
    assert found["case"][2].text == "IT RAINED"
    assert (
        found["punctuation"][0].text == "The mayor of Lyon Anna Weber was elected in 2019 with 53.5 per cent"
    )
    assert all(one[3] == Perturbed("", "the text is empty") for one in found.values())


def test_perturbations_bad_input():
    with pytest.raises(ParameterError, match="did you mean 'negation'"):
        perturbation("negations")
    with pytest.raises(InputError, match="needs sources"):
        perturbation("copied_source")(["a"])
    with pytest.raises(InputError, match="one source"):
        perturbation("empty")(["a"], ["b", "c"])


def test_rouge_1_is_blind_to_order_and_case_and_chrf_is_not():
    found = stress(
        ["rouge", "chrf", "ter"], TEXTS[:3], REFERENCES[:3], perturbations=["word_order", "case", "number"]
    )
    rows = {(row["metric"], row["phenomenon"]): row for row in found}
    assert {metric for metric, _ in rows} >= {"rouge.rouge1", "rouge.rouge2", "chrf", "ter"}
    blind = rows["rouge.rouge1", "word_order"]
    assert (
        blind["wins"],
        blind["ties"],
        blind["losses"],
        blind["detected"],
        blind["tied"],
        blind["tau"],
    ) == (0, 3, 0, 0.0, 1.0, 0.0)
    assert blind["separation"] == 0.5
    assert math.isnan(blind["effect"])
    assert rows["rouge.rouge1", "case"]["ties"] == 3
    assert rows["chrf", "word_order"]["detected"] == 1.0
    assert rows["ter", "word_order"]["detected"] == 1.0  # lower is better
    assert rows["ter", "word_order"]["drop"] > 0
    assert (rows["chrf", "number"]["n"], rows["chrf", "number"]["n_unchanged"]) == (2, 1)
    assert found.made["floor"] == "unrelated"


def test_a_stress_report_is_that_of_segment_scores():
    found = stress("chrf", TEXTS[:3], REFERENCES[:3], perturbations="truncation")[0]
    halves = [one.text for one in perturbation("truncation")(TEXTS[:3])]
    floors = [one.text for one in perturbation("wrong_document")(TEXTS[:3])]
    results = [nlgauge.score(side, REFERENCES[:3], metrics="chrf") for side in (TEXTS[:3], halves, floors)]
    good, bad, floor = (np.array([row["chrf"] for row in rows_by_label(result)]) for result in results)
    assert found["wins"] == (good > bad).sum()
    assert found["drop"] == pytest.approx((good - bad).mean())
    assert found["effect"] == pytest.approx((good - bad).mean() / (good - bad).std(ddof=1))
    assert found["relative_drop"] == pytest.approx((good - bad).mean() / (good.mean() - floor.mean()))
    assert found["separation"] == pytest.approx(stats.mannwhitneyu(good, bad).statistic / 9)
    assert (found["low"], found["high"]) == wilson(found["wins"], 3)


def test_by_severity():
    found = stress("chrf", TEXTS, REFERENCES, REFERENCES, by="severity")
    assert found.column("severity") == ["critical", "major", "minor"]
    assert (
        sum(found.column("n")) + sum(found.column("n_unchanged")) + sum(found.column("n_undefined")) == 4 * 13
    )


score = st.sampled_from([0.0, 0.1 + 0.2, 0.3, 1.0, math.nan])
numbers = st.lists(st.tuples(score, score, st.booleans()), max_size=12)


@given(numbers)
def test_counts_by_loops(rows):
    good, bad, changed = (
        np.array([row[i] for row in rows], dtype=bool if i == 2 else float) for i in range(3)
    )
    found = _report(_Pairs(good, bad, changed, np.arange(len(rows))), np.zeros(1), 0.95)
    kept = [(a, b) for a, b, differs in rows if differs and not math.isnan(a) and not math.isnan(b)]
    wins = sum(a - b > 1e-6 for a, b in kept)
    losses = sum(b - a > 1e-6 for a, b in kept)
    assert (found["n"], found["wins"], found["losses"], found["ties"]) == (
        len(kept),
        wins,
        losses,
        len(kept) - wins - losses,
    )
    assert found["n_unchanged"] == sum(not row[2] for row in rows)
    assert found["n"] + found["n_unchanged"] + found["n_undefined"] == len(rows)
    assert found["tau"] == pytest.approx((wins - losses) / len(kept) if kept else math.nan, nan_ok=True)


def test_a_contrastive_set():
    pairs = [
        Contrast("the cat sat", "the dog sat", "nouns", "major", "the cat sat"),
        ("a red house", "a red house", "nouns", "major", "a red house"),
        {
            "good": "we went",
            "bad": "we go",
            "phenomenon": "tense",
            "severity": "minor",
            "references": ["we went", "we left"],
        },
    ]
    found = contrast(["exact_match", "chrf"], pairs)
    rows = {(row["metric"], row["phenomenon"]): row for row in found}
    assert rows["chrf", "nouns"]["n_unchanged"] == 1
    assert rows["exact_match", "nouns"]["detected"] == 1.0
    assert rows["exact_match", "nouns"]["relative_drop"] == 1.0
    assert rows["chrf", "tense"]["severity"] == "minor"
    assert [row["n"] for row in contrast("chrf", pairs, by=[])] == [2]


def test_contrast_bad_input():
    for pairs, message in [
        ([("a", "b")], "pair 0 must have"),
        ([{"good": "a", "bad": "b", "phenomenon": "x", "kind": 1}], "pair 0 must have"),
        ([("a", None, "x")], "pair 0 must have texts"),
        ([("a", "b", "x", "", "r"), ("a", "b", "x")], "pair 1 has no references"),
        ([], "at least one text"),
    ]:
        with pytest.raises(InputError, match=message):
            contrast("chrf", pairs)


def test_stress_bad_input():
    with pytest.raises(InputError, match="list of texts"):
        stress("chrf", "one text", ["r"])
    with pytest.raises(ParameterError, match="'mean'"):
        stress("chrf", ["a"], ["b"], floor="mean")
    with pytest.raises(ParameterError, match="'kind'"):
        stress("chrf", ["a"], ["b"], by="kind")
    with pytest.raises(ParameterError, match="a direction"):
        stress("compression", ["a b"], sources=["a b c"], perturbations="empty")
    with pytest.raises(ParameterError, match="scores of segments"):
        stress("distinct", ["a b"], perturbations="empty")


def test_aces():
    assert aces_score(dict.fromkeys(ACES_WEIGHTS, 1.0)) == 29.1
    assert aces_score(
        {**dict.fromkeys(ACES_WEIGHTS, 0.0), "punctuation": 1.0, "omission": 0.5}
    ) == pytest.approx(2.6)
    with pytest.raises(InputError, match="punctuation is missing"):
        aces_score({name: 1.0 for name in ACES_WEIGHTS if name != "punctuation"})


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.99))
def test_wilson_as_scipy(counted, confidence):
    expected = stats.binomtest(*counted).proportion_ci(confidence, "wilson")
    assert wilson(*counted, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_references_of_summeval_as_in_the_shannon_paper():
    """Figure 2's protocol: one reference scored against another.

    The draws are ours, so the areas agree to about .04.
    """
    references = list({row["segment"]: row["references"] for row in rows_of("summeval")}.values())
    found = stress(
        ["rouge", "chrf"],
        [one[1] for one in references],
        [one[0] for one in references],
        perturbations=["word_order", "wrong_document"],
    )
    areas = {(row["metric"], row["phenomenon"]): row["separation"] for row in found}
    assert areas["rouge.rouge1", "word_order"] == 0.5
    printed = {
        "rouge.rouge1": (0.5, 0.95),
        "rouge.rouge2": (0.849, 0.886),
        "rouge.rougeL": (0.682, 0.915),
        "chrf": (0.593, 0.845),
    }
    for metric, expected in printed.items():
        assert (areas[metric, "word_order"], areas[metric, "wrong_document"]) == pytest.approx(
            expected, abs=0.04
        ), metric
