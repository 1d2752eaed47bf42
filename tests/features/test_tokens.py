"""Tokens and their places, as the programs have them whose rules they are; with plain and with compiled
kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain, pairwise, product
from typing import Any

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import texts
from token_cases import NASTY, OWN, PIECES

from nlgauge.features.lexical.rouge155 import RougeTokens
from nlgauge.features.tokens.characters import character_column
from nlgauge.features.tokens.code_points import CodePoints
from nlgauge.features.tokens.text import TokenKeys, Tokens
from nlgauge.features.tokens.token_ids import vocabulary
from nlgauge.features.tokens.tokenizers import Tokenizer

pytestmark = pytest.mark.usefixtures("both_kernels")


@pytest.mark.parametrize("name", ["13a", "none"])
@given(NASTY)
@example("a-\n")
@example("a<skip<skipped>ped>")
@example("1..2,,3.,4-5-6-")
@example("&amp;lt;")
def test_mteval_as_sacrebleu_has_it(name, text):
    from sacrebleu.metrics.bleu import _get_tokenizer

    assert Tokens(name).of(text) == _get_tokenizer(name)()(text.rstrip()).split()


@pytest.mark.parametrize("pieces", ["a5.,- ", "-\nx\t.5"])
def test_mteval_of_all_short_texts(pieces):
    from sacrebleu.metrics.bleu import _get_tokenizer

    own, theirs = tokenizer_of("13a"), _get_tokenizer("13a")()
    for text in short_texts(pieces, 5):
        assert own(text) == theirs(text.rstrip()).split()


def tokenizer_of(name: str) -> Callable[[str], list[str]]:
    return Tokens(name).new_memory().split


def short_texts(pieces: Sequence[str], most: int) -> Iterator[str]:
    return map("".join, chain.from_iterable(product(pieces, repeat=count) for count in range(most + 1)))


@given(NASTY)
def test_google_as_rouge_score_has_it(text):
    tokenize = pytest.importorskip("rouge_score.tokenize").tokenize
    assert Tokens("google", stem=True).of(text) == tokenize(text, _stemmer())


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@given(NASTY)
def test_words_as_jiwer_has_them(text):
    jiwer = pytest.importorskip("jiwer")
    assert Tokens("jiwer").of(text) == jiwer.wer_default(text)[0]


@given(NASTY)
def test_words_as_chrf_has_them(text):
    from sacrebleu.metrics.chrf import CHRF

    found = CHRF(word_order=2)._remove_punctuation(text)
    assert Tokens("chrf-words").of(text) == found


UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}"
RULES = {
    "unicode": regex.compile(rf"[{UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]+", regex.V1),
    "punctuated": regex.compile(
        rf"['’](?:s|re|ve|ll|d|m)(?!\w)|n['’]t(?!\w)|\p{{N}}+(?:[.,]\p{{N}}+)+|[{UNSPACED}]\p{{M}}*"
        rf"|(?:(?!n['’]t(?!\w))[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]])+|[^\p{{L}}\p{{M}}\p{{N}}\p{{C}}\s]",
        regex.V1,
    ),
}


@pytest.mark.parametrize("name", RULES)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | texts())
def test_classes_split_as_the_patterns_that_define_them(name, text):
    assert Tokens(name).of(text) == RULES[name].findall(text.lower())


@pytest.mark.parametrize(
    "pieces", [("n't", "'", "d", "n", "’", "t", "_"), ("1", ",", ".", "½", "猫", "\u0301", "〇", "n't")]
)
def test_classes_split_all_short_texts_likewise(pieces):
    own = {name: tokenizer_of(name) for name in RULES}
    for text in short_texts(pieces, 4):
        assert all(own[name](text) == rule.findall(text) for name, rule in RULES.items()), text


@pytest.mark.parametrize(
    "feature", [Tokens(name, lowercase) for name, lowercase in product(OWN, (False, True))], ids=str
)
@given(NASTY)
@example("İİ&amp;amp;-\nΣ")
def test_places_are_where_tokens_come_from(feature, text):
    places = feature.places(text)
    assert len(places) == len(feature.of(text))
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(before[1] <= after[0] or "İ" in text for before, after in pairwise(places))
    if (
        "&" not in text
        and "<" not in text
        and "\n" not in text
        and feature.tokenizer not in ("squad", "nlg-metricverse")
        and "Σ" not in text
    ):
        lowers = feature.lowercase or feature.tokenizer in ("unicode", "punctuated", "google", "1.5.5")
        pairs = zip(feature.of(text), (text[start:end] for start, end in places), strict=True)
        assert all(token == (part.lower() if lowers else part) or "İ" in part for token, part in pairs)


def test_places_of_what_is_resolved():
    text = "&quot;co-\nop&amp;lt;<skipped>!"
    assert Tokens("13a").of(text) == ['"', "coop", "<", "!"]
    assert [text[start:end] for start, end in Tokens("13a").places(text)] == [
        "&quot;",
        "co-\nop",
        "&amp;lt;",
        "!",
    ]
    text = "İ don't see the end."
    assert Tokens("squad").of(text) == ["i̇", "dont", "see", "end"]
    assert [text[start:end] for start, end in Tokens("squad").places(text)] == ["İ", "don't", "see", "end"]


def test_a_token_that_is_not_in_the_text_has_an_empty_place():
    class Numbered(Tokens):
        def splitter(self) -> Tokenizer:
            return Tokenizer(lambda text: ["#", *text.split(), "##"])

    assert Numbered("").of("a b") == ["#", "a", "b", "##"]
    assert Numbered("").places("a b") == [(0, 0), (0, 1), (2, 3), (3, 3)]


def test_numbers_stay_from_call_to_call():
    memory = Tokens("whitespace").new_memory()
    assert memory.tokens(["b a b", ""]).values.tolist() == [0, 1, 0]
    assert memory.tokens(["c a"]).lists() == [[2, 1]]
    assert memory.words() == ["b", "a", "c"]


def test_words_that_differ_in_one_character_have_numbers_of_their_own():
    words = [
        f"{first}{'x' * length}{last}"
        for length in range(18)
        for first in ("", "\x00", "a", "b", "é", "š")
        for last in ("a", "b")
    ]
    words = list(dict.fromkeys(words))
    memory = Tokens("whitespace").new_memory()
    assert memory.tokens([" ".join(words), " ".join(reversed(words))]).lists() == [
        [*range(len(words))],
        [*reversed(range(len(words)))],
    ]
    assert memory.words() == words


def test_a_form_comes_after_the_split_and_leaves_out_words():
    memory = RougeTokens("1.5.5", stem=True, stop_words=True).new_memory()
    assert memory.tokens(["The relations and relating", "the", "a mice relational"]).lists() == [
        [0, 0],
        [],
        [1, 0],
    ]
    assert memory.words() == ["relat", "mouse"]


@pytest.mark.parametrize("name", ["whitespace", "intl"])
@pytest.mark.parametrize("forms", [list, lambda words: [*words, "more"]], ids=["too few", "too many"])
def test_a_form_gives_one_for_each_word(name, forms):
    memory = vocabulary(
        Tokens(name).splitter(), form=lambda words: forms(words[:-1] if forms is list else words)
    )
    with pytest.raises(ValueError, match=r"as many forms as words|shorter|longer"):
        memory.tokens(["a b c d e f"])


@pytest.mark.parametrize(
    "name", ["whitespace", "intl"]
)  # that is, a compiled tokenizer and one that only Python has
def test_an_empty_form_is_a_token_and_none_is_not_one(name):
    memory = vocabulary(
        Tokens(name).splitter(), form=lambda words: [{"a": "", "b": None}.get(word, word) for word in words]
    )
    assert memory.tokens(["c a b", "a b"]).lists() == [[0, 1], [1]]
    assert memory.words() == ["c", ""]
    assert memory.split("b a c") == ["", "c"]
    assert memory.places("b a c") == [(2, 3), (4, 5)]


def test_a_text_does_not_see_the_end_of_a_longer_one_before_it():
    memory = Tokens("13a").new_memory()
    memory.tokens(["55555555", "1.", "1,", "-5-", "5-"])
    assert memory.words() == ["55555555", "1", ".", ",", "-5", "-", "5"]


def test_hashes_are_what_saved_fits_have():
    # Among them the first and the last characters of one, two, three and four bytes.
    words = [
        "a",
        "猫",
        "x" * 127,
        "x" * 128,
        "x" * 129,
        "é" * 64,
        "y" * 1000,
        "\ud800",
        "👩",
        *"\x00\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff",
    ]
    memory = TokenKeys("whitespace").new_memory()
    memory.tokens([" ".join(words)])
    expected = [
        int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        for word in words
    ]
    assert memory.keys().tolist() == expected


def test_code_points():
    assert Tokens("characters").new_memory().tokens(["a👩\ud800"]).values.tolist() == [0x61, 0x1F469, 0xD800]
    assert CodePoints("padded").of("a") == " a "
    assert character_column([" a  b "], "words", False).values.tolist() == [0x61, 0x20, 0x62]


def test_what_is_not_a_text_is_refused():
    with pytest.raises((TypeError, AttributeError)):
        Tokens("13a").new_memory().tokens([b"a"])
