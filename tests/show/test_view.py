"""What pages show of a result: the numbers are those of the result, and bytes come back as the texts that
they were.
"""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.engine.run_options import run_options
from nlgauge.results.result import Result
from nlgauge.show.page_data.agreement import agreement
from nlgauge.show.page_data.choose import chosen
from nlgauge.show.page_data.data import PageData, view_of
from nlgauge.show.page_data.parts import (
    array_part,
    explanation_part,
    field_parts,
    json_part,
    score_parts,
    text_parts,
)

_REFERENCES = [
    "the cat sat on the mat",
    "a dog barks 🐕 at night",
    "\ufeffhello 𝒘orld",
    "",
    "rain fell",
    "one two three four",
]
_PREDICTIONS = {
    "A": ["the cat sat on the mat", "a dog barks", "hello 𝒘orld", "x", "", "one two three"],
    "B": ["cat", "dogs 🐕", "hello", "", "rain", "one"],
}


@pytest.fixture(scope="module")
def result() -> Result:
    corpus = Corpus.read(
        _PREDICTIONS,
        [[text, text[:3]] for text in _REFERENCES],
        _REFERENCES,
        ids=range(6),
        fields={"kind": list("aabbab"), "alone": range(6), "gone": [None] * 6},
    )
    human = {"A": (1, 2.5, None, 4, 5, 3), "B": (1, 1, 1, 2, 2, None)}
    words = {"A": ("x",) * 6, "B": ("y",) * 6}
    scorer = nlgauge.Scorer(["bleu", "ter", "novelty", "self_bleu"])
    return scorer.score_corpus(
        replace(corpus, system_fields={"human": human, "words": words}), None, run_options()
    )


@pytest.fixture(scope="module")
def view(result: Result) -> PageData:
    return view_of(result, "a title\x1b", resamples=200)


def numbers(part: bytes, kind: Any) -> Any:
    """An array as the page reads it."""
    plain = np.frombuffer(gzip.decompress(part), np.uint8)
    return plain.reshape(np.dtype(kind).itemsize, -1).T.copy().view(kind).ravel()


def test_the_numbers_are_those_of_the_result(result: Result, view: PageData) -> None:
    intervals, ranks = (
        result.intervals(resamples=200),
        {(row.label, row.output.name): row for row in result.ranks(resamples=200)},
    )
    assert [output["label"] for output in view.meta["outputs"]] == [
        "human",
        "bleu",
        "ter",
        "novelty",
        "self_bleu",
    ]
    for output in view.meta["outputs"][1:]:
        key = output["label"], output["output"]
        bounds = [intervals[system][key[0]][key[1]] for system in result.systems]
        assert output["scores"] == [bound.score for bound in bounds]
        assert output["low"] == [None if math.isnan(bound.low) else bound.low for bound in bounds]
        assert output["letters"] == list(ranks[key].letters)
        if output["column"] is None:
            assert output["label"] == "self_bleu"
            continue
        for number, system in enumerate(result.systems):
            wanted = result._tables[system, key[0]].segments()[key[1]].astype(np.float32)
            np.testing.assert_array_equal(view.columns[output["column"], number], wanted)
    assert view.meta["title"] == "a title\\x1b"
    assert json.loads(gzip.decompress(json_part(view.meta)))["segments"] == 6


def test_numbers_that_came_with_the_texts_are_scores_too(view: PageData) -> None:
    human = view.meta["outputs"][0]
    assert (human["label"], human["people"], human["up"]) == ("human", True, True)
    assert human["scores"] == pytest.approx([3.1, 1.4])
    assert np.isnan(view.columns[human["column"], 0, 2])


def test_one_system_has_neither_letters_nor_pairs(result: Result) -> None:
    meta = view_of(
        nlgauge.score(_PREDICTIONS["A"], [[text] for text in _REFERENCES], metrics=["bleu"]),
        "x",
        resamples=50,
    ).meta
    assert (meta["outputs"][0]["letters"], meta["outputs"][0]["pairs"]) == ([None], None)
    assert words(meta["verdict"]) == ["0 has 1 metric; there is no other system to compare it with."]


def words(sentences: Any) -> list[str]:
    return [
        "".join(part["text"] if "text" in part else str(part["system"]) for part in sentence)
        for sentence in sentences
    ]


def test_agreement_turns_scores_and_leaves_out_what_is_unknown() -> None:
    columns = np.array(
        [[[1, 2, 3, 4]], [[4, 3, 2, 1]], [[1, 2, 3, 4]], [[5, np.nan, 1, 7]], [[np.nan] * 4]],
        dtype=np.float32,
    )
    outputs = [{"column": number, "up": number != 1} for number in range(5)] + [{"column": None, "up": True}]
    found = agreement(outputs, columns)
    assert (found["ids"], found["same"]) == ([0, 1, 3, 4], {"2": 0})
    assert found["spearman"][0][1] == 1
    assert found["spearman"][0][2] == 0.5
    assert found["kendall"][0][2] == 0.333
    assert found["pearson"][0][3] is None
    assert sorted(found["order"]) == [0, 1, 2, 3]
    assert len(found["tree"]) == 3
    assert agreement(outputs[:1], columns)["order"] == [0]
    assert agreement([], columns)["ids"] == []


def test_chosen_segments_are_those_that_tell_most() -> None:
    draw = np.random.default_rng(1)
    columns = draw.normal(0.5, 0.01, (2, 2, 100)).astype(np.float32)
    columns[:, 0, 40], columns[:, 1, 40] = 9, -9
    columns[:, :, 50] = 5
    columns[:, :, 60] = -5
    columns[0, 0, 70], columns[1, 0, 70] = 4, -4
    columns[0, :, 80] = np.nan
    outputs = [{"column": 0, "up": True, "people": False}, {"column": 1, "up": True, "people": False}]
    found = chosen(outputs, columns, 10, 1)
    assert len(found) == 10
    assert found == sorted(set(found))
    assert {40, 50, 60, 70} <= set(found)
    assert chosen(outputs, columns, 10, 1) == found
    assert chosen(outputs, columns, 0, 1) == []
    assert chosen(outputs, columns, 100, 1) == list(range(100))
    assert len(chosen([], columns, 7, 1)) == 7


def texts(parts: dict[str, bytes]) -> list[str]:
    """The texts as the page cuts them: by their lengths in units of UTF-16."""
    whole = "".join(
        gzip.decompress(parts[f"text{n}"]).decode()
        for n in range(sum(name.startswith("text") for name in parts))
    ).encode("utf-16-le")
    ends = np.cumsum(numbers(parts["lengths"], np.uint32)).tolist()
    return [
        whole[2 * start : 2 * end].decode("utf-16-le") for start, end in zip([0, *ends], ends, strict=False)
    ]


def test_texts_come_back(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (1 << 20, 10):
        monkeypatch.setattr("nlgauge.show.page_data.parts._BLOCK", size)
        parts = dict(text_parts(result.corpus, result.systems))
        assert ("text1" in parts) == (size == 10)
        found = texts(parts)
        predictions = numbers(parts["predictions"], np.uint32).reshape(2, 6)
        assert {
            system: [found[text] for text in row]
            for system, row in zip(result.systems, predictions, strict=True)
        } == _PREDICTIONS
        assert [found[text] for text in numbers(parts["sources"], np.uint32)] == _REFERENCES
        offsets = numbers(parts["reference_offsets"], np.uint32)
        references = numbers(parts["references"], np.uint32)
        assert [found[text] for text in references[offsets[2] : offsets[3]]] == [
            "\ufeffhello 𝒘orld",
            "\ufeffhe",
        ]


def test_texts_of_chosen_segments_alone(result: Result) -> None:
    found = texts(dict(text_parts(result.corpus, result.systems, [1])))
    assert {text for text in found if text} == {"a dog barks 🐕 at night", "a d", "a dog barks", "dogs 🐕"}


def test_scores_and_ids_come_back(result: Result, view: PageData) -> None:
    parts = dict(score_parts(view, ["a\x1b", 2, "\u202ex"]))
    np.testing.assert_array_equal(numbers(parts["scores"], np.float32), view.columns.ravel())
    assert json.loads(gzip.decompress(parts["ids"])) == ["a\\x1b", "2", "\\u202ex"]
    assert array_part(view.columns) == parts["scores"]


def test_fields_that_one_can_filter_by(result: Result) -> None:
    described: list[dict[str, Any]] = []
    parts = dict(field_parts(result.corpus, described))
    assert described == [{"name": "kind", "values": ["a", "b"]}]
    assert numbers(parts["field0"], np.uint32).tolist() == [0, 0, 1, 1, 0, 1]


def test_explanations_are_rounded_and_keep_what_is_not_a_number(result: Result) -> None:
    (one,) = result.explain(["bleu"], [0], ["A"])["bleu", "A", 0]
    odd = replace(one, statistics={"x": np.array([1 / 3, math.nan])})
    found = json.loads(gzip.decompress(explanation_part({4: {"bleu\x1b": {"A": [odd]}}})))
    document = found["4"]["bleu\\x1b"]["A"][0]
    assert (document["kind"], document["tokens"], document["statistics"]) == (
        "NgramMatches",
        one.tokens,
        {"x": [0.3333, "nan"]},
    )
