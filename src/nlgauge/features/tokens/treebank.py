"""Words as NLTK's word_tokenize has them (Treebank's rules), except for sentence ends, which sentencex
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any


def words_of(sentences: Sequence[str]) -> list[str]:
    """Return the words of a text, from its sentences."""
    return [word for sentence in sentences for word in _word_tokenizer().tokenize(sentence)]


def treebank_words(text: str) -> list[str]:
    """Return the words of an English text.

    >>> treebank_words("It's late. Don't go.")
    ['It', "'s", 'late', '.', 'Do', "n't", 'go', '.']
    """
    from nlgauge.features.tokens.sentences import Sentences

    return words_of(Sentences("en").of(text))


@cache
def _word_tokenizer() -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()
