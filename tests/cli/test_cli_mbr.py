"""nlgauge mbr: every form of candidates, of output, and of error."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from cli_cases import enter, printed, refused, write
from messages import mentions

import nlgauge
from nlgauge.cli.commands.decide.mbr import _json_lines, _lines

CANDIDATES = [["the cat sat", "a cat sat", "the cat sits"], ["one", "two", "one!"]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    write("samples.txt", "".join(f"{text}\n" for texts in CANDIDATES for text in texts))
    for number in range(3):
        write(f"s{number}.txt", "".join(f"{texts[number]}\n" for texts in CANDIDATES))
    records({"candidates": CANDIDATES[0], "weights": [0, 1, 0]}, {"candidates": CANDIDATES[1]})
    return tmp_path


def records(*rows: object, name: str = "samples.jsonl") -> str:
    return write(name, "".join(f"{json.dumps(row)}\n" for row in rows))


def chosen(**options) -> list[nlgauge.Consensus]:
    return nlgauge.mbr(CANDIDATES, **options)


def test_every_n_lines_are_the_candidates_for_one_input():
    expected = "".join(f"{each.text}\n" for each in chosen())
    assert printed("mbr", "-n", "3", "samples.txt") == expected
    assert printed("mbr", "samples.txt", "--candidates", "3", "-m", "chrf") == expected
    assert printed("mbr", "-n", "3", "-", stdin=Path("samples.txt").read_text()) == expected
    assert printed("mbr", "s0.txt", "s1.txt", "s2.txt") == expected


def test_records_may_have_weights_references_and_sources():
    assert printed("mbr", "samples.jsonl", "-m", "bleu") == "a cat sat\none!\n"
    row = {"candidates": ["a b", "c d"], "references": ["c d", "c e"], "source": "x"}
    records(row, {**row, "references": ["a"]}, name="more.jsonl")
    assert printed("mbr", "more.jsonl") == "c d\na b\n"
    assert printed("mbr", "more.jsonl", "-m", "chrf", "--rerank") == "c d\na b\n"


def test_numbers():
    best = chosen(metric="wer")
    expected = "".join(f"{each.best}\t{each.expected[each.best]:.3f}\t{each.text}\n" for each in best)
    assert printed("mbr", "-n", "3", "samples.txt", "-m", "wer", "--numbers") == expected
    assert expected.startswith("0\t-0.222\tthe cat sat\n")


def test_json_has_all_utilities():
    lines = printed(
        "mbr", "-n", "3", "samples.txt", "-m", "rouge", "--score", "rouge1", "--json"
    ).splitlines()
    for line, each in zip(lines, chosen(metric="rouge", output="rouge1"), strict=True):
        assert json.loads(line) == {
            "best": each.best,
            "text": each.text,
            "expected": list(each.expected),
            "order": list(each.order),
        }


def test_options_of_the_method():
    aggregated = chosen(method="aggregate")
    lines = printed("mbr", "-n", "3", "samples.txt", "--aggregate", "--json").splitlines()
    assert [json.loads(line)["expected"] for line in lines] == [list(each.expected) for each in aggregated]
    write("refs.txt", "a cat sat\ntwo\n")
    assert printed("mbr", "-n", "3", "samples.txt", "-r", "refs.txt") == "a cat sat\ntwo\n"
    assert printed("mbr", "-n", "3", "samples.txt", "-r", "refs.txt", "--rerank") == "a cat sat\ntwo\n"
    write("more.txt", "a cat sat\nthe cat\ntwo\ntwo\n")
    expected = chosen(references=[["a cat sat", "the cat"], ["two", "two"]])
    assert printed("mbr", "-n", "3", "samples.txt", "-r", "more.txt").splitlines() == [
        each.text for each in expected
    ]
    several = ["-r", "refs.txt", "-r", "s2.txt"]
    expected = chosen(references=[["a cat sat", "the cat sits"], ["two", "one!"]])
    assert printed("mbr", "-n", "3", "samples.txt", *several).splitlines() == [each.text for each in expected]
    write("sources.txt", "the cat sits here\none two three\n")
    assert (
        printed("mbr", "-n", "3", "samples.txt", "-m", "js_divergence", "--rerank", "-s", "sources.txt")
        == "the cat sits\none\n"
    )
    assert printed("mbr", "-n", "3", "samples.txt", "-m", "cider", "--fitted-on", "samples.txt")
    assert printed("mbr", "-n", "3", "samples.txt", "--lang", "de", "--threads", "2", "--batch-size", "4")


def test_output_to_a_file():
    expected = printed("mbr", "-n", "3", "samples.txt")
    assert printed("mbr", "-n", "3", "samples.txt", "-o", "best.txt") == ""
    assert Path("best.txt").read_text("utf-8") == expected
    write("umlauts.txt", "Größe\nGrösse\n")
    printed("mbr", "-n", "1", "umlauts.txt", "-o", "best.txt")
    assert Path("best.txt").read_text("utf-8") == "Größe\nGrösse\n"


def test_a_candidate_without_a_utility():
    undefined = nlgauge.Consensus(0, "a", (math.nan,), (0,))
    assert _lines([undefined], numbers=True) == "0\tn/a\ta\n"
    assert json.loads(_json_lines([undefined]))["expected"] == [None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-n 4 samples.txt", "samples.txt has 6 lines ... 4"),
        ("empty.jsonl", "input 3 ... no candidates"),
        ("null.jsonl:a null.jsonl:b", "null.jsonl:b, line 1 is null"),
        (
            "-n 3 samples.txt -m mauve",
            "mauve ... corpus ... segment",
        ),
        (
            "-n 3 samples.txt -m ter --aggregate",
            "ter ... n-grams ... --aggregate",
        ),
        (
            "samples.txt",
            "samples.txt ... -n N",
        ),
        ("-n 2 s0.txt s1.txt", "-n ... one file"),
        (
            "-n 2 samples.jsonl",
            "samples.jsonl ... omit -n",
        ),
        ("s0.txt samples.txt", "samples.txt has 6 lines ... s0.txt has 2"),
        ("nothing.txt nothing.txt -r s0.txt", "nothing.txt is empty"),
        ("-n 1 nothing.txt", "nothing.txt is empty"),
        ("-n 0 samples.txt", "'--candidates' / '-n' ... 1 or more ... got 0"),
        (
            "none.jsonl",
            "none.jsonl ... 'candidates'",
        ),
        ("text.jsonl", "text.jsonl, line 1 ... 'candidates' ... 'a'"),
        ("weights.jsonl", "input 1 ... 2 references ... 1 weight"),
        ("-n 3 samples.txt -r s0.txt -r samples.txt", "samples.txt has 6 lines ... 2 inputs"),
        ("-n 3 samples.txt -r five.txt", "five.txt has 5 lines ... 2 inputs ... multiple of 2"),
        ("-n 3 samples.txt -s five.txt -m comet", "five.txt has 5 lines ... 2 inputs"),
        ("-n 3 samples.txt -m comet", "comet ... sources ... -s"),
        (
            "-n 3 samples.txt --rerank",
            "chrf ... references ... -r ... --rerank",
        ),
        (
            "-n 3 samples.txt -m mattr",
            "mattr ... references ... --rerank",
        ),
        ("-n 3 samples.txt -m cider", "cider ... --fitted-on"),
        (
            "-n 3 samples.txt -m bleu --score length_ratio",
            "length_ratio of bleu ... --score",
        ),
        ("-n 3 samples.txt --aggregate --rerank", "--aggregate ... --rerank"),
        ("-n 3 samples.txt --numbers --json", "--numbers ... --json"),
        ("full.jsonl -r refs.txt", "full.jsonl ... references ... -r"),
        ("full.jsonl -s refs.txt", "full.jsonl ... source ... -s"),
        (
            "-n 3 samples.txt -o missing/best.txt",
            "best.txt ... missing",
        ),
        ("lines.jsonl", "input 1 ... several lines ... --json"),
        ("-n 3 sample.txt", "sample.txt ... 'samples.txt'"),
        ("-n 3 samples.txt -m blue", "unknown metric 'blue'"),
        ("", "missing argument 'FILE...'"),
    ],
)
def test_refusals(arguments, message):
    write("nothing.txt", "")
    write("five.txt", "a\n" * 5)
    records({"candidates": ["a"]}, {"candidates": ["a"]}, {"candidates": []}, name="empty.jsonl")
    records({"texts": ["a"]}, name="none.jsonl")
    records({"candidates": "a"}, name="text.jsonl")
    records({"candidates": ["a", "b"], "weights": [1]}, name="weights.jsonl")
    records({"candidates": ["a"], "references": ["a"], "source": "a"}, name="full.jsonl")
    records({"candidates": ["a\nb"]}, name="lines.jsonl")
    records({"a": "x", "b": None}, name="null.jsonl")
    assert mentions(refused("mbr", *arguments.split()), message)


def test_lines_are_in_json():
    records({"candidates": ["a\nb"]}, name="lines.jsonl")
    assert json.loads(printed("mbr", "lines.jsonl", "--json"))["text"] == "a\nb"
