"""Coverage: how much of a summary is copied from its source, by the extractive fragments F(A, S) of Newsroom.

    coverage = (1/|S|) sum_{f in F(A, S)} |f|            density = (1/|S|) sum_{f in F(A, S)} |f|^2

S is the summary, A the source, |.| counts tokens. F is found greedily: at each place of S the longest run of
tokens that A has too. The published program misses runs that begin inside one it has tried, and the default
does as it does, because published numbers come from it; `exhaustive` finds the longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metric import register
from nlgauge.metrics._shared.copied_fragments import CopiedFragments


@register
@dataclass(frozen=True)
class Coverage(CopiedFragments):
    """The share of the summary's tokens that are in a copied fragment, 0 to 1."""

    exhaustive: bool = False
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "coverage"
    names: ClassVar[tuple[str, str]] = ("coverage", "density")
