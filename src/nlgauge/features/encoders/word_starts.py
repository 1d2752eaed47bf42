"""Pieces of an encoder's vocabulary that represent words: pieces at the start of a word that are not a single
punctuation mark.
"""

from __future__ import annotations

import string

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.models.loader import Loaded

# Marks of a piece that continues a word, or that starts a word.
_CONTINUES = "##"
_BEGINS = ("▁", "Ġ")


def word_starts(loaded: Loaded) -> Array:
    """Return for every token id True if it starts a word or is a start or end token, and is not a single
    ASCII punctuation mark.
    """
    return loaded.made("word starts", lambda: _word_starts(loaded))


def _word_starts(loaded: Loaded) -> Array:
    tokenizer = loaded.tokenizer
    tokens = [str(token) for token in tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))]
    # A vocabulary without "##" marks the pieces at the start of a word instead; a vocabulary with neither
    # mark has only words.
    whole = any(token.startswith(_CONTINUES) for token in tokens)
    mark = (
        ""
        if whole
        else next((mark for mark in _BEGINS if sum(token.startswith(mark) for token in tokens) > 1), "")
    )
    marks = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id}
    punctuation = set(string.punctuation)
    found = [
        number in marks
        or (
            _CONTINUES not in token and token.startswith(mark) and token.removeprefix(mark) not in punctuation
        )
        for number, token in enumerate(tokens)
    ]
    return np.array(found)
