"""Results on disk: what was saved comes back, whole or not at all, and more can be added to it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.metric import CorpusMetric, Output, register
from nlgauge.results import storage
from nlgauge.results.result import Result

METRICS = ["bleu", "chrf(word_order=2)", "rouge", "wer", "exact_match", "distinct(max_order=3)"]
SYSTEMS = {"A": ["the cat sat", "ein Hund", "", "猫が座った"], "B": ["a cat sat", "a dog", "x", "猫"]}
REFERENCES = [["the cat sat", "the cat"], ["a dog"], ["nothing"], ["猫が座る", "猫"]]
OPTIONS = {"ids": ["s1", "s2", "s3", "s4"], "documents": ["d", "d", "e", "f"], "weights": [1.0, 2.0, 0.1, 1.0], "lang": "en", "seed": 99}
FILES = ["corpus.jsonl", "fits.npz", "run.json", "statistics.npz"]


@pytest.fixture
def result() -> Result:
    return nlgauge.score(SYSTEMS, REFERENCES, ["x", "y", "z", "x"], metrics=METRICS, **OPTIONS)


def assert_equal(ours: Result, theirs: Result) -> None:
    assert (ours.systems, ours.labels, ours.signatures) == (theirs.systems, theirs.labels, theirs.signatures)
    np.testing.assert_equal({name: ours[name] for name in ours}, {name: theirs[name] for name in theirs})
    np.testing.assert_equal(ours.segments("records"), theirs.segments("records"))
    for key, table in ours.tables.items():
        assert table.metric == theirs.tables[key].metric
        for part, statistics in table.statistics.items():
            np.testing.assert_array_equal(statistics, theirs.tables[key].statistics[part])
    np.testing.assert_equal(ours.intervals(resamples=20), theirs.intervals(resamples=20))
    if len(ours.systems) > 1:
        np.testing.assert_equal(ours.compare(resamples=20).records(), theirs.compare(resamples=20).records())


def test_a_saved_result_comes_back_equal(result, tmp_path):
    assert result.save(tmp_path / "out") == tmp_path / "out"
    again = nlgauge.load(tmp_path / "out")
    assert_equal(again, result)
    assert again.corpus.records() == result.corpus.records()
    assert (again.config, again.environment, again.reasons()) == (result.config, result.environment, result.reasons())
    assert (again.costs.metrics, again.costs.features) == (result.costs.metrics, result.costs.features)
    assert again.job.options == result.job.options
    assert [edit.kind for edit in again.explain("wer", "s1", "B")[0].edits] == ["replace", "equal"]


def test_saved_twice_is_the_same_directory(result, tmp_path):
    result.save(tmp_path / "one")
    nlgauge.load(str(tmp_path / "one")).save(tmp_path / "two")
    for name in FILES:
        assert (tmp_path / "one" / name).exists()
    for name in ("run.json", "corpus.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("reduce_fn", ["mean", "max", "median"])
def test_reduced_results_come_back_equal(reduce_fn, tmp_path):
    result = nlgauge.score(SYSTEMS["A"], REFERENCES, metrics=METRICS, reduce_fn=reduce_fn)
    result.save(tmp_path / "out")
    assert_equal(nlgauge.load(tmp_path / "out"), result)
    added = nlgauge.load(tmp_path / "out").add("cer")
    assert added["cer"] == nlgauge.score(SYSTEMS["A"], REFERENCES, metrics="cer", reduce_fn=reduce_fn)["cer"]


def test_a_callables_reduction_is_kept_but_cannot_be_repeated(tmp_path):
    result = nlgauge.score(SYSTEMS["A"], REFERENCES, metrics="wer", reduce_fn=lambda scores: float(np.ptp(scores)))
    result.save(tmp_path / "out")
    again = nlgauge.load(tmp_path / "out")
    assert again["wer"] == result["wer"]
    assert again.signatures == result.signatures
    assert [explanation.title for explanation in again.explain("wer", 0)] == [explanation.title for explanation in result.explain("wer", 0)]
    with pytest.raises(ResultError, match="averaged by a function of the caller, '<lambda>', which is not saved"):
        again.add("cer")


def test_custom_labels_survive(tmp_path):
    spec = {"path": "bleu", "resulting_name": "mine", "compute_kwargs": {"max_order": 2}}
    nlgauge.score(SYSTEMS["A"], REFERENCES, metrics=spec).save(tmp_path / "out")
    again = nlgauge.load(tmp_path / "out")
    assert list(again) == ["mine"]
    assert again["bleu"] == again["mine"]


def test_without_texts_nothing_readable_is_written(result, tmp_path):
    result.save(tmp_path / "out", texts=False)
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    for text in ("the cat sat", "ein Hund", "猫が座った", "nothing"):
        assert text.encode() not in written
        assert json.dumps(text).strip('"').encode() not in written
    again = nlgauge.load(tmp_path / "out")
    np.testing.assert_equal({name: again[name] for name in again}, {name: result[name] for name in result})
    np.testing.assert_equal(again.segments("records"), result.segments("records"))
    assert again.intervals(resamples=20)["A"]["wer"] == result.intervals(resamples=20)["A"]["wer"]
    assert len(again.corpus.texts) == len(result.corpus.texts)


def test_without_texts_explaining_adding_and_recomputing_say_why_not(result, tmp_path):
    result.save(tmp_path / "out", texts=False)
    again = nlgauge.load(tmp_path / "out")
    for act in (lambda: again.explain("wer", 0, "A"), lambda: again.add("cer"), lambda: again.add(predictions={"C": ["x"] * 4})):
        with pytest.raises(ResultError, match="saved without its texts"):
            act()
    nlgauge.score(SYSTEMS["A"], metrics="distinct").save(tmp_path / "whole", texts=False)
    interval = nlgauge.load(tmp_path / "whole").intervals(resamples=20)["distinct"]["score"]
    assert math.isnan(interval.low)
    assert "the texts to recompute it were not saved" in interval.reason
    again.save(tmp_path / "again")
    assert not nlgauge.load(tmp_path / "again").has_texts


def test_overwriting(result, tmp_path):
    place = tmp_path / "deep" / "out"
    result.save(place)
    with pytest.raises(ResultError, match=r"holds a result already; choose another directory, or overwrite=True"):
        result.save(place)
    nlgauge.score(["a"], ["b"], metrics="wer").save(place, overwrite=True)
    assert list(nlgauge.load(place)) == ["wer"]
    assert sorted(path.name for path in place.iterdir()) == FILES


def test_what_is_no_result_is_never_overwritten(result, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("work")
    for name in ("mine", "file"):
        with pytest.raises(ResultError, match="exists and is not an nlgauge result; choose another directory"):
            result.save(tmp_path / name, overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    assert nlgauge.load(result.save(tmp_path / "empty")).systems == ("A", "B")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("existing", [False, True])
def test_an_interrupted_save_leaves_nothing_and_harms_nothing(result, tmp_path, monkeypatch, error, existing):
    place = tmp_path / "out"
    if existing:
        nlgauge.score(["a"], ["b"], metrics="wer").save(place)
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))

    def stop(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(np, "savez", stop)
    with pytest.raises(error):
        result.save(place, overwrite=True)
    monkeypatch.undo()
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    if existing:
        assert list(nlgauge.load(place)) == ["wer"]


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("existing", [False, True])
def test_an_interrupt_while_moving_keeps_the_old_or_the_new(result, tmp_path, monkeypatch, existing, number):
    place = tmp_path / "out"
    if existing:
        nlgauge.score(["a"], ["b"], metrics="wer").save(place)
    moves: list[Any] = []
    move = os.replace

    def interrupted(*arguments: Any) -> None:
        moves.append(arguments)
        if len(moves) == number:
            raise KeyboardInterrupt
        move(*arguments)

    monkeypatch.setattr(os, "replace", interrupted)
    with contextlib.suppress(KeyboardInterrupt):
        result.save(place, overwrite=True)
    monkeypatch.undo()
    if existing or place.exists():
        assert nlgauge.load(place).labels
    assert [path.name for path in tmp_path.iterdir()] == (["out"] if place.exists() else [])


def damaged(path: Path, name: str, how: str) -> None:
    file = path / name
    content = file.read_bytes()
    if how == "missing":
        file.unlink()
    elif how == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif how == "empty":
        file.write_bytes(b"")
    elif how == "noise":
        file.write_bytes(b"\x80\x04garbage" + content[10:])


@pytest.mark.parametrize("how", ["missing", "cut", "empty", "noise"])
@pytest.mark.parametrize("name", FILES)
def test_damaged_files_give_a_result_error(result, tmp_path, name, how):
    result.save(tmp_path / "out")
    damaged(tmp_path / "out", name, how)
    with pytest.raises(ResultError) as caught:
        nlgauge.load(tmp_path / "out")
    assert str(tmp_path / "out") in str(caught.value)
    assert how != "missing" or f"{name} is missing" in str(caught.value)


def edited(path: Path, change: Any) -> None:
    run = json.loads((path / "run.json").read_text())
    change(run)
    (path / "run.json").write_text(json.dumps(run))


@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.pop("metrics"),
        lambda run: run.update(tables="none"),
        lambda run: run.update(config={}),
        lambda run: run["tables"][0].update(key="77"),
        lambda run: run["tables"].clear(),
        lambda run: run["tables"].pop(0),
        lambda run: run.update(seconds={}),
        lambda run: run["metrics"].update(ghost="ghost"),
        lambda run: run["tables"][0].update(averaged=3),
    ],
    ids=["no metrics", "tables", "config", "key", "no tables", "one table less", "seconds", "ghost", "averaged"],
)
def test_a_run_file_that_does_not_fit_gives_a_result_error(result, tmp_path, change):
    result.save(tmp_path / "out")
    edited(tmp_path / "out", change)
    with pytest.raises(ResultError):
        nlgauge.load(tmp_path / "out")


def test_fewer_segments_than_rows_is_damage(result, tmp_path):
    result.save(tmp_path / "out")
    lines = (tmp_path / "out" / "corpus.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "out" / "corpus.jsonl").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(ResultError):
        nlgauge.load(tmp_path / "out")


def test_other_formats_and_places_without_a_result(result, tmp_path):
    result.save(tmp_path / "out")
    edited(tmp_path / "out", lambda run: run.update(format=99))
    with pytest.raises(ResultError, match="is of format 99, this version reads up to 2"):
        nlgauge.load(tmp_path / "out")
    with pytest.raises(ResultError, match=r"is not an nlgauge result: run\.json is missing"):
        nlgauge.load(tmp_path / "nowhere")
    with pytest.raises(ResultError, match="is not an nlgauge result"):
        nlgauge.load(tmp_path)


def test_pickles_are_refused(result, tmp_path):
    result.save(tmp_path / "out")
    marker = tmp_path / "ran"

    class Attack:
        def __reduce__(self) -> tuple[Any, ...]:
            return (os.mkdir, (str(marker),))

    with (tmp_path / "out" / "fits.npz").open("wb") as stream:
        np.savez(stream, allow_pickle=True, **{"0/x": np.array([Attack()], dtype=object)})
    with pytest.raises(ResultError, match="is damaged"):
        nlgauge.load(tmp_path / "out")
    assert not marker.exists()


def test_a_metric_added_later_equals_scoring_all_at_once(tmp_path):
    arguments = (SYSTEMS, REFERENCES, ["x", "y", "z", "x"])
    first = nlgauge.score(*arguments, metrics=METRICS[:3], **OPTIONS)
    before = dict(first.tables)
    first.save(tmp_path / "out")
    added = nlgauge.load(tmp_path / "out").add(*METRICS[3:])
    assert_equal(added, nlgauge.score(*arguments, metrics=METRICS, **OPTIONS))
    assert dict(first.tables) == before
    added.save(tmp_path / "out", overwrite=True)
    assert nlgauge.load(tmp_path / "out").labels == tuple(METRICS)


def test_a_system_added_later_equals_scoring_all_at_once(tmp_path):
    arguments = (REFERENCES, ["x", "y", "z", "x"])
    first = nlgauge.score({"A": SYSTEMS["A"]}, *arguments, metrics=METRICS, **OPTIONS)
    first.save(tmp_path / "out")
    added = nlgauge.load(tmp_path / "out").add(predictions={"B": SYSTEMS["B"]})
    assert_equal(added, nlgauge.score(SYSTEMS, *arguments, metrics=METRICS, **OPTIONS))
    assert first.systems == ("A",)
    assert_equal(first.add(predictions={"B": SYSTEMS["B"]}), added)
    assert added.explain("wer", 1, "B")[0].edits == nlgauge.score(SYSTEMS, *arguments, metrics=METRICS, **OPTIONS).explain("wer", 1, "B")[0].edits


def test_only_what_is_new_is_computed(monkeypatch):
    from nlgauge.metrics.wer import Wer

    result = nlgauge.score({"A": SYSTEMS["A"]}, REFERENCES, metrics="wer")
    scored: list[int] = []
    original = Wer.statistics
    monkeypatch.setattr(Wer, "statistics", lambda self, view, fitted: scored.append(len(view)) or original(self, view, fitted))
    result.add("cer")
    assert scored == []
    result.add(predictions={"B": SYSTEMS["B"]})
    assert scored == [6]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((), {}, ParameterError, "add takes metrics or predictions={name: texts}, one of the two."),
        (("cer",), {"predictions": {"C": ["x"] * 4}}, ParameterError, "add takes metrics or predictions"),
        (("wer",), {}, ParameterError, "'wer' is in the result already."),
        ((), {"predictions": {"A": ["x"] * 4}}, InputError, "system 'A' is already in the result"),
        ((), {"predictions": {"C": ["x"]}}, InputError, "predictions['C'] has 1 segments, the result has 4."),
        ((), {"predictions": {"C": [["x", "y"]] * 4}}, InputError, "score them together"),
        (("shannon_scor",), {}, LookupError, "there is no metric"),
    ],
)
def test_what_cannot_be_added(result, arguments, options, error, message):
    with pytest.raises(error) as caught:
        result.add(*arguments, **options)
    assert message in str(caught.value)


@dataclass(frozen=True)
class Constant(CorpusMetric):
    name: ClassVar[str] = "constant"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"constant": (Output("constant", True),)}

    def whole(self, corpus: Any, system: str, features: Any) -> dict[str, float]:
        return {"constant": 3.5}


def test_a_whole_metric_that_is_not_at_hand_keeps_its_values(registered, tmp_path):
    register(Constant)
    nlgauge.score(["a", "b"], metrics="constant").save(tmp_path / "out")
    from nlgauge.metric import REGISTERED

    del REGISTERED.classes["constant"]
    again = nlgauge.load(tmp_path / "out")
    assert again["constant"]["score"] == 3.5
    assert math.isnan(again.intervals()["constant"]["score"].low)


def test_files_are_plain_json_and_arrays(result, tmp_path):
    result.save(tmp_path / "out")
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run["format"] == storage.FORMAT
    assert {table["label"]: table["scores"]["score"] for table in run["tables"] if table["system"] == "A"}["wer"] == result["A"]["wer"]["score"]
    records = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text().splitlines()]
    assert records[0]["predictions"] == {"A": ["the cat sat"], "B": ["a cat sat"]}
    with np.load(tmp_path / "out" / "statistics.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype == np.float64 for name in arrays.files)


def test_texts_with_line_separators_stay_one_record(tmp_path):
    texts = ["a\u2028b", "c\r\nd", "e\x00f\x85"]
    nlgauge.score(texts, texts, metrics="wer").save(tmp_path / "out")
    assert [record["predictions"]["system"] for record in nlgauge.load(tmp_path / "out").corpus.records()] == [[text] for text in texts]


def test_a_moved_directory_is_still_a_result(result, tmp_path):
    result.save(tmp_path / "out")
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    assert_equal(nlgauge.load(tmp_path / "elsewhere"), result)
