"""What compiled kernels make of arguments that are wrong, of Ctrl-C, and of too little memory: a refusal,
and never a crash.
"""

from __future__ import annotations

import _thread
import importlib.util
import operator
import os
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from twins import column, needs_native

from nlgauge._core import backend
from nlgauge._core.backend import NATIVE
from nlgauge._core.ragged import Ragged
from nlgauge.errors import ParameterError
from nlgauge.kernels.edits.jumps import JumpCosts

pytestmark = needs_native

TOOL = Path(__file__).parents[2] / "tools" / "fuzz_arguments.py"
_spec = importlib.util.spec_from_file_location("fuzz_arguments", TOOL)
assert _spec is not None
assert _spec.loader is not None
fuzz = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz)


def test_every_compiled_function_has_a_case():
    assert set(fuzz.CASES) == {name for name in dir(NATIVE) if not name.startswith("_") and name != "SOURCES"}


@pytest.mark.parametrize("name", [name for name in fuzz.CASES if name != "Vocabulary"])
def test_a_right_call_is_accepted_and_gives_the_same_again(name):
    first, second = (fuzz.function(name)(*fuzz.CASES[name](random.Random(name))) for _ in range(2))
    assert repr(first) == repr(second)


@pytest.mark.parametrize("name", fuzz.CASES)
def test_hostile_arguments_are_refused_or_harmless(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of NaN that becomes a whole number
        outcomes = {fuzz.attempt(name, random.Random(f"{seed} {name}")) for seed in range(25)}
    assert (outcomes == {"accepted"}) == (name in {"flattened", "set_patience", "stop_kernels"})


KEYS = Ragged(np.arange(10, dtype=np.uint64), np.array([0, 10]))
PAIR = column([[1] * 10, [1, 2] * 5])
ROWS = np.array([0, 1])
GROUPS = Ragged.of([[0], [1]], dtype=np.int64)
FACTS = np.ones((1, 4), dtype=np.int64)
ZERO = np.array([0])

REFUSED: dict[str, tuple[tuple[Any, ...], type[Exception], str]] = {
    "readability_counts of an unknown text": (
        (column([[0]]), np.array([10**9]), 1, FACTS),
        IndexError,
        "of a text that is not there",
    ),
    "readability_counts of an unknown word": (
        (column([[2**30]]), ZERO, 1, FACTS),
        IndexError,
        "nothing is known of a word",
    ),
    "readability_counts of fewer texts": (
        (column([[0], [0]]), ZERO, 1, FACTS),
        ValueError,
        "a text for every sentence",
    ),
    "tfidf_similarity of few weights": (
        (KEYS, np.ones(1), ZERO, ZERO, False),
        ValueError,
        "as many weights as keys",
    ),
    "tfidf_similarity of no row": (
        (KEYS, np.ones(10), np.array([-1]), ZERO, False),
        IndexError,
        "a row was asked for",
    ),
    "weighted_matches of few weights": (
        (KEYS, np.ones(1), ZERO, Ragged.of([[0]], dtype=np.int64)),
        ValueError,
        "as many weights as keys",
    ),
    "look_up of few values": (
        (KEYS.values, KEYS.values, np.ones(1), 0.0),
        ValueError,
        "as many values as known keys",
    ),
    "ngram_keys of more than n": ((KEYS, 1, 10**8), ValueError, "at most n"),
    "ngram_matches of too many orders": (
        (PAIR, ROWS, GROUPS, 2**63),
        ValueError,
        "more numbers than fit into memory",
    ),
    "ngram_matches of many orders": ((PAIR, ROWS, GROUPS, 2**50), MemoryError, "bad_alloc"),
    "matches_with_the_others of too many orders": (
        (PAIR, ROWS, 2**63),
        ValueError,
        "more numbers than fit into memory",
    ),
    "operation_counts of too many orders": (
        (PAIR, ROWS, ROWS, GROUPS, 2**61),
        ValueError,
        "more numbers than fit into memory",
    ),
    "repeated_ngrams of too many orders": (
        (PAIR, ROWS, 2**63),
        ValueError,
        "more numbers than fit into memory",
    ),
    "novel_ngrams of too many orders": (
        (PAIR, ROWS, ROWS, 2**63, True),
        ValueError,
        "more numbers than fit into memory",
    ),
    "draw_counts of too many units": (
        (np.zeros((4, 3), dtype=np.int32), 2**62),
        ValueError,
        "more numbers than fit into memory",
    ),
    "fragment_column of no source": ((PAIR, ZERO, np.array([-1])), IndexError, "a row was asked for"),
    "js_divergences of no tokens": ((PAIR, ROWS, ROWS, 0, 0.1), ValueError, "at least one token"),
    "jump_distances of four costs": ((PAIR, ROWS, ROWS, (1, 1, 1, 1)), ValueError, "five costs"),
    "jump_distances of a negative cost": (
        (PAIR, ROWS, ROWS, JumpCosts(-5, 1, 1, 1, 1)),
        ValueError,
        "must not be negative",
    ),
    "jump_distances of no number": (
        (PAIR, ROWS, ROWS, JumpCosts(0.2, float("nan"), 1.0, 1.0, 1.0)),
        ValueError,
        "must not be negative",
    ),
    "greedy_alignments without a stem": (
        (column([[0]]), ZERO, ZERO, column([[]]), column([[0]])),
        ValueError,
        "every word must have one stem",
    ),
    "new_ids of itself": ((ROWS, ROWS), ValueError, "must be different arrays"),
    "number_texts of wrong numbers": ((["a"], {"a": "x"}, []), TypeError, "integer"),
    "set_threads of none": ((0,), ValueError, "1 to 1024 threads"),
    "set_threads for nothing": ((1, 0), ValueError, "worthwhile from 1 step on"),
    "lcs_lengths of floats": (
        (Ragged(np.array([0.5]), np.array([0, 1])), ZERO, ZERO),
        ParameterError,
        "token ids must be whole numbers, got float64",
    ),
    "lcs_lengths of more references": ((PAIR, ZERO, ROWS), ValueError, "as many references as predictions"),
}


@pytest.mark.parametrize(
    ("case", "arguments", "error", "message"),
    [(case, *rest) for case, rest in REFUSED.items()],
    ids=list(REFUSED),
)
def test_what_does_not_fit_is_refused_with_a_reason(case, arguments, error, message):
    with pytest.raises(error, match=message):
        getattr(NATIVE, case.split()[0])(*arguments)


def test_a_text_with_a_lower_of_its_own_is_lowered_as_a_text():
    class Shouting(str):
        __slots__ = ()

        def lower(self) -> Any:
            return 7

    assert NATIVE.nltk_stems([Shouting("RÜNNING")]) == NATIVE.nltk_stems(["RÜNNING"])


@pytest.fixture
def impatient() -> Iterator[None]:
    """Kernels look for signals all the time."""
    NATIVE.set_patience(1)
    yield
    NATIVE.set_patience(2**26)
    NATIVE.set_threads(1)


# Two long texts of different words, and two that repeat themselves.
LONG = column([list(range(2000)), list(range(1000, 3000)), [1, 2, 3] * 700, [3, 1, 2, 2] * 500])
EACH = np.array([0, 2]), np.array([1, 3])
PARTS = [Ragged.of([[word] for word in range(3000)], dtype=np.int32)]
BY_GROUP = Ragged.of([[0], [2]], dtype=np.int64), Ragged.of([[1, 1], [3, 3]], dtype=np.int64)
LONG_KEYS = Ragged(LONG.values.astype(np.uint64), LONG.offsets)
WEIGHTS = np.ones(len(LONG.values))

LONG_CALLS: dict[str, tuple[Any, ...]] = {
    "beam_alignments": (LONG, *EACH, PARTS),
    "character_edits": (LONG, *EACH, False),
    "edit_counts": (LONG, *EACH),
    "edit_distances": (LONG, *EACH),
    "fragment_column": (LONG, *EACH, True),
    "js_divergences": (LONG, *EACH, 2, 0.1),
    "jump_distances": (LONG, *EACH, JumpCosts(1, 1, 1, 1, 1)),
    "lcs_lengths": (LONG, *EACH),
    "lcs_places": (LONG[0].tolist(), LONG[1].tolist()),
    "matches_with_the_others": (LONG, np.arange(4), 4),
    "ngram_matches": (LONG, EACH[0], BY_GROUP[1], 4),
    "novel_ngrams": (LONG, *EACH, 4, True),
    "operation_counts": (LONG, EACH[0], EACH[1], BY_GROUP[1], 4),
    "shift_edits": (LONG, *EACH),
    "skip_bigram_matches": (LONG, *EACH, None, True, True),
    "tfidf_similarity": (LONG_KEYS, WEIGHTS, *EACH, False),
    "union_lcs_hits": (LONG, *BY_GROUP),
    "weighted_lcs_hits": (LONG, *BY_GROUP, 1.2),
    "weighted_matches": (LONG_KEYS, WEIGHTS, EACH[0], BY_GROUP[1]),
    "word_alignments": (LONG, *EACH, PARTS, 200_000),
    "word_places": (LONG, *EACH),
}


def with_a_signal_under_way(call: Callable[[], Any]) -> None:
    """Run a call when Ctrl-C was pressed and Python has had no occasion to notice it."""
    list(map(operator.call, [_thread.interrupt_main, call]))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", LONG_CALLS)
def test_control_c_ends_a_kernel(name, threads):
    NATIVE.set_threads(threads, worthwhile=1)
    with pytest.raises(KeyboardInterrupt):
        with_a_signal_under_way(partial(getattr(NATIVE, name), *LONG_CALLS[name]))


@pytest.mark.usefixtures("impatient")
def test_a_kernel_that_was_interrupted_gives_the_right_numbers_afterwards():
    call = partial(NATIVE.edit_distances, *LONG_CALLS["edit_distances"])
    before = call()
    with pytest.raises(KeyboardInterrupt):
        with_a_signal_under_way(call)
    np.testing.assert_array_equal(call(), before)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("threads", [1, 3])
def test_kernels_of_other_threads_end_when_they_are_told_to(threads):
    NATIVE.set_threads(threads, worthwhile=1)
    # It would run for a long time.
    endless = Ragged(np.arange(800_000, dtype=np.int32), np.array([0, 400_000, 800_000]))
    ended: list[BaseException] = []

    def run() -> None:
        try:
            NATIVE.jump_distances(endless, ZERO, ZERO + 1, JumpCosts(1, 1, 1, 1, 1))
        except BaseException as error:
            ended.append(error)

    worker = threading.Thread(target=run)
    worker.start()
    while worker.is_alive():
        backend.stop_kernels()
        worker.join(0.05)
    assert [type(error) for error in ended] == [KeyboardInterrupt]


LITTLE_MEMORY = """
import resource, sys
import numpy as np
from nlgauge._core.ragged import Ragged
from nlgauge._core.backend import NATIVE

rows, threads = 3_000_000, int(sys.argv[1])
NATIVE.set_threads(threads, worthwhile=1)
tokens = Ragged(np.arange(rows, dtype=np.int32), np.array([0, rows // 2, rows]))
keys = Ragged(np.arange(rows, dtype=np.uint64), np.array([0, rows // 2, rows]))
both, zero, weights = np.array([0, 1]), np.array([0]), np.ones(rows)
groups = Ragged.of([[0, 1]], dtype=np.int64)
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (12 << 20), resource.RLIM_INFINITY))
for name, arguments in (
    ("draw_counts", (np.zeros((1000, 3), dtype=np.int32), 100_000)),
    ("count_keys", (keys.values, weights)),
    ("keys_once_each", (keys, groups)),
    ("look_up", (keys.values, keys.values, weights, 0.0)),
    ("ngram_keys", (keys, 2)),
    ("tfidf_similarity", (keys, weights, zero, zero + 1, False)),
    ("different_ngrams", (tokens, both, 2)),
    ("ngram_matches", (tokens, zero, groups, 4)),
    ("lcs_lengths", (tokens, zero, zero + 1)),
    ("edit_counts", (tokens, zero, zero + 1)),
    ("word_places", (tokens, zero, zero + 1)),
    ("shift_edits", (tokens, zero, zero + 1)),
    ("fragment_column", (tokens, zero, zero + 1)),
    ("jump_distances", (tokens, zero, zero + 1, (1, 1, 1, 1, 1))),
):
    try:
        getattr(NATIVE, name)(*arguments)
        print(name, "was given memory")
    except MemoryError:
        pass
print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
@pytest.mark.parametrize("threads", [1, 3])
def test_a_kernel_without_memory_raises_a_memory_error(threads):
    command = [sys.executable, "-c", LITTLE_MEMORY, str(threads)]
    done = subprocess.run(
        command, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=600
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
