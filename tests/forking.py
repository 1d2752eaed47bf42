"""Work in a forked child, with a clear failure if the child raises or hangs."""

from __future__ import annotations

import faulthandler
import os
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from typing import IO, Any

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
# After so many seconds a child counts as hung. It then writes the stack of its thread, and is killed.
_PATIENCE = 300


def in_child(work: Callable[[], Any]) -> tuple[int, str]:
    """Fork, and return the exit code of the child and the result of the work as text, or the traceback.

    The child never returns to pytest: it would run the remaining tests on the connection of its parent. The parent
    waits for a limited time: a child that hangs would keep this connection open after the end of its parent.
    """
    with tempfile.TemporaryFile() as output:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork in a process with threads
            child = os.fork()
        if not child:
            _work(work, output)
        code = _exit_code(child)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    assert code is not None, f"the forked child hung for {_PATIENCE} s\n{text}"
    return code, text


def assert_in_child(work: Callable[[], bool]) -> None:
    """Fork, and assert that the work gives True in the child and that the child does not hang."""
    code, text = in_child(work)
    assert (code, text) == (0, "True"), f"the forked child ended with code {code}\n{text}"


def _work(work: Callable[[], Any], output: IO[bytes]) -> None:
    """Do the work, write its result, and end this process."""
    code = 1
    try:
        faulthandler.register(signal.SIGUSR1, file=output)
        text = str(work())
        code = 0
    except BaseException:
        text = traceback.format_exc()
    try:
        os.write(output.fileno(), text.encode())
    finally:
        os._exit(code)


def _exit_code(child: int) -> int | None:
    """Wait for a child and return its exit code; kill it and return None if it hangs."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGUSR1)
    time.sleep(1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
