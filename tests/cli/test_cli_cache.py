"""nlgauge cache, and --no-cache of the commands that score."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cli_cases import document, enter, printed, refused, run, write
from judge_cases import choice

from nlgauge.engine.cache.maintenance import contents
from nlgauge.judges import cache as replies
from nlgauge.judges.cache import Cache

pytestmark = pytest.mark.filterwarnings("ignore:.*of the words have no vector")


@pytest.fixture
def metric(statistics_file: Path, tiny_models: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A costly metric, in a folder with the files of a small task."""
    enter(tmp_path, monkeypatch)
    return f"embedding_average(vectors={str(tiny_models['vectors'])!r})"


def rows(file: Path) -> int:
    return sum(contents(file).rows.values())


@pytest.fixture
def replies_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with two replies of a judge."""
    file = tmp_path / "replies" / "some.sqlite"
    monkeypatch.setenv("NLGAUGE_JUDGE_CACHE", str(file))
    with closing(Cache(file)) as cache:
        cache.put({name: {"choice": choice("4")} for name in ("a", "b")})
    return file


def test_info_clear_and_verify(
    metric: str, statistics_file: Path, replies_file: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", "1MB")
    info = document("cache", "info", "--json")
    assert info["statistics"] == {"file": str(statistics_file), "bytes": 0, "limit": 1_000_000, "rows": {}}
    assert info["replies"].pop("bytes") >= 4096
    assert info["replies"] == {"file": str(replies_file), "replies": 2}
    printed("score", "-m", metric, "-r", "refs.txt", "sysA.txt")
    statistics = document("cache", "info", "--json")["statistics"]
    assert statistics["rows"] == {"embedding_average": 3} and 0 < statistics["bytes"] < 1_000_000
    shown = run("cache", "info")
    assert shown.exit_code == 0 and shown.stdout.split() == [
        "metric",
        "rows",
        "─" * len(shown.stdout.split()[2]),
        "embedding_average",
        "3",
    ]
    assert f"3 rows in {statistics_file}; " in shown.stderr and "bytes of at most 1,000,000" in shown.stderr
    assert f"judge replies: 2 in {replies_file}; " in shown.stderr
    assert run("cache", "verify").stderr.splitlines() == [
        "statistics: 3 checked, none damaged",
        "judge replies: 2 checked, none damaged",
    ]
    assert "no rows of 'wmd'" in refused("cache", "clear", "--metric", "wmd", code=1)
    assert "3 rows were deleted" in run("cache", "clear", "--metric", "embedding_average").stderr
    assert "0 rows were deleted; judge replies are unchanged" in run("cache", "clear").stderr
    assert document("cache", "info", "--json")["replies"]["replies"] == 2


def test_replies_are_cleared_only_if_that_is_asked_for_and_confirmed(
    metric: str, statistics_file: Path, replies_file: Path
):
    printed("score", "-m", metric, "-r", "refs.txt", "sysA.txt")
    assert "--metric cannot be combined with --replies" in refused("cache", "clear", "--replies", "-m", "wmd")
    asked = run("cache", "clear", "--replies", stdin="n\n")
    assert asked.exit_code == 1 and f"Delete 2 judge replies from {replies_file}?" in asked.stderr
    assert replies.count(replies_file) == 2 and "nothing was deleted" in asked.stderr
    assert "2 replies were deleted" in run("cache", "clear", "--replies", "--yes").stderr
    assert replies.count(replies_file) == 0 and rows(statistics_file) == 3
    assert "0 replies were deleted" in run("cache", "clear", "--replies").stderr


def test_verify_ends_with_1_if_something_is_damaged(metric: str, statistics_file: Path, replies_file: Path):
    printed("score", "-m", metric, "-r", "refs.txt", "sysA.txt")
    run("cache", "clear")
    data = statistics_file.read_bytes()
    statistics_file.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    damaged = run("cache", "verify")
    assert damaged.exit_code == 1 and "statistics: damaged: " in damaged.stderr
    assert "moved the file to " in damaged.stderr
    assert not statistics_file.exists() and len(list(statistics_file.parent.glob("*.damaged-*"))) == 1
    assert run("cache", "verify").exit_code == 0


def test_verify_removes_a_damaged_reply_and_saves_the_others(metric: str, replies_file: Path):
    with closing(sqlite3.connect(replies_file)) as connection, connection:
        connection.execute("UPDATE replies SET reply = 'x' WHERE key = 'a'")
    damaged = run("cache", "verify")
    assert damaged.exit_code == 1 and "1 reply" in damaged.stderr
    assert replies.verify(replies_file) == (1, "", None)
    replies_file.write_bytes(replies_file.read_bytes()[:4096] + b"\xff" * 8192)
    damaged = run("cache", "verify")
    assert damaged.exit_code == 1 and "judge replies: damaged: " in damaged.stderr
    assert len(list(replies_file.parent.glob("some.sqlite.damaged-*"))) == 1
    assert run("cache", "verify").exit_code == 0


def test_if_there_are_no_statistics(metric: str, replies_file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", "off")
    assert "NLGAUGE_STATISTICS_CACHE is off" in refused("cache", "clear")
    assert document("cache", "info", "--json")["statistics"]["file"] is None
    for command in ("info", "verify"):
        shown = run("cache", command)
        assert shown.exit_code == 0 and "NLGAUGE_STATISTICS_CACHE is off" in shown.stderr
        assert "judge replies: 2 " in shown.stderr


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
    monkeypatch.setattr("nlgauge.cli.commands.demo.METRICS", (metric,))
    printed("demo", "--no-cache")
    assert not statistics_file.exists()
    printed("demo", "--overwrite")
    assert rows(statistics_file)


def test_the_seconds_of_what_came_from_the_cache_are_not_known(metric: str):
    study = ["meta", "sample", "--human", "relevance", "-m", metric]
    printed(*study)
    printed(*study, "chrf", "-o", "study")
    cost = run("meta", "cost", "study", "--json")
    assert cost.exit_code == 0 and "cache" in " ".join(json.loads(cost.stdout)["notes"])
    rows_shown = json.loads(cost.stdout)["rows"]
    assert [(row["metric"].partition("(")[0], row["seconds_per_1000"] is None) for row in rows_shown] == [
        ("chrf", False),
        ("embedding_average", True),
    ]
    printed(*study, "chrf", "-o", "timed", "--no-cache")
    assert "not known" not in run("meta", "cost", "timed").stderr
