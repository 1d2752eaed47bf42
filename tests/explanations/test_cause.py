"""Causes: one sentence for every kind of explanation, with the smallest factor of the score first and numbers
that are those of the score.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import nlgauge
from nlgauge.explanations import (
    Alignment,
    Distributions,
    Entailment,
    ErrorSpan,
    ErrorSpans,
    NgramMatches,
    Order,
    TokenScores,
    Transport,
    Verdict,
    WordAlignment,
    WordGroups,
    wire,
)
from nlgauge.explanations.cause import LONGEST, _sentence, cause
from tests.show.plots.explanations.explained_cases import every_kind

_REFERENCE = "He said that he was cold, and sat down."


def cause_of(metric: str, prediction: str, source: str | None = None, references: str = _REFERENCE) -> str:
    sources = None if source is None else [source]
    result = nlgauge.score([prediction], [[references]], sources, metrics=[metric])
    return cause(result.explain(metric, 0)[0])


def test_every_kind_has_a_cause_of_its_own() -> None:
    functions = {_sentence.dispatch(kind) for kind in wire.kinds().values()}
    assert len(functions) == len(wire.kinds())
    assert _sentence.dispatch(object) not in functions


@pytest.mark.parametrize("kind", every_kind())
def test_a_cause_is_a_short_sentence_in_the_document(kind: str) -> None:
    explanation = every_kind()[kind]
    sentence = cause(explanation)
    assert sentence.endswith(".")
    assert 10 < len(sentence) <= LONGEST
    document = wire.document(explanation, 3)
    assert document["cause"] == sentence
    assert cause(wire.read(document | {"cause": "changed by someone"})) == sentence


def test_the_smallest_factor_of_bleu_comes_first() -> None:
    short = cause_of("bleu", "He said.")
    assert (
        short
        == "The prediction has only 3 tokens where the reference has 11 (brevity penalty 0.07); 3 of 3 tokens match."
    )
    shuffled = cause_of("bleu", "down sat and, cold was he that said He.")
    assert re.fullmatch(r"11 of 11 tokens match, but none of 10 2-grams\.", shuffled)
    assert cause_of("bleu", _REFERENCE) == "11 of 11 tokens match."
    assert cause_of("bleu", "") == "A text has no tokens, so nothing can match."


def test_the_lower_of_precision_and_recall_comes_first() -> None:
    assert (
        cause_of("rouge", "He said.")
        == "Recall is lower (0.22): 2 of 9 tokens of the reference match; precision is 1.00."
    )
    long = cause_of("rouge", f"{_REFERENCE} Then she came in")
    assert long == "Precision is lower (0.69): 9 of 13 tokens of the prediction match; recall is 1.00."
    assert cause_of("chrf", _REFERENCE) == "All characters match on both sides."
    assert cause_of("chrf", "zzz").startswith("None of 31 characters of the reference match")


@pytest.mark.parametrize("metric", ["ter", "wer", "cer", "cder"])
def test_the_number_of_edits_is_that_of_the_metric(metric: str) -> None:
    result = nlgauge.score(["He was cold and said down that sat he"], [[_REFERENCE]], metrics=[metric])
    [explanation] = result.explain(metric, 0)
    edits, words, kinds = re.fullmatch(
        r"(\d+) edits for (\d+) (?:words|characters) of the reference: (.*)\.", cause(explanation)
    ).groups()  # type: ignore[union-attr]
    row = explanation.statistics[metric]
    total = row[0] if metric in ("ter", "cder") else row[:3].sum()
    assert int(edits) == sum(map(int, re.findall(r"\d+", kinds))) == total
    assert int(words) == (len(_REFERENCE) if metric == "cer" else 9)


@pytest.mark.parametrize(
    ("metric", "prediction", "reference", "said"),
    [
        ("bleu", "x", "a", "The only token does not match."),
        ("bleu", "a", "a", "The only token matches."),
        ("bleu", "a", "a b", "The prediction has only 1 token where the reference has 2 (brevity penalty 0.37); the only token matches."),
        ("bleu", "b a", "a b", "2 of 2 tokens match, but not the only 2-gram."),
        ("bleu", "a x", "a b", "1 of 2 tokens matches, but not the only 2-gram."),
        ("bleu", "x y", "a b", "None of 2 tokens match."),
        ("rouge", "x", "a", "The only token of the reference does not match; precision and recall are 0.00."),
        ("rouge", "a", "a b", "Recall is lower (0.50): 1 of 2 tokens of the reference matches; precision is 1.00."),
        ("rouge", "a b", "a", "Precision is lower (0.50): 1 of 2 tokens of the prediction matches; recall is 1.00."),
        ("meteor", "a dog", "dog", "The order is the smallest factor (0.50): 1 chunk of matches; the only word of the reference matches."),
        ("meteor", "dog", "dog", "The only word of the reference matches, in 1 chunk."),
        ("ter", "cat", "dog", "1 edit for 1 word of the reference: 1 replaced."),
    ],
)  # fmt: skip
def test_sentences_of_one_token_and_of_two(metric: str, prediction: str, reference: str, said: str) -> None:
    sentence = cause_of(metric, prediction, references=reference)
    if metric == "meteor":
        sentence, said = re.sub(r"\d\.\d+", "n", sentence), re.sub(r"\d\.\d+", "n", said)
    assert sentence == said


@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ([], ["a"], "The only entry does not lower the score."),
        ([], ["a", "b"], "None of 2 entries lower the score."),
        (["a"], [], 'The only entry lowers the score: "wrong".'),
        (["a"], ["b"], '1 of 2 entries lowers the score: "wrong".'),
        (["a", "b"], ["c"], '2 of 3 entries lower the score, 2 of them "wrong".'),
    ],
)
def test_sentences_of_few_entries(wrong: list[str], right: list[str], said: str) -> None:
    assert cause(WordGroups("sari 40", {}, {"right": right, "wrong": wrong}, against=["wrong"])) == said


def test_edits_of_equal_texts_are_none() -> None:
    assert cause_of("ter", _REFERENCE) == "The prediction equals the reference: nothing must change."


def test_meteor_names_its_smallest_factor() -> None:
    assert cause_of("meteor", "He said.").startswith("Recall is lowest (0.")
    assert cause_of("meteor", "down sat and cold was he that said He").startswith(
        "The order is the smallest factor (0."
    )
    nothing = WordAlignment("meteor 0", {}, ["a"], ["b"], [], [])
    assert cause(nothing) == "No word of the prediction matches a word of the reference."


def test_an_alignment_names_whole_words_of_the_lower_side() -> None:
    similarity = np.array([[0.9, 0.2, 0.1], [0.3, 0.4, 0.5], [0.2, 0.3, 0.8], [0.6, 0.6, 0.9]])
    explained = Alignment(
        "bertscore f1 0.7",
        {"f1": np.zeros(2)},
        ["the", "rust", "##ed", "."],
        ["the", "ramp", "."],
        similarity,
        np.ones(4),
        np.ones(3),
    )
    assert cause(explained) == (
        'Precision (0.78) is below recall (0.80): in the prediction, "rusted" (0.65) and "the" (0.90) are'
        " matched least."
    )
    recall = Alignment(
        "bertscore recall 0.8", {"recall": np.zeros(2)}, explained.prediction, explained.reference,
        similarity, np.ones(4), np.ones(3),
    )  # fmt: skip
    assert '"ramp" (0.60)' in cause(recall)


def test_transport_names_the_most_expensive_move() -> None:
    plan = np.array([[0.5, 0.0], [0.0, 0.5]])
    cost = np.array([[0.1, 1.0], [1.0, 0.3]])
    moved = Transport("wmd 0.2", {}, ["boat", "ramp"], ["ship", "bridge"], plan, cost)
    assert cause(moved) == 'The most expensive move is "ramp" to "bridge", 75% of the distance.'
    still = Transport("wmd 0", {}, ["a"], ["a"], np.ones((1, 1)), np.zeros((1, 1)))
    assert cause(still).startswith("Nothing is moved")


def test_shannon_says_what_the_summary_saves() -> None:
    values = {"alone": [10.0, 5.0, 5.0], "given the summary": [4.0, 5.0, 3.0]}
    scores = TokenScores("shannon 0.4", {}, ["Ġferry", "Ġthe", "ĠMarch"], values, "source")
    assert cause(scores) == (
        'The summary saves 40% of the information of the source (8.0 of 20.0), most on "ferry" and "March".'
    )


def test_distributions_fold_the_mark_of_a_space() -> None:
    differences = [("Ġnot", 0.2, 0.01), ("not", 0.1, 0.01), ("Ġ", 0.0, 0.25)]
    explained = Distributions("infolm 0.4", {}, differences, 0.9, [], [])
    assert cause(explained).endswith('differ most for "not" (0.30 against 0.02).')


def test_sari_names_the_group_that_lowers_the_score() -> None:
    sentence = cause_of("sari", "He said.", "The old man said that he was cold.")
    assert re.fullmatch(r'\d+ of \d+ entries lower the score, \d+ of them ".*"\.', sentence)


def test_judged_texts_name_errors_levels_and_sentences() -> None:
    spans = [ErrorSpan(0, 1, "major"), ErrorSpan(2, 3, "minor"), ErrorSpan(4, 5, "major")]
    assert cause(ErrorSpans("x", {}, "abcdef", spans)) == "2 major errors and 1 minor error in the text."
    assert cause(ErrorSpans("x", {}, "abcdef", [])) == "No error was found."
    contradict = {"contradict": np.array([[0.1, 0.2], [0.1, 0.91]])}
    checked = Entailment("x", {}, ["p", "q"], ["r", "s"], contradict, [0, 1])
    assert cause(checked) == "Sentence 2 is contradicted most, by sentence 2 of the other text (0.91)."
    entail = {"entail": np.array([[0.9, 0.2], [0.1, 0.3]])}
    supported = Entailment("x", {}, ["p", "q"], ["r", "s"], entail, [0, 1])
    assert cause(supported) == "Sentence 2 is supported least, by sentence 2 of the other text (0.30)."
    refused = Verdict("x", {}, "fluency", float("nan"), {}, 0.0, "the reply has no number", [], [])
    assert cause(refused) == "No score: the reply has no number."


def test_long_words_do_not_make_a_long_sentence() -> None:
    word = "x" * 500
    explained = Transport("wmd", {}, [word], [word + "y"], np.ones((1, 1)), np.ones((1, 1)))
    assert len(cause(explained)) <= LONGEST
    orders = [Order("1-grams", 1e9, 3e9), Order("2-grams", 0, 2.5e9)]
    assert len(cause(NgramMatches("bleu", {}, [], [], orders))) <= LONGEST
