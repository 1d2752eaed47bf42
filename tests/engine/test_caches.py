"""What a process remembers of words has an end."""

from __future__ import annotations

from nlgauge.features.lexical import readability, word_keys, wordnet
from nlgauge.features.tokens import porter, token_ids
from nlgauge.features.tokens.text import MOST_WORDS

REMEMBERED = {
    "digests": token_ids._token_key,
    "stems": porter.nltk_stemmer(),
    "ROUGE-1.5.5 stems": porter._rouge155_stemmer(),
    "METEOR 1.5 stems": word_keys._snowball(),
    "syllables": readability.syllables,
    "synsets": wordnet.synsets,
    "pooled synsets": wordnet.pooled_synsets,
    "synonyms": wordnet.nltk_synonyms,
}


def test_only_so_many_words_are_remembered():
    assert {name: found.cache_info().maxsize for name, found in REMEMBERED.items()} == dict.fromkeys(
        REMEMBERED, MOST_WORDS
    )


def test_more_words_push_out_the_oldest():
    token_ids._token_key.cache_clear()
    for number in range(MOST_WORDS + 1000):
        token_ids._token_key(str(number))
    assert token_ids._token_key.cache_info().currsize == MOST_WORDS
    token_ids._token_key.cache_clear()
