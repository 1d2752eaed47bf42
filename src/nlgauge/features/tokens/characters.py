"""Characters as integers: the code points of texts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Ragged, offsets_of
from nlgauge.features.tokens.tokenizers import tokenizer

_FORMS: dict[str, Callable[[str], str]] = {
    "characters": str,
    "stripped-characters": str.strip,
    "visible-characters": lambda text: "".join(text.split()),
    "padded": lambda text: f" {text} ",
    "words": lambda text: " ".join(text.split()),
}


def characters_of(text: str, form: str) -> str:
    """Return the text of the code points: all "characters", "stripped-characters" or "visible-characters",
    "padded" with spaces, "words" apart.
    """
    return _FORMS[form](text)


@compiled
def character_column(texts: list[str], form: str, lowercase: bool) -> Ragged:
    """Return the code points of each text."""
    found = [characters_of(text.lower() if lowercase else text, form) for text in texts]
    values = np.frombuffer("".join(found).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    return Ragged(values, offsets_of([len(text) for text in found]))


class Characters:
    """The memory of a feature whose tokens are characters; their code points number them."""

    def __init__(self, form: str, lowercase: bool) -> None:
        self._form, self._lowercase = form, lowercase

    def tokens(self, texts: list[str]) -> Ragged:
        """Return the characters of each text."""
        return character_column(texts, self._form, self._lowercase)

    def split(self, text: str) -> list[str]:
        """Return the characters of a text as strings."""
        return list(map(chr, self.tokens([text]).values.tolist()))

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of each character in the text."""
        if self._lowercase and len(text.lower()) != len(text):
            return tokenizer(self._form).places(text, lowercase=True)
        if self._form == "stripped-characters":
            first = len(text) - len(text.lstrip())
            return [(i, i + 1) for i in range(first, len(text.rstrip()))]
        hidden = self._form == "visible-characters"
        return [(i, i + 1) for i, sign in enumerate(text) if not (hidden and sign.isspace())]
