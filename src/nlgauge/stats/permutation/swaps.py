"""Swaps: which scores two metrics exchange in each draw of a permutation test.

Under the hypothesis of a test, the two metrics' scores of a unit could as well have been exchanged. The choice
of units decides the population of the claim:

    systems        all scores of a system together: the claim is about new systems
    inputs         all scores of an input together: the claim is about new inputs of these very systems
    cells          each score by itself (the PERM-BOTH of Deutsch et al. 2021; mt-metrics-eval, of segments): about these very systems
    rows-xor-cols  a system's swap undone by its input's (the PERM-BOTH of nlpstats): about these very systems
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError, did_you_mean

GENERALIZES_TO: Mapping[str, str] = {
    "systems": "systems",
    "inputs": "inputs",
    "cells": "inputs",
    "rows-xor-cols": "inputs",
}


@dataclass(frozen=True, eq=False)
class Swaps:
    """Signs of B resamples, -1 where scores are swapped: of systems (B, S) and inputs (B, N), whose product
    is a cell's, or of cells (B, S, N).
    """

    kind: str
    systems: Array | None
    inputs: Array | None
    cells: Array | None

    def transposed(self) -> Swaps:
        """Return the swaps with inputs as rows."""
        return Swaps(
            self.kind, self.inputs, self.systems, None if self.cells is None else self.cells.swapaxes(1, 2)
        )

    def __len__(self) -> int:
        return next(len(signs) for signs in (self.systems, self.inputs, self.cells) if signs is not None)

    def part(self, first: int, last: int) -> Swaps:
        """Return some of the resamples."""
        return Swaps(
            self.kind,
            *(
                None if signs is None else signs[first:last]
                for signs in (self.systems, self.inputs, self.cells)
            ),
        )

    def of_cells(self, first: int = 0, last: int | None = None) -> Array:
        """Return the signs of all cells in some of the resamples, (resamples, S or 1, N or 1)."""
        if self.cells is not None:
            return self.cells[first:last]
        if self.systems is None:
            assert self.inputs is not None
            return self.inputs[first:last, None, :]
        rows = self.systems[first:last, :, None]
        found: Array = rows if self.inputs is None else rows * self.inputs[first:last, None, :]
        return found


def drawn_swaps(kind: str, systems: int, inputs: int, resamples: int, seed: int) -> Swaps:
    """Return independent fair swaps; the same ones for the same arguments, so that all metrics share them.

    >>> drawn_swaps("systems", 3, 5, 4, seed=1).of_cells().shape
    (4, 3, 1)
    """
    if kind not in GENERALIZES_TO:
        raise ParameterError(
            f"swap must be one of {', '.join(map(repr, GENERALIZES_TO))}, got"
            f" {kind!r}{did_you_mean(str(kind), GENERALIZES_TO)}."
        )
    rng = np.random.default_rng(seed)

    def signs(*shape: int) -> Array:
        return 1 - 2 * rng.integers(0, 2, (resamples, *shape), dtype=np.int8)

    return Swaps(
        kind,
        signs(systems) if kind in {"systems", "rows-xor-cols"} else None,
        signs(inputs) if kind in {"inputs", "rows-xor-cols"} else None,
        signs(systems, inputs) if kind == "cells" else None,
    )
