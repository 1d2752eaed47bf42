"""MATTR: the moving-average type-token ratio, which does not fall with the length of a text as the plain
ratio does.

    MATTR = mean over all windows of W tokens in a row of (different tokens in the window / W)

A text shorter than the window is one window of its own length: its plain type-token ratio. The corpus score
is the mean over texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngram_sets import moving_ratios
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metric.mean import MeanMetric, Measured, measured_alone


@register
@dataclass(frozen=True)
class Mattr(MeanMetric):
    """Moving-average type-token ratio, 0 to 1."""

    window: int = 50
    tokenizer: str = "unicode"

    name: ClassVar[str] = "mattr"
    revision: ClassVar[int] = 2
    takes: ClassVar[Takes] = "alone"

    def __post_init__(self) -> None:
        require_whole(self, "window")
        require_choice(self, "tokenizer", ("unicode", "whitespace", "13a"))

    def measures(self) -> tuple[Output, ...]:
        return (Output("mattr", True, 0, 1, "the text has no token"),)

    def values(self, view: View) -> Array:
        tokens, texts = view.get(Tokens(self.tokenizer), view.predictions)
        # A window wider than every text is as wide as the text.
        return moving_ratios(tokens, texts, min(self.window, len(tokens.values) + 1))[:, None]

    def measured(self, view: View) -> Measured:
        return measured_alone(self.values(view))
