"""What readability formulas count: sentences, words, syllables, complex words; and the one warning about
other languages.
"""

from __future__ import annotations

from collections import Counter

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from readability_cases import TEXT, WORDS
from strategies import texts

import nlgauge
from nlgauge._core import backend
from nlgauge.features import RunOptions, Work
from nlgauge.features.lexical.readability import ReadabilityCounts, syllables
from nlgauge.features.tokens.token_ids import vocabulary
from nlgauge.features.tokens.tokenizers import tokenizer

INDICES = ["gunning_fog", "flesch_reading_ease", "flesch_kincaid", "coleman_liau", "ari", "smog"]

# Hand counts, and the CMU pronouncing dictionary's where it has the word.
SYLLABLES = {
    1: (
        "cat the while played eye eyes dye league called stirred asked makes don't we're they'll strength"
        " 2003 rd yard"
    ),
    2: (
        "table centre houses wanted hundred marriage million trying players lawyer lovely safety didn't"
        " o'clock prism being people"
    ),
    3: "created media video stadium usual earlier happiest committee beautiful idea alternate",
    4: "january available alternative",
    5: "readability university universities",
}


@pytest.mark.parametrize(
    ("count", "word"), [(count, word) for count, words in SYLLABLES.items() for word in words.split()]
)
def test_syllables(count, word):
    assert syllables(word) == count
    assert syllables(word.upper()) == count
    assert syllables(word.replace("'", "’")) == count


def test_syllables_of_parts_and_marks():
    assert syllables("well-known") == 2
    assert syllables("U.S") == 2
    assert syllables("café") == syllables("cafe\u0301") == syllables("cafe")
    assert [syllables(word) for word in ("кот", "猫", "-", "")] == [1, 1, 1, 1]


def counts_of(text: str) -> dict[str, float]:
    column = ReadabilityCounts().compute([text], Work(RunOptions()))
    return dict(zip(ReadabilityCounts.NAMES, column[0].tolist(), strict=True))


def test_a_text_counted_by_hand():
    assert counts_of(TEXT) == WORDS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't well-known O’Neil", ["don't", "well-known", "O’Neil"]),
        ("3,000.5 1,2 a,b", ["3,000.5", "1,2", "a", "b"]),
        ("U.S. e.g. end", ["U.S", "e.g", "end"]),
        ("'quoted' -- (word)…", ["quoted", "word"]),
        ("\u0301 ?", []),
    ],
)
def test_words(text, words):
    assert [word.text for sentence in ReadabilityCounts().of(text) for word in sentence] == words


# The rule of words in one pattern.
SIGNS = r"[\p{L}\p{M}\p{N}]"
WORD = regex.compile(rf"{SIGNS}+(?:(?:['’.\-‐‑]|(?<=\p{{N}}),(?=\p{{N}})){SIGNS}+)*")


@given(st.one_of(texts(), st.text("ab1٣é猫\u0301'’.,-‐‑ \n", max_size=12)))
@example("a'b a’b a.b a-b a\u2010b a\u2011b a\u2012b 1,2 a,2 1,b")
def test_words_are_those_of_the_pattern(text):
    assert tokenizer("joined")(text) == WORD.findall(text)
    for kernels in ("python", "native") if backend.NATIVE else ("python",):
        with backend.using(kernels):
            assert vocabulary(tokenizer("joined")).split(text) == WORD.findall(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"I saw it. It was big. We ran!" he said. Then he left.', 4),
        ("He said: “I saw it. It was big.” All was well.", 3),
        ("'Stop it. Don't go home, they're there. Now!' she cried. It worked.", 4),
        ("«Je viens. Tu pars.» Il dit.", 3),
        ("„Ich komme. Du gehst.“ Er ging.", 3),
        # Abbreviations, a word in quotation marks and apostrophes end nothing.
        ('"Dr. Smith is here," she said. He waits.', 2),
        ("The word \"end.\" is short. The dogs' food, it's said, isn't.", 2),
        ('"One went. Two came.', 2),
    ],
)
def test_quoted_speech_has_the_sentences_that_it_is_made_of(text, count):
    assert counts_of(text)["sentences"] == count


def test_quotations_lose_no_word():
    text = "She said: \"We went. 'It rained. A lot!' he wrote. Bye.\" And so on."
    words = [word.text for sentence in ReadabilityCounts().of(text) for word in sentence]
    assert words == [
        "She",
        "said",
        "We",
        "went",
        "It",
        "rained",
        "A",
        "lot",
        "he",
        "wrote",
        "Bye",
        "And",
        "so",
        "on",
    ]


def test_sentences_without_a_word_do_not_count():
    assert counts_of("One went. ... !!! Two came.")["sentences"] == 2


@pytest.mark.parametrize(
    ("text", "complex_words"),
    [
        ("We saw a university.", 1),
        ("We created it.", 0),
        ("They considered it interesting.", 2),
        ("We saw Canadian trees.", 0),
        ("Canadian trees fell.", 1),
        ("A rather-too-often-used word.", 0),
        ("An anti-university word.", 1),
    ],
)
def test_complex_words(text, complex_words):
    assert counts_of(text)["complex_words"] == complex_words


@given(texts())
def test_counts_are_those_of_the_words(text):
    found = counts_of(text)
    sentences = ReadabilityCounts().of(text)
    assert found["sentences"] == len(sentences) <= found["words"] <= min(found["syllables"], found["letters"])
    assert found["complex_words"] <= found["words"]
    assert 3 * found["polysyllables"] <= found["syllables"]
    kept = Counter("".join(word.text for sentence in sentences for word in sentence))
    assert not kept - Counter(text)


def test_the_signature_names_the_splitter():
    result = nlgauge.score([TEXT], metrics="smog")
    assert "sentences:sentencex-en" in result.signatures["smog"]
