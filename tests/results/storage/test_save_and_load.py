"""Results on disk: what was saved comes back, whole or not at all, and more can be added to it."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import textwrap
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from messages import mentions

import nlgauge
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.metric import REGISTERED, Arrays, CorpusMetric, Metric, Output, Takes, View, register
from nlgauge.metric.saved import describe, restore
from nlgauge.results.result import Result
from nlgauge.results.storage.layout import FORMAT
from nlgauge.results.storage.statistics_file import (
    PartRows,
    StoredRows,
    read_statistics,
    write_statistics,
)

METRICS = ["bleu", "chrf(word_order=2)", "rouge", "wer", "exact_match", "distinct(max_order=3)", "cider"]
SYSTEMS = {"A": ["the cat sat", "ein Hund", "", "猫が座った"], "B": ["a cat sat", "a dog", "x", "猫"]}
REFERENCES = [["the cat sat", "the cat"], ["a dog"], ["nobody spoke"], ["猫が座る", "猫"]]
OPTIONS = {
    "ids": ["s1", "s2", "s3", "s4"],
    "documents": ["d", "d", "e", "f"],
    "weights": [1.0, 2.0, 0.1, 1.0],
    "lang": "en",
    "seed": 99,
}
FILES = sorted(
    [
        *("run.json", "statistics.bin", "fits.npz", "texts.jsonl", "texts.ends", "ids.jsonl", "ids.ends"),
        *("predictions-0.ids", "predictions-1.ids", "references.ids", "references.ends", "sources.ids"),
        *("weights.f64", "documents.jsonl", "documents.ends", "documents.ids"),
    ]
)


@pytest.fixture
def result() -> Result:
    return nlgauge.score(SYSTEMS, REFERENCES, ["x", "y", "z", "x"], metrics=METRICS, **OPTIONS)


def assert_equal(ours: Result, theirs: Result) -> None:
    assert (ours.systems, ours.labels, ours.signatures) == (theirs.systems, theirs.labels, theirs.signatures)
    np.testing.assert_equal({name: ours[name] for name in ours}, {name: theirs[name] for name in theirs})
    np.testing.assert_equal(ours.segments("records"), theirs.segments("records"))
    for key, table in ours._tables.items():
        assert table.metric == theirs._tables[key].metric
        for part, statistics in table.statistics.items():
            np.testing.assert_array_equal(statistics, theirs._tables[key].statistics[part])
    np.testing.assert_equal(ours.intervals(resamples=20), theirs.intervals(resamples=20))
    if len(ours.systems) > 1:
        np.testing.assert_equal(ours.compare(resamples=20).records(), theirs.compare(resamples=20).records())


def test_a_saved_result_comes_back_equal(result, tmp_path):
    assert result.save(tmp_path / "out") == tmp_path / "out"
    again = nlgauge.load(tmp_path / "out")
    assert_equal(again, result)
    assert again.corpus.records() == result.corpus.records()
    assert (again.config, again.environment, again.reasons()) == (
        result.config,
        result.environment,
        result.reasons(),
    )
    assert (again.costs.metrics, again.costs.features) == (result.costs.metrics, result.costs.features)
    assert again._job.options == result._job.options
    assert [edit.kind for edit in again.explain("wer", "s1", "B")[0].edits] == ["replace", "equal"]


def test_ids_come_back_as_they_were(tmp_path):
    for number, ids in enumerate([None, [10, 11, 12], ["10", "11", "12"], [10, "11", 2.5]]):
        saved = nlgauge.score(["a", "b", "c"], ["a", "c", "c"], metrics="wer", ids=ids)
        again = nlgauge.load(saved.save(tmp_path / str(number)))
        assert again.corpus.ids == saved.corpus.ids == (range(3) if ids is None else tuple(ids))
        assert [type(one) for one in again.corpus.ids] == [type(one) for one in saved.corpus.ids]
        if ids is not None:
            assert (
                again.explain("wer", ids[1])[0].title == again.explain("wer", "11")[0].title == "wer 1.0000"
            )


def test_ids_of_other_kinds_come_back_as_texts_and_that_is_said(tmp_path):
    saved = nlgauge.score(["a", "b", "c"], ["a", "c", "c"], metrics="wer", ids=[("doc", 1), 2**70, math.inf])
    assert saved.explain("wer", ("doc", 1))[0].title == saved.explain("wer", "('doc', 1)")[0].title
    with pytest.warns(UserWarning, match="JSON.*'doc', 1"):
        saved.save(tmp_path / "out")
    assert nlgauge.load(tmp_path / "out").corpus.ids == ("('doc', 1)", str(2**70), "inf")


FIELDS = [
    {
        "id": i,
        "system": system,
        "mt": f"{system}{i}",
        "ref": "r",
        "domain": domain,
        "meta": {"lp": "en-de", "raw": [1, None]},
        "human": score,
    }
    for system, scores in {"A": [0.5, 2], "B": [1, None]}.items()
    for i, (domain, score) in enumerate(zip(["news", "ted talk"], scores, strict=True))
]


def test_fields_come_back_as_they_were(tmp_path):
    result = nlgauge.score(FIELDS, metrics="wer")
    again = nlgauge.load(result.save(tmp_path / "out"))
    for corpus in (result.corpus, again.corpus):
        assert corpus.fields == {
            "domain": ("news", "ted talk"),
            "meta.lp": ("en-de",) * 2,
            "meta.raw": ((1, None),) * 2,
        }
        assert corpus.system_fields == {"human": {"A": (0.5, 2), "B": (1, None)}}
    added = again.add(predictions={"C": ["x", "y"]})
    assert (added.corpus.fields, added.corpus.system_fields) == (
        result.corpus.fields,
        result.corpus.system_fields,
    )
    twice = nlgauge.load(added.save(tmp_path / "added")).corpus
    assert (twice.fields, twice.system_fields) == (result.corpus.fields, result.corpus.system_fields)


def test_fields_that_json_lacks_come_back_as_texts_and_that_is_said(tmp_path):
    result = nlgauge.score(
        ["a", "b"], metrics="distinct", fields={"when": [{1}, math.inf], "\ud800": ["\ud800", "x"]}
    )
    with pytest.warns(UserWarning) as caught:
        result.save(tmp_path / "out")
    assert [str(one.message) for one in caught] == [
        "values of the field 'when' that JSON cannot represent are saved as text, such as {1}.",
        "values of the field '\\ud800' that JSON cannot represent are saved as text, such as '\\ud800'.",
    ]
    assert nlgauge.load(tmp_path / "out").corpus.fields == {
        "when": ("{1}", "inf"),
        "\\ud800": ("\\ud800", "x"),
    }


def test_without_texts_fields_hold_no_readable_ones_either(tmp_path):
    nlgauge.score(FIELDS, metrics="wer").save(tmp_path / "out", texts=False)
    assert all(b"ted talk" not in path.read_bytes() for path in (tmp_path / "out").iterdir())
    corpus = nlgauge.load(tmp_path / "out").corpus
    assert corpus.system_fields == {"human": {"A": (0.5, 2), "B": (1, None)}}
    assert [numbers.tolist() for numbers in corpus.groups("domain").values()] == [[0], [1]]


def test_saved_twice_is_the_same_directory(result, tmp_path):
    result.save(tmp_path / "one")
    nlgauge.load(str(tmp_path / "one")).save(tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("reduce_fn", ["mean", "max", "median"])
def test_reduced_results_come_back_equal(reduce_fn, tmp_path):
    result = nlgauge.score(SYSTEMS["A"], REFERENCES, metrics=METRICS, reduce_fn=reduce_fn)
    result.save(tmp_path / "out")
    assert_equal(nlgauge.load(tmp_path / "out"), result)
    added = nlgauge.load(tmp_path / "out").add("cer")
    assert added["cer"] == nlgauge.score(SYSTEMS["A"], REFERENCES, metrics="cer", reduce_fn=reduce_fn)["cer"]


@pytest.mark.parametrize("reduce_fn", [None, "mean"])
def test_segment_scores_are_written_of_other_peoples_metrics_alone(reduce_fn, registered, tmp_path):
    register(power(1.0))
    nlgauge.score(SYSTEMS["A"], REFERENCES, metrics=["wer", "power"], reduce_fn=reduce_fn).save(
        tmp_path / "out"
    )
    parts = json.loads((tmp_path / "out" / "run.json").read_text())["statistics"]
    assert [(part["label"], part["part"]) for part in parts if part["segments"]] == [("power", "power")]


def test_several_fits_come_back_each_to_its_own_metric(tmp_path):
    metrics = ["cider", "cider(max_order=2)", "nist", {"path": "cider", "resulting_name": "again"}]
    result = nlgauge.score(SYSTEMS, REFERENCES, metrics=metrics)
    result.save(tmp_path / "out")
    again = nlgauge.load(tmp_path / "out")
    assert again._job.fits.keys() == result._job.fits.keys()
    for key, arrays in result._job.fits.items():
        assert arrays.keys() == again._job.fits[key].keys()
        for name, values in arrays.items():
            np.testing.assert_array_equal(again._job.fits[key][name], values)
    assert again._job.fits["cider", ""] is not again._job.fits["cider(max_order=2)", ""]
    assert len(json.loads((tmp_path / "out" / "run.json").read_text())["fits"]) == 3
    added = again.add(predictions={"C": SYSTEMS["B"]})
    assert {label: added["C"][label] for label in added.labels} == {
        label: result["B"][label] for label in result.labels
    }


def test_what_killed_runs_left_is_removed_after_a_day_and_nothing_else(result, tmp_path):
    names = [
        ".out-old.unfinished",
        ".out-new.unfinished",
        ".out-server",
        ".out-mine.unfinished",
        ".other-old.unfinished",
    ]
    for name in names:
        (tmp_path / name).mkdir()
        if "server" not in name and "mine" not in name:
            (tmp_path / name / "nlgauge-making").touch()
        if "new" not in name:
            os.utime(tmp_path / name, (0, 0))
    result.save(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names[1:], "out"])


def test_a_callables_reduction_is_kept_but_cannot_be_repeated(tmp_path):
    result = nlgauge.score(
        SYSTEMS["A"], REFERENCES, metrics="wer", reduce_fn=lambda scores: float(np.ptp(scores))
    )
    result.save(tmp_path / "out")
    again = nlgauge.load(tmp_path / "out")
    assert again["wer"] == result["wer"]
    assert again.signatures == result.signatures
    assert [explanation.title for explanation in again.explain("wer", 0)] == [
        explanation.title for explanation in result.explain("wer", 0)
    ]
    with pytest.raises(ResultError, match=r"'<lambda>'.*averaged"):
        again.add("cer")


def test_a_function_named_as_one_of_numpys_is_never_taken_for_it(tmp_path):
    def median(scores: Any) -> float:
        return float(np.max(scores))

    ours, numpys = (
        nlgauge.score(SYSTEMS["A"], REFERENCES, metrics="wer", reduce_fn=rule) for rule in (median, "median")
    )
    assert ours["wer"]["score"] != numpys["wer"]["score"]
    assert ours.signatures != numpys.signatures
    ours.save(tmp_path / "out")
    again = nlgauge.load(tmp_path / "out")
    assert_equal(again, ours)
    assert again.config == ours.config != numpys.config
    assert [explanation.title for explanation in again.explain("wer", 0)] == [
        explanation.title for explanation in ours.explain("wer", 0)
    ]
    for act in (lambda: again.add("cer"), lambda: again.add(predictions={"C": SYSTEMS["B"]})):
        with pytest.raises(ResultError, match=r"'median'.*averaged"):
            act()
    again.save(tmp_path / "again")
    assert nlgauge.load(tmp_path / "again")["wer"] == ours["wer"]


def test_custom_labels_survive(tmp_path):
    spec = {"path": "bleu", "resulting_name": "mine", "compute_kwargs": {"max_order": 2}}
    nlgauge.score(SYSTEMS["A"], REFERENCES, metrics=spec).save(tmp_path / "out")
    again = nlgauge.load(tmp_path / "out")
    assert list(again) == ["mine"]
    assert again["bleu"] == again["mine"]


def test_without_texts_nothing_readable_is_written(result, tmp_path):
    result.save(tmp_path / "out", texts=False)
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    for text in ("the cat sat", "ein Hund", "猫が座った", "nobody spoke"):
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
    for act in (
        lambda: again.explain("wer", 0, "A"),
        lambda: again.add("cer"),
        lambda: again.add(predictions={"C": ["x"] * 4}),
    ):
        with pytest.raises(ResultError, match="saved without its texts"):
            act()
    nlgauge.score(SYSTEMS["A"], metrics="distinct").save(tmp_path / "whole", texts=False)
    interval = nlgauge.load(tmp_path / "whole").intervals(resamples=20)["distinct"]["score"]
    assert math.isnan(interval.low)
    assert "the texts to recompute it were not saved" in interval.reason
    again.save(tmp_path / "again")
    assert not nlgauge.load(tmp_path / "again").has_texts


def test_overwriting(result, tmp_path):
    with pytest.raises(ParameterError, match="directory"):
        result.save(tmp_path / "deep" / "out")
    place = tmp_path / "out"
    result.save(place)
    with pytest.raises(
        ResultError,
        match=r"result.*overwrite=True",
    ):
        result.save(place)
    small = nlgauge.score(["a"], ["b"], metrics="wer")
    small.save(place, overwrite=True)
    assert list(nlgauge.load(place)) == ["wer"]
    small.save(tmp_path / "other")
    names = [sorted(path.name for path in own.iterdir()) for own in (place, tmp_path / "other")]
    assert names[0] == names[1]


def test_what_is_no_result_is_never_overwritten(result, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("work")
    for name in ("mine", "file"):
        with pytest.raises(ResultError, match=r"exists.*result"):
            result.save(tmp_path / name, overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    assert nlgauge.load(result.save(tmp_path / "empty")).systems == ("A", "B")
    (tmp_path / "mine" / "run.json").write_text('{"format": 1, "steps": []}')
    with pytest.raises(ResultError, match=r"exists.*result"):
        result.save(tmp_path / "mine", overwrite=True)
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    with pytest.raises(ResultError, match=r"is a link"):
        result.save(tmp_path / "link", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "link", "mine"]


def test_files_of_the_user_in_a_result_survive_its_replacement(result, tmp_path):
    place = result.save(tmp_path / "out")
    (place / "notes.txt").write_text("mine")
    (place / "plots").mkdir()
    (place / "plots" / "a.pdf").write_text("mine")
    result.save(place, overwrite=True)
    assert (place / "notes.txt").read_text() == (place / "plots" / "a.pdf").read_text() == "mine"
    assert sorted(path.name for path in place.iterdir()) == sorted([*FILES, "notes.txt", "plots"])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


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
    # Where there is nothing to move away, one move is all.
    assert len(moves) >= (number if existing else 1)
    if existing:
        assert list(nlgauge.load(place)) == ["wer"]
    elif number == 2:
        assert nlgauge.load(place).labels == result.labels
    else:
        assert not place.exists()
    assert [path.name for path in tmp_path.iterdir()] == (["out"] if place.exists() else [])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved result, fitted, weighted and with a corpus metric; not to be changed."""
    place = tmp_path_factory.mktemp("saved") / "out"
    return nlgauge.score(
        SYSTEMS, REFERENCES, ["x", "y", "z", "x"], metrics=["bleu", "cider", "distinct"], **OPTIONS
    ).save(place)


@pytest.fixture
def place(saved: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(saved, tmp_path / "out"))


def assert_refused(place: Path) -> str:
    """Loading raises ResultError and nothing else, and takes little memory; the message."""
    tracemalloc.start()
    try:
        with pytest.raises(ResultError) as caught:
            nlgauge.load(place)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert str(place) in str(caught.value)
    return str(caught.value)


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The content cut, with bytes or a bit changed, or with a piece exchanged."""
    changed = bytearray(content)
    place = rng.randrange(len(content))
    how = rng.randrange(4)
    if how == 0:
        return content[:place]
    if how == 1:
        changed[place] ^= 1 << rng.randrange(8)
    elif how == 2:
        for _ in range(rng.randrange(1, 5)):
            changed[rng.randrange(len(content))] = rng.randrange(256)
    else:
        changed[place : place + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(40))
    return bytes(changed)


NUMBERS = ("statistics.bin", "weights.f64")


# Other statistics are statistics all the same; some of them overflow.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_a_result_error_or_harmless(name, place):
    rng = random.Random(name)
    content = (place / name).read_bytes()
    refused = 0
    for _ in range(80):
        (place / name).write_bytes(mutated(content, rng))
        try:
            again = nlgauge.load(place)
        except ResultError:
            refused += 1
            continue
        # What was changed may be a letter of a text, or a number: it reads like a result. Lines are looked at
        # when they are read.
        assert all(again[system] for system in again.systems)
        try:
            assert len(again.segments("records")) == len(again.corpus) * len(again.systems)
            assert len(again.corpus.records()) == len(again.corpus)
        except InputError as error:
            assert f"{name.partition('.')[0]}.jsonl is damaged" in str(error)
            refused += 1
    # Most numbers are as good as others.
    assert refused > (15 if name in NUMBERS else 40)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_or_empty_file_is_named(name, place):
    (place / name).write_bytes(b"")
    assert "is damaged" in assert_refused(place)
    (place / name).unlink()
    assert f"{name} is missing" in assert_refused(place)


@pytest.mark.parametrize("name", FILES)
def test_every_file_may_be_cut_anywhere(name, place):
    content = (place / name).read_bytes()
    for end in range(0, len(content) - 1, len(content) // 12):
        (place / name).write_bytes(content[:end])
        with pytest.raises(ResultError):
            nlgauge.load(place)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", FILES)
def test_what_is_not_a_file_is_not_waited_for(name, place):
    (place / name).unlink()
    os.mkfifo(place / name)
    assert "is not a file" in assert_refused(place)
    (place / name).unlink()
    (place / name).mkdir()
    assert_refused(place)


def other_columns(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Damage that changes what run.json says of the first columns of the statistics."""
    return of_run(lambda run: change(run["statistics"][0]))


def resized(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Damage of the content of a file."""
    return lambda place: (place / name).write_bytes(change((place / name).read_bytes())) and None


def of_facts(**facts: Any) -> Callable[[Path], None]:
    """Damage of what run.json says of the corpus."""
    return lambda place: edited(place, lambda run: run["corpus"].update(facts))


def bomb(place: Path) -> None:
    with np.load(place / "fits.npz", allow_pickle=False) as arrays:
        np.savez_compressed(place / "fits.npz", **{**arrays, "9/bomb": np.zeros(30_000_000)})


def nested(place: Path) -> None:
    """Damage that nests a JSON file deeper than a parser may recurse."""
    (place / "run.json").write_text('{"format": 4, "config": ' + '{"a": ' * 100_000 + "1" + "}" * 100_001)


def claimed(shape: tuple[int, ...], dtype: str = "<f8") -> Callable[[Path], None]:
    """Damage that makes the first array of the fits claim another shape than its bytes have."""

    def damage(place: Path) -> None:
        content = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            content, {"descr": dtype, "fortran_order": False, "shape": shape}
        )
        with zipfile.ZipFile(place / "fits.npz") as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(place / "fits.npz", "w", zipfile.ZIP_STORED) as archive:
            for i, (name, data) in enumerate(members.items()):
                archive.writestr(name, content.getvalue() + bytes(64) if i == 0 else data)

    return damage


def of_run(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Damage of run.json."""
    return lambda place: edited(place, change)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a row too many": resized("statistics.bin", lambda data: data + bytes(8)),
    "a row too few": resized("statistics.bin", lambda data: data[:-8]),
    "a column too few": other_columns(lambda part: part["types"].pop()),
    "no columns": other_columns(lambda part: part["types"].clear()),
    "columns of another metric": other_columns(lambda part: part.update(label="cider")),
    "columns of another part": other_columns(lambda part: part.update(part="other")),
    "columns of segment scores": other_columns(lambda part: part.update(segments=True)),
    "integers": other_columns(lambda part: part["types"].__setitem__(0, "int64")),
    "single precision": other_columns(lambda part: part["types"].__setitem__(0, "float32")),
    "objects": other_columns(lambda part: part["types"].__setitem__(0, "O")),
    "a type that is a number": other_columns(lambda part: part["types"].__setitem__(0, 8)),
    "a column less of a part and one more of another": of_run(
        lambda run: run["statistics"][1]["types"].insert(0, run["statistics"][0]["types"].pop())
    ),
    "a huge number of segments": of_facts(segments=10**15),
    "a number of segments that overflows": of_facts(segments=2**80),
    "a negative number of segments": of_facts(segments=-1),
    "a huge number of texts": of_facts(texts=10**15),
    "a huge number of documents": of_facts(documents=10**15),
    "a huge shape": claimed((10**15, 2)),
    "a shape that overflows": claimed((2**63, 2**63)),
    "a negative shape": claimed((-1, 2)),
    "a huge array of nothing": claimed((10**12,), "V0"),
    "a compression bomb": bomb,
    "nested run": nested,
    "no metrics": of_run(lambda run: run.pop("metrics")),
    "tables are a text": of_run(lambda run: run.update(tables="none")),
    "no options": of_run(lambda run: run.update(config={})),
    "no tables": of_run(lambda run: run["tables"].clear()),
    "one table less": of_run(lambda run: run["tables"].pop(0)),
    "no seconds": of_run(lambda run: run.update(seconds={})),
    "a metric without a table": of_run(lambda run: run["metrics"].update(ghost=run["metrics"]["bleu"])),
    "averaged by a number": of_run(lambda run: run["tables"][0].update(averaged=3)),
    "reduced by a number": of_run(lambda run: run["config"].update(reduce_fn=3)),
    "no fits": of_run(lambda run: run["fits"].clear()),
    "the fit of another label": of_run(lambda run: run["fits"][0].update(labels=["bleu"])),
    "the fit of another system": of_run(lambda run: run["fits"][0].update(system="A")),
    "a fit of other arrays": of_run(lambda run: run["fits"][0].update(key="77")),
    **{
        f"seed {seed!r}": of_run(lambda run, seed=seed: run["config"].update(seed=seed))
        for seed in (-1, "1", 1.5, True, None, [1])
    },
    **{
        f"batch size {size!r}": of_run(lambda run, size=size: run["config"].update(batch_size=size))
        for size in (-1, "8", 1.5)
    },
    "a device that is a number": of_run(lambda run: run["config"].update(device=3)),
    "no corpus": of_run(lambda run: run.pop("corpus")),
    "no systems": of_facts(systems=[]),
    "one system less": of_facts(systems=["A"]),
    "one system more": of_facts(systems=["A", "B", "C"]),
    "a system that leads elsewhere": of_facts(systems=["A", "../B"]),
    "no references": of_facts(references=False),
    "no reference for a segment": resized("references.ends", lambda data: data[:16] + data[8:16] + data[24:]),
    "columns of several texts that have one": of_facts(several=["predictions-0", "references"]),
    "columns of one text that have several": of_facts(several=[]),
    "negative weights": resized("weights.f64", lambda data: np.array(-1.0).tobytes() + data[8:]),
    "weights that are not numbers": resized(
        "weights.f64", lambda data: np.array(np.nan).tobytes() + data[8:]
    ),
    "documents that are not there": resized("documents.ids", lambda data: b"\xff" * len(data)),
    "a field that is not there": of_facts(fields=[{"name": "domain", "systems": []}]),
    "no segments": of_facts(segments=0),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_does_not_fit_together_is_a_result_error(damage, place):
    damage(place)
    assert re.search(r"is damaged|\.\w+ is missing", assert_refused(place))


def edited(path: Path, change: Any) -> None:
    run = json.loads((path / "run.json").read_text())
    change(run)
    (path / "run.json").write_text(json.dumps(run))


def test_a_text_that_is_a_number_is_damage_when_it_is_read(place):
    content = (place / "texts.jsonl").read_bytes()
    (place / "texts.jsonl").write_bytes(content.replace(b'"the cat sat"', b"1234567890123", 1))
    with pytest.raises(InputError, match=r"texts\.jsonl.*Expected `str`.*`int`"):
        nlgauge.load(place).explain("bleu", 0, "A")


def test_fewer_segments_than_rows_is_damage(place):
    edited(place, lambda run: run["corpus"].update(segments=3))
    assert "is damaged" in assert_refused(place)


def test_other_formats_and_places_without_a_result(result, tmp_path):
    result.save(tmp_path / "out")
    edited(tmp_path / "out", lambda run: run.update(format=99))
    with pytest.raises(ResultError, match=r"format 99.*format 4"):
        nlgauge.load(tmp_path / "out")
    with pytest.raises(ResultError, match=r"directory.*nowhere"):
        nlgauge.load(tmp_path / "nowhere")
    with pytest.raises(ResultError, match=r"result.*run\.json"):
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
    before = dict(first._tables)
    first.save(tmp_path / "out")
    added = nlgauge.load(tmp_path / "out").add(*METRICS[3:])
    assert_equal(added, nlgauge.score(*arguments, metrics=METRICS, **OPTIONS))
    assert dict(first._tables) == before
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
    assert (
        added.explain("wer", 1, "B")[0].edits
        == nlgauge.score(SYSTEMS, *arguments, metrics=METRICS, **OPTIONS).explain("wer", 1, "B")[0].edits
    )


def test_only_what_is_new_is_computed(monkeypatch):
    from nlgauge.metrics.wer import Wer

    result = nlgauge.score({"A": SYSTEMS["A"]}, REFERENCES, metrics="wer")
    scored: list[int] = []
    original = Wer.statistics
    monkeypatch.setattr(
        Wer, "statistics", lambda self, view, fitted: scored.append(len(view)) or original(self, view, fitted)
    )
    result.add("cer")
    assert scored == []
    result.add(predictions={"B": SYSTEMS["B"]})
    assert scored == [6]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((), {}, ParameterError, "add ... predictions={name: texts}"),
        (("cer",), {"resume": True}, ParameterError, "resume ... output"),
        (("cer",), {"batch_size": 0}, ParameterError, "batch_size ... 1 ... 0"),
        (("wer",), {}, ParameterError, "'wer' ... result"),
        ((), {"predictions": {"A": ["x"] * 4}}, InputError, "system ... 'A'"),
        ((), {"predictions": {"C": ["x"]}}, InputError, "predictions['C'] ... 1 ... 4"),
        ((), {"predictions": {"C": [["x", "y"]] * 4}}, InputError, "together"),
        (("shannon_scor",), {}, LookupError, "metric"),
    ],
)
def test_what_cannot_be_added(result, arguments, options, error, message):
    with pytest.raises(error) as caught:
        result.add(*arguments, **options)
    assert mentions(str(caught.value), message)


@dataclass(frozen=True)
class Constant(CorpusMetric):
    name: ClassVar[str] = "constant"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"constant": (Output("constant", True),)}

    def whole(self, corpus: Any, system: str, features: Any) -> dict[str, float]:
        return {"constant": 3.5}


@dataclass(frozen=True)
class Odd(CorpusMetric):
    """Values that JSON does not have."""

    name: ClassVar[str] = "odd"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"odd": tuple(Output(name, True) for name in ("high", "low", "nothing", "plain"))}

    def whole(self, corpus: Any, system: str, features: Any) -> dict[str, float]:
        return {"high": math.inf, "low": -math.inf, "nothing": math.nan, "plain": 0.1 + 0.2}


@pytest.mark.parametrize("at_hand", [True, False])
def test_infinities_and_undefined_values_come_back(at_hand, registered, tmp_path):
    register(Odd)
    result = nlgauge.score(["a", "b"], metrics="odd")
    result.save(tmp_path / "out")
    if not at_hand:
        del REGISTERED.classes["odd"]
    again = nlgauge.load(tmp_path / "out")
    np.testing.assert_equal(
        again["odd"],
        {"score": math.inf, "high": math.inf, "low": -math.inf, "nothing": math.nan, "plain": 0.1 + 0.2},
    )
    ours, theirs = (one.intervals(resamples=5)["odd"] for one in (again, result))
    assert [interval.score for interval in ours.values()][:3] == [math.inf, math.inf, -math.inf]
    if at_hand:
        np.testing.assert_equal(ours, theirs)
    assert all(math.isfinite(interval.low) or interval.reason for interval in ours.values())


def test_an_infinite_parameter_comes_back():
    """No metric of ours takes one; another package's may."""

    @dataclass(frozen=True)
    class Bounded(Metric):
        least: float = 0.0
        bounds: tuple[float, ...] = ()

        name: ClassVar[str] = "bounded_by_infinity"

        def outputs(self) -> dict[str, tuple[Output, ...]]:
            return {"bounded": (Output("bounded", True),)}

    metric = Bounded(-math.inf, (1.0, math.inf))
    try:
        REGISTERED.classes[Bounded.name] = Bounded
        assert restore(**json.loads(json.dumps(describe(metric)))) == metric
    finally:
        del REGISTERED.classes[Bounded.name]


def power(default: float) -> type[Metric]:
    """The same class again and again, as versions of a package have it, with another default."""

    @dataclass(frozen=True)
    class Power(Metric):
        """The mean of a power of lengths."""

        exponent: float = default

        name: ClassVar[str] = "power"
        takes: ClassVar[Takes] = "alone"

        def outputs(self) -> dict[str, tuple[Output, ...]]:
            return {"power": (Output("power", True, 0),)}

        def statistics(self, view: View, fitted: Arrays) -> Arrays:
            return {"power": np.array([[float(len(view.text(i))), 1.0] for i in view.predictions])}

        def score(self, part: str, statistics: Array) -> Arrays:
            return {"power": (statistics[..., 0] / statistics[..., 1]) ** self.exponent}

    return Power


def test_a_default_that_changes_later_does_not_re_interpret_a_result(registered, tmp_path):
    register(power(1.0))
    result = nlgauge.score(["four", "fiveee"], metrics="power")
    assert result["power"]["score"] == 5
    result.save(tmp_path / "out")
    register(power(2.0))
    assert nlgauge.score(["four", "fiveee"], metrics="power")["power"]["score"] == 25
    again = nlgauge.load(tmp_path / "out")
    assert again["power"]["score"] == 5
    assert again._job.metrics["power"].exponent == 1.0
    assert again.signatures == result.signatures
    assert again.add(predictions={"more": ["a", "bbb"]})["more"]["power"]["score"] == 2


def test_a_metric_of_the_same_name_from_another_package_is_not_taken_for_it(place):
    before = nlgauge.load(place)
    edited(place, lambda run: run["metrics"]["bleu"].update(package="somebody_elses"))
    again = nlgauge.load(place)
    assert again["A"]["bleu"] == before["A"]["bleu"]
    assert again["A"]["cider"] == before["A"]["cider"]
    assert again.explain("bleu", 0, "A") == []
    assert math.isnan(again.intervals(resamples=5)["A"]["bleu"]["score"].low)


def test_every_parameter_of_every_metric_is_written(result, tmp_path):
    result.save(tmp_path / "out")
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    for label, metric in result._job.metrics.items():
        assert set(run["metrics"][label]["parameters"]) == {field.name for field in fields(metric)}


SCRIPT = """
    import sys
    from dataclasses import dataclass
    from typing import ClassVar

    import numpy as np
    import nlgauge
    from nlgauge.metric import Metric, Output

    @dataclass(frozen=True)
    class Mine(Metric):
        weight: float = 2.0
        name: ClassVar[str] = "mine"

        def outputs(self):
            return {"mine": (Output("mine", True, 0, 100), Output("other", None))}

        def statistics(self, view, fitted):
            return {"mine": np.array([[float(len(view.text(i))), 1.0] for i in view.predictions])}

        def score(self, part, statistics):
            return {"mine": self.weight * statistics[..., 0] / statistics[..., 1], "other": statistics[..., 1]}

    REGISTER
    systems = {"A": ["a", "bbb"], "B": ["cc", "d"]}
    nlgauge.score(systems, ["a", "b"], metrics=["wer", Mine()]).save(sys.argv[1])
"""


@pytest.mark.parametrize("registering", ["nlgauge.register(Mine)", ""])
def test_a_metric_of_a_script_loads_without_the_script(registering, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT).replace("REGISTER", registering))
    subprocess.run([sys.executable, str(script), str(tmp_path / "out")], check=True, timeout=600)
    again = nlgauge.load(tmp_path / "out")
    again.save(tmp_path / "second")
    for loaded in (again, nlgauge.load(tmp_path / "second")):
        assert loaded["A"]["mine"] == {"score": 4.0, "mine": 4.0, "other": 2.0}
        assert [(row["mine"], row["mine.other"]) for row in loaded.segments("records")] == [
            (2, 1),
            (6, 1),
            (4, 1),
            (2, 1),
        ]
        assert loaded["A"]["wer"]["score"] == 0.5
        intervals = loaded.intervals(resamples=20)["A"]
        assert math.isnan(intervals["mine"]["score"].low)
        assert intervals["mine"]["score"].score == 4
        assert intervals["mine"]["score"].reason == "its class is not imported, so it cannot be recomputed"
        assert not math.isnan(intervals["wer"]["score"].low)
        compared = loaded.compare(resamples=20)
        assert math.isnan(compared["mine"].p)
        assert compared["mine"].reason == "its class is not imported, so it cannot be recomputed"
        assert compared["wer"].p > 0
        assert loaded.explain("wer", 0, "A")
        assert loaded.explain("mine", 0, "A") == []
        assert (
            loaded.add("cer")["B"]["cer"]["score"]
            == nlgauge.score(["cc", "d"], ["a", "b"], metrics="cer")["cer"]["score"]
        )
        (output,) = [output for output in loaded._tables["A", "mine"].leading() if output.name == "mine"]
        assert output == Output("mine", True, 0, 100)
        with pytest.raises(ResultError, match=r"add.*system"):
            loaded.add(predictions={"C": ["x", "y"]})


def test_a_whole_metric_that_is_not_at_hand_keeps_its_values(registered, tmp_path):
    register(Constant)
    nlgauge.score(["a", "b"], metrics="constant").save(tmp_path / "out")
    del REGISTERED.classes["constant"]
    again = nlgauge.load(tmp_path / "out")
    assert again["constant"]["score"] == 3.5
    assert math.isnan(again.intervals()["constant"]["score"].low)


def test_files_are_plain_json_and_numbers(result, tmp_path):
    place = result.save(tmp_path / "out")
    run = json.loads((place / "run.json").read_text())
    assert run["format"] == FORMAT
    assert {table["label"]: table["scores"]["score"] for table in run["tables"] if table["system"] == "A"}[
        "wer"
    ] == result["A"]["wer"]["score"]
    texts = [json.loads(line) for line in (place / "texts.jsonl").read_text().splitlines()]
    numbers = np.fromfile(place / "predictions-1.ids", dtype="<i8")
    assert [texts[number] for number in numbers] == SYSTEMS["B"]
    first = run["statistics"][0]
    assert (first["label"], set(first["types"])) == ("bleu", {"uint8"})
    column = np.fromfile(place / "statistics.bin", dtype=np.uint8)[:4]
    np.testing.assert_array_equal(column, result._tables["A", "bleu"].statistics["bleu"][:, 0])


COLUMNS = {
    "uint8": [0.0, 255.0, 3.0],
    "uint16": [0.0, 256.0, 65535.0],
    "uint32": [65536.0, 0.0, 4294967295.0],
    "float64": [4294967296.0, 1.0, 2.0],
}
UNUSUAL = [-0.0, -1.0, 0.5, math.nan, math.inf, -math.inf, 1e300, 5e-324, 2.0**53]


def test_columns_are_stored_in_the_smallest_type_that_holds_their_bits(tmp_path):
    columns = [*COLUMNS.values(), *([number, 1.0, 2.0] for number in UNUSUAL)]
    rows = np.array(columns).T
    path = tmp_path / "statistics.bin"
    parts = [PartRows("A", "m", "first", rows), PartRows("B", "m", "second", rows[:, ::-1])]
    stored = write_statistics(parts, 3, path)
    assert stored[0].types == [*COLUMNS, *["float64"] * len(UNUSUAL)]
    first, second = read_statistics(stored, 3, path)
    for found, expected in ((first, rows), (second, rows[:, ::-1])):
        assert isinstance(found, StoredRows) and (found.shape, len(found)) == (expected.shape, 3)
        for chosen in (slice(None), slice(1, 3), np.array([2, 0]), np.array([True, False, True]), 1):
            values = found[chosen]
            assert values.dtype == np.float64 and values.flags.c_contiguous
            assert values.tobytes() == np.ascontiguousarray(expected[chosen]).tobytes()
        assert np.asarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


def test_a_part_of_a_result_is_saved_without_the_texts_of_the_rest(result, tmp_path):
    result.where(id="s2").save(tmp_path / "part")
    assert "nobody" not in (tmp_path / "part" / "texts.jsonl").read_text()
    result.add(predictions={"C": ["secret"] * 4})
    result.save(tmp_path / "before")
    assert "secret" not in (tmp_path / "before" / "texts.jsonl").read_text()
    nlgauge.load(tmp_path / "before").where(id="s2").save(tmp_path / "again")
    assert (tmp_path / "again" / "texts.jsonl").read_bytes() == (
        tmp_path / "part" / "texts.jsonl"
    ).read_bytes()
    assert_equal(nlgauge.load(tmp_path / "again"), nlgauge.load(tmp_path / "part"))


@pytest.mark.parametrize("exchanged", ["without texts", "for another", "for nothing"])
def test_a_loaded_result_is_saved_as_it_was_loaded(exchanged, result, tmp_path):
    loaded = nlgauge.load(result.save(tmp_path / "out"))
    if exchanged == "without texts":
        loaded.save(tmp_path / "out", texts=False, overwrite=True)
    elif exchanged == "for another":
        other = {name: [text[::-1] for text in texts] for name, texts in SYSTEMS.items()}
        nlgauge.score(other, REFERENCES, ["x", "y", "z", "x"], metrics=METRICS, **OPTIONS).save(
            tmp_path / "out", overwrite=True
        )
    else:
        shutil.rmtree(tmp_path / "out")
    again = nlgauge.load(loaded.save(tmp_path / "again"))
    assert_equal(again, result)
    assert again.has_texts and again.corpus.records() == result.corpus.records()


def test_many_small_results_need_no_open_files(result, tmp_path, monkeypatch):
    result.save(tmp_path / "out")
    opened: list[Any] = []
    monkeypatch.setattr(os, "open", lambda *arguments: opened.append(arguments))
    monkeypatch.setattr(np, "memmap", lambda *arguments, **options: opened.append(arguments))
    loaded = [nlgauge.load(tmp_path / "out") for _ in range(5)]
    assert not opened
    assert all(one["A"] == result["A"] for one in loaded)


def test_a_loaded_result_holds_no_more_than_a_few_rows(tmp_path):
    count = 100_000
    texts = ["a b", "c d e"] * (count // 2)
    place = nlgauge.score(texts, texts[::-1], metrics=["bleu", "chrf", "wer"]).save(tmp_path / "out")
    assert sum(path.stat().st_size for path in place.iterdir()) < 60 * count
    tracemalloc.start()
    try:
        loaded = nlgauge.load(place)
        assert tracemalloc.get_traced_memory()[1] < 30 * count
    finally:
        tracemalloc.stop()
    assert all(
        isinstance(rows, StoredRows)
        for table in loaded._tables.values()
        for rows in table.statistics.values()
    )


@pytest.mark.parametrize("several", [False, True])
def test_sources_beside_several_predictions_can_be_added_to(several, tmp_path):
    predictions = [["a", "b"], ["c"], ["d"]] if several else ["a", "b", "c"]
    result = nlgauge.score(predictions, ["a", "x", "d"], ["s", "t", "u"], metrics="wer")
    assert_equal(nlgauge.load(result.save(tmp_path / "out")).add("cer"), result.add("cer"))


def test_texts_with_line_separators_stay_one_record(tmp_path):
    texts = ["a\u2028b", "c\r\nd", "e\x00f\x85"]
    nlgauge.score(texts, texts, metrics="wer").save(tmp_path / "out")
    assert [
        record["predictions"]["system"] for record in nlgauge.load(tmp_path / "out").corpus.records()
    ] == [[text] for text in texts]


def test_a_moved_directory_is_still_a_result(result, tmp_path):
    result.save(tmp_path / "out")
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    assert_equal(nlgauge.load(tmp_path / "elsewhere"), result)
