"""Chunks in threads: the numbers of one chunk after the other, in the same order, with errors that
surface.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from twins import needs_native

import nlgauge
from nlgauge._core.backend import using
from nlgauge._core.threads import threads
from nlgauge.corpus import Corpus
from nlgauge.engine import executors
from nlgauge.engine.chunk import Task
from nlgauge.engine.executors import Serial, Threads, default_executor
from nlgauge.engine.prepare import labeled
from nlgauge.errors import ParameterError
from nlgauge.metric import Arrays, Metric, Output, View

pytestmark = needs_native

WORDS = ["the", "cat", "sat", "on", "a", "mat", "Größe", "猫"]
PREDICTIONS = [" ".join(WORDS[(i * k) % 8] for k in range(i % 7 + 1)) for i in range(60)]
REFERENCES = [[" ".join(WORDS[(i + k) % 8] for k in range(5))] for i in range(60)]
METRICS = ["bleu", "chrf", "rouge(stem=True)", "wer", "cider", "nist", "meteor", "ter"]


@dataclass(frozen=True)
class Where(Metric):
    """The number of characters of a prediction; says in which threads it was computed, and fails where it
    is told to.
    """

    name: ClassVar[str] = "where"
    takes: ClassVar[str] = "alone"
    seen: ClassVar[set[int]] = set()
    fails_at: str = ""

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"": (Output("length", None),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        self.seen.add(threading.get_ident())
        texts = [view.text(text) for text in view.predictions.tolist()]
        if self.fails_at in texts:
            raise ValueError(f"cannot read {self.fails_at}")
        return {"": np.array([[len(text)] for text in texts], dtype=float)}

    def score(self, part: str, statistics: np.ndarray) -> Arrays:
        return {"length": statistics[..., 0]}


@pytest.fixture(autouse=True)
def three_threads(monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", "3")
    Where.seen.clear()


@pytest.mark.parametrize("value", ["0", "-1", "two", "²"])
def test_a_wrong_number_of_threads_is_refused(value, monkeypatch):
    monkeypatch.setenv("NLGAUGE_THREADS", value)
    with pytest.raises(ParameterError, match=f"NLGAUGE_THREADS.*{value}"):
        threads()


def test_the_numbers_are_those_of_one_chunk_after_the_other():
    assert len(Corpus.read(PREDICTIONS, REFERENCES).chunks(300)) > 6
    found, expected = (
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=METRICS, executor=kind(300))
        for kind in (Threads, Serial)
    )
    assert found._tables.keys() == expected._tables.keys()
    for key, table in found._tables.items():
        for part, values in table.statistics.items():
            assert np.array_equal(values, expected._tables[key].statistics[part], equal_nan=True), key


@pytest.mark.parametrize(("kernels", "several"), [("native", True), ("python", False)])
def test_several_threads_run_where_kernels_are_compiled(kernels, several):
    with using(kernels):
        result = nlgauge.score(PREDICTIONS, metrics=Where(), executor=Threads(50))
    assert result["where"]["score"] == sum(map(len, PREDICTIONS))
    assert (threading.get_ident() not in Where.seen) is several


def test_few_chunks_are_begun_before_the_first_is_asked_for(monkeypatch):
    begun = []
    run = Task.run
    monkeypatch.setattr(Task, "run", lambda task, chunk: (begun.append(chunk), run(task, chunk))[1])
    monkeypatch.setattr(executors, "_MOST_AT_ONCE", 2)
    after_first = []

    class Watched(Threads):
        def map(self, task, chunks):
            for found in super().map(task, chunks):
                after_first.append(len(begun))
                yield found

    nlgauge.score(PREDICTIONS, metrics=Where(), executor=Watched(50))
    assert after_first[0] <= 3 < after_first[-1] == len(begun)


def test_an_error_in_a_thread_surfaces_as_it_is():
    with pytest.raises(ValueError, match="cannot read the"):
        nlgauge.score(PREDICTIONS, metrics=Where(fails_at="the"), executor=Threads(50))


@pytest.mark.parametrize(
    ("metrics", "kind"),
    [
        (["bleu", "wer", "distinct"], Threads),
        (["bleu", "bertscore(model='minilm', layer=6)"], Serial),
        ([Where(), "bleu"], Serial),
    ],
)
def test_models_and_metrics_of_others_run_one_chunk_after_the_other(metrics, kind):
    assert type(nlgauge.Scorer(metrics).executor) is kind
    assert type(default_executor(labeled(metrics).values())) is kind


def test_adding_to_a_result_asks_for_the_executor_of_what_is_added(monkeypatch):
    chosen = []
    monkeypatch.setattr(
        "nlgauge.results.storage.addition.default_executor",
        lambda metrics: (chosen.append(list(map(str, metrics))), Serial())[1],
    )
    nlgauge.score(PREDICTIONS, REFERENCES, metrics="bleu").add("wer")
    assert chosen == [["wer"]]


def test_what_is_read_at_first_use_may_be_asked_for_by_several_threads_at_once():
    # In a process of its own, where nothing was read before; a lock that two threads wait for would never end
    # it.
    code = f"""
import nlgauge
from nlgauge.engine.executors import Threads
metrics = ["meteor", "meteor(version='2005', compat='nltk')", "flesch_reading_ease", "rouge(stem=True)"]
result = nlgauge.score({PREDICTIONS!r}, {REFERENCES!r}, metrics=metrics, executor=Threads(200))
print(*(result[label]["score"] for label in result.labels))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=False, capture_output=True, text=True, timeout=600
    )
    metrics = ["meteor", "meteor(version='2005', compat='nltk')", "flesch_reading_ease", "rouge(stem=True)"]
    expected = nlgauge.score(PREDICTIONS, REFERENCES, metrics=metrics, executor=Serial())
    assert done.returncode == 0, done.stderr
    assert list(map(float, done.stdout.split())) == pytest.approx(
        [expected[label]["score"] for label in expected.labels]
    )
