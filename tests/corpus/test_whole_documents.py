"""Whole documents: what is joined in which order, and what cannot be joined."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import nlgauge
from nlgauge import Corpus
from nlgauge.cli.commands import app
from nlgauge.errors import InputError

PREDICTIONS = {"A": ["a b", "c d", "e f"], "B": ["a x", "c d", "e y"]}
REFERENCES = [["a b", "1"], ["c", "2"], ["e f", "3"]]


def read(**more):
    return Corpus.read(PREDICTIONS, REFERENCES, ["s1", "s2", "s3"], **{"documents": ["n", "m", "n"], **more})


def test_texts_are_joined_in_order():
    news, other = read().by_document(" ").records()
    assert news == {
        "id": "n",
        "source": "s1 s3",
        "references": ["a b e f", "1 3"],
        "predictions": {"A": ["a b e f"], "B": ["a x e y"]},
    }
    assert (other["id"], other["predictions"]["A"], other["references"]) == ("m", ["c d"], ["c", "2"])
    assert read().by_document().records()[0]["source"] == "s1\ns3"


def test_scores_are_those_of_the_joined_texts():
    result = nlgauge.score(read().by_document(" "), metrics="bleu(effective_order=True)")
    joined = nlgauge.score(
        {"A": ["a b e f", "c d"], "B": ["a x e y", "c d"]},
        [["a b e f", "1 3"], ["c", "2"]],
        metrics="bleu(effective_order=True)",
    )
    assert {system: result[system] for system in "AB"} == {system: joined[system] for system in "AB"}


def test_numbers_are_averaged_and_varying_fields_left_out_with_a_warning():
    fields = {"human": [1, 5, 4], "domain": ["news", "talk", "news"], "note": ["x", "y", "z"]}
    with pytest.warns(UserWarning, match="note cannot be joined"):
        corpus = read(fields=fields).by_document()
    assert dict(corpus.fields) == {"human": (2.5, 5), "domain": ("news", "talk")}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"documents": None}, "no documents to join"),
        ({"weights": [1, 2, 3]}, "have weights"),
    ],
)
def test_what_cannot_be_joined_is_refused(more, problem):
    with pytest.raises(InputError, match=problem):
        read(**more).by_document()


def test_unequal_numbers_of_references_are_refused():
    corpus = Corpus.read(["a", "b"], [["a"], ["b", "c"]], ids=["p", "q"], documents=["1", "1"])
    with pytest.raises(InputError, match="segment 'q' has 2, but segment 'p' of the same document has 1"):
        corpus.by_document()


def test_a_corpus_is_complete():
    with pytest.raises(InputError, match="omit lang"):
        nlgauge.score(read(), metrics="chrf", lang="de")
    with pytest.raises(InputError, match="omit references"):
        nlgauge.score(read(), REFERENCES, metrics="chrf")


def test_the_command_scores_documents(tmp_path):
    rows = [
        {"id": i, "doc_id": document, "prediction": text, "reference": reference}
        for i, (document, text, reference) in enumerate(
            [("1", "the cat", "the cat"), ("1", "sat down", "sat up"), ("2", "a dog", "a dog")]
        )
    ]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    words = ["score", str(path), "-m", "wer", "--whole-documents", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["segments"] == 2
    refused = CliRunner().invoke(app, [*words, "--stream", "-o", str(tmp_path / "out")])
    assert refused.exit_code == 2
    assert "--whole-documents cannot be combined with --stream" in refused.stderr
