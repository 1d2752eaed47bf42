"""Public names that are imported at their first use."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("start", ["enable", "disable"])
def test_an_import_leaves_the_garbage_collector_as_it_was(start: str) -> None:
    program = f"""
        import gc, nlgauge
        gc.{start}()
        before = gc.isenabled()
        nlgauge.reward
        print(gc.isenabled() == before)
    """
    code = "\n".join(line.strip() for line in program.splitlines())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
