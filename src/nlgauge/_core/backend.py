"""Which kernels run: compiled ones where the package was built with them, else plain Python; the numbers are
the same.

`NLGAUGE_KERNELS=python` or `native` chooses; without it compiled kernels run where there are any.
`NLGAUGE_THREADS` says how many threads they use.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import numpy as np

from nlgauge._core.threads import threads
from nlgauge.errors import ParameterError

if TYPE_CHECKING:
    from nlgauge._core.ragged import Array

# More would only wait for each other.
_MOST_THREADS = 256
P = ParamSpec("P")
R = TypeVar("R")


def _module() -> Any:
    try:
        found = importlib.import_module("nlgauge._native")
    except ImportError:
        return None
    found.set_threads(min(threads(), _MOST_THREADS))
    return found


# The compiled module; None where the package was built without it.
NATIVE: Any = _module()


class _Choice:
    native = False


def choose(name: str | None) -> None:
    """Makes "native" or "python" kernels run from here on; None: native ones where there are any."""
    if name not in (None, "", "native", "python"):
        raise ParameterError(f"NLGAUGE_KERNELS must be 'native' or 'python', got {name!r:.60}.")
    if name == "native" and NATIVE is None:
        raise ParameterError(
            "NLGAUGE_KERNELS is 'native', but nlgauge was installed without compiled kernels; install a C++"
            " compiler, then nlgauge again."
        )
    _Choice.native = NATIVE is not None and name != "python"


def chosen() -> str:
    """Which kernels run now: "native" or "python"."""
    return "native" if _Choice.native else "python"


@contextmanager
def using(name: str) -> Iterator[None]:
    """Runs what is inside with "native" or with "python" kernels."""
    before = chosen()
    choose(name)
    try:
        yield
    finally:
        choose(before)


@contextmanager
def kernel_threads(count: int) -> Iterator[None]:
    """Lets each compiled kernel use so many threads while something else runs several of them at once."""
    NATIVE.set_threads(min(count, _MOST_THREADS))
    try:
        yield
    finally:
        NATIVE.set_threads(min(threads(), _MOST_THREADS))


def stop_kernels() -> None:
    """End every compiled kernel that runs now, in whichever thread, with a KeyboardInterrupt there."""
    if NATIVE is not None:
        NATIVE.stop_kernels()


class Kernel(Generic[P, R]):
    """A kernel in plain Python, and its compiled twin where there is one."""

    def __init__(self, python: Callable[P, R]) -> None:
        self.python = python
        self.native: Callable[P, R] | None = getattr(NATIVE, python.__name__, None)
        update_wrapper(self, python)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self.native if _Choice.native and self.native is not None else self.python)(*args, **kwargs)


def compiled(python: Callable[P, R]) -> Kernel[P, R]:
    """A decorator for kernels that have a compiled twin of the same name and arguments."""
    return Kernel(python)


def narrowed(values: Array) -> Array:
    """Token ids as numbers of 32 bits; ids that do not fit are refused."""
    if values.size and values.dtype.kind not in "iu":
        raise ParameterError(f"token ids must be whole numbers, got {values.dtype}.")
    if values.size and not (
        np.iinfo(np.int32).min <= values.min() and values.max() <= np.iinfo(np.int32).max
    ):
        raise ParameterError("token ids must fit into 32 bits.")
    return np.ascontiguousarray(values, dtype=np.int32)


choose(os.environ.get("NLGAUGE_KERNELS"))
