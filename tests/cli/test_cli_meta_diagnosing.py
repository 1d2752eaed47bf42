"""nlgauge meta bias, sentinels, downstream, stress, human-map, agreement --by system: numbers of the functions."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import nlgauge
from nlgauge.cli.commands import app
from nlgauge.meta import agreement, bias, downstream, sentinels, stress
from nlgauge.meta.benchmarks import load
from nlgauge.meta.diagnostics.annotators import pairwise_kendall
from nlgauge.meta.diagnostics.suites import damage_noticed
from nlgauge.meta.papers.tasks import labeled

METRICS = ("-m", "chrf", "wer")


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["meta", *words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def _no_benchmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "none"))


@pytest.fixture(scope="module")
def sample():
    benchmark = load("sample")
    scored = benchmark.score("chrf", "wer", show_progress=False)
    return benchmark, benchmark.judgments(scored), scored[""]


def rows_of(*words: str) -> list[dict]:
    code, out, err = run(*words, "--json")
    assert code == 0, err
    return json.loads(out)["rows"]


def plain(findings) -> list[dict]:
    return [
        {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in findings
    ]


def long_first(texts: list[str]) -> list[bool]:
    """A task of the tests: is the first word long?"""
    return [len(text.split()[0]) > 3 if text else False for text in texts]


def test_bias_is_that_of_the_texts(sample, tmp_path):
    _, judged, result = sample
    expected = bias(judged, result, human="relevance", level="by_system")
    found = rows_of("bias", "sample", *METRICS, "--human", "relevance", "--level", "by_system")
    assert len(found) == len(expected)
    for row, other in zip(found, plain(expected), strict=True):
        assert row == pytest.approx(other)
    # The same from a saved result, whose texts are read again, and from a directory of `nlgauge meta -o`.
    result.save(tmp_path / "out")
    again = rows_of("bias", str(tmp_path / "out"), "--human", "relevance", "--level", "by_system")
    assert [row["metric_covariate"] for row in again] == pytest.approx(
        [row["metric_covariate"] for row in found], nan_ok=True
    )
    study = str(tmp_path / "study")
    assert run("sample", *METRICS, "--human", "relevance", "-o", study, "--resamples", "20")[0] == 0
    assert rows_of("bias", study, "--level", "by_system") == found


def test_sentinels_of_every_dimension(sample):
    _, judged, result = sample
    found = rows_of("sentinels", "sample", *METRICS, "--level", "global", "-c", "kendall")
    expected = [
        row
        for name in judged.humans
        for row in sentinels(judged, result, human=name, level="global", coefficient="kendall")
    ]
    assert [(row["human"], row["sentinel"]) for row in found] == [
        (row["human"], row["sentinel"]) for row in expected
    ]
    assert [row["value"] for row in found] == [row["value"] for row in plain(expected)]
    _, out, _ = run(
        "sentinels", "sample", *METRICS, "--human", "fluency", "--level", "input", "-c", "kendall"
    )
    assert "constant" in out
    assert out.splitlines()[0] == "fluency, input, kendall"


def test_downstream_correlates_with_the_share_of_equal_labels(sample):
    _, judged, result = sample
    task = f"{__name__}:long_first"
    words = ("--task", task, "--partial", "words", "-c", "spearman", "--resamples", "40")
    found = rows_of("downstream", "sample", *METRICS, *words)
    expected = downstream(
        judged,
        labeled(result, long_first).agreement,
        coefficient="spearman",
        partial="words",
        texts=result,
        resamples=40,
    )
    assert found == [{"task": task, **row, "group": None} for row in plain(expected)]
    code, out, err = run("downstream", "sample", *METRICS, *words)
    assert code == 0
    assert f"{task}: labels of the sources: False 62%, True 38%" in err
    assert task in out.splitlines()[0]


def test_what_downstream_needs():
    assert "--task is missing" in run("downstream", "sample")[2]
    assert (
        "words" in run("downstream", "sample", "--task", f"{__name__}:long_first", "--partial", "length")[2]
    )
    code, _, err = run("downstream", "sample", "--task", "sentimant")
    assert code == 2
    assert "did you mean 'sentiment'" in err


def test_stress_of_the_best_system_of_a_benchmark_and_of_a_file(sample, tmp_path):
    benchmark, judged, _ = sample
    best = judged.systems[int(np.nanargmax(np.nanmean(judged.humans[benchmark.dimensions[0]], axis=1)))]
    rows = [row for row in benchmark.rows if row.system == best]
    expected = stress(
        ["chrf"],
        [row.prediction for row in rows],
        [list(row.references) for row in rows],
        [row.source for row in rows],
        ["negation"],
    )
    words = ("-m", "chrf", "--perturbation", "negation")
    assert rows_of("stress", "sample", *words) == plain(expected)
    file = tmp_path / "texts.jsonl"
    records = [
        {
            "id": row.segment,
            "system": row.system,
            "prediction": row.prediction,
            "references": list(row.references),
        }
        for row in benchmark.rows
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    found = rows_of("stress", str(file), *words, "--systems", best)
    assert found[0]["detected"] == expected[0]["detected"]
    assert rows_of("stress", str(file), *words, "--sample", "3")[0]["n"] <= 3
    for data in ("sample", str(file)):
        code, _, err = run("stress", data, *words, "--systems", "nobody")
        assert code == 2
        assert "nobody" in err
    assert run("stress", str(file), *words, "--where", "id = x")[0] == 2
    other = next(system for system in benchmark.systems if system != best)
    assert rows_of("stress", "sample", *words, "--without", best)
    assert other in run("stress", "sample", *words, "--systems", other)[2]


def test_stress_of_a_suite_has_severities_and_kinds_and_needs_no_data(tmp_path):
    found = rows_of("stress", "--suite", "own", "-m", "f1")
    assert found == plain(damage_noticed("f1", "own"))
    assert [row["severity"] for row in found[:3]] == ["critical", "major", "minor"]
    for words in (("sample", "--suite", "own"), ("--suite", "own", "--perturbation", "negation"), ()):
        assert run("stress", *words, "-m", "f1")[0] == 2
    code, _, err = run("stress", "--suite", "owm", "-m", "f1")
    assert code == 2
    assert "did you mean 'own'" in err


def test_the_human_map_of_a_study(sample, tmp_path):
    _, judged, _ = sample
    place = str(tmp_path / "study")
    assert run("sample", *METRICS, "-o", place, "--resamples", "20")[0] == 0
    words = ("--level", "global", "-c", "pearson", "--resamples", "30")
    found = rows_of("human-map", place, *words, "-m", "chrf")
    expected = judged.correlate(level="global", coefficient="pearson", metrics="chrf", resamples=30)
    assert [row["value"] for row in found] == pytest.approx(expected.column("value"))
    assert {row["human"] for row in found} == set(judged.humans)


@pytest.fixture
def ratings(tmp_path):
    rng = np.random.default_rng(0)
    records = [
        {
            "id": str(n),
            "system": system,
            "prediction": f"text {n}",
            "good": rng.integers(1, 6, 3).tolist(),
            "clear": rng.integers(1, 4, 3).tolist(),
        }
        for system in "ab"
        for n in range(12)
    ]
    path = tmp_path / "ratings.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    values = {
        name: np.array([record[name] for record in records], dtype=float).reshape(2, 12, 3)
        for name in ("good", "clear")
    }
    return path, values


def test_agreement_by_system(ratings):
    path, values = ratings
    found = rows_of("agreement", str(path), "--human", "good,clear", "--by", "system", "--resamples", "20")
    taus = {
        (row["system"], row["dimension"]): row["value"] for row in found if row["coefficient"] == "kendall"
    }
    for place, system in enumerate("ab"):
        own = [pairwise_kendall(values[name][place]) for name in ("good", "clear")]
        assert taus[system, "good"] == pytest.approx(own[0])
        assert taus[system, "mean"] == pytest.approx(np.mean(own))
    whole = rows_of("agreement", str(path), "--human", "good", "--resamples", "20")
    expected = agreement({"good": values["good"]}, "interval", resamples=20)
    assert [row["value"] for row in whole] == pytest.approx(expected.column("value"))
    assert [row["low"] for row in whole] == pytest.approx(expected.column("low"))
    assert "system" in run("agreement", str(path), "--human", "good", "--by", "rater")[2]


def test_figures_and_formats(sample, ratings, tmp_path):
    pytest.importorskip("matplotlib")
    _, _, result = sample
    result.save(tmp_path / "out")
    calls = {
        "bias": ("sample", *METRICS, "--human", "relevance"),
        "sentinels": ("sample", *METRICS, "--human", "relevance", "-c", "kendall"),
        "downstream": ("sample", *METRICS, "--task", f"{__name__}:long_first", "--resamples", "20"),
        "stress": ("sample", "-m", "chrf", "--perturbation", "negation"),
        "human-map": (str(tmp_path / "out"), "--human", "relevance", "--resamples", "20"),
        "agreement": (str(ratings[0]), "--human", "good", "--resamples", "20", "--by", "system"),
    }
    for name, words in calls.items():
        path = tmp_path / f"{name}.svg"
        code, out, err = run(name, *words, "--plot", str(path), "--format", "csv", "-q")
        assert code == 0, err
        assert path.read_text().lstrip().startswith("<?xml")
        assert len(list(csv.DictReader(io.StringIO(out)))) > 0
        assert run(name, *words, "--plot", "map.doc")[0] == 2
    assert nlgauge.load(tmp_path / "out").labels == ("chrf", "wer")
