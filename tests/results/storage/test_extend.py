"""Additions that are written while they go on: the numbers of scoring all at once, after whatever ended
them, and an old result that stays.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_cases import document, enter, refused, run
from forking import in_child, needs_fork
from messages import mentions
from test_resume import Ending, assert_same, texts

import nlgauge
from nlgauge._core import ragged as column_module
from nlgauge.corpus.store import layout as stored
from nlgauge.corpus.store import lazy_values
from nlgauge.corpus.store.layout import is_stored, place_of
from nlgauge.engine.chunk import Task
from nlgauge.engine.executors import Serial
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.io import blocks
from nlgauge.metric import registry
from nlgauge.results.result import Result
from nlgauge.results.storage.checkpoint import LOG
from nlgauge.results.storage.layout import STATISTICS
from nlgauge.results.storage.statistics_file import StoredRows

SYSTEMS = {"A": texts(60, 3), "B": texts(60, 4)}
THIRD = {"C": texts(60, 9)}
# A blank line of a further file means no further reference.
REFERENCES = [[a, b] if b.strip() else [a] for a, b in zip(texts(60, 1), texts(60, 2), strict=True)]
BEFORE, NEW = ["bleu", "cider", "distinct"], ["chrf", "ter", "nist", "self_bleu"]
# Whether the result that is added to is in memory, with a saved copy, or was loaded.
BOTH = pytest.mark.parametrize("kind", ["memory", "loaded"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small blocks, so that a few segments are many of them, and no file is too small to be mapped."""
    enter(tmp_path, monkeypatch)
    monkeypatch.setattr(lazy_values, "SMALL_FILE", 1)
    monkeypatch.setattr(column_module, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(blocks, "_BYTES", 300)
    for name, seed in {"ref0": 1, "ref1": 2, "A": 3, "B": 4, "C": 9}.items():
        Path(f"{name}.txt").write_text(
            "".join(f"{line}\n" for line in texts(60, seed)), encoding="utf-8", newline=""
        )
    return tmp_path


def result_in(directory: str, kind: str) -> Result:
    """A result in a directory, as it is in memory or as it is loaded."""
    if kind == "memory":
        systems = {name: Path(f"{name}.txt").read_bytes().decode().split("\n")[:-1] for name in "AB"}
        result = nlgauge.score(systems, REFERENCES, metrics=BEFORE)
        result.save(directory)
        assert not is_stored(result.corpus)
        return result
    document(
        "score",
        "-m",
        *BEFORE,
        "-r",
        "ref0.txt",
        "-r",
        "ref1.txt",
        "A.txt",
        "B.txt",
        "-o",
        directory,
        "--stream",
    )
    return nlgauge.load(directory)


def at_once(metrics: list[str], systems: dict[str, list[str]] = SYSTEMS) -> Result:
    return nlgauge.score(systems, REFERENCES, metrics=metrics)


def content(directory: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(directory).iterdir()}


def directories() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.is_dir() and path.name != "cache")


@BOTH
def test_metrics_that_are_added_give_the_numbers_of_scoring_all_at_once(kind: str) -> None:
    before = result_in("out", kind)
    expected = at_once([*BEFORE, *NEW])
    in_memory = before.add(*NEW)
    for found in (
        in_memory,
        before.add(*NEW, output="more", executor=Serial(characters=100)),
        nlgauge.load("more"),
    ):
        assert_same(found, expected)
        assert found.segments("records") == expected.segments("records")
        assert str(found.explain("ter", 11, "A")) == str(expected.explain("ter", 11, "A"))
        assert set(found.costs.metrics) == {*BEFORE, *NEW}
        assert isinstance(found._tables["B", "ter"].statistics["ter"], StoredRows) is (found is not in_memory)
    assert_same(nlgauge.load("out"), at_once(BEFORE))
    assert directories() == ["more", "out"]


@BOTH
def test_systems_that_are_added_give_the_numbers_of_scoring_all_at_once(kind: str) -> None:
    before = result_in("out", kind)
    for found in (before.add(predictions=THIRD, output="more"), nlgauge.load("more")):
        assert_same(found, at_once(BEFORE, {**SYSTEMS, **THIRD}))
    for found in (
        before.add(*NEW, predictions=THIRD),
        before.add(*NEW, predictions=THIRD, output="both"),
        nlgauge.load("both"),
    ):
        assert_same(found, at_once([*BEFORE, *NEW], {**SYSTEMS, **THIRD}))
    assert directories() == ["both", "more", "out"]


def test_a_stored_result_stays_stored_and_its_corpus_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    result_in("out", "loaded")
    monkeypatch.setattr(stored, "MOST_AT_ONCE", 1)  # nothing takes all segments into memory
    numbers = {
        name: Path("out", name).stat().st_ino
        for name in ("texts.jsonl", "texts.ends", "references.ends", "predictions-1.ids")
    }
    document("add", "out", "-m", "chrf", "ter", "nist")
    document("add", "out", "-m", "wer")
    found = nlgauge.load("out")
    assert is_stored(found.corpus) and {name: Path("out", name).stat().st_ino for name in numbers} == numbers
    assert_same(found, at_once([*BEFORE, "chrf", "ter", "nist", "wer"]))
    assert all(
        isinstance(found._tables[key].statistics[key[1]], StoredRows) for key in (("B", "wer"), ("A", "bleu"))
    )
    assert sorted(content("out")) == sorted(
        [
            "run.json",
            STATISTICS,
            "fits.npz",
            "texts.jsonl",
            "texts.ends",
            "references.ids",
            "references.ends",
            "predictions-0.ids",
            "predictions-1.ids",
        ]
    )
    with pytest.raises(
        InputError,
        match=r"result.*60",
    ):
        found.add(predictions=THIRD)
    with pytest.raises(InputError, match=r"self_bleu.*60"):
        found.add("self_bleu", output="more")
    assert directories() == ["out"]


def test_what_is_given_back_can_be_added_to_again() -> None:
    once = result_in("first", "loaded").add("chrf", output="out")
    shutil.rmtree("first")
    assert place_of(once.corpus) is not None and isinstance(
        once._tables["A", "bleu"].statistics["bleu"], StoredRows
    )
    twice = once.add("ter", output="out", overwrite=True)
    for found in (twice, nlgauge.load("out")):
        assert_same(found, at_once([*BEFORE, "chrf", "ter"]))


def test_files_are_copied_where_they_cannot_be_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    before = result_in("out", "loaded")

    def refuse(*_: Any) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    before.add("ter", output="more")
    shutil.rmtree("out")
    assert_same(nlgauge.load("more"), at_once([*BEFORE, "ter"]))


def test_a_part_of_a_stored_result_is_added_to_as_a_part() -> None:
    part = result_in("out", "loaded").where(id=["3", "17", "40"])
    part.add("ter", output="part")
    found = nlgauge.load("part")
    assert list(found.corpus.ids) == [3, 17, 40]
    assert found["B"]["ter"] == at_once(["ter"]).where(id=["3", "17", "40"])["B"]["ter"]


def test_rows_of_a_metric_whose_class_is_not_here_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    result_in("out", "loaded")
    with monkeypatch.context() as patched:
        real = registry.make

        def without_cider(name: str, parameters: dict[str, Any]) -> Any:
            if name == "cider":
                raise ParameterError("not here")
            return real(name, parameters)

        patched.setattr("nlgauge.metric.saved.make", without_cider)
        document("add", "out", "-m", "ter")
        assert not nlgauge.load("out")._tables["A", "cider"].additive
        assert list(nlgauge.load("out").where(id=["3"])._tables["A", "cider"].statistics["cider"]) == [
            pytest.approx(row) for row in at_once(["cider"])._tables["A", "cider"].statistics["cider"][3:4]
        ]
    assert_same(nlgauge.load("out"), at_once([*BEFORE, "ter"]))


def test_the_options_of_models_are_those_of_the_addition_or_else_of_the_result() -> None:
    before = nlgauge.score(SYSTEMS, REFERENCES, metrics="wer", batch_size=3, device="cpu")
    assert before.add("cer").config == before.config
    changed = before.add("cer", batch_size=5)
    assert changed.config == {**before.config, "batch_size": 5}
    assert before.config["batch_size"] == 3
    before.save("out")
    document("add", "out", "-m", "cer", "--device", "meta", "--batch-size", "7", "--no-cache")
    assert nlgauge.load("out").config == {**before.config, "batch_size": 7, "device": "meta"}


def test_chunks_are_computed_where_the_command_says(monkeypatch: pytest.MonkeyPatch) -> None:
    result_in("out", "memory")
    from nlgauge.engine.executors import processes

    started: list[str] = []
    original = processes.Processes.map
    monkeypatch.setattr(
        processes.Processes,
        "map",
        lambda self, task, chunks: started.append(task.stage) or original(self, task, chunks),
    )
    document("add", "out", "-m", "nist", "--jobs", "2")
    assert started == ["fit", "score"] and os.environ["NLGAUGE_THREADS"] == "2"
    document("add", "out", "-m", "ter", "--executor", "serial")
    assert started == ["fit", "score"]
    assert_same(nlgauge.load("out"), at_once([*BEFORE, "nist", "ter"]))
    assert "--address and --gpus-per-worker require --executor ray" in refused(
        "add", "out", "-m", "wer", "--gpus-per-worker", "1"
    )


# --- what ends an addition


@BOTH
@pytest.mark.parametrize("number", [0, 1, 5])
def test_an_addition_goes_on_where_it_was(kind: str, number: int) -> None:
    before = result_in("out", kind)
    old = content("out")
    with pytest.raises(KeyboardInterrupt):
        before.add(*NEW, output="out", overwrite=True, executor=Ending(number, KeyboardInterrupt()))
    assert Path("out.unfinished").exists() is (number > 0)
    assert content("out") == old
    seen: list[int] = []

    class Counting(Serial):
        def map(self, task: Task, chunks: Any) -> Any:
            given = list(chunks)
            if task.stage == "score":
                seen.extend(len(chunk.segments) for chunk in given)
            elif number:
                pytest.fail("what was fitted is fitted again")
            yield from super().map(task, given)

    found = nlgauge.load("out").add(
        *NEW, output="out", overwrite=True, resume=True, executor=Counting(characters=300)
    )
    assert (sum(seen) == 60) is (number == 0)
    for result in (found, nlgauge.load("out")):
        assert_same(result, at_once([*BEFORE, *NEW]))
    assert directories() == ["out"]


@pytest.mark.parametrize("step", [1, 2])
def test_systems_and_metrics_go_on_where_they_were(step: int) -> None:
    """The rows of the system are done first, then those of the metrics on all systems."""
    before = result_in("out", "memory")
    begun: list[str] = []

    class EndingIn:
        characters = 100

        def map(self, task: Task, chunks: Any) -> Any:
            begun.append(task.stage)
            ending = begun.count("score") == step
            yield from (Ending(2, KeyboardInterrupt()) if ending else Serial()).map(task, chunks)

    with pytest.raises(KeyboardInterrupt):
        before.add("ter", predictions=THIRD, output="more", executor=EndingIn())
    assert begun.count("score") == step
    with pytest.raises(ResultError, match=r"unfinished.*\([1-9]\d* segments are scored\)"):
        before.add("ter", predictions=THIRD, output="more")
    seen: list[int] = []

    class Counting(Serial):
        def map(self, task: Task, chunks: Any) -> Any:
            given = list(chunks)
            seen.append(sum(len(chunk.segments) for chunk in given))
            yield from super().map(task, given)

    found = before.add("ter", predictions=THIRD, output="more", resume=True, executor=Counting())
    assert (0 < seen[0] < 60 and seen[1] == 60) if step == 1 else (seen[0] == 0 < seen[1] < 60)
    assert_same(found, at_once([*BEFORE, "ter"], {**SYSTEMS, **THIRD}))
    assert_same(nlgauge.load("more"), found)
    assert directories() == ["more", "out"]


@BOTH
def test_only_the_same_addition_goes_on(kind: str) -> None:
    before = result_in("out", kind)
    options: dict[str, Any] = {"output": "out", "overwrite": True, "resume": True}
    with pytest.raises(KeyboardInterrupt):
        before.add("ter", executor=Ending(3, KeyboardInterrupt()), **options)
    assert mentions(refused("add", "out", "-m", "ter", code=1), "out.unfinished ... --resume ... --overwrite")
    assert "different metrics" in refused("add", "out", "-m", "wer", "--resume", code=1)
    assert "different options" in refused("add", "out", "-m", "ter", "--resume", "--batch-size", "9", code=1)
    assert "different systems" in refused("add", "out", "-m", "ter", "--system", "C.txt", "--resume", code=1)
    with pytest.raises(ResultError, match=r"earlier.*metrics"):
        before.add("wer").add("ter", **options)
    shutil.copy("B.txt", "A.txt")
    with pytest.raises(ResultError, match=r"earlier.*texts"):
        result_in("other", kind).add("ter", **options)
    score = [
        "score",
        "-m",
        "ter",
        "-r",
        "ref0.txt",
        "-r",
        "ref1.txt",
        "A.txt",
        "B.txt",
        "-o",
        "out",
        "--overwrite",
        "--resume",
    ]
    assert "out.unfinished" in run(*score).stderr
    assert_same(nlgauge.load("out"), before)
    document("add", "out", "-m", "wer", "--overwrite")
    assert nlgauge.load("out").labels == (*BEFORE, "wer")


def test_other_predictions_of_the_system_are_another_addition() -> None:
    before = result_in("out", "memory")
    with pytest.raises(KeyboardInterrupt):
        before.add(predictions=THIRD, output="more", executor=Ending(3, KeyboardInterrupt()))
    with pytest.raises(ResultError, match="different systems"):
        before.add(predictions={"C": texts(60, 10)}, output="more", resume=True)
    assert_same(
        before.add(predictions=THIRD, output="more", resume=True), at_once(BEFORE, {**SYSTEMS, **THIRD})
    )


def test_a_result_in_another_place_is_replaced_only_on_request() -> None:
    before = result_in("out", "memory")
    before.save("more")
    with pytest.raises(ResultError, match=r"more.*overwrite=True"):
        before.add("ter", output="more")
    assert mentions(run("add", "out", "-m", "ter", "-o", "more").stderr, "more ... --overwrite")
    assert not Path("more.unfinished").exists()
    document("add", "out", "-m", "ter", "-o", "more", "--overwrite")
    assert nlgauge.load("more").labels == (*BEFORE, "ter") and nlgauge.load("out").labels == tuple(BEFORE)


@BOTH
def test_a_full_disk_is_said_and_what_is_done_is_kept(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = result_in("out", kind)
    full = OSError(28, "No space left on device")
    with pytest.raises(
        ResultError,
        match=r"No space left on device; \d+ segments are scored.*resume=True",
    ):
        before.add("ter", output="out", overwrite=True, executor=Ending(4, full))
    # While the larger result is written, and when it is moved.
    for place in ("nlgauge.results.storage.save.write_fits", "nlgauge.results.storage.resume.put"):

        def end(*_: Any) -> None:
            raise full

        with monkeypatch.context() as patched:
            patched.setattr(place, end)
            assert "60 segments are scored" in refused("add", "out", "-m", "ter", "--resume", code=1)
        assert_same(nlgauge.load("out"), before)
    document("add", "out", "-m", "ter", "--resume")
    assert_same(nlgauge.load("out"), at_once([*BEFORE, "ter"]))
    assert directories() == ["out"]


def killed_after(moves: int, *command: str) -> None:
    """Runs a command that is killed after so many moves of directories, before it does anything else."""
    done: list[Path] = []
    original = Path.replace

    def end(*_: Any, **__: Any) -> None:
        if len(done) == moves:
            os._exit(9)

    def replace(self: Path, target: Path) -> Path:
        end()
        done.append(self)
        return original(self, target)

    def work() -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Path, "replace", replace)
            patched.setattr(shutil, "rmtree", end)
            run(*command)

    assert in_child(work) == (9, "")


@needs_fork
@BOTH
def test_an_end_between_two_moves_of_directories_is_taken_up(kind: str) -> None:
    result_in("out", kind)
    killed_after(1, "add", "out", "-m", "ter")
    assert not Path("out").exists()
    document("add", "out", "-m", "ter", "--resume")
    assert_same(nlgauge.load("out"), at_once([*BEFORE, "ter"]))
    assert directories() == ["out"]


@needs_fork
@pytest.mark.parametrize("again", [["--resume"], []])
def test_a_result_that_was_to_be_replaced_is_put_back_before_a_run_begins(again: list[str]) -> None:
    result_in("out", "loaded")
    Path("out", "notes.txt").write_text("mine", encoding="utf-8")
    command = ["score", "-m", "wer", "-r", "ref0.txt", "A.txt", "-o", "out", "--overwrite"]
    killed_after(1, *command)
    assert not Path("out").exists() and Path("out.unfinished", "whole-old", "notes.txt").exists()
    document(*command, *again)
    assert nlgauge.load("out").labels == ("wer",) and Path("out", "notes.txt").read_text() == "mine"
    assert directories() == ["out"]


def test_nothing_is_put_back_from_a_directory_that_is_not_a_run() -> None:
    result_in("theirs", "loaded")
    Path("out.unfinished").mkdir()
    Path("theirs").rename("out.unfinished/whole-old")
    error = run("score", "-m", "wer", "-r", "ref0.txt", "A.txt", "-o", "out", "--overwrite").stderr
    assert "out.unfinished exists and is not a run of nlgauge" in error
    assert directories() == ["out.unfinished"]


@needs_fork
@BOTH
def test_an_end_after_all_moves_of_directories_leaves_a_result_that_is_whole(kind: str) -> None:
    before = result_in("out", kind)
    killed_after(2, "add", "out", "-m", "ter")
    assert_same(nlgauge.load("out"), at_once([*BEFORE, "ter"]))
    assert "'ter' is already in the result" in refused("add", "out", "-m", "ter", "--resume")
    document("add", "out", "-m", "wer", "--overwrite")
    assert_same(nlgauge.load("out"), at_once([*BEFORE, "ter", "wer"]))
    before.save("more")
    command = "add", "out", "-m", "cer", "-o", "more", "--overwrite"
    killed_after(2, *command)
    document(*command, "--resume")
    assert_same(nlgauge.load("more"), at_once([*BEFORE, "ter", "wer", "cer"]))
    assert directories() == ["more", "out"]


PROGRAM = """
import sys, time, nlgauge
from nlgauge.engine.executors import Serial

class Slow(Serial):
    def map(self, task, chunks):
        for found in super().map(task, chunks):
            time.sleep(0.02)
            yield found

nlgauge.load("out").add("chrf", "ter", "nist", "self_bleu", output="out", overwrite=True, resume=True, executor=Slow(characters=150))
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX does")
@BOTH
def test_an_addition_that_is_killed_again_and_again_ends_with_the_same_result(kind: str) -> None:
    before = result_in("out", kind)
    rng = random.Random(kind)
    program = [sys.executable, "-c", PROGRAM]
    log = Path("out.unfinished", LOG)
    for _ in range(3):
        process = subprocess.Popen(program, start_new_session=True)
        size = log.stat().st_size if log.exists() else 0
        while process.poll() is None and not (log.exists() and log.stat().st_size > size):
            time.sleep(0.01)
        time.sleep(rng.random() * 0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert_same(nlgauge.load("out"), before)
    subprocess.run(program, check=True)
    assert_same(nlgauge.load("out"), at_once([*BEFORE, *NEW]))
    assert directories() == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_a_program_that_is_asked_to_end_says_what_is_kept() -> None:
    Path("big.txt").write_text(
        "".join(f"{line}\n" for line in texts(40_000, 3)), encoding="utf-8", newline=""
    )
    program = [sys.executable, "-m", "nlgauge"]
    # As a program too: blocks are small in this process.
    score = "score -q -m wer -r big.txt B=big.txt -o out --stream --resamples 0".split()
    subprocess.run([*program, *score], check=True, capture_output=True)
    command = [*program, "add", "out", "-q", "-m", "ter", "--resamples", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    log = Path("out.unfinished", LOG)
    while process.poll() is None and not (log.exists() and b"scored" in log.read_bytes()):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 143, said
    assert mentions(said, "interrupted; ... out.unfinished ... --resume")
    assert nlgauge.load("out").labels == ("wer",)
    assert subprocess.run([*command, "--resume"], check=True, capture_output=True).returncode == 0
    assert nlgauge.load("out").labels == ("wer", "ter")


def test_a_stored_result_is_saved_to_another_place_as_it_is_stored() -> None:
    run("score", "-m", "bleu", "chrf", "-r", "ref0.txt", "A.txt", "-o", "stored", "--stream")
    result = nlgauge.load("stored")
    result.save("copy")
    result.save("hashes", texts=False)
    copied, hashed = nlgauge.load("copy"), nlgauge.load("hashes")
    for found in (copied, hashed):
        assert is_stored(found.corpus) and found["bleu"] == result["bleu"]
        assert found.signatures == result.signatures
    assert copied.corpus.records() == result.corpus.records() and copied.has_texts
    assert (
        not hashed.has_texts
        and len(hashed.corpus.texts[0]) == 64
        and all(b"x" * 300 not in path.read_bytes() for path in Path("hashes").iterdir())
    )
    hashed.save("hashes again")
    assert nlgauge.load("hashes again").corpus.records() == hashed.corpus.records()


def test_a_system_with_one_prediction_is_not_added_where_means_of_several_are_taken() -> None:
    references = ["the cat sat", "a dog"]
    several = nlgauge.score(
        {"A": [["the cat", "a cat sat"], ["a dog", "the dog"]]}, references, metrics="wer", reduce_fn="mean"
    )
    with pytest.raises(InputError, match=r"system.*score"):
        several.add(predictions={"B": ["the cat sat", "dogs"]})
    best = nlgauge.score({"A": [["the cat", "a cat sat"], ["a dog", "the dog"]]}, references, metrics="wer")
    both = nlgauge.score(
        {"A": [["the cat", "a cat sat"], ["a dog", "the dog"]], "B": [["the cat sat"], ["dogs"]]},
        references,
        metrics="wer",
    )
    assert best.add(predictions={"B": ["the cat sat", "dogs"]})["B"]["wer"] == both["B"]["wer"]
