"""Words as ROUGE-1.5.5 has them: its stop words, its stemmer and the exceptions that go before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from nlgauge.features.text import Tokens, tokenizer

# The script has the exceptions of WordNet 2.0, and of several for one form the last it reads; ours are the first of WordNet 3.0.
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
_STEP_4 = ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous", "ive", "ize")


@dataclass(frozen=True)
class RougeTokens(Tokens):
    """The tokens of a text without stop words, and stemmed, where asked for."""

    stop_words: bool = False

    def of(self, text: str) -> list[str]:
        tokens = tokenizer(self.tokenizer)(text)
        if self.stop_words:
            tokens = [token for token in tokens if token not in stop_words()]
        return [stemmer()(token) for token in tokens] if self.stem else tokens


@cache
def stop_words() -> frozenset[str]:
    """SMART's stop words with the news words that the script has among them."""
    return frozenset(files("nlgauge").joinpath("data", "smart_stop_words.txt").read_text(encoding="ascii").split())


@cache
def stemmer() -> Callable[[str], str]:
    """The script's stemmer: words of up to three letters stay, exceptions have their base, all others Porter's stem.

    >>> [stemmer()(word) for word in ("gas", "mice", "governmental", "relational")]
    ['gas', 'mouse', 'govern', 'relat']
    """
    from nltk.stem.porter import PorterStemmer

    from nlgauge.features.wordnet import exceptions

    porter = PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)
    known = exceptions()

    def without(word: str, *endings: str) -> str:
        """The word without the longest of the endings that it has, if what is left has a measure above 1."""
        ending = max((ending for ending in endings if word.endswith(ending)), key=len, default="")
        stem = word.removesuffix(ending)
        return stem if porter._measure(stem) > 1 else word

    def stem(word: str) -> str:
        if len(word) <= 3:
            return word
        if word in _OTHER or (word in known and word not in _LATER):
            return _OTHER.get(word) or known[word]
        for step in (porter._step1a, porter._step1b, porter._step1c, porter._step2, porter._step3):
            word = step(word)
        # Unlike Porter's fourth step, the script's may take off several endings, one after the other.
        word = without(without(word, *_STEP_4), "ment")
        if word.endswith("ent"):
            word = without(word, "ent")
        elif word.endswith(("sion", "tion")):
            word = without(word, "ion")
        return str(porter._step5b(porter._step5a(word)))

    return cache(stem)
