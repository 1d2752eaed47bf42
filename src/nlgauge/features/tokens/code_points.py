"""The characters of a text as numbers, for metrics that compare characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nlgauge._core.ragged import Ragged
from nlgauge.features import Feature, Work
from nlgauge.features.tokens.characters import character_column, characters_of


@dataclass(frozen=True)
class CodePoints(Feature):
    """The code points of a text: "padded" with a space on either side, or of its "words" with one space
    between them.
    """

    form: Literal["padded", "words"]

    def of(self, text: str) -> str:
        """Return the text of the code points."""
        return characters_of(text, self.form)

    def compute(self, keys: list[str], work: Work) -> Ragged:
        return character_column(keys, self.form, False)
