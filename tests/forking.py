"""Work in a forked child, with a clear failure when the child hangs."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
# After so many seconds a child counts as hung and ends itself.
_PATIENCE = 600


def assert_in_child(work: Callable[[], bool]) -> None:
    """Fork, and assert that the work gives True in the child and that the child does not hang."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork in a process with threads
        child = os.fork()
    if not child:
        signal.alarm(_PATIENCE)
        status = 1
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    assert not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM), (
        f"the forked child hung: it did not end within {_PATIENCE} s"
    )
    assert status == 0, f"the forked child ended with status {status}"
