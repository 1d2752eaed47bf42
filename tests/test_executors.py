"""Worker processes: from a plain script, with errors that surface, and the same numbers whoever computes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.errors import NlgaugeError, ParameterError
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.models.threads import threads
from nlgauge.run.processes import wire
from nlgauge.run.processes.wire import receive, send

PREDICTIONS = ["the cat sat on the mat", "", "猫が座った", "a dog", "x\x00y", "the end"]
REFERENCES = [["the cat sat", "a cat"], ["nothing"], ["猫が座る"], ["a dog"], ["x y"], ["the end", "end"]]


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", "2")
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: np.array_split(np.arange(len(self)), 3))


def run_script(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    environment = {**os.environ, "NLGAUGE_THREADS": "2", "PYTHONWARNINGS": "error"}
    return subprocess.run([sys.executable, str(script)], check=False, capture_output=True, text=True, timeout=120, env=environment, cwd=folder)


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
    (tmp_path / "random.py").write_text("raise SystemExit('the random of the working directory was imported')")
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


def test_metrics_that_cannot_travel_stay_and_costs_are_added(small_chunks):
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", Home(), "distinct"], run_concurrent=True)
    table = result.tables["system", "home"]
    assert set(table.statistics["home"][:, 1]) == {os.getpid()}
    assert result["wer"] == nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer")["wer"]
    assert set(result.costs.metrics) == {"wer", "home", "distinct"}
    alone = nlgauge.score(PREDICTIONS, REFERENCES, metrics=Home(), run_concurrent=True)
    assert alone["home"]["score"] == sum(map(len, PREDICTIONS))


def test_a_metric_registered_by_the_calling_script_stays(registered, small_chunks):
    register(Home)
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "home"], run_concurrent=True)
    assert set(result.tables["system", "home"].statistics["home"][:, 1]) == {os.getpid()}


def test_a_chunk_may_weigh_nothing(small_chunks):
    weights = [0, 0, 1, 2, 0, 1]
    serial, parallel = (nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", weights=weights, run_concurrent=flag) for flag in (False, True))
    assert parallel["wer"] == serial["wer"]


@pytest.mark.parametrize("reduce_fn", [None, "max", "mean", max])
def test_every_rule_of_reduction_gives_the_same_numbers(reduce_fn, small_chunks):
    arguments = {"A": [[p, "the cat"] for p in PREDICTIONS], "B": [[p] for p in PREDICTIONS]}, REFERENCES
    serial, parallel = (nlgauge.score(*arguments, metrics=["wer", "bleu"], reduce_fn=reduce_fn, run_concurrent=flag) for flag in (False, True))
    assert parallel.segments("records") == serial.segments("records")
    assert [parallel[system] for system in parallel] == [serial[system] for system in serial]


def test_chunks_really_go_to_other_processes(small_chunks, monkeypatch):
    from nlgauge.run import processes

    started: list[processes._Worker] = []
    original = processes._Worker.__init__

    def counted(self: processes._Worker, *arguments: object) -> None:
        original(self, *arguments)
        started.append(self)

    monkeypatch.setattr(processes._Worker, "__init__", counted)
    monkeypatch.setattr("nlgauge.metrics.wer.Wer.statistics", None)
    nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", run_concurrent=True)
    assert len(started) == 2
    assert all(worker._process.poll() is not None for worker in started)


def test_a_workers_error_surfaces_as_ours(small_chunks):
    try:
        from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab

        TokenizerJaMecab()
    except (ImportError, RuntimeError):
        with pytest.raises(NlgaugeError, match=r"in a worker process: .*pip install .nlgauge\[ja\]"):
            nlgauge.score(PREDICTIONS, REFERENCES, metrics="bleu(tokenizer='ja-mecab')", run_concurrent=True)
    else:
        pytest.skip("the Japanese dictionary is installed, so nothing fails")


def test_a_worker_that_dies_surfaces_as_ours(small_chunks, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere/at/all")
    with pytest.raises(NlgaugeError, match="a worker process ended with exit code"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", run_concurrent=True)


def test_a_workers_unexpected_error_is_not_a_hang(small_chunks, tmp_path, monkeypatch):
    """A bug in a worker (here: a metric that breaks only there) ends as an error of ours, in time."""
    (tmp_path / "sitecustomize.py").write_text(
        "import nlgauge.metrics.wer as wer\ndef broken(self, view, fitted):\n    raise RuntimeError('broken here')\nwer.Wer.statistics = broken\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(NlgaugeError, match="worker process"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", run_concurrent=True)


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_the_number_of_threads_must_be_one(value, monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", value)
    with pytest.raises(ParameterError, match=f"NLGAUGE_THREADS must be a whole number from 1, got '{value}'"):
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
    "array", [np.arange(6.0).reshape(2, 3), np.zeros((0, 4)), np.array([[True]]), np.arange(4)[::2], np.array(["ab", "c"])], ids=str
)
def test_arrays_come_back(array):
    again = wire.decode(wire.encode({"a": [array]}))["a"][0]
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert (again == array).all()


def test_what_cannot_be_written_down_is_an_error():
    with pytest.raises(TypeError, match="a message cannot hold a function"):
        wire.encode({"a": lambda: 1})


def test_an_executor_is_anything_with_a_map():
    class Backwards:
        characters = 10

        def map(self, task, chunks):
            found = [task.run(chunk) for chunk in reversed(chunks)]
            yield from reversed(found)

    ours = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "cider"], executor=Backwards())
    theirs = nlgauge.score(PREDICTIONS, REFERENCES, metrics=["wer", "cider"])
    assert (ours["wer"], ours["cider"]) == (theirs["wer"], theirs["cider"])
    assert ours.add("nist", executor=Backwards())["nist"] == theirs.add("nist")["nist"]
