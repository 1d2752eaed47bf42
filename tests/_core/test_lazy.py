"""Properties that are computed at first use, and what a fork must not find locked."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

import pytest
from forking import assert_in_child, needs_fork

import nlgauge
from nlgauge._core.lazy import lazy
from nlgauge._core.locks import ForkedLock
from nlgauge.engine.chunks import Chunks

SOURCES = Path(nlgauge.__file__).parent


class Holder:
    def __init__(self) -> None:
        self.computed = 0

    @lazy
    def value(self) -> list[int]:
        """A list."""
        self.computed += 1
        return [self.computed]


def test_a_value_is_computed_once_and_stored_in_the_instance():
    one, other = Holder(), Holder()
    assert one.value is one.value
    assert one.value is not other.value
    assert one.computed == 1
    assert one.__dict__["value"] == [1]


def test_the_class_gives_the_property_with_its_documentation():
    assert Holder.value.__doc__ == "A list."


def test_a_value_that_another_thread_stored_first_is_the_value_of_both():
    class Slow:
        @lazy
        def value(self) -> object:
            self.__dict__.setdefault("value", first)  # as another thread would, in the middle of this one
            return object()

    first = object()
    assert Slow().value is first


def test_an_error_is_not_stored():
    class Failing:
        tries = 0

        @lazy
        def value(self) -> int:
            self.tries += 1
            if self.tries == 1:
                raise ValueError("the first try fails")
            return self.tries

    failing = Failing()
    with pytest.raises(ValueError, match="the first try fails"):
        _ = failing.value
    assert failing.value == 2


def score() -> float:
    # An executor that is named takes the way through the engine, also in later calls.
    return float(nlgauge.score(["a b"], ["a c"], metrics="wer", executor="serial")["wer"]["score"])


@needs_fork
def test_a_child_that_is_forked_inside_a_property_can_score(monkeypatch: pytest.MonkeyPatch):
    expected = score()
    inside, leave = threading.Event(), threading.Event()
    compute = Chunks.bounds.compute

    def wait(chunks: Chunks) -> list[tuple[int, int]]:
        inside.set()
        leave.wait()
        return compute(chunks)

    monkeypatch.setattr(Chunks.bounds, "compute", wait)
    worker = threading.Thread(target=score)
    worker.start()
    inside.wait()
    monkeypatch.setattr(Chunks.bounds, "compute", compute)
    try:
        assert_in_child(lambda: score() == expected)
    finally:
        leave.set()
        worker.join()


def names_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names
    }


def test_no_module_uses_cached_property():
    assert not [str(path) for path in SOURCES.rglob("*.py") if "cached_property" in names_of(path)]


# Locks of objects that one run makes for itself: a child that is forked meanwhile makes its own. Locks that
# outlive a run must be a ForkedLock.
OF_ONE_RUN = {"judges/limits.py"}


def test_every_other_lock_survives_a_fork():
    plain = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if names_of(path) & {"Lock", "RLock", "Condition"}
    }
    assert plain - OF_ONE_RUN == {"_core/locks.py"}


@needs_fork
def test_a_lock_that_another_thread_holds_is_free_in_a_forked_child():
    lock, held, leave = ForkedLock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock.taken():
            held.set()
            leave.wait()

    def take() -> bool:
        with lock.taken():
            return True

    worker = threading.Thread(target=hold)
    worker.start()
    held.wait()
    try:
        assert_in_child(take)
    finally:
        leave.set()
        worker.join()
