"""What holds for explanations of every kind: asked for together or alone, as JSON and back, and where
their tokens are.
"""

from __future__ import annotations

import json
import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nlgauge
from nlgauge.errors import ParameterError, ResultError
from nlgauge.explanations import (
    Alignment,
    Distributions,
    Edit,
    Edits,
    Explanation,
    Guesses,
    TokenScores,
)
from nlgauge.explanations.spans import sides, spans
from nlgauge.explanations.wire import document, kinds, read
from nlgauge.features.encoders.encoder_layers import HiddenLayers

SYSTEMS = {
    "A": ["The cats sat on the mat.", "hello there, General Kenobi", ""],
    "B": ["a cat on a mat", "Hi!", "ship it"],
}
REFERENCES = [
    ["the cat is on the mat", "A cat sat on the mat."],
    ["hello", "hi there"],
    ["ship it now", "ship"],
]
SOURCES = ["die Katze sitzt auf der Matte", "hallo", "los"]
METRICS = [
    "bleu",
    "rouge(stem=True)",
    "ter",
    "meteor",
    "chrf",
    "wer",
    "cer",
    "cder",
    "novelty",
    "sari",
    "js_divergence",
    "smog",
]


@pytest.fixture(scope="module")
def result() -> nlgauge.Result:
    return nlgauge.score(SYSTEMS, REFERENCES, SOURCES, metrics=METRICS)


def test_many_are_what_each_is_alone(result):
    found = result.explain(None, [0, 2])
    assert list(found) == [
        (label, system, segment) for label in result._job.metrics for system in SYSTEMS for segment in (0, 2)
    ]
    for (label, system, segment), explanations in found.items():
        assert explanations
        assert [document(one) for one in explanations] == [
            document(one) for one in result.explain(label, segment, system)
        ]


def test_segments_and_systems_may_be_chosen_in_any_order(result):
    found = result.explain("wer", [2, 0], "B")
    assert list(found) == [("wer", "B", 2), ("wer", "B", 0)]
    assert [edit.kind for edit in found["wer", "B", 2][0].edits] == ["equal", "delete"]
    assert list(result.explain(["wer"], 0)) == [("wer", "A", 0), ("wer", "B", 0)]
    assert list(result.explain("wer", 0, ["B"])) == [("wer", "B", 0)]
    with pytest.raises(ParameterError, match="segment 7"):
        result.explain(None, [0, 7])


def test_the_texts_of_all_are_encoded_once(tiny_models, monkeypatch):
    asked = []
    compute = HiddenLayers.compute
    monkeypatch.setattr(
        HiddenLayers,
        "compute",
        lambda self, keys, work: asked.append(list(keys)) or compute(self, keys, work),
    )
    metric = f"bertscore(model={str(tiny_models['encoder'])!r}, layer=2)"
    result = nlgauge.score(SYSTEMS, REFERENCES, metrics=[metric])
    asked.clear()
    result.explain(None, [0, 1])
    texts = [text for keys in asked for text in keys]
    assert len(asked) == 1
    assert sorted(texts) == sorted({*SYSTEMS["A"][:2], *SYSTEMS["B"][:2], *REFERENCES[0], *REFERENCES[1]})


def test_a_metric_that_is_fitted_on_a_system_is_explained_wherever_the_segments_are(tiny_models):
    metric = f"infolm(model={str(tiny_models['masked'])!r}, idf=True)"
    result = nlgauge.score(SYSTEMS, REFERENCES, SOURCES, metrics=[metric])
    found = result.explain(None, [1, 0])
    for (label, system, segment), explanations in found.items():
        alone = result.explain(label, segment, system)
        assert [one.title for one in explanations] == [one.title for one in alone]


def test_a_metric_of_the_whole_corpus_has_no_explanation():
    result = nlgauge.score(SYSTEMS, REFERENCES, metrics=["self_bleu"])
    assert result.explain(None, [0]) == {("self_bleu", "A", 0): [], ("self_bleu", "B", 0): []}


@pytest.mark.parametrize(
    ("metric", "system", "expected"),
    [("wer", "A", 1), ("ter", "A", 1), ("ter", "B", 0), ("meteor", "A", 1), ("bleu", "A", None)],
)
def test_the_reference_that_counted_is_named(result, metric, system, expected):
    (explanation,) = result.explain(metric, 0, system)
    assert explanation.reference_number == expected
    assert explanation.prediction_number == 0


def test_of_several_predictions_the_one_that_counted_is_named():
    result = nlgauge.score([["dog", "the cat"]], [["a", "the cat", "b"]], metrics=["wer"])
    (explanation,) = result.explain("wer", 0)
    assert (explanation.prediction_number, explanation.reference_number) == (1, 1)


def test_every_explanation_is_the_same_after_json(result):
    seen = set()
    for explanations in result.explain(None, [0, 1, 2]).values():
        for explanation in explanations:
            written = msgspec.json.encode(document(explanation))
            again = read(json.loads(written))
            assert type(again) is type(explanation)
            assert document(again) == document(explanation)
            for part, values in explanation.statistics.items():
                np.testing.assert_array_equal(again.statistics[part], values)
            seen.add(type(explanation).__name__)
    assert {"NgramMatches", "Edits", "WordAlignment", "WordGroups", "TokenScores"} <= seen <= set(kinds())


@pytest.mark.parametrize(
    ("metric", "kind", "expected"),
    [
        ("moverscore", "encoder", "Transport"),
        ("wmd", "vectors", "Transport"),
        ("bartscore", "seq2seq", "TokenScores"),
        ("summac", "pair", "Entailment"),
        ("xcomet", "xcomet", "ErrorSpans"),
        ("yes_no", "chat", "Verdict"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*probability is on the permitted levels:UserWarning")
def test_learned_metrics_explain_themselves_also_after_json(metric, kind, expected, tiny_models):
    model = {
        "vectors" if kind == "vectors" else "model": str(tiny_models[kind]),
        **({"calls": "cache=off"} if kind == "chat" else {}),
    }
    result = nlgauge.score(
        ["the cat sat"],
        ["a cat sat on a mat"],
        ["the cat sat on the mat"],
        metrics=[{"path": metric, **model}],
    )
    for explanation in result.explain(metric, 0):
        again = read(json.loads(msgspec.json.encode(document(explanation))))
        assert type(again).__name__ == type(explanation).__name__ == expected
        assert document(again) == document(explanation)
        assert str(again) == str(explanation)
        assert metric in str(explanation)


def test_numbers_that_json_does_not_have_come_back():
    one = TokenScores(
        "t",
        {"p": np.array([math.nan, math.inf, 1.5])},
        ["a"],
        {"v": [math.nan]},
        text="source",
        spans={"source": [None]},
    )
    again = read(json.loads(json.dumps(document(one), allow_nan=False)))
    np.testing.assert_array_equal(again.statistics["p"], [math.nan, math.inf, 1.5])
    assert math.isnan(again.values["v"][0])
    assert (again.text, again.spans) == ("source", {"source": [None]})


def test_nested_kinds_come_back():
    one = Distributions(
        "t",
        {},
        [("a", 0.1, 0.9)],
        0.5,
        [Guesses("a", 0.5, [("b", 0.25)])],
        [],
        spans={"prediction": [(0, 1)]},
        reference_number=3,
    )
    again = read(document(one))
    assert again.prediction == one.prediction
    assert again.differences == [("a", 0.1, 0.9)]
    assert (again.spans, again.reference_number) == ({"prediction": [(0, 1)]}, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"], "JSON object, got list"),
        ({"kind": "Edits"}, "format None.*format 1"),
        ({"format": 1, "kind": "Explanation"}, "kind.*'Explanation'"),
        ({"format": 1, "kind": ["Edits"]}, "kind.*Edits"),
        ({"format": 1, "kind": "Edits", "title": "t"}, "explanation.*Edits"),
        (
            {"format": 1, "kind": "Edits", "title": "t", "statistics": {"p": ["x"]}, "edits": []},
            "explanation.*Edits",
        ),
    ],
)
def test_what_is_not_an_explanation_is_refused(given, message):
    with pytest.raises(ResultError, match=message):
        read(given)


def test_tokens_are_found_in_their_texts(result):
    for (label, system, segment), explanations in result.explain(None, [0, 1, 2]).items():
        for explanation in explanations:
            texts = {"prediction": SYSTEMS[system][segment], "source": SOURCES[segment]}
            if explanation.reference_number is not None:
                texts["reference"] = REFERENCES[segment][explanation.reference_number]
            assert explanation.spans.keys() == sides(explanation).keys() & texts.keys()
            for side, found in explanation.spans.items():
                tokens = sides(explanation)[side]
                assert len(found) == len(tokens)
                for token, span in zip(tokens, found, strict=True):
                    assert span is not None or token == "", (label, token)
                    # Stems end otherwise than their words.
                    assert token == "" or texts[side][slice(*span)].lower()[:3] == token.lower()[:3], (
                        label,
                        token,
                    )


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [
        (["the", "cat"], "The cat", ["The", "cat"]),
        (["citi", "are"], "Cities are", ["Citi", "are"]),
        (
            ["[CLS]", "un", "##known", "[UNK]", "x", "[SEP]"],
            "Unknown ☃ x",
            [None, "Un", "known", None, "x", None],
        ),
        (["Ġthe", "Ġcafe"], "the café", ["the", "café"]),
        (["is", "late", "he"], "he is late", ["is", "late", "he"]),
        (["a", "b", "a", "a"], "a b a", ["a", "b", "a", None]),
        (["ß", "fi"], "SS ﬁ", ["SS", "ﬁ"]),
        ([], "text", []),
        (["word"], "", [None]),
        (list("a b"), "A b", ["A", " ", "b"]),
        (["猫", "坐"], "猫坐", ["猫", "坐"]),
    ],
)
def test_where_tokens_are(tokens, text, expected):
    assert [None if span is None else text[slice(*span)] for span in spans(tokens, text)] == expected


@pytest.mark.parametrize(
    ("metric", "prediction", "expected"),
    [
        ("rouge(stem=True)", "It is running in cities", ["It", "is", "running", "in", "cities"]),
        ("chrf", "Cafe\u0301 👍🏽", [*"Cafe\u0301", "👍", "🏽"]),
        ("cer", "שָׁ ב", list("שָׁ ב")),
        ("wer", "Cafe\u0301 là", ["Cafe\u0301", "là"]),
        ("bleu", "a &amp;lt; <b", ["a", "&amp;lt;", "<", "b"]),
        ("squad", "The cat isn't İ", ["cat", "isn't", "İ"]),
        ("bleu(tokenizer='char')", "a bc", ["a", "b", "c"]),
    ],
)
def test_the_tokenizer_says_where_its_tokens_are(metric, prediction, expected):
    result = nlgauge.score([prediction], ["a cat is here"], metrics=[metric])
    (explanation,) = result.explain(metric, 0)
    assert [prediction[slice(*span)] for span in explanation.spans["prediction"]] == expected


def test_shifted_words_are_where_they_were_before():
    text, reference = "on the mat the cat sat", "the cat sat on the mat"
    (explanation,) = nlgauge.score([text], [reference], metrics=["ter"]).explain("ter", 0)
    assert [edit.kind for edit in explanation.edits] == ["shift", "equal"]
    moved, *_ = explanation.edits
    words = sides(explanation)["prediction"]
    assert [text[slice(*span)] for span in explanation.spans["prediction"]] == words
    assert len(set(explanation.spans["prediction"])) == len(words)
    first = words.index(moved.prediction[0], moved.target)
    assert explanation.spans["prediction"][first][0] == text.index(" ".join(moved.prediction))


@given(st.lists(st.sampled_from(["the", "The", "cat", "ﬁ", "é", "ß", "a", " ", "İ"]), max_size=8))
def test_tokens_that_make_up_a_text_are_one_after_the_other(tokens):
    text = "".join(tokens) if " " in tokens else " ".join(tokens)
    ends = []
    for token, span in zip(tokens, spans(tokens, text), strict=True):
        assert span is not None
        assert text[slice(*span)] == token
        ends.append(span)
    assert ends == sorted(ends)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C", "M", "Z"]), min_size=1, max_size=5),
        max_size=12,
    )
)
def test_words_as_they_stand_are_found_where_they_are(words):
    text = "  ".join(words)
    places, at = [], 0
    for word in words:
        places.append((at, at + len(word)))
        at += len(word) + 2
    found = spans(words, text)
    for place, span, word in zip(places, found, words, strict=True):
        if any(not part.isspace() for part in word):
            assert span is None or place[0] <= span[0] < span[1] <= place[1]


def test_a_document_may_be_rounded():
    many = np.linspace(0, 1, 60).reshape(6, 10)
    one = Alignment(
        "t", {"x": np.array([1 / 3, math.inf])}, list("abcdef"), list("0123456789"), many, many[:, 0], many[0]
    )
    plain, short = document(one), document(one, 3)
    assert plain["statistics"] == {"x": [1 / 3, "inf"]}
    assert plain["similarity"] == many.tolist()
    assert short["statistics"] == {"x": [0.333, "inf"]}
    assert short["similarity"] == [[float(f"{value:.3g}") for value in row] for row in many.tolist()]
    assert document(TokenScores("t", {}, ["a"], {"x": [2 / 3]}), 2)["values"] == {"x": [0.67]}


def test_shifts_are_not_counted_twice():
    one = Edits("t", {}, [Edit("shift", [], ["late"], 0), Edit("equal", ["late", "he"], ["late", "he"])])
    assert sides(one) == {"prediction": ["late", "he"], "reference": ["late", "he"]}


def test_every_kind_is_known_by_its_name():
    subclasses = {
        kind.__name__ for kind in Explanation.__subclasses__() if kind.__module__ == "nlgauge.explanations"
    }
    assert set(kinds()) == subclasses
