"""Words as ROUGE-1.5.5 has them: its stop words, its stemmer and the exceptions that go before it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from nlgauge.features.tokens.porter import rouge155_stems
from nlgauge.features.tokens.text import Tokens
from nlgauge.features.tokens.token_ids import Form

# The script has the exceptions of WordNet 2.0, and of several for one form the last it reads; ours are the
# first of WordNet 3.0.
_OTHER = {
    "aurar": "eyrir",
    "best": "well",
    "better": "well",
    "comics": "comic_strip",
    "involucra": "involucrum",
    "offer": "offer",
    "testes": "testes",
}
_LATER = frozenset({"ashes", "cognosenti", "halfpence", "lisente", "morses", "staretsy"})


@dataclass(frozen=True)
class RougeTokens(Tokens):
    """The tokens of a text, without stop words and stemmed if requested."""

    stop_words: bool = False

    def form(self) -> Form | None:
        return self._forms if self.stem or self.stop_words else None

    def _forms(self, words: list[str]) -> list[str | None]:
        stems = script_stems(words) if self.stem else words
        left_out = stop_words() if self.stop_words else frozenset()
        return [None if word in left_out else stem for word, stem in zip(words, stems, strict=True)]


@cache
def stop_words() -> frozenset[str]:
    """Return SMART's stop words with the news words that the script has among them."""
    return frozenset(
        files("nlgauge").joinpath("data", "smart_stop_words.txt").read_text(encoding="ascii").split()
    )


def script_stems(words: list[str]) -> list[str]:
    """Return the script's stems: words of up to three letters stay, exceptions have their base, all others
    Porter's stem.

    >>> script_stems(["gas", "mice", "governmental", "relational"])
    ['gas', 'mouse', 'govern', 'relat']
    """
    known = _exceptions()
    return [
        known.get(word, stem) if len(word) > 3 else word
        for word, stem in zip(words, rouge155_stems(words), strict=True)
    ]


@cache
def _exceptions() -> dict[str, str]:
    from nlgauge.features.lexical.wordnet import exceptions

    return {**{word: base for word, base in exceptions().items() if word not in _LATER}, **_OTHER}
