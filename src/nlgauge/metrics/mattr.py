"""MATTR: the moving-average type-token ratio, which does not fall with the length of a text as the plain ratio does.

    MATTR = mean over all windows of W tokens in a row of (different tokens in the window / W)

A text shorter than the window is one window of its own length: its plain type-token ratio. The corpus score is the mean over texts.
A token is the first of its kind in a window if it stands there and its previous occurrence does not: so each token is counted in as
many windows as start after the previous one, and a text costs one pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.features.text import Tokens, token_libraries
from nlgauge.metric import Output, Takes, View, register
from nlgauge.metric.domains import require_whole
from nlgauge.metric.mean import MeanMetric


@register
@dataclass(frozen=True)
class Mattr(MeanMetric):
    """Moving-average type-token ratio, 0 to 1."""

    window: int = 50
    tokenizer: str = "unicode"

    name: ClassVar[str] = "mattr"
    takes: ClassVar[Takes] = "alone"

    def __post_init__(self) -> None:
        require_whole(self, "window")
        self.require(self.tokenizer in ("unicode", "whitespace", "13a"), "tokenizer", "'unicode', 'whitespace' or '13a'")

    def libraries(self) -> tuple[str, ...]:
        return token_libraries(self.tokenizer)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"mattr": (Output("mattr", True, 0, 1, "the text has no token"),)}

    def values(self, view: View) -> Array:
        tokens, texts = view.get(Tokens(self.tokenizer), view.predictions)
        return np.array([[self._ratio(text)] for text in tokens.take(texts).lists()])

    def _ratio(self, text: list[int]) -> float:
        if not text:
            return math.nan
        window = min(self.window, len(text))
        windows = len(text) - window + 1
        previous: dict[int, int] = {}
        different = 0
        for place, token in enumerate(text):
            first = max(previous.get(token, -1) + 1, place - window + 1)
            different += max(min(place, windows - 1) - first + 1, 0)
            previous[token] = place
        return different / (windows * window)
