"""Density: the mean length of the copied fragment that a token of the summary is in, by the extractive
fragments of Newsroom.

    density = (1/|S|) sum_{f in F(A, S)} |f|^2

S is the summary, A the source; `coverage` describes the fragments F. Tokens outside any fragment count as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import register
from nlgauge.metrics._shared.copied_fragments import CopiedFragments


@register
@dataclass(frozen=True)
class Density(CopiedFragments):
    """The mean length of the copied fragment around a token of the summary, from 0."""

    exhaustive: bool = False
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "density"
    names: ClassVar[tuple[str, str]] = ("density", "coverage")
