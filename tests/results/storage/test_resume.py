"""Runs that are written while they go on: the same numbers from disk, after whatever ended them, and
nothing half-written that loads as whole.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_cases import document, enter, run
from messages import mentions
from strategies import WORDS

import nlgauge
from nlgauge._core import ragged as column_module
from nlgauge.corpus import Corpus
from nlgauge.corpus.store import layout as stored
from nlgauge.corpus.store import lazy_values
from nlgauge.corpus.store.layout import StoredFacts, is_stored, stored_bounds, stored_corpus
from nlgauge.corpus.store.writer import CorpusWriter
from nlgauge.engine.chunk import Task
from nlgauge.engine.executors import Serial
from nlgauge.engine.executors.processes import Processes
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.io import Inputs, blocks, inputs
from nlgauge.results.result import Result
from nlgauge.results.storage.checkpoint import LOG, ROWS
from nlgauge.results.storage.layout import STATISTICS

METRICS = ["bleu", "chrf", "rouge", "cider", "ter"]
ODD = ["", " ", "a\ttab", "café — ünïcode", "\u2028 inside", "trailing\r", '"quoted"', "x" * 300]


def texts(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [
        ODD[i % len(ODD)] if i % 11 == 0 else " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 9)))
        for i in range(count)
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small blocks, so that a few segments are many of them, and no file is too small to be mapped."""
    enter(tmp_path, monkeypatch)
    monkeypatch.setattr(lazy_values, "SMALL_FILE", 1)
    monkeypatch.setattr(column_module, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(blocks, "_BYTES", 64)
    for name, seed in {"ref0": 1, "ref1": 2, "A": 3, "B": 4, "src": 5}.items():
        lines = texts(60, seed)
        Path(f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return tmp_path


def assert_same(one: Result, other: Result) -> None:
    assert one.systems == other.systems and one.labels == other.labels and one.signatures == other.signatures
    for key, table in one._tables.items():
        assert table.scores() == pytest.approx(other._tables[key].scores(), rel=1e-12, nan_ok=True)
        for part, rows in table.statistics.items():
            assert np.array_equal(rows, other._tables[key].statistics[part], equal_nan=True)


FILES = ["-r", "ref0.txt", "-r", "ref1.txt", "A.txt", "B.txt", "-s", "src.txt"]
COMMAND = ["score", "-m", "bleu", "chrf", "rouge", "cider", "ter", *FILES]


def test_files_that_are_read_piece_by_piece_give_the_numbers_of_files_that_are_read_whole() -> None:
    whole, pieces = document(*COMMAND, "-o", "whole"), document(*COMMAND, "-o", "pieces", "--stream")
    assert {**pieces, "costs": None} == {**whole, "costs": None}
    one, other = nlgauge.load("whole"), nlgauge.load("pieces")
    assert is_stored(other.corpus) and is_stored(one.corpus)
    assert_same(one, other)
    assert list(other.corpus.records()) == list(one.corpus.records())
    assert one.segments("records") == other.segments("records")
    assert str(one.explain("ter", 11, "A")) == str(other.explain("ter", 11, "A"))
    assert [row["segment"] for row in one.worst("ter", 5)] == [
        row["segment"] for row in other.worst("ter", 5)
    ]
    assert_same(one.add("wer"), other.add("wer"))
    third = texts(60, 9)
    assert_same(one.add(predictions={"C": third}), other.add(predictions={"C": third}))
    other.save("again")
    assert_same(one, nlgauge.load("again"))
    assert sorted(path.name for path in Path().iterdir() if path.is_dir()) == ["again", "pieces", "whole"]


def test_metrics_of_whole_corpora_are_exact_up_to_a_size_and_refused_beyond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = ["-r", "ref0.txt", "A.txt"]
    document("score", "-m", "distinct", "bleu", *files, "-o", "whole")
    document("score", "-m", "distinct", "bleu", *files, "-o", "pieces", "--stream")
    one, other = nlgauge.load("whole"), nlgauge.load("pieces")
    assert one["distinct"] == other["distinct"] and one["bleu"] == other["bleu"]
    assert one.intervals(resamples=20)["distinct"] == other.intervals(resamples=20)["distinct"]
    monkeypatch.setattr(stored, "MOST_AT_ONCE", 59)
    error = run("score", "-m", "distinct", *files, "-o", "more", "--stream").stderr
    assert all(part in error for part in ("distinct", "at most 59 segments", "60"))


@pytest.mark.parametrize("texts_kept", [True, False])
def test_without_texts_nothing_readable_is_written(texts_kept: bool) -> None:
    flag = [] if texts_kept else ["--no-texts"]
    document("score", "-m", "wer", "-r", "ref0.txt", "A.txt", "-o", "out", "--stream", *flag)
    word = Path("A.txt").read_text(encoding="utf-8").split("\n")[1].encode()
    assert any(word in path.read_bytes() for path in Path("out").iterdir()) is texts_kept
    result = nlgauge.load("out")
    assert result.has_texts is texts_kept
    if not texts_kept:
        with pytest.raises(ResultError, match="saved without its texts"):
            result.explain("wer", 0)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_packed_files_are_read_piece_by_piece(suffix: str) -> None:
    import bz2
    import lzma

    import zstandard

    pack: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstandard.ZstdCompressor().compress,
    }
    for name in ("ref0.txt", "A.txt"):
        Path(name + suffix).write_bytes(pack[suffix](Path(name).read_bytes()))
    plain = Inputs(["A.txt"], ["ref0.txt"])
    packed = Inputs([f"A=A.txt{suffix}"], [f"ref0.txt{suffix}"])
    assert packed.possible()
    assert _records(packed) == _records(plain)
    Path(f"A.txt{suffix}").write_bytes(pack[suffix](Path("A.txt").read_bytes())[:-9])
    with pytest.raises(InputError, match="is not a complete"):
        _records(packed)


def _records(files: Inputs) -> list[Any]:
    return [record for piece in files.pieces(Path("scratch")) for record in piece.records()]


def test_standard_input_is_stored_and_scored() -> None:
    command = [
        sys.executable,
        "-m",
        "nlgauge",
        "score",
        "-q",
        "--json",
        "-m",
        "cider",
        "-r",
        "ref0.txt",
        "-",
        "-o",
        "out",
        "--stream",
    ]
    with Path("A.txt").open("rb") as given:
        found = subprocess.run(command, stdin=given, capture_output=True, check=True)
    whole = document("score", "-m", "cider", "-r", "ref0.txt", "A.txt")
    assert json.loads(found.stdout)["systems"]["stdin"]["cider"] == whole["systems"]["A"]["cider"]


def test_files_that_do_not_end_together_are_refused_with_their_lengths() -> None:
    Path("short.txt").write_text("\n".join(texts(31, 1)), encoding="utf-8")
    error = run("score", "-m", "wer", "-r", "ref0.txt", "short.txt", "-o", "out", "--stream").stderr
    assert mentions(error, "short.txt has 31 entries ... ref0.txt has 60 entries")
    assert not Path("out").exists() and not Path("out.unfinished").exists()
    Path("empty.txt").write_text("", encoding="utf-8")
    assert (
        "empty.txt is empty"
        in run("score", "-m", "repetitiveness", "empty.txt", "-o", "out", "--stream").stderr
    )
    Path("latin.txt").write_bytes("\n".join(texts(40, 1)).encode() + b"\nna\xefve\n")
    assert (
        "latin.txt is not UTF-8: line 41, byte 3 is 0xEF"
        in run("score", "-m", "repetitiveness", "latin.txt", "-o", "out", "--stream").stderr
    )


def test_what_cannot_be_read_piece_by_piece_is_said_or_read_whole(folder: Path) -> None:
    Path("A.json").write_text('["one", "two"]', encoding="utf-8")
    assert (
        "--stream reads only plain lines, .tsv, .csv, .jsonl and .parquet files"
        in run("score", "-m", "repetitiveness", "A.json", "-o", "out", "--stream").stderr
    )
    assert "--stream" in run("score", "-m", "wer", "-r", "ref0.txt", "A.txt", "--stream").stderr
    assert "--resume" in run("score", "-m", "wer", "-r", "ref0.txt", "A.txt", "--resume").stderr


def test_large_files_are_read_piece_by_piece_without_being_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "LARGE", 100)
    document("score", "-m", "wer", "-r", "ref0.txt", "A.txt", "-o", "out")
    assert is_stored(nlgauge.load("out").corpus)


# --- a corpus on disk


def test_a_stored_corpus_is_the_corpus(folder: Path) -> None:
    pieces = [
        Corpus.read({"A": ["a", "b"], "B": ["c", "a"]}, ["r", "r"], ["s", "a"]),
        Corpus.read({"A": [["d", "e"]], "B": ["f"]}, [["r", "q"]], ["s"], ids=[2]),
        Corpus.read({"A": ["x"], "B": ["y"]}, [[]], ["z"], ids=[3]),
    ]
    writer = CorpusWriter(folder)
    for piece in pieces:
        writer.append(piece)
    corpus = stored_corpus(folder, writer.close())
    expected = [record for piece in pieces for record in piece.records()]
    assert corpus.records() == expected and corpus.ids == range(4)
    assert corpus.apart(np.array([2, 0])).records() == [expected[2], expected[0]]
    apart = corpus.apart(np.arange(2))
    assert sorted(apart.texts.strings) == ["a", "b", "c", "r", "s"]
    assert corpus.texts.strings[1:3] == ["b", "c"] and corpus.texts.strings[-1] == "z"
    with pytest.raises(IndexError):
        corpus.texts.strings[99]
    with pytest.raises(InputError, match="new texts"):
        corpus.texts.intern("new")


def test_chunks_of_a_stored_corpus_are_all_segments_of_about_the_size(folder: Path) -> None:
    writer = CorpusWriter(folder)
    for start in range(0, 60, 20):
        writer.append(
            Corpus.read(
                texts(60, 3)[start : start + 20],
                texts(60, 4)[start : start + 20],
                ids=range(start, start + 20),
            )
        )
    corpus = stored_corpus(folder, writer.close())
    for characters in (1, 60, 10**6):
        bounds = list(stored_bounds(corpus, characters))
        assert [i for start, end in bounds for i in range(start, end)] == list(range(60))
    sizes = [
        sum(map(len, record["predictions"]["system"] + record["references"])) for record in corpus.records()
    ]
    bounds = list(stored_bounds(corpus, 100))
    assert 15 < len(bounds) < 60
    assert all(sum(sizes[start:end]) < 250 or end - start == 1 for start, end in bounds)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda: Path("references.ids").write_bytes(b"\xff" * 8 * 60), "refers to texts"),
        (
            lambda: Path("references.ids").write_bytes(np.full(60, 120).astype("<i8").tobytes()),
            "refers to texts",
        ),
        (
            lambda: Path("texts.ends").write_bytes(
                np.where(np.arange(120) < 7, 99, 50).astype("<i8").tobytes()
            ),
            "texts.ends is not",
        ),
        (lambda: Path("references.ids").write_bytes(b"\0" * 8 * 59), "references.ids.*472.*480"),
        (
            lambda: Path("texts.ends").write_bytes(np.arange(120)[::-1].astype("<i8").tobytes()),
            "texts.ends is not",
        ),
        (lambda: os.truncate("texts.jsonl", 100), "instead of 100"),
        (lambda: Path("sources.ids").unlink(), "No.*sources.ids"),
        (
            lambda: Path("predictions-0.ends").write_bytes(np.arange(60).astype("<i8").tobytes()),
            "predictions-0.ends ends at 59",
        ),
        (lambda: Path("predictions-0.ends").unlink(), "No.*predictions-0.ends"),
    ],
)
def test_a_damaged_corpus_is_refused(damage: Callable[[], Any], message: str, folder: Path) -> None:
    writer = CorpusWriter(folder)
    predictions = [[f"p{i}"] for i in range(59)] + [["p59", "p0"]]
    writer.append(Corpus.read(predictions, [f"r{i}" for i in range(60)], ["r0"] * 60))
    facts = writer.close()
    assert facts == StoredFacts(["system"], 60, 120, True, True, None, several=["predictions-0"])
    assert sorted(facts.files()) == sorted(path.name for path in folder.iterdir() if path.suffix != ".txt")
    damage()
    with pytest.raises((InputError, FileNotFoundError), match=message):
        stored_corpus(folder, facts)


def test_a_damaged_text_is_said_when_it_is_read(folder: Path) -> None:
    writer = CorpusWriter(folder)
    writer.append(Corpus.read(["one", "two"]))
    facts = writer.close()
    Path("texts.jsonl").write_bytes(b"'" * 12)
    corpus = stored_corpus(folder, facts)
    with pytest.raises(InputError, match=r"texts\.jsonl is damaged"):
        corpus.records()


def test_a_damaged_result_is_refused() -> None:
    document("score", "-m", "wer", "bleu", "-r", "ref0.txt", "A.txt", "-o", "whole", "--stream")
    for name in (STATISTICS, "run.json", "fits.npz", "texts.ends", "references.ids"):
        shutil.copytree("whole", "out", dirs_exist_ok=True)
        os.truncate(Path("out", name), Path("out", name).stat().st_size - 8)
        with pytest.raises(ResultError):
            nlgauge.load("out")
        Path("out", name).unlink()
        with pytest.raises(ResultError):
            nlgauge.load("out")


# --- what ends a run


class Ending(Serial):
    """Ends before the chunk with this number."""

    def __init__(self, number: int, error: BaseException) -> None:
        super().__init__(characters=100)
        object.__setattr__(self, "end", (number, error))

    def map(self, task: Task, chunks: Any) -> Any:
        number, error = self.end  # type: ignore[attr-defined]
        for i, found in enumerate(super().map(task, chunks)):
            if task.stage == "score" and i == number:
                raise error
            yield found


def scorer(executor: Any, **options: Any) -> nlgauge.Scorer:
    return nlgauge.Scorer(METRICS, executor=executor, output="out", **options)


SYSTEMS = {"A": texts(60, 3), "B": texts(60, 4)}
REFERENCES = [[a, b] for a, b in zip(texts(60, 1), texts(60, 2), strict=True)]


@pytest.mark.parametrize("number", [0, 1, 5])
@pytest.mark.parametrize("reduce_fn", [None, "mean"])
def test_a_run_goes_on_where_it_was(number: int, reduce_fn: str | None) -> None:
    with pytest.raises(KeyboardInterrupt):
        scorer(Ending(number, KeyboardInterrupt()))(SYSTEMS, REFERENCES, reduce_fn=reduce_fn)
    assert Path("out.unfinished").exists() is (number > 0)
    with pytest.raises(ResultError):
        nlgauge.load("out")
    seen: list[int] = []

    class Counting(Serial):
        def map(self, task: Task, chunks: Any) -> Any:
            given = list(chunks)
            if task.stage == "score":
                seen.extend(len(chunk.segments) for chunk in given)
            elif number:
                pytest.fail("what was fitted is fitted again")
            yield from super().map(task, given)

    spent = (
        [
            json.loads(line).get("metrics", {}).get("ter", 0.0)
            for line in Path("out.unfinished", LOG).read_text().splitlines()
        ]
        if number
        else []
    )
    result = scorer(Counting(characters=300), resume=True)(SYSTEMS, REFERENCES, reduce_fn=reduce_fn)
    assert result.costs.metrics["ter"] > sum(spent)
    assert (sum(seen) == 60) is (number == 0)
    assert not Path("out.unfinished").exists()
    expected = nlgauge.score(SYSTEMS, REFERENCES, metrics=METRICS, reduce_fn=reduce_fn)
    for found in (result, nlgauge.load("out")):
        assert_same(found, expected)
        assert set(found.costs.metrics) == set(METRICS)


def test_what_is_behind_the_last_whole_line_of_the_log_is_cut_off() -> None:
    with pytest.raises(KeyboardInterrupt):
        scorer(Ending(5, KeyboardInterrupt()))(SYSTEMS, REFERENCES)
    place = Path("out.unfinished")
    log = (place / LOG).read_bytes().splitlines(keepends=True)
    (place / LOG).write_bytes(b"".join(log[:-1]) + log[-1][:20])
    with (place / ROWS).open("ab") as stream:
        stream.write(b"half a row")
    with pytest.raises(KeyboardInterrupt):
        scorer(Ending(2, KeyboardInterrupt()), resume=True)(SYSTEMS, REFERENCES)
    lines = [json.loads(line) for line in (place / LOG).read_bytes().splitlines()]
    assert len(lines) > len(log), "what comes later stands behind the last whole line"
    assert_same(
        scorer(Serial(characters=100), resume=True)(SYSTEMS, REFERENCES),
        nlgauge.score(SYSTEMS, REFERENCES, metrics=METRICS),
    )


def test_only_the_same_run_goes_on() -> None:
    with pytest.raises(KeyboardInterrupt):
        scorer(Ending(3, KeyboardInterrupt()))(SYSTEMS, REFERENCES)
    with pytest.raises(ResultError, match=r"finished.*segments"):
        scorer(Serial())(SYSTEMS, REFERENCES)
    with pytest.raises(ResultError, match="different texts"):
        scorer(Serial(), resume=True)(SYSTEMS, REFERENCES, lang="de")
    with pytest.raises(ResultError, match="different texts"):
        scorer(Serial(), resume=True)({**SYSTEMS, "B": texts(60, 7)}, REFERENCES)
    with pytest.raises(ResultError, match="different options"):
        scorer(Serial(), resume=True)(SYSTEMS, REFERENCES, seed=1)
    with pytest.raises(ResultError, match="different metrics"):
        nlgauge.Scorer("bleu", output="out", resume=True)(SYSTEMS, REFERENCES)
    assert_same(
        scorer(Serial(), overwrite=True)(SYSTEMS, REFERENCES),
        nlgauge.score(SYSTEMS, REFERENCES, metrics=METRICS),
    )
    with pytest.raises(ResultError, match="overwrite=True"):
        scorer(Serial(), resume=True)(SYSTEMS, REFERENCES)


def test_files_that_changed_or_are_gone_are_not_taken_for_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMAND, "-o", "out", "--stream"]

    def end(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("nlgauge.results.storage.resume.write_result", end)
        assert run(*command).exit_code == 130
    assert "60 of 60 segments are scored" in run("show", "out").stderr
    assert "different metrics" in run(*[word for word in command if word != "cider"], "--resume").stderr
    content = Path("A.txt").read_bytes()
    Path("A.txt").write_bytes(content + b"more\n")
    assert "different source" in run(*command, "--resume").stderr
    Path("A.txt").unlink()
    assert "A.txt" in run(*command, "--resume").stderr
    assert Path("out.unfinished").exists()
    os.utime("ref0.txt")
    Path("A.txt").write_bytes(content)
    assert "different source" in run(*command, "--resume").stderr
    assert run(*command, "--overwrite").exit_code == 0


def test_an_end_between_the_last_two_steps_is_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMAND, "-o", "out", "--stream", "--no-texts"]

    def end(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("nlgauge.results.storage.resume.put", end)
        assert run(*command).exit_code == 130
    other = ["B.txt" if word == "A.txt" else "A.txt" if word == "B.txt" else word for word in command]
    assert "different source" in run(*other, "--resume").stderr
    assert run(*command, "--resume").exit_code == 0
    document(*COMMAND, "-o", "whole")
    assert_same(nlgauge.load("out"), nlgauge.load("whole"))
    assert not Path("out.unfinished").exists() and not Path("out", LOG).exists()


@pytest.mark.parametrize("place", [None, "/elsewhere"])
def test_a_full_disk_is_said_and_what_is_done_is_kept(place: str | None) -> None:
    kept = r"No space left on device; \d+ segments are scored.*resume=True"
    with pytest.raises(ResultError, match=f"{place or 'out.unfinished'}: {kept}"):
        scorer(Ending(4, OSError(28, "No space left on device", place)))(SYSTEMS, REFERENCES)
    assert_same(
        scorer(Serial(), resume=True)(SYSTEMS, REFERENCES),
        nlgauge.score(SYSTEMS, REFERENCES, metrics=METRICS),
    )


def test_an_output_that_is_not_one_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"resume.*output"):
        nlgauge.Scorer("bleu", resume=True)
    with pytest.raises(ParameterError, match=r"output.*directory"):
        nlgauge.Scorer("bleu", output=3)  # type: ignore[arg-type]
    Path("out.unfinished").mkdir()
    Path("out.unfinished", "mine").write_text("x", encoding="utf-8")
    with pytest.raises(ResultError, match=r"exists.*nlgauge"):
        scorer(Serial())(SYSTEMS, REFERENCES)
    with pytest.raises(ResultError, match=r"exists.*nlgauge"):
        scorer(Serial(), resume=True)(SYSTEMS, REFERENCES)
    # Other programs write logs of this name too.
    Path("out.unfinished", "log.jsonl").write_text('{"level": "info"}\n', encoding="utf-8")
    for options in ({}, {"overwrite": True}, {"resume": True}):
        with pytest.raises(ResultError, match=r"exists.*nlgauge"):
            scorer(Serial(), **options)(SYSTEMS, REFERENCES)
    assert Path("out.unfinished", "mine").read_text(encoding="utf-8") == "x"
    Path("out.unfinished").rename("elsewhere")
    Path("out.unfinished").symlink_to("elsewhere")
    with pytest.raises(ResultError, match=r"exists.*nlgauge"):
        scorer(Serial(), overwrite=True)(SYSTEMS, REFERENCES)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="locks are POSIX's")
def test_two_processes_do_not_go_on_with_one_run() -> None:
    with pytest.raises(KeyboardInterrupt):
        scorer(Ending(3, KeyboardInterrupt()))(SYSTEMS, REFERENCES)

    class Meanwhile(Serial):
        def map(self, task: Task, chunks: Any) -> Any:
            with pytest.raises(ResultError, match="another process"):
                scorer(Serial(), resume=True)(SYSTEMS, REFERENCES)
            yield from super().map(task, chunks)

    scorer(Meanwhile(), resume=True)(SYSTEMS, REFERENCES)


PROGRAM = """
import sys, time, nlgauge
from nlgauge.engine.executors import Serial
from nlgauge.engine.executors.processes import Processes

class Slow(Processes if sys.argv[1] == "processes" else Serial):
    def map(self, task, chunks):
        for found in super().map(task, chunks):
            time.sleep(0.02)
            yield found

lines = {name: open(name + ".txt", encoding="utf-8", newline="").read().split("\\n")[:-1] for name in ("A", "B", "ref0", "ref1")}
scorer = nlgauge.Scorer(["bleu", "chrf", "rouge", "cider", "ter"], executor=Slow(characters=150), output="out", resume=True)
scorer({"A": lines["A"], "B": lines["B"]}, list(zip(lines["ref0"], lines["ref1"])))
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX does")
@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_result(
    executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_THREADS", "2")
    rng = random.Random(executor)
    program = [sys.executable, "-c", PROGRAM, executor]
    log = Path("out.unfinished", LOG)
    for _ in range(3):
        process = subprocess.Popen(program, start_new_session=True)
        size = log.stat().st_size if log.exists() else 0
        while process.poll() is None and not (log.exists() and log.stat().st_size > size):
            time.sleep(0.01)
        time.sleep(rng.random() * 0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if Path("out").exists():
            break
    subprocess.run(program, check=True)
    lines = {
        name: Path(f"{name}.txt").read_bytes().decode().split("\n")[:-1]
        for name in ("A", "B", "ref0", "ref1")
    }
    references = [list(pair) for pair in zip(lines["ref0"], lines["ref1"], strict=True)]
    expected = nlgauge.score(
        {"A": lines["A"], "B": lines["B"]},
        references,
        metrics=METRICS,
        executor=Processes(150) if executor == "processes" else None,
    )
    assert_same(nlgauge.load("out"), expected)
    assert sorted(path.name for path in Path().iterdir() if path.is_dir()) == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_a_program_that_is_asked_to_end_says_what_is_kept() -> None:
    Path("big.txt").write_text(
        "".join(f"{line}\n" for line in texts(40_000, 3)), encoding="utf-8", newline=""
    )
    command = [
        sys.executable,
        "-m",
        "nlgauge",
        "score",
        "-q",
        "-m",
        "ter",
        "-r",
        "big.txt",
        "B=big.txt",
        "-o",
        "out",
        "--stream",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    log = Path("out.unfinished", LOG)
    while process.poll() is None and not (log.exists() and b"scored" in log.read_bytes()):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 143, said
    assert mentions(said, "interrupted; ... out.unfinished ... --resume")
    assert subprocess.run([*command, "--resume"], check=True, capture_output=True).returncode == 0


def test_a_result_is_made_within_the_directory_of_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is killed while it is written, without a word, leaves nothing elsewhere."""
    seen: list[str] = []

    def look(*arguments: Any) -> Any:
        seen.extend(path.name for path in Path().iterdir() if path.is_dir())
        raise KeyboardInterrupt

    command = ["score", "-m", "wer", "-r", "ref0.txt", "A.txt", "-o", "out"]
    with monkeypatch.context() as patched:
        patched.setattr("nlgauge.results.storage.save.write_fits", look)
        assert run(*command).exit_code == 130
    assert seen == ["out.unfinished"]
    document(*command, "--resume")
    assert [path.name for path in Path().iterdir() if path.is_dir()] == ["out"]
