"""Metrics with names: "polite=yes_no(...)" has the label polite everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_cases import document, enter, printed, refused, run

import nlgauge
from nlgauge.cli.words import separated
from nlgauge.engine.prepare import labeled, split_name
from nlgauge.errors import ParameterError, UnknownMetricError

PLUS = "plus=chrf(word_order=2)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bleu", ("", "bleu")),
        ("a=bleu", ("a", "bleu")),
        (" a-1 = bleu ", ("a-1", "bleu")),
        ("höflich=yes_no(question='a=b')", ("höflich", "yes_no(question='a=b')")),
        ("yes_no(question='a=b')", ("", "yes_no(question='a=b')")),
    ],
)
def test_a_name_precedes_the_first_equals_sign_outside_brackets(text, expected):
    assert split_name(text) == expected


@pytest.mark.parametrize(
    "text", ["=bleu", "a.b=bleu", "a b=bleu", "-a=bleu", "a/b=bleu", "a=", "a=b=bleu", "a=(x=1)"]
)
def test_bad_names_are_refused(text):
    with pytest.raises((ParameterError, UnknownMetricError)):
        labeled([text])


def test_the_same_name_twice_is_refused_with_the_way_out():
    with pytest.raises(ParameterError, match=r"two metrics have the label 'a'.*'NAME=chrf'") as caught:
        labeled(["a=bleu", "a=chrf"])
    assert "-m NAME=chrf" in caught.value.for_cli()


def test_one_metric_may_have_two_names():
    assert list(labeled(["a=bleu", "b=bleu", "bleu"])) == ["a", "b", "bleu"]


def test_scores_are_under_the_name_and_a_saved_result_restores_it():
    result = nlgauge.score(["the cat"], ["the cats"], metrics=[PLUS, "chrf"], output="out")
    assert list(result) == ["plus", "chrf"]
    again = nlgauge.load("out")
    assert list(again) == ["plus", "chrf"]
    assert again["plus"] == result["plus"] != result["chrf"]
    assert again["chrf(word_order=2)"] == result["plus"]
    assert list(again.add("words=wer")) == ["plus", "chrf", "words"]


def test_reward_and_mbr_take_names():
    assert nlgauge.reward(PLUS)(["a cat"], ["a cat"]) == nlgauge.reward("chrf(word_order=2)")(
        ["a cat"], ["a cat"]
    )
    assert nlgauge.mbr([["a cat", "a cat", "dog"]], metric="u=chrf")[0].text == "a cat"


def test_commands_take_names():
    table = printed(
        "score", "-m", PLUS, "bleu", "words=wer", "-r", "refs.txt", "A=sysA.txt", "sysB.txt", "-o", "out"
    )
    assert "plus" in table and "words" in table
    scores = document("show", "out")["systems"]
    assert list(scores) == ["A", "sysB"]
    assert list(scores["A"]) == ["plus", "bleu", "words"]
    assert list(document("add", "out", "-m", "exact=exact_match")["systems"]["A"]) == [
        "plus",
        "bleu",
        "words",
        "exact",
    ]
    assert "chrf(word_order=2)" in printed("explain", "out", "-m", "plus", "--segment", "0", "--system", "A")
    assert run("check", "out", "--fail-under", "plus=1").exit_code == 0


def test_options_of_sacrebleu_retain_names():
    words = ["score", "-m", "low=bleu", "-lc", "-r", "refs.txt", "sysA.txt"]
    report = document(*words)
    assert list(report["systems"]["sysA"]) == ["low"]
    assert "case:lc" in report["signatures"]["low"]


def test_imported_scores_and_named_metrics_go_together(tmp_path):
    (tmp_path / "runs.jsonl").write_text(
        "".join(f'{{"id": {i}, "prediction": "a b", "reference": "a", "good": {i % 2}}}\n' for i in range(4)),
        "utf-8",
    )
    words = ["score", "runs.jsonl", "--scores", "good:higher:0..1", "-m", "words=wer"]
    (system,) = document(*words)["systems"].values()
    assert list(system) == ["good", "words"]


def test_a_word_that_may_be_a_file_is_refused(tmp_path):
    (tmp_path / "bleu").write_text("x\n\n\n", "utf-8")
    message = refused("score", "-m", "wer", "A=bleu", "-r", "refs.txt", "sysA.txt")
    assert "'A=bleu' is both a metric and a file" in message and "A=./bleu" in message


def test_texts_in_quotes_stay_unchanged():
    word = "a=yes_no(question='Is it  (very) good = so?') wer"
    assert separated(word) == ["a=yes_no(question='Is it  (very) good = so?')", "wer"]


def test_meta_uses_saved_names_again(tmp_path):
    lines = [
        f'{{"id": {i}, "system": "{s}", "prediction": "a b {i}", "reference": "a {s}", "human": {i % 3}}}\n'
        for i in range(6)
        for s in "xyz"
    ]
    (tmp_path / "judged.jsonl").write_text("".join(lines), "utf-8")
    words = ["meta", "judged.jsonl", "--human", "human", "-o", "study"]
    first = printed(*words, "-m", "bleu=bleu(max_order=2)", "words=wer")
    assert printed(*words) == first


def test_a_comparison_and_a_gate_use_the_name():
    texts = [f"page {number} of the book" for number in range(12)]
    result = nlgauge.score(
        {"a": texts, "b": ["x"] * 12}, texts, metrics=["words=wer", "x=rouge(rouge_types=rouge1)"]
    )
    assert [row.name for row in result.compare()] == ["words", "x.rouge1"]
    result.save("out")
    assert "words worsens" in run("check", "out", "--baseline", "a").stdout
