"""The garbage collector of Python."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector inside the block.

    Reading creates no reference cycles, and takes a third less time if the collector does not repeatedly traverse
    all objects that were read.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
