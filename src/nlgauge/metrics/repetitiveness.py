"""Repetitiveness-n: the share of a text's different n-grams that occur in it more than once, as in SummEval.

    repetitiveness-n = |{g in G_n : count(g) > 1}| / |G_n|        G_n the set of the text's n-grams

It measures only repetition: a text of different words has 0, however long it is. The corpus score is the mean
over texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge._core.ragged import Array
from nlgauge.metric import Output, View, register
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.within_text import WithinText


@register
@dataclass(frozen=True)
class Repetitiveness(WithinText):
    """repetitiveness1 ... repetitivenessN, 0 to 1."""

    max_order: int = 3
    tokenizer: str = "punctuated"

    name: ClassVar[str] = "repetitiveness"
    aliases: ClassVar[dict[str, Any]] = {"repetition": {}}

    def measures(self) -> tuple[Output, ...]:
        nan = "the text is too short to have such an n-gram"
        return tuple(Output(f"repetitiveness{n}", False, 0, 1, nan) for n in range(1, self.max_order + 1))

    def values(self, view: View) -> Array:
        counts = self.counts(view)
        return share(counts[..., 0], counts[..., 1])
