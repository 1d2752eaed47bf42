"""Lines and sentences of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from nlgauge._core.language import code
from nlgauge.errors import ParameterError
from nlgauge.features import Feature, Work

# Splitters of a text into sentences: the programs of several papers use "punkt".
SPLITTERS = ("sentencex", "punkt")
_PUNKT_LANGUAGES = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "ml": "malayalam",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sl": "slovene",
    "sv": "swedish",
    "tr": "turkish",
}


class DerivedTextFeature(Feature):
    """A feature whose values are texts again."""

    derives_texts: ClassVar[bool] = True

    def of(self, text: str) -> list[str]:
        """Return the parts of a text."""
        raise NotImplementedError

    def compute(self, keys: list[str], work: Work) -> list[list[str]]:
        return [self.of(text) for text in keys]


@dataclass(frozen=True)
class Lines(DerivedTextFeature):
    """The lines of a text that are not empty."""

    def of(self, text: str) -> list[str]:
        return [line for line in text.split("\n") if line]


@dataclass(frozen=True)
class TokenizedSentences(DerivedTextFeature):
    """The sentences of tokenized text, in which a full stop between white space or a line break ends a sentence."""

    def of(self, text: str) -> list[str]:
        return Lines().of(re.sub(r"\s+\.\s+", " .\n", text.strip()))


@dataclass(frozen=True)
class Sentences(DerivedTextFeature):
    """The sentences of a text, without white space around them, split by sentencex or NLTK's Punkt."""

    lang: str = "en"
    splitter: str = "sentencex"

    def of(self, text: str) -> list[str]:
        found = (
            _segmenter()(self.lang, text)
            if self.splitter == "sentencex"
            else _punkt_sentences(text, self.lang)
        )
        return [stripped for sentence in found if (stripped := sentence.strip())]


@cache
def _segmenter() -> Any:
    from sentencex import segment

    return segment


def _punkt_sentences(text: str, lang: str) -> list[str]:
    from nltk.tokenize import sent_tokenize

    try:
        return list(sent_tokenize(text, _PUNKT_LANGUAGES.get(code(lang), "english")))
    except LookupError:
        raise ParameterError(
            "splitter='punkt' needs NLTK's sentence data, which is not installed; run: python -m nltk.downloader"
            " punkt_tab, or leave splitter out."
        ) from None
