"""Porter's stemmer against NLTK's, and the ROUGE-1.5.5 script's form of it; with plain and with compiled
kernels.
"""

from __future__ import annotations

import gzip
from importlib.resources import files
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from twins import needs_native

from nlgauge.features.tokens.porter import nltk_stems, rouge155_stems
from nlgauge.features.tokens.text import Tokens
from tests.kernels.test_twins_tokens import in_both, sample

ENDINGS = str.split("""
    s sses ies ss eed ed ied ing at bl iz y e ll ational tional enci anci izer bli alli entli eli ousli ization ation ator
    alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic
    able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize *d yy
""")
LETTERS = st.text(alphabet="abcdeilnosty", max_size=5) | st.text(alphabet="yaéß*İΣK猫", max_size=4)
WORDS = st.tuples(LETTERS, st.lists(st.sampled_from(ENDINGS), max_size=3).map("".join)).map("".join)
IRREGULAR = str.split("""
    sky skies dying lying tying news innings inning outings outing cannings canning howe proceed exceed succeed Skies
""")
STEMMER = PorterStemmer()


def expected(word: str) -> str:
    return STEMMER.stem(word) if len(word) > 3 else word


@pytest.mark.usefixtures("both_kernels")
@given(st.lists(WORDS | st.text(max_size=8), max_size=20))
@example(IRREGULAR)
@example(["a*ding", "feed", "agreed", "İss", "ΑΣΑΣ", "yyyying", "controlled", "Naïvely"])
def test_stems_as_nltk_has_them(words):
    assert nltk_stems(words) == [expected(word) for word in words]


@pytest.mark.usefixtures("both_kernels")
@given(st.lists(WORDS | st.text(max_size=4), max_size=20))
@example(["".join(letters) for letters in product("abelsuyin.", repeat=3)])
def test_stems_of_words_of_three_letters(words):
    assert nltk_stems(words, 3) == [STEMMER.stem(word) if len(word) >= 3 else word for word in words]


@needs_native
@given(st.lists(WORDS | st.text(max_size=8), max_size=20))
def test_the_scripts_stems_are_those_of_plain_python(words):
    assert rouge155_stems.native(words) == rouge155_stems.python(words)


@needs_native
def test_stems_of_a_list_of_words():
    text = gzip.decompress(files("nlgauge").joinpath("data", "wordnet.txt.gz").read_bytes()).decode("ascii")
    words = [line.split(" ", 1)[0] for line in text.split("\n\n")[1].split("\n")[::7]]
    assert len(words) > 10_000
    assert nltk_stems.native(words) == [expected(word) for word in words]
    assert rouge155_stems.native(words) == rouge155_stems.python(words)


@needs_native
def test_stems_of_real_words():
    words = sorted(
        {word for text in sample(40) for name in ("whitespace", "unicode") for word in Tokens(name).of(text)}
    )
    plain, compiled = in_both(lambda: nltk_stems(words))
    assert plain == compiled == [expected(word) for word in words]
    plain, compiled = in_both(lambda: rouge155_stems(words))
    assert plain == compiled


@pytest.mark.usefixtures("both_kernels")
@given(st.lists(WORDS.filter(lambda word: word and not any(map(str.isspace, word))), max_size=10))
def test_tokens_are_stemmed_likewise(words):
    assert Tokens("whitespace", stem=True).of(" ".join(words)) == [expected(word) for word in words]
