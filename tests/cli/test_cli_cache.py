"""nlgauge cache, and --no-cache of the commands that score."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_cases import document, enter, printed, refused, run, write

from nlgauge.engine.cache.maintenance import contents

pytestmark = pytest.mark.filterwarnings("ignore:.*of the words have no vector")


@pytest.fixture
def metric(statistics_file: Path, tiny_models: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A costly metric, in a folder with the files of a small task."""
    enter(tmp_path, monkeypatch)
    return f"embedding_average(vectors={str(tiny_models['vectors'])!r})"


def rows(file: Path) -> int:
    return sum(contents(file).rows.values())


def test_info_clear_and_verify(metric: str, statistics_file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", "1MB")
    assert document("cache", "info", "--json") == {
        "file": str(statistics_file),
        "bytes": 0,
        "limit": 1_000_000,
        "rows": {},
    }
    printed("score", "-m", metric, "-r", "refs.txt", "sysA.txt")
    size = document("cache", "info", "--json")["bytes"]
    assert document("cache", "info", "--json")["rows"] == {"embedding_average": 3} and 0 < size < 1_000_000
    shown = run("cache", "info")
    assert shown.exit_code == 0 and shown.stdout.split() == [
        "metric",
        "rows",
        "─" * len(shown.stdout.split()[2]),
        "embedding_average",
        "3",
    ]
    assert f"3 rows in {statistics_file}; " in shown.stderr and "bytes of at most 1,000,000" in shown.stderr
    assert "3 rows, and nothing is damaged" in run("cache", "verify").stderr
    assert "no rows of 'wmd'" in refused("cache", "clear", "--metric", "wmd", code=1)
    assert "3 rows were dropped" in run("cache", "clear", "--metric", "embedding_average").stderr
    assert "0 rows were dropped" in run("cache", "clear").stderr


def test_verify_ends_with_1_where_something_is_damaged(metric: str, statistics_file: Path):
    printed("score", "-m", metric, "-r", "refs.txt", "sysA.txt")
    run("cache", "clear")
    data = statistics_file.read_bytes()
    statistics_file.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    found = run("cache", "verify")
    assert found.exit_code == 1 and "damaged: " in found.stderr and "the file is now " in found.stderr
    assert not statistics_file.exists() and len(list(statistics_file.parent.glob("*.damaged-*"))) == 1
    assert run("cache", "verify").exit_code == 0


def test_where_there_is_none(metric: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", "off")
    for command in ("info", "clear", "verify"):
        assert "NLGAUGE_STATISTICS_CACHE is off" in refused("cache", command)


def test_no_cache(metric: str, statistics_file: Path, monkeypatch: pytest.MonkeyPatch):
    write(
        "config.json",
        json.dumps(
            {"metrics": [{"path": "embedding_average", "compute_kwargs": {"vectors": metric.split("'")[1]}}]}
        ),
    )
    printed("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "-o", "out")
    commands = {
        "score": ["score", "-m", metric, "-r", "refs.txt", "sysA.txt"],
        "add": ["add", "out", "-m", metric, "-o", "more", "--overwrite"],
        "meta": ["meta", "sample", "--human", "relevance", "-m", metric, "--sample", "4"],
        "eval": ["eval", "--predictions", "sysA.txt", "--references", "refs.txt", "--config", "config.json"],
    }
    for name, command in commands.items():
        printed(*command, "--no-cache")
        assert not statistics_file.exists(), name
        monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", str(statistics_file))
        printed(*command)
        assert rows(statistics_file), name
        run("cache", "clear")
        statistics_file.unlink()


def test_the_demo_may_do_without(metric: str, statistics_file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules["nlgauge.cli.commands.demo"], "METRICS", (metric,))
    printed("demo", "--no-cache")
    assert not statistics_file.exists()
    printed("demo", "--overwrite")
    assert rows(statistics_file)


def test_the_seconds_of_what_came_from_the_cache_are_not_known(metric: str):
    study = ["meta", "sample", "--human", "relevance", "-m", metric]
    printed(*study)
    printed(*study, "chrf", "-o", "study")
    cost = run("meta", "cost", "study", "--json")
    assert cost.exit_code == 0 and "--no-cache" in " ".join(json.loads(cost.stdout)["notes"])
    rows_shown = json.loads(cost.stdout)["rows"]
    assert [(row["metric"].partition("(")[0], row["seconds_per_1000"] is None) for row in rows_shown] == [
        ("chrf", False),
        ("embedding_average", True),
    ]
    printed(*study, "chrf", "-o", "timed", "--no-cache")
    assert "not known" not in run("meta", "cost", "timed").stderr
