"""NAME@source equals a call whose references are the sources: scores, segments, intervals, files, explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from cache_cases import cached
from cli_cases import run, write

import nlgauge
from nlgauge.engine.executors.processes import Processes
from nlgauge.errors import ParameterError
from nlgauge.meta.benchmarks import load

PREDICTIONS = {
    "A": ["the cat sat on the mat", "a dog barked", "rain fell in march"],
    "B": ["the mat sat", "dogs bark at night and day", "it rained"],
}
SOURCES = ["the cat sat on a mat at home", "the dog barked all night", "rain fell all of march"]
OTHERS = [["a wholly other text", "and another"]] * 3
METRICS = ["rouge", "chrf(word_order=2)", "bleu", "cider", "nist", "ter", "rouge.rouge1", "squad"]


def same(found: Any, expected: Any) -> None:
    assert list(found.values()) == list(expected.values())


@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_sources_as_references(metric: str):
    named = nlgauge.score(PREDICTIONS, OTHERS, SOURCES, metrics=f"{metric}@source")
    given = nlgauge.score(PREDICTIONS, SOURCES, metrics=metric)
    (label,), (other,) = named.labels, given.labels
    assert label == f"{other}@source"
    for system in PREDICTIONS:
        assert named[system][label] == given[system][other]
        assert (
            named._tables[system, label].segments().keys() == given._tables[system, other].segments().keys()
        )
        same(
            {name: values.tolist() for name, values in named._tables[system, label].segments().items()},
            {name: values.tolist() for name, values in given._tables[system, other].segments().items()},
        )
    assert "references:source|" in named.signatures[label]
    assert named.signatures[label].replace("references:source|", "") == given.signatures[other]


def test_both_are_different_metrics_of_one_result(tmp_path: Path):
    metrics = ["chrf(word_order=2)", "chrf(word_order=2)@source", "short=chrf@source"]
    result = nlgauge.score(PREDICTIONS, OTHERS, SOURCES, metrics=metrics)
    assert list(result.labels) == [*metrics[:2], "short"]
    assert result._label("chrf") == metrics[0]
    assert result._label("chrf(word_order=2)@source") == metrics[1]
    assert "chrf@source" in str(result) and "chrf " in str(result)
    result.save(tmp_path / "saved")
    again = nlgauge.load(tmp_path / "saved")
    assert str(again) == str(result)
    assert again.signatures == result.signatures
    assert again._job.metrics == result._job.metrics
    given = nlgauge.score(PREDICTIONS, SOURCES, metrics="chrf")
    assert result.intervals()["A"]["short"] == given.intervals()["A"]["chrf"]


def test_explanations_are_of_the_source():
    named = nlgauge.score(PREDICTIONS["A"], OTHERS, SOURCES, metrics="chrf@source")
    given = nlgauge.score(PREDICTIONS["A"], SOURCES, metrics="chrf")
    assert str(named.explain("chrf@source", 0)) == str(given.explain("chrf", 0))


def test_processes_and_the_command_line_take_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    alone = nlgauge.score(PREDICTIONS["A"], sources=SOURCES, metrics="chrf@source")
    shared = nlgauge.score(PREDICTIONS["A"], sources=SOURCES, metrics="chrf@source", executor=Processes(1))
    assert alone["chrf@source"] == shared["chrf@source"]
    monkeypatch.chdir(tmp_path)
    write("out.txt", "\n".join(PREDICTIONS["A"]) + "\n")
    write("in.txt", "\n".join(SOURCES) + "\n")
    printed = run("score", "-m", "chrf@source", "out.txt", "-s", "in.txt").output
    assert "chrf@source" in printed and f"{alone['chrf@source']['score']:.2f}" in printed
    write("run.toml", 'metrics = ["chrf@source"]\n[inputs]\nsystems = { a = "out.txt" }\nsource = "in.txt"\n')
    assert f"{alone['chrf@source']['score']:.2f}" in run("run", "run.toml").output


def test_rows_of_a_model_are_cached_apart(tiny_models: Any, statistics_file: Path):
    metric = {
        "path": "bertscore@source",
        "compute_kwargs": {"model": str(tiny_models["encoder"]), "layer": 1},
    }
    plain = {**metric, "path": "bertscore"}
    first = nlgauge.score(PREDICTIONS["A"], SOURCES, SOURCES, metrics=plain)
    assert cached(nlgauge.score(PREDICTIONS["A"], sources=SOURCES, metrics=metric)) == 0
    again = nlgauge.score(PREDICTIONS["A"], sources=SOURCES, metrics=metric)
    assert cached(again) == 3
    same(again[again.labels[0]], first[first.labels[0]])


def test_a_benchmark_scores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = [
        {
            "segment": i,
            "system": system,
            "prediction": texts[i],
            "source": SOURCES[i],
            "human": {"h": 1.0 * i},
        }
        for system, texts in PREDICTIONS.items()
        for i in range(3)
    ]
    (tmp_path / "summeval.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    (scored,) = load("summeval").score("rouge@source", seed=1).values()
    expected = nlgauge.score(PREDICTIONS["B"], SOURCES, metrics="rouge")["rouge"]["score"]
    assert scored["B"]["rouge@source"]["score"] == expected


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("comet@source", "already reads the source"),
        ("shannon@source", "reads none"),
        ("distinct@source", "reads none"),
        ("chrf@source@source", "reads none"),
    ],
)
def test_other_metrics_are_refused(metric: str, reason: str):
    with pytest.raises(ParameterError, match=reason):
        nlgauge.score(PREDICTIONS, SOURCES, SOURCES, metrics=metric)
