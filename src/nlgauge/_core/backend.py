"""Choice between compiled kernels and plain Python kernels, which return the same numbers.

`NLGAUGE_KERNELS=python` or `NLGAUGE_KERNELS=native` chooses. The default is the compiled kernels if the
package was built with them. `NLGAUGE_THREADS` sets the number of threads of the compiled kernels.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from nlgauge._core.threads import threads
from nlgauge.errors import ParameterError

if TYPE_CHECKING:
    from nlgauge._core.ragged import Array

# More threads would only wait for each other.
_MOST_THREADS = 256
P = ParamSpec("P")
R = TypeVar("R")


def _module() -> Any:
    try:
        native = importlib.import_module("nlgauge._native")
    except ImportError:
        return None
    native.set_threads(min(threads(), _MOST_THREADS))
    return native


# The compiled module; None if the package was built without it.
NATIVE: Any = _module()


class _Choice:
    native = False


def choose(name: str | None) -> None:
    """Select "native" or "python" kernels for later calls; None selects native if they are built."""
    if name not in (None, "", "native", "python"):
        raise ParameterError(f"NLGAUGE_KERNELS must be 'native', 'python' or unset, got {name!r:.60}.")
    if name == "native" and NATIVE is None:
        raise ParameterError(
            "NLGAUGE_KERNELS is 'native', but nlgauge was installed without compiled kernels; unset it, or install"
            " a C++ compiler and reinstall nlgauge."
        )
    _Choice.native = NATIVE is not None and name != "python"


def chosen() -> str:
    """Return the selected kernels: "native" or "python"."""
    return "native" if _Choice.native else "python"


@contextmanager
def using(name: str) -> Iterator[None]:
    """Select "native" or "python" kernels until the block ends."""
    before = chosen()
    choose(name)
    try:
        yield
    finally:
        choose(before)


@contextmanager
def kernel_threads(count: int) -> Iterator[None]:
    """Run each compiled kernel with `count` threads until the block ends.

    This is for callers that run several kernels at once.
    """
    NATIVE.set_threads(min(count, _MOST_THREADS))
    try:
        yield
    finally:
        NATIVE.set_threads(min(threads(), _MOST_THREADS))


def stop_kernels() -> None:
    """Stop all running compiled kernels; each raises KeyboardInterrupt in its own thread."""
    if NATIVE is not None:
        NATIVE.stop_kernels()


class Kernel(Generic[P, R]):
    """A kernel in plain Python, with its compiled version if one exists."""

    def __init__(self, python: Callable[P, R]) -> None:
        self.python = python
        self.native: Callable[P, R] | None = getattr(NATIVE, python.__name__, None)
        update_wrapper(self, python)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self.native if _Choice.native and self.native is not None else self.python)(*args, **kwargs)


def compiled(python: Callable[P, R]) -> Kernel[P, R]:
    """Decorate a kernel that has a compiled version with the same name and arguments."""
    return Kernel(python)


def narrowed(values: Array) -> Array:
    """Convert token ids to 32-bit integers; raise ParameterError if an id does not fit."""
    import numpy as np

    if values.size and values.dtype.kind not in "iu":
        raise ParameterError(f"token ids must be whole numbers, got {values.dtype}.")
    if values.size and not (
        np.iinfo(np.int32).min <= values.min() and values.max() <= np.iinfo(np.int32).max
    ):
        raise ParameterError(
            f"token ids must fit into 32 bits, got ids from {values.min()} to {values.max()}."
        )
    return np.ascontiguousarray(values, dtype=np.int32)


choose(os.environ.get("NLGAUGE_KERNELS"))
