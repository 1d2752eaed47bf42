"""ROUGE against rouge-score 0.1.2 with its tokenizer, and our own tokenizer on every script."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.rouge.rouge import Rouge as CocoRouge
from rouge_score.rouge_scorer import RougeScorer
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora, texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.tokens.text import Tokens
from nlgauge.metrics.rouge import Rouge

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"rouge_types": ("rouge1", "rougeL"), "tokenizer": "google", "compat": "coco"}
# As in rouge-score, texts without a token score 0, also two equal ones.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline", "only punctuation", "not a character"}

TYPES = ("rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum")
LINES = st.lists(texts(), max_size=3).map("\n".join)


def assert_equals_rouge_score(predictions: list[str], references: list[list[str]], use_stemmer: bool) -> None:
    peer = RougeScorer(list(TYPES), use_stemmer=use_stemmer)
    result = nlgauge.score(predictions, references, metrics=Rouge(TYPES, use_stemmer, "google"))
    (label,) = result.labels
    expected = [
        peer.score_multi(group, prediction) for prediction, group in zip(predictions, references, strict=True)
    ]
    for row, scores in zip(rows_by_label(result), expected, strict=True):
        for kind in TYPES:
            column = label if kind == "rougeL" else f"{label}.{kind}"
            assert row[column] == pytest.approx(scores[kind].fmeasure, abs=1e-9)
            assert row[f"{label}.{kind}_precision"] == pytest.approx(scores[kind].precision, abs=1e-9)
            assert row[f"{label}.{kind}_recall"] == pytest.approx(scores[kind].recall, abs=1e-9)
    for kind in TYPES:
        assert result["rouge"][kind] == pytest.approx(
            np.mean([scores[kind].fmeasure for scores in expected]), abs=1e-9
        )
    assert result["rouge"]["score"] == result["rouge"]["rougeL"]


@given(corpora(max_references=1), st.booleans())
def test_one_reference_equals_rouge_score(corpus, use_stemmer):
    assert_equals_rouge_score(*corpus, use_stemmer)


@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=3), st.booleans())
def test_lines_equal_rouge_score(pairs, use_stemmer):
    assert_equals_rouge_score([pair[0] for pair in pairs], [[pair[1]] for pair in pairs], use_stemmer)


@given(st.text("ab \n", max_size=16), st.text("ab \n", max_size=16))
def test_union_lcs_backtracks_as_rouge_score(prediction, reference):
    assert_equals_rouge_score([prediction], [[reference]], False)


@given(corpora(odd=False))
def test_the_best_reference_decides_type_by_type(corpus):
    """The best F is rouge-score's; where two references tie in F, precision and recall may be either's."""
    predictions, references = corpus
    result = nlgauge.score(predictions, references, metrics=Rouge(TYPES, tokenizer="google"))
    (label,) = result.labels
    peer = RougeScorer(list(TYPES))
    for row, prediction, group in zip(rows_by_label(result), predictions, references, strict=True):
        expected = peer.score_multi(group, prediction)
        for kind in TYPES:
            assert row[label if kind == "rougeL" else f"{label}.{kind}"] == pytest.approx(
                expected[kind].fmeasure, abs=1e-9
            )


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_real_sentences_with_several_references(use_stemmer):
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    predictions.append(
        "The traders were selling.\nShares kept falling, and running companies closed their offices.\nNobody"
        " was happier."
    )
    references.append(
        [
            "Traders sold shares.\nCompanies closed offices; the shares kept on falling.",
            "Nobody is happy.\nThe company closes.",
        ]
    )
    predictions.append("his gas lies there")  # three letters are not stemmed, four are
    references.append(["hi ga lie there"])
    assert_equals_rouge_score(predictions, references, use_stemmer)


@given(
    st.text(st.characters(max_codepoint=127), max_size=40),
    st.text(st.characters(max_codepoint=127), max_size=40),
    st.booleans(),
)
def test_our_tokenizer_equals_googles_on_ascii(prediction, reference, use_stemmer):
    assert Tokens("unicode", stem=use_stemmer).of(prediction) == Tokens("google", stem=use_stemmer).of(
        prediction
    )
    ours, googles = (
        nlgauge.score([prediction], [reference], metrics=Rouge(TYPES, use_stemmer, name))
        for name in ("unicode", "google")
    )
    assert ours["rouge"] == googles["rouge"]


SCRIPTS = [
    "बिल्ली चटाई पर बैठी है।",
    "猫坐在垫子上。",
    "Кошка сидит на коврике.",
    "القطة تجلس على السجادة.",
    "猫がマットの上に座っている。",
    "แมวนั่งอยู่บนเสื่อ",
    "고양이가 매트 위에 앉아 있다.",
]


@pytest.mark.parametrize("text", SCRIPTS)
def test_equal_texts_of_every_script_score_one(text):
    scores = nlgauge.score([text], [text], metrics="rouge(rouge_types=['rouge1', 'rougeL', 'rougeLsum'])")[
        "rouge"
    ]
    assert {value for name, value in scores.items()} == {1.0}
    assert nlgauge.score([text], ["xyz"], metrics="rouge")["rouge"]["rouge1"] == 0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("猫がマットの上", ["猫", "が", "マ", "ッ", "ト", "の", "上"]),
        ("हिन्दी में।", ["हिन्दी", "में"]),
        ("GPT4很好", ["gpt4", "很", "好"]),
        ("e\u0301te\u0301 don't", ["e\u0301te\u0301", "don", "t"]),
        ("が\u3099x", ["が\u3099", "x"]),
        ("a_b 3.5%", ["a", "b", "3", "5"]),
    ],
)
def test_our_tokenizers_rule(text, tokens):
    assert Tokens("unicode").of(text) == tokens


def test_rouge_155s_union_example():
    """Lin (2004), section 3.2, with the second candidate sentence as one text: R = 4/5, P = 4/10."""
    scores = nlgauge.score(["w1 w2 f1 f2 f3\nw1 w3 w8 w9 w5"], ["w1 w2 w3 w4 w5"], metrics="rouge")["rouge"]
    assert (scores["rougeLsum_recall"], scores["rougeLsum_precision"]) == (0.8, 0.4)
    assert scores["rougeLsum"] == pytest.approx(0.53333, abs=1e-5)


@pytest.mark.parametrize("types", [(), ("rouge0",), ("rouge1", "rouge1"), ("rougeX",), "rouge1"])
def test_types_outside_their_domain(types):
    with pytest.raises(ParameterError, match="rouge: rouge_types must be"):
        Rouge(types)
    with pytest.raises(ParameterError, match=r"tokenizer.*'unicode', 'google' or 'whitespace'.*'bert'"):
        Rouge(tokenizer="bert")


def test_score_is_the_first_type_where_rouge_l_was_not_asked_for():
    scores = nlgauge.score(["a b"], ["a c"], metrics="rouge(rouge_types=['rouge2', 'rouge1'])")["rouge"]
    assert (scores["score"], scores["rouge1"]) == (0, 0.5)


WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=4)), min_size=1, max_size=4))
def test_compat_equals_the_coco_captions_program(captions):
    predictions, references = map(list, zip(*captions, strict=True))
    metric = Rouge(tokenizer="whitespace", compat="coco")
    result = nlgauge.score(predictions, references, metrics=metric)
    corpus, segments = CocoRouge().compute_score(
        dict(enumerate(references)), dict(enumerate([p] for p in predictions))
    )
    assert result["rouge"]["score"] == pytest.approx(corpus, abs=1e-12)
    assert [row[str(metric)] for row in rows_by_label(result)] == pytest.approx(list(segments), abs=1e-12)


def test_coco_takes_precision_and_recall_from_different_references():
    metric = Rouge(compat="coco")
    result = nlgauge.score(["a b c"], [["a b c d e f", "a"]], metrics=metric)
    assert (result["rouge"]["rougeL_precision"], result["rouge"]["rougeL_recall"]) == (1, 1)
    assert list(metric.outputs()) == ["rougeL"]
    (explanation,) = result.explain(result.labels[0], 0)
    assert [(order.matched, order.predicted, order.expected) for order in explanation.orders] == [
        (3, 3, 6),
        (1, 3, 1),
    ]
    assert nlgauge.score(["a b c"], [["a b c d e f", "a"]], metrics="rouge")["rouge"][
        "score"
    ] == pytest.approx(2 / 3)
    with pytest.raises(ParameterError, match=r"rouge_types.*compat='coco'"):
        Rouge(("rouge1",), compat="coco")
