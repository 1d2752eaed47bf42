"""Which kernels run, and that the compiled module is the one of these sources."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import mentions

from nlgauge._core import backend
from nlgauge._core.ragged import Ragged
from nlgauge.errors import ParameterError
from nlgauge.kernels.lcs import lcs_lengths

SOURCES = Path(__file__).parents[2] / "native"


def test_where_a_compiler_is_the_compiled_kernels_are_too():
    if not any(map(shutil.which, ("c++", "g++", "clang++", "cl"))):
        pytest.skip("no C++ compiler is here")
    assert backend.NATIVE is not None


@pytest.mark.skipif(backend.NATIVE is None, reason="nothing was compiled")
def test_the_compiled_module_is_made_from_these_sources():
    digests = "".join(
        hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(SOURCES.glob("*.[ch]pp"))
    )
    assert hashlib.sha256(digests.encode()).hexdigest() == backend.NATIVE.SOURCES, (
        "install again: the compiled module is an old one"
    )


def chosen_with(**environment: str) -> subprocess.CompletedProcess[str]:
    program = "from nlgauge._core.backend import chosen; print(chosen())"
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**environment_now(), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def environment_now() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name != "NLGAUGE_KERNELS"}


def test_the_switch_is_read_from_the_environment():
    assert chosen_with(NLGAUGE_KERNELS="python").stdout.strip() == "python"
    assert chosen_with().stdout.strip() == ("python" if backend.NATIVE is None else "native")
    assert mentions(chosen_with(NLGAUGE_KERNELS="rust").stderr, "'native' ... 'python' ... got 'rust'")


def test_native_where_there_is_none_is_refused(monkeypatch):
    monkeypatch.setattr(backend, "NATIVE", None)
    with pytest.raises(ParameterError, match="installed without compiled kernels"):
        backend.choose("native")


def test_what_is_chosen_is_put_back():
    before = backend.chosen()
    with pytest.raises(ZeroDivisionError), backend.using("python"):
        assert backend.chosen() == "python"
        raise ZeroDivisionError
    assert backend.chosen() == before


def test_ids_beyond_32_bits_are_refused_and_not_cut():
    column = Ragged.of([[2**32 + 1], [1]])
    with backend.using("python"):
        assert lcs_lengths(column, np.array([0]), np.array([1])).tolist() == [0]
    with pytest.raises(ParameterError, match="32 bits"):
        backend.narrowed(column.values)
    if backend.NATIVE is not None:
        with backend.using("native"), pytest.raises(ParameterError, match="32 bits"):
            lcs_lengths(column, np.array([0]), np.array([1]))
