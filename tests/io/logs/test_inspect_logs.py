"""Inspect logs: archives of all kinds, unfinished runs, files that were cut off, newer versions."""

from __future__ import annotations

import json
import math
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from log_cases import inspect_header, inspect_sample, sample_log, write_archive, write_eval, write_json

from nlgauge.errors import InputError, MissingExtraError
from nlgauge.io.logs import Log, own_score_differences, read_logs, segment_mean


def only(path: str) -> Log:
    [log] = read_logs(path)
    return log


def document(samples: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return {**inspect_header(**changes), "samples": samples}


def test_letters_numbers_and_words_of_inspect(tmp_path: Path):
    values = ["C", "P", "I", "N", 0.25, True, "yes", "no"]
    log = only(write_eval(tmp_path / "a.eval", [inspect_sample(f"q{i}", v) for i, v in enumerate(values)]))
    assert [row.scores["match"] for row in log.rows] == [1, 0.5, 0, 0, 0.25, 1, 1, 0]
    column = log.facts.columns["match"]
    assert (column.low, column.high, column.better) == (0, 1, "higher")
    assert any("C, P, I and N" in note for note in log.facts.notes)


def test_each_key_of_an_object_is_a_score(tmp_path: Path):
    samples = [
        inspect_sample("a", {"words": 14, "polite": "I"}),
        inspect_sample("b", {"words": 3, "polite": "C"}),
    ]
    log = only(write_eval(tmp_path / "a.eval", samples))
    assert [row.scores for row in log.rows] == [
        {"match.words": 14, "match.polite": 0},
        {"match.words": 3, "match.polite": 1},
    ]
    assert log.facts.columns["match.words"].high == math.inf


def test_other_letters_are_levels_without_an_order(tmp_path: Path):
    log = only(write_eval(tmp_path / "a.eval", [inspect_sample("a", "rude"), inspect_sample("b", "polite")]))
    column = log.facts.columns["match"]
    assert (column.kind, column.levels, column.better) == ("levels", ("polite", "rude"), "neither")
    assert [row.scores["match"] for row in log.rows] == ["rude", "polite"]
    mixed = only(write_eval(tmp_path / "b.eval", [inspect_sample("a", "rude"), inspect_sample("b", "C")]))
    assert mixed.rows[0].missing == {"match": "unreadable"}
    assert any("1 value cannot be read" in note for note in mixed.facts.notes)


def test_free_text_is_no_score(tmp_path: Path):
    log = only(write_eval(tmp_path / "a.eval", [inspect_sample(f"q{i}", f"text {i}") for i in range(30)]))
    assert log.facts.columns == {}
    assert any("30 different texts" in note for note in log.facts.notes)


def test_reasons_of_missing_scores(tmp_path: Path):
    samples = [
        inspect_sample("a", 1.0),
        inspect_sample("b", None, scores={}),
        inspect_sample("c", None, scores=None, error={"message": "timeout"}, output={"completion": ""}),
        inspect_sample("d", math.nan),
        inspect_sample("e", math.inf),
    ]
    log = only(write_eval(tmp_path / "a.eval", samples))
    assert [row.missing.get("match") for row in log.rows] == [
        None,
        "unreadable",
        "error",
        "unreadable",
        "unreadable",
    ]
    assert log.rows[2].fields["error"] == "timeout"
    assert log.rows[2].prediction is None  # there is no answer, which is not an empty answer


def test_a_score_of_a_sample_with_an_error_remains(tmp_path: Path):
    sample = inspect_sample("a", 0.0, error={"message": "limit"})
    log = only(write_eval(tmp_path / "a.eval", [sample, inspect_sample("b", 1.0)]))
    assert log.rows[0].scores == {"match": 0}


def test_messages_of_the_user_are_the_source(tmp_path: Path):
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Where?"}, {"type": "image", "image": "data:"}],
        },
    ]
    log = only(write_eval(tmp_path / "a.eval", [inspect_sample("a", 1, input=messages, target=["x", "y"])]))
    assert log.rows[0].source == "Hello\nWhere?\n"
    assert log.rows[0].references == ["x", "y"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_that_are_stored_or_deflated(tmp_path: Path, method: int):
    log = only(write_eval(tmp_path / "a.eval", [inspect_sample("a", "C")], method=method))
    assert [row.scores for row in log.rows] == [{"match": 1}]


def test_zstandard_without_its_extra(monkeypatch: pytest.MonkeyPatch):
    path = sample_log("inspect/*Y4wy*.eval")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r'pip install "nlgauge\[zstd\]"'):
        read_logs(path)


def test_a_run_that_was_killed_has_its_samples(tmp_path: Path):
    members = {
        "_journal/start.json": {"version": 2, "eval": inspect_header()["eval"]},
        "samples/a_epoch_1.json": inspect_sample("a", "C"),
    }
    log = only(write_archive(tmp_path / "a.eval", members))
    assert (log.facts.status, log.facts.system, log.facts.own_scores) == ("started", "m", {})
    assert [row.scores for row in log.rows] == [{"match": 1}]
    assert any("status 'started'" in note for note in log.facts.notes)


def test_an_archive_that_was_cut_off_has_its_complete_samples(tmp_path: Path):
    path = tmp_path / "a.eval"
    write_eval(path, [inspect_sample(f"q{i}", "C") for i in range(5)], method=zipfile.ZIP_STORED)
    with zipfile.ZipFile(path) as archive:
        end = archive.getinfo("samples/q3_epoch_1.json").header_offset + 100
    path.write_bytes(path.read_bytes()[:end])
    log = only(str(path))
    assert log.facts.status == "truncated"
    assert [row.item for row in log.rows] == ["q0", "q1", "q2"]
    assert any("is incomplete; its 3 complete rows are read" in note for note in log.facts.notes)


def test_a_real_archive_that_was_cut_off(tmp_path: Path):
    pytest.importorskip("zstandard")
    data = Path(sample_log("inspect/*Y4wy*.eval")).read_bytes()
    for end in range(2000, len(data) - 10, 1499):
        (tmp_path / "a.eval").write_bytes(data[:end])
        log = only(str(tmp_path / "a.eval"))
        assert log.facts.status == "truncated"
        assert len(log.rows) < 12 or end > 25000
        assert all(row.scores for row in log.rows)


@pytest.mark.parametrize("options", [{}, {"indent": 2}, {"ensure_ascii": False}])
def test_a_document_that_was_cut_off_has_its_complete_samples(tmp_path: Path, options: dict[str, Any]):
    text = json.dumps(document([inspect_sample(f"é{i}", "C") for i in range(3)]), **options).encode()
    second = text.index(b"answer", text.index(b"answer") + 1)
    path = tmp_path / "a.json"
    for end in range(second, len(text) - 1):
        path.write_bytes(text[:end])
        log = only(str(path))
        assert log.facts.status == "truncated"
        assert 1 <= len(log.rows) <= 3
        assert all(row.scores == {"match": 1} for row in log.rows)


def test_a_document_without_a_complete_sample_is_an_error(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document([inspect_sample("a", "C")]))[:300], "utf-8")
    with pytest.raises(InputError, match="incomplete and has no complete record"):
        read_logs(str(path))


def test_a_missing_field_is_named_with_its_path_and_the_tested_version(tmp_path: Path):
    path = write_eval(tmp_path / "a.eval", [inspect_sample("a", "C", output={"model": "m"})])
    with pytest.raises(
        InputError, match=r"samples/a_epoch_1.json: no 'output.completion'; tested with inspect_ai 0.3.285"
    ):
        read_logs(path)


def test_a_newer_version_is_read_as_far_as_possible(tmp_path: Path):
    samples = [
        inspect_sample("a", "C", novelty=1),
        inspect_sample("b", "C", output={"parts": []}),
        inspect_sample("c", "I"),
    ]
    header = inspect_header(eval={"packages": {"inspect_ai": "0.4.0"}})
    log = only(write_eval(tmp_path / "a.eval", samples, header))
    assert [row.item for row in log.rows] == ["a", "c"]
    notes = " ".join(log.facts.notes)
    assert "version 0.4.0 of inspect_ai, newer than 0.3.285" in notes
    assert "These fields are not read: novelty." in notes
    assert "1 row of 3 could not be read" in notes
    assert "no 'output.completion'" in notes


def test_a_newer_version_without_a_readable_row_is_an_error(tmp_path: Path):
    header = inspect_header(eval={"packages": {"inspect_ai": "0.4.0"}})
    with pytest.raises(InputError, match=r"no 'output\.completion'"):
        read_logs(write_eval(tmp_path / "a.eval", [inspect_sample("a", "C", output={})], header))


def test_another_reducer_is_named_in_the_difference(tmp_path: Path):
    samples = [inspect_sample("a", "C", 1), inspect_sample("a", "I", 2), inspect_sample("b", "I", 1)]
    total = {"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5417}}}
    header = inspect_header(results={"scores": [{**total, "reducer": "pass_at_2"}]})
    log = only(write_eval(tmp_path / "a.eval", samples, header))
    assert segment_mean(log.rows, "match") == 0.25
    assert own_score_differences(log) == [
        "match: Inspect reports 0.5417, the mean over segments is 0.2500 (its reducer is 'pass_at_2'); intervals and"
        " tests are about the latter."
    ]
    mean = {**total, "metrics": {"accuracy": {"value": 0.25}}, "reducer": "mean"}
    both = inspect_header(results={"scores": [{**total, "reducer": "pass_at_2"}, mean]})
    assert own_score_differences(only(write_eval(tmp_path / "b.eval", samples, both))) == []


def test_a_log_without_scores_has_a_note(tmp_path: Path):
    log = only(write_json(tmp_path / "a.json", document([inspect_sample("a", None, scores=None)])))
    assert log.facts.columns == {}
    assert any("has no scores" in note for note in log.facts.notes)


def test_half_a_surrogate_is_a_replacement_character(tmp_path: Path):
    path = write_json(
        tmp_path / "a.json", document([inspect_sample("a", "C", output={"completion": "x\ud83d"})])
    )
    assert only(path).rows[0].prediction == "x\ufffd"


def test_samples_are_unpacked_one_at_a_time(tmp_path: Path):
    import tracemalloc

    filler = ["x" * 9000]
    samples = (inspect_sample(f"q{i}", "C", messages=filler) for i in range(2000))
    path = write_eval(tmp_path / "a.eval", samples)
    read_logs(path)
    tracemalloc.start()
    try:
        log = only(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(log.rows) == 2000
    assert peak < 10e6  # the file has 18 MB of text; with 10,000 samples the limit is 50 MB


def test_a_number_without_a_float_is_unreadable(tmp_path: Path):
    samples = [inspect_sample("a", 10**400), inspect_sample("b", 0.5), inspect_sample("c", math.nan)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document(samples)), "utf-8")
    log = only(str(path))
    assert [row.scores for row in log.rows] == [{}, {"match": 0.5}, {}]
    assert [row.missing for row in log.rows] == [{"match": "unreadable"}, {}, {"match": "unreadable"}]
    assert any("1 value cannot be read as a number" in note for note in log.facts.notes)


def test_a_document_that_was_cut_off_is_not_compared_with_the_scores_of_the_whole_run(tmp_path: Path):
    totals = {"scores": [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.9}}}]}
    samples = [inspect_sample("a", 1), inspect_sample("b", 1)]
    text = json.dumps({**inspect_header(results=totals), "samples": samples})
    for name, content, scores in (("a.json", text, {"match": 0.9}), ("b.json", text[:-40], {})):
        (tmp_path / name).write_text(content, "utf-8")
        assert only(str(tmp_path / name)).facts.own_scores == scores
