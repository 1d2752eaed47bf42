"""Kept scores: what is written is read again bit by bit, and files of others are refused."""

from __future__ import annotations

import lzma
from pathlib import Path

import msgspec
import pytest

from nlgauge.errors import InputError, ResultError
from nlgauge.meta.benchmarks import (
    Benchmark,
    MetricScores,
    fingerprint,
    kept,
    load,
    read_scores,
    write_scores,
)


@pytest.fixture
def sample() -> Benchmark:
    return load("sample")


def scores_of(benchmark: Benchmark, label: str = "chrf", **others: object) -> MetricScores:
    values = [number / 7 for number in range(len(benchmark.rows))]
    made = MetricScores(
        label=label,
        benchmark=benchmark.name,
        fingerprint=fingerprint(benchmark),
        signatures={"": "chrF2|#:1"},
        higher_is_better={label: True, "other": None},
        segments={label: [None, *values[1:]], "other": values},
        systems={label: {"": {"lead": 0.1 + 0.2, "none": None}}},
        seconds=0.5,
        version="0.1.0",
    )
    return msgspec.structs.replace(made, **others)


def packed(path: Path, *lines: bytes) -> Path:
    path.write_bytes(lzma.compress(b"\n".join(lines)))
    return path


def test_scores_are_the_same_bits_after_writing(sample: Benchmark, tmp_path: Path) -> None:
    both = [scores_of(sample, "ter"), scores_of(sample)]
    path = write_scores(tmp_path / "new" / "sample.jsonl.xz", both)
    found = read_scores(path, sample)
    assert list(found) == ["chrf", "ter"] and found["ter"] == both[0] and found["chrf"].main == "chrf"
    again = write_scores(tmp_path / "again.jsonl.xz", reversed(both))
    assert again.read_bytes() == path.read_bytes()


def test_scores_of_other_texts_are_refused(sample: Benchmark, tmp_path: Path) -> None:
    path = write_scores(tmp_path / "sample.jsonl.xz", [scores_of(sample)])
    with pytest.raises(InputError, match=r"chrf.*sample"):
        read_scores(path, sample.sample(5))
    short = scores_of(sample, segments={"chrf": [1.0]})
    with pytest.raises(InputError, match="other texts"):
        read_scores(write_scores(tmp_path / "short.jsonl.xz", [short]), sample)
    with pytest.raises(InputError, match=r"gone\.jsonl\.xz"):
        read_scores(tmp_path / "gone.jsonl.xz")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 1}, "format 1"),
        ({"label": ""}, "label"),
        ({"label": "x" * 401}, "label"),
        ({"label": "a\x1b[2J"}, "label"),
        ({"higher_is_better": {}}, "no output"),
        ({"segments": {"unnamed": [1.0]}}, "unnamed"),
        ({"systems": {"unnamed": {}}}, "unnamed"),
        ({"segments": {"chrf": [1.0], "other": [1.0, 2.0]}}, "numbers of rows"),
        ({"seconds": -1.0}, "seconds"),
    ],
)
def test_scores_that_contradict_themselves_are_refused(
    change: dict[str, object], reason: str, sample: Benchmark, tmp_path: Path
) -> None:
    path = write_scores(tmp_path / "sample.jsonl.xz", [scores_of(sample, **change)])
    with pytest.raises(ResultError, match=reason):
        read_scores(path)


def test_hostile_files_are_refused(
    sample: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, path = msgspec.json.encode(scores_of(sample)), tmp_path / "bad.jsonl.xz"
    lines = {
        "has two lines": [good, good],
        "different texts": [good, msgspec.json.encode(scores_of(sample, "ter", fingerprint="0" * 16))],
        "line 1": [b"{}"],
        "line 2": [good, b"\x80\x04."],
        "unknown field": [good[:-1] + b',"__class__":"os.system"}'],
        "out of range": [good.replace(b'"seconds":0.5', b'"seconds":1e999')],
        "Number out of range": [good.replace(b'"chrf":[null', b'"chrf":[-1e999')],
        "malformed": [good.replace(b'"chrf":[null', b'"chrf":[NaN')],
    }
    for reason, each in lines.items():
        with pytest.raises(ResultError, match=reason):
            read_scores(packed(path, *each))
    whole = packed(path, good).read_bytes()
    for content in (b"", good, whole[:-9], whole + whole, whole[:40] + b"\xff" + whole[41:]):
        path.write_bytes(content)
        with pytest.raises(ResultError, match="not a file of kept scores"):
            read_scores(path)
    monkeypatch.setattr(kept, "MOST_BYTES", len(good) - 1)
    path.write_bytes(whole)
    with pytest.raises(ResultError, match="larger"):
        read_scores(path)
