"""What compiled kernels make of arrays that are laid out differently, that do not fit together, or for
which there are too few threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from forking import assert_in_child, needs_fork
from twins import column, needs_native, pairs

import nlgauge
from nlgauge._core import backend
from nlgauge._core.ragged import Ragged
from nlgauge.features.tokens.text import Tokens
from nlgauge.features.tokens.token_ids import vocabulary
from nlgauge.kernels.lcs import lcs_lengths, union_lcs_hits
from nlgauge.kernels.ngrams import ngram_matches
from nlgauge.kernels.word_order import ascending_pairs

pytestmark = needs_native

COLUMN = column([[1, 2, 3], [1, 3], [], [2, 3, 3]])
PREDICTIONS, REFERENCES = pairs([0, 1, 2, 3])


def apart(values: np.ndarray) -> np.ndarray:
    """The same numbers, with others between them in memory."""
    return np.stack([values, values + 1], axis=1)[:, 0]


def read_only(values: np.ndarray) -> np.ndarray:
    """The same numbers in an array that cannot be written to."""
    found = values.copy()
    found.flags.writeable = False
    return found


@pytest.mark.parametrize(
    "change",
    [apart, read_only, lambda values: values.astype(np.int64), lambda values: values.astype(np.int32)],
)
def test_arrays_may_lie_in_memory_in_any_way(change):
    changed = Ragged(change(COLUMN.values), change(COLUMN.offsets))
    found = lcs_lengths.native(changed, change(PREDICTIONS), change(REFERENCES))
    assert found.tolist() == lcs_lengths.python(COLUMN, PREDICTIONS, REFERENCES).tolist()


def test_nothing_gives_nothing():
    empty, none = (
        Ragged(np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)),
        np.empty(0, dtype=np.int64),
    )
    assert lcs_lengths.native(empty, none, none).shape == (0,)
    assert ngram_matches.native(empty, none, Ragged.of([]), 4).shape == (0, 4)
    assert ascending_pairs.native(Ragged.of([])).shape == (0, 2)
    assert union_lcs_hits.native(empty, Ragged.of([]), Ragged.of([])).shape == (0,)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("row", [-1, 4, 2**40])
def test_a_row_that_is_not_there_is_refused(row, threads):
    rows = np.array([0, 1, row])
    try:
        backend.NATIVE.set_threads(threads, worthwhile=1)
        with pytest.raises(IndexError, match="a row was asked for that the column does not have"):
            lcs_lengths.native(COLUMN, rows, rows)
        with pytest.raises(IndexError, match="a row was asked for that the column does not have"):
            ngram_matches.native(COLUMN, np.array([0]), Ragged.of([[0, row]]), 2)
    finally:
        backend.NATIVE.set_threads(1)


def test_fewer_references_than_predictions_are_refused():
    with pytest.raises(ValueError, match="as many references as predictions"):
        lcs_lengths.native(COLUMN, PREDICTIONS, REFERENCES[:-1])
    with pytest.raises(ValueError, match="there must be references for every prediction"):
        ngram_matches.native(COLUMN, PREDICTIONS, Ragged.of([[0]]), 2)


@pytest.mark.parametrize("offsets", [[], [0, 3, 99], [-1, 3], [0, 5, 3]])
def test_rows_that_are_no_part_of_the_values_are_refused(offsets):
    with pytest.raises(ValueError, match="the offsets of a column must not fall"):
        lcs_lengths.native(
            Ragged(COLUMN.values, np.array(offsets, dtype=np.int64)), np.array([0]), np.array([0])
        )


def in_a_process(program: str, **environment: str) -> str:
    """What a program prints that runs in a process of its own."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FEW_THREADS = """
import resource
import numpy as np
from nlgauge._core.ragged import Ragged
from nlgauge._core.backend import NATIVE
from nlgauge.kernels.lcs import lcs_lengths

column, rows = Ragged.of([[1, 2, 3], [1, 3]], dtype=np.int32), np.zeros(500, dtype=np.int64)
NATIVE.set_threads(64, worthwhile=1)
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (20 << 20), resource.RLIM_INFINITY))
print(lcs_lengths.native(column, rows, rows + 1).sum())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_where_the_system_gives_no_more_threads_the_others_do_the_work():
    assert in_a_process(FEW_THREADS) == "1000.0\n"


PREDICTED = [f"the cat number {i} sat on mat {i % 7} , and ran away" for i in range(300)]
EXPECTED = [f"a cat number {i} sits on the mat {i % 5} and runs" for i in range(300)]
METRICS = ["bleu", "chrf", "rouge(stem=True)", "wer", "ter"]


def scores(scorer: nlgauge.Scorer) -> dict[str, Any]:
    """All scores of the texts."""
    result = scorer(PREDICTED, EXPECTED)
    return {str(key): table.statistics for key, table in result._tables.items()}


def same(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    return all(
        np.array_equal(values, found[key][part])
        for key, parts in expected.items()
        for part, values in parts.items()
    )


def test_threads_of_python_may_share_a_scorer():
    scorer = nlgauge.Scorer(METRICS)
    expected = scores(scorer)
    found: list[dict[str, Any]] = []
    workers = [
        threading.Thread(target=lambda: found.extend(scores(scorer) for _ in range(3))) for _ in range(4)
    ]
    try:
        backend.NATIVE.set_threads(3, worthwhile=1)
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        backend.NATIVE.set_threads(1)
    assert len(found) == 12
    assert all(same(one, expected) for one in found)


@needs_fork
def test_a_child_that_is_forked_while_a_kernel_runs_can_score():
    scorer = nlgauge.Scorer(METRICS)
    expected = scores(scorer)
    done = threading.Event()

    def go_on() -> None:
        while not done.is_set():
            scores(scorer)

    worker = threading.Thread(target=go_on)
    backend.NATIVE.set_threads(3, worthwhile=1)
    worker.start()
    try:
        for _ in range(5):
            assert_in_child(lambda: same(scores(scorer), expected))
    finally:
        done.set()
        worker.join()
        backend.NATIVE.set_threads(1)


def test_a_form_that_is_not_a_string_is_refused():
    with backend.using("native"):
        memory = vocabulary(Tokens("whitespace").splitter(), form=lambda words: [7 for _ in words])
    with pytest.raises(TypeError, match="must be a string or None"):
        memory.tokens(["a b"])
