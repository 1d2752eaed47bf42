"""Worker processes: from a plain script, with errors that surface, and the same numbers whoever computes."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import mentions
from segment_rows import rows_by_label
from strategies import corpora

import nlgauge
from nlgauge._core.ragged import Array
from nlgauge._core.threads import threads
from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Chunk, Job, Task
from nlgauge.engine.executors import Serial, Threads, processes
from nlgauge.engine.executors.processes import Processes, wire
from nlgauge.engine.executors.processes.messages import of_chunk, of_task, to_corpus
from nlgauge.engine.executors.processes.wire import WireError, receive, send
from nlgauge.engine.prepare import labeled
from nlgauge.errors import NlgaugeError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.metric.reduction import Reducer

PREDICTIONS = ["the cat sat on the mat", "", "猫が座った", "a dog", "x\x00y", "the end"]
REFERENCES = [["the cat sat", "a cat"], ["nothing"], ["猫が座る"], ["a dog"], ["x y"], ["the end", "end"]]


# Chunks of one or two of these segments.
SMALL = Processes(characters=20)


@pytest.fixture
def two_workers(monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", "2")


@pytest.fixture
def started(monkeypatch) -> list[processes._Worker]:
    """The workers that a test starts."""
    found: list[processes._Worker] = []
    original = processes._Worker.__init__

    def counted(self: processes._Worker, *arguments: Any) -> None:
        found.append(self)
        original(self, *arguments)

    monkeypatch.setattr(processes._Worker, "__init__", counted)
    return found


def test_the_texts_of_these_tests_are_several_chunks():
    assert len(Corpus.read(PREDICTIONS, REFERENCES).chunks(SMALL.characters)) > 2


def both_ways(*arguments: Any, **options: Any) -> tuple[nlgauge.Result, nlgauge.Result]:
    """The result of one process, and of several."""
    return nlgauge.score(*arguments, **options), nlgauge.score(*arguments, **options, executor=SMALL)


def run_script(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    environment = {**os.environ, "NLGAUGE_THREADS": "2", "PYTHONWARNINGS": "error"}
    return subprocess.run(
        [sys.executable, str(script)],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        cwd=folder,
    )


def test_a_plain_script_needs_no_main_guard(tmp_path):
    code = f"""
        import nlgauge
        predictions, references = {PREDICTIONS!r} * 700, {REFERENCES!r} * 700
        metrics = ["bleu", "chrf", "rouge", "wer"]
        parallel = nlgauge.score(predictions, references, metrics=metrics, run_concurrent=True)
        serial = nlgauge.score(predictions, references, metrics=metrics)
        assert len(parallel.corpus.chunks(50_000)) > 1
        assert parallel.segments("records") == serial.segments("records")
        assert all(parallel[label] == serial[label] for label in metrics)
        print("equal")
    """
    done = run_script(code, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "equal\n", "")


def test_no_module_of_the_working_directory_gets_into_a_worker(tmp_path):
    (tmp_path / "nlgauge_marker.py").write_text("")
    (tmp_path / "random.py").write_text(
        "raise SystemExit('the random of the working directory was imported')"
    )
    code = """
        import sys
        sys.path.pop(0)
        import nlgauge
        print(nlgauge.score(["a", "b"], ["a", "c"], metrics="wer", run_concurrent=True)["wer"]["score"])
    """
    done = run_script(code, tmp_path)
    assert (done.stdout, done.returncode) == ("0.5\n", 0), done.stderr


@dataclass(frozen=True)
class Home(Metric):
    """A metric of this file, which no worker can find by name."""

    name: ClassVar[str] = "home"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"home": (Output("home", True),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"home": np.array([[float(len(view.text(i))), os.getpid()] for i in view.predictions])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"home": statistics[..., 0]}


def test_metrics_that_cannot_travel_stay_and_costs_are_added(two_workers):
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", Home(), "distinct"], executor=SMALL)
    table = result._tables["system", "home"]
    assert set(table.statistics["home"][:, 1]) == {os.getpid()}
    assert result["wer"] == nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer")["wer"]
    assert set(result.costs.metrics) == {"wer", "home", "distinct"}
    alone = nlgauge.score(PREDICTIONS, REFERENCES, metrics=Home(), executor=SMALL)
    assert alone["home"]["score"] == sum(map(len, PREDICTIONS))


def test_a_metric_registered_by_the_calling_script_stays(registered, two_workers):
    register(Home)
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "home"], executor=SMALL)
    assert set(result._tables["system", "home"].statistics["home"][:, 1]) == {os.getpid()}


def test_a_chunk_may_weigh_nothing(two_workers):
    weights = [0, 0, 1, 2, 0, 1]
    serial, parallel = (
        nlgauge.score(
            PREDICTIONS, REFERENCES, metrics="wer", weights=weights, executor=SMALL if flag else None
        )
        for flag in (False, True)
    )
    assert parallel["wer"] == serial["wer"]


@pytest.mark.parametrize("reduce_fn", [None, "max", "mean", max])
def test_every_rule_of_reduction_gives_the_same_numbers(reduce_fn, two_workers):
    arguments = {"A": [[p, "the cat"] for p in PREDICTIONS], "B": [[p] for p in PREDICTIONS]}, REFERENCES
    serial, parallel = (
        nlgauge.score(
            *arguments, metrics=["wer", "bleu"], reduce_fn=reduce_fn, executor=SMALL if flag else None
        )
        for flag in (False, True)
    )
    assert rows_by_label(parallel) == rows_by_label(serial)
    assert [parallel[system] for system in parallel] == [serial[system] for system in serial]


def test_chunks_really_go_to_other_processes(two_workers, started, monkeypatch):
    monkeypatch.setattr("nlgauge.metrics.wer.Wer.statistics", None)
    nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=SMALL)
    assert len(started) == 2
    assert all(worker._process.poll() is not None for worker in started)


def test_the_fit_stage_goes_to_other_processes_too(two_workers, started, monkeypatch):
    stages: list[str] = []
    original = Processes.map

    def noted(self: Processes, task: Task, chunks: Any) -> Any:
        stages.append(task.stage)
        return original(self, task, chunks)

    monkeypatch.setattr(Processes, "map", noted)
    serial = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["cider", "nist"])
    # What is fitted here would fail: it is fitted elsewhere.
    monkeypatch.setattr("nlgauge.metrics.cider.DocumentFrequencies.partial", None)
    parallel = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["cider", "nist"], executor=SMALL)
    assert stages == ["fit", "score"]
    assert len(started) == 4
    assert parallel["cider"] == serial["cider"]
    assert parallel["nist"] == serial["nist"]
    assert rows_by_label(parallel) == rows_by_label(serial)
    for key, arrays in serial._job.fits.items():
        for name, values in arrays.items():
            np.testing.assert_array_equal(parallel._job.fits[key][name], values)


def test_what_is_added_runs_where_it_is_asked_to(two_workers, started):
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer")
    assert started == []
    added = result.add("cider", executor=SMALL)
    assert len(started) == 4
    assert added["cider"] == nlgauge.score(PREDICTIONS, REFERENCES, metrics="cider")["cider"]
    more = added.add(predictions={"B": PREDICTIONS[::-1]}, executor=SMALL)
    assert len(started) == 6
    assert more["B"] == nlgauge.score({"B": PREDICTIONS[::-1]}, REFERENCES, metrics=["wer", "cider"])["B"]


@pytest.mark.parametrize(
    ("cores", "chunks", "workers", "each"),
    [(1, 20, 1, 1), (2, 20, 2, 1), (8, 20, 4, 2), (8, 50, 2, 4), (3, 50, 2, 1)],
)
def test_cores_are_shared_out_among_workers(cores, chunks, workers, each, monkeypatch):
    given: list[int] = []

    class Stopped(Exception):
        pass

    class NoWorker:
        def __init__(self, setup: Any, its_threads: int) -> None:
            given.append(its_threads)
            if len(given) == workers:
                raise Stopped

        def close(self) -> None:
            pass

    monkeypatch.setenv("NLGAUGE_THREADS", str(cores))
    monkeypatch.setattr(processes, "_Worker", NoWorker)
    assert min(cores, len(Corpus.read(PREDICTIONS, REFERENCES).chunks(chunks))) == workers
    with pytest.raises(Stopped):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=Processes(chunks))
    assert given == [each] * workers


def test_a_worker_is_told_its_threads(monkeypatch):
    told: list[str] = []

    def no_process(command: list[str], **options: Any) -> None:
        told.append(options["env"]["NLGAUGE_THREADS"])
        raise OSError("none")

    monkeypatch.setattr(processes.subprocess, "Popen", no_process)
    with pytest.raises(NlgaugeError, match="cannot start"):
        processes._Worker({}, 3)
    assert told == ["3"]


def fails_soon(act: Callable[[], Any], message: str) -> None:
    """The call raises an NlgaugeError with this message, rather than waiting for ever."""
    caught: list[BaseException] = []

    def attempt() -> None:
        try:
            act()
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(600)
    assert not thread.is_alive(), "it hangs"
    (error,) = caught
    assert type(error) is NlgaugeError
    assert mentions(str(error), message)


def assert_ended(started: list[processes._Worker]) -> None:
    """No worker is left, neither running nor waited for by nobody."""
    for worker in started:
        if hasattr(worker, "_process"):
            assert worker._process.returncode is not None


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (None, "worker process"),
        ("exec true", "worker process ... code 0"),
        ("exit 3", "worker process ... code 3"),
        (
            "echo 'Welcome to this machine!'; exec cat > /dev/null",
            "worker process ... (it begins with b'Welcome to t')",
        ),
        ("exec 0<&- 1>&-; exec sleep 600", "worker process ... code -9"),
        ("head -c 12 > /dev/null; kill -9 $$", "worker process ... code -9"),
        ("printf 'nlg'", "worker process ... code 0"),
    ],
    ids=[
        "cannot start",
        "ends at once",
        "fails at once",
        "prints",
        "closes its pipes",
        "killed",
        "ends within a message",
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="shell scripts")
def test_a_worker_that_does_not_work_is_an_error_not_a_hang(
    program, message, tmp_path, two_workers, started, monkeypatch
):
    script = tmp_path / "python"
    if program is not None:
        script.write_text(f"#!/bin/sh\n{program}\n")
        script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(processes, "_GRACE_SECONDS", 0.5)
    fails_soon(lambda: nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=SMALL), message)
    assert started
    assert_ended(started)


def test_an_interrupt_ends_the_workers(two_workers, started):
    class Interrupted(Processes):
        def map(self, task: Task, chunks: Any) -> Any:
            for i, found in enumerate(super().map(task, chunks)):
                if i == 1:
                    raise KeyboardInterrupt
                yield found

    with pytest.raises(KeyboardInterrupt):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=Interrupted(20))
    assert len(started) == 2
    assert_ended(started)


def test_a_worker_whose_parent_is_gone_does_not_finish_its_chunk():
    words = [f"a{i % 200}" for i in range(1500)]
    mixed = [" ".join(random.Random(i).sample(words, len(words))) for i in range(200)]
    corpus = Corpus.read(mixed, [" ".join(words)] * len(mixed))
    task = Task("score", Job(labeled("ter")), Reducer.of(None, corpus))
    command = [sys.executable, "-P", "-m", "nlgauge.engine.executors.processes.worker"]
    environment = {**os.environ, "NLGAUGE_KERNELS": "python"}  # with which this chunk takes hours
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
    ) as worker:
        try:
            send(worker.stdin, of_task(task))
            send(worker.stdin, of_chunk(Chunk(corpus, np.arange(len(corpus)), RunOptions())))
            with pytest.raises(subprocess.TimeoutExpired):
                worker.wait(1)
            worker.stdin.close()
            assert worker.wait(600) == 0
        finally:
            worker.kill()


def test_a_workers_error_surfaces_as_ours(two_workers):
    try:
        from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab

        TokenizerJaMecab()
    except (ImportError, RuntimeError):
        with pytest.raises(NlgaugeError, match=r"worker.*\[ja\]"):
            nlgauge.score(PREDICTIONS, REFERENCES, metrics="bleu(tokenizer='ja-mecab')", executor=SMALL)
    else:
        pytest.skip("the Japanese dictionary is installed, so nothing fails")


def test_a_worker_that_dies_surfaces_as_ours(two_workers, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere/at/all")
    with pytest.raises(NlgaugeError, match=r"worker process"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=SMALL)


def test_a_workers_unexpected_error_is_not_a_hang(two_workers, tmp_path, monkeypatch):
    """A bug in a worker (here: a metric that breaks only there) ends as an error of ours, in time."""
    (tmp_path / "sitecustomize.py").write_text(
        "import nlgauge.metrics.wer as wer\ndef broken(self, view, fitted):\n    raise RuntimeError('broken"
        " here')\nwer.Wer.statistics = broken\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(NlgaugeError, match="worker process"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=SMALL)


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_the_number_of_threads_must_be_one(value, monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", value)
    with pytest.raises(ParameterError, match=f"NLGAUGE_THREADS.*1.*'{value}'"):
        threads()


def test_the_number_of_threads(monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", "3")
    assert threads() == 3
    monkeypatch.setenv("NLGAUGE_THREADS", "")
    assert threads() == (os.cpu_count() or 1)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(VALUES)
def test_messages_come_back(message):
    stream = io.BytesIO()
    send(stream, message)
    send(stream, "next")
    stream.seek(0)
    assert receive(stream) == message
    assert receive(stream) == "next"
    assert receive(stream) is None


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.zeros((0, 4)),
        np.array([[True]]),
        np.arange(4)[::2],
        np.array(["ab", "c"]),
    ],
    ids=str,
)
def test_arrays_come_back(array):
    again = wire.decode(wire.encode({"a": [array]}))["a"][0]
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert (again == array).all()


@pytest.mark.parametrize("data", [b"Traceback (most recent call last)", b"nlg\x02" + bytes(8)])
def test_what_is_not_a_message_is_an_error(data):
    with pytest.raises(WireError, match="it begins with b'"):
        receive(io.BytesIO(data))


def test_half_a_message_is_the_end():
    stream = io.BytesIO()
    send(stream, [1, 2, 3])
    for length in range(len(stream.getvalue())):
        assert receive(io.BytesIO(stream.getvalue()[:length])) is None


def test_what_cannot_be_written_down_is_an_error():
    with pytest.raises(TypeError, match=r"message.*function"):
        wire.encode({"a": lambda: 1})


@pytest.mark.parametrize("name", ["serial", "threads", "processes"])
def test_an_executor_has_a_name(name, two_workers):
    assert type(nlgauge.Scorer("wer", executor=name).executor).__name__.lower() == name
    expected = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "cider"])
    found = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", executor=name).add("cider", executor=name)
    assert rows_by_label(found) == rows_by_label(expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "proceses",
            ("'proceses'.*'processes'"),
        ),
        (
            3,
            ("executor.*`characters` and `map`.*nlgauge.engine.executors.*3"),
        ),
        (Processes, "executor.*<class"),
    ],
)
def test_what_is_not_an_executor(given, message):
    with pytest.raises(ParameterError, match=message):
        nlgauge.Scorer("wer", executor=given)
    with pytest.raises(ParameterError, match=message):
        nlgauge.score(["a"], ["a"], metrics="wer").add("cer", executor=given)


@pytest.mark.parametrize("executor", [Serial(20), Threads(20), SMALL], ids=repr)
@pytest.mark.parametrize("count", [0, 1, None])
def test_chunks_of_unknown_number_are_taken_as_they_are_needed(executor, count, two_workers):
    corpus = Corpus.read(PREDICTIONS * 4, REFERENCES * 4)
    task = Task("score", Job(labeled(["wer", Home()])), Reducer.of(None, corpus))
    segments = corpus.chunks(20)[:count]
    taken: list[Chunk] = []

    def chunks() -> Iterator[Chunk]:
        for own in segments:
            taken.append(Chunk(corpus, own, RunOptions()))
            yield taken[-1]

    ahead, found = [], []
    for done, (rows, _) in enumerate(executor.map(task, chunks())):
        ahead.append(len(taken) - done)
        found.append(rows["system", "wer"]["wer"])
    expected = [task.run(Chunk(corpus, own, RunOptions()))[0]["system", "wer"]["wer"] for own in segments]
    assert len(found) == len(expected) == len(taken)
    assert all(map(np.array_equal, found, expected))
    assert max(ahead, default=0) <= 5  # of more than twelve


def test_an_executor_may_keep_something_for_the_whole_run():
    kept: list[str] = []

    class Lasting(Serial):
        @contextmanager
        def opened(self) -> Iterator[Serial]:
            kept.append("opened")
            yield Serial(20)
            kept.append("closed")

        def map(self, task: Task, chunks: Any) -> Any:
            raise AssertionError("the executor of the run is the one that was opened")

    found = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "cider"], executor=Lasting())
    assert kept == ["opened", "closed"]
    assert found["cider"] == nlgauge.score(PREDICTIONS, REFERENCES, metrics="cider")["cider"]


def test_an_executor_is_anything_with_a_map():
    class Backwards:
        characters = 10

        def map(self, task, chunks):
            found = [task.run(chunk) for chunk in reversed(list(chunks))]
            yield from reversed(found)

    ours = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "cider"], executor=Backwards())
    theirs = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "cider"])
    assert (ours["wer"], ours["cider"]) == (theirs["wer"], theirs["cider"])
    assert ours.add("nist", executor=Backwards())["nist"] == theirs.add("nist")["nist"]


@given(corpora(), st.booleans())
def test_a_message_of_a_chunk_makes_the_same_corpus_again(corpus, with_sources):
    predictions, references = corpus
    systems = {"A": predictions, "B": [[text, text] for text in predictions]}
    read = Corpus.read(systems, references, predictions if with_sources else None, lang="en")
    message = wire.decode(wire.encode(of_chunk(Chunk(read, np.arange(len(read)), RunOptions()))))
    again = to_corpus(message)
    assert (again.records(), again.lang) == (read.records(), "en")
