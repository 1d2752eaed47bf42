"""LENS: a network that was trained on human judgments of simplifications reads the complex sentence, its
simplification and a reference.

    m, s, r = vectors of prediction, source and reference, all lower-cased, as COMET's are made
    x       = FF([s, m, r, m*r, |m-r|, m*s, |m-s|])
    LENS    = 100 x,  or with `rescale` 50 (erf(x / sqrt 2) + 1), the percentile of x in a normal distribution

The best reference counts. An empty prediction is shown to the network; an empty reference or source leaves
the row without a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import erf

from nlgauge._core.ragged import Array
from nlgauge.metric import Output, View, register
from nlgauge.metrics._shared.comet_family import NAN, NetworkRows, VectorMetric
from nlgauge.models import ModelSpec
from nlgauge.models.networks.comet import Form


@register
@dataclass(frozen=True)
class Lens(VectorMetric):
    """LENS, times 100 or as a percentile."""

    model: ModelSpec = "lens"
    rescale: bool = False

    name: ClassVar[str] = "lens"
    reduce: ClassVar[str] = "best"
    languages: ClassVar[tuple[str, ...] | None] = ("en",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(isinstance(self.rescale, bool), "rescale", "True or False")

    def forms(self) -> tuple[Form, ...]:
        return ("lens",)

    def measures(self) -> tuple[Output, ...]:
        return (Output("lens", True, nan=NAN, decimals=2),)

    def texts(self, view: View) -> list[Array]:
        return [
            view.features.texts.intern_all([view.text(text).lower() for text in ids])
            for ids in super().texts(view)
        ]

    def read(self, view: View, m: Any, s: Any, r: Any) -> list[Any]:
        return [s, m, r, m * r, abs(m - r), m * s, abs(m - s)]

    def judged(self, view: View) -> NetworkRows:
        rows = super().judged(view)
        return rows._replace(
            values=50 * (erf(rows.values / np.sqrt(2)) + 1) if self.rescale else 100 * rows.values
        )
