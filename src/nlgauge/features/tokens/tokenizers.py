"""Tokenizers in plain Python: a text in, its tokens and their places in the text out.

`native/tokenizers.cpp` has twins of most of them. `character_classes` has the table of letters, marks,
numbers and white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from nlgauge.errors import MissingExtraError, ParameterError, no_such
from nlgauge.features.tokens.character_classes import (
    LETTER,
    MARK,
    NUMBER,
    OTHER,
    SPACE,
    UNSPACED,
    WORD,
    outline,
    outlined,
)
from nlgauge.features.tokens.functions import function_tokens, is_function

# sacreBLEU tokenizers that need no download; the two MeCab tokenizers need a dictionary package in addition.
SACREBLEU_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
# The sacreBLEU tokenizers that read a SentencePiece model, which sacreBLEU downloads once; "spm:FILE" is any
# other model.
SENTENCEPIECE_TOKENIZERS = ("flores200", "flores101", "spm", "spBLEU-1K")
CHARACTER_TOKENIZERS = ("characters", "stripped-characters", "visible-characters")

# Steps on a text before it is split: a string is replaced by another, or str.lower or str.rstrip is called.
Step = tuple[str, str] | Callable[[str], str]


class Tokenizer(NamedTuple):
    """The rules that split a text.

    Tokens are parts of the text after `steps`, with `gap` blank, in their order and side by side or apart.
    """

    split: Callable[[str], list[str]]
    # The name of its compiled twin; empty if it has none.
    name: str = ""
    steps: tuple[Step, ...] = ()
    gap: Callable[[str], str] | None = None

    def __call__(self, text: str) -> list[str]:
        return self.split(text)

    def places(self, text: str, lowercase: bool = False) -> list[tuple[int, int]]:
        """Return the start and end of each token in the text.

        A token that is not found there has the empty place after the previous token.
        """
        tokens = self.split(text.lower() if lowercase else text)
        cleaned, origins = text, [(i, i + 1) for i in range(len(text))]
        for step in (*([str.lower] if lowercase else []), *self.steps):
            cleaned, origins = _stepped(cleaned, origins, step)
        found, place = [], 0
        for token in tokens:
            start = (self.gap(cleaned) if self.gap else cleaned).find(token, place)
            if start < 0:
                before = origins[place - 1][1] if place else 0
                found.append((before, before))
                continue
            place = start + len(token)
            found.append((origins[start][0], origins[place - 1][1]))
        return found


def _stepped(text: str, origins: list[tuple[int, int]], step: Step) -> tuple[str, list[tuple[int, int]]]:
    """Return the text after a step, and the original place of each of its characters."""
    if step is str.lower:
        return text.lower(), [place for sign, place in zip(text, origins, strict=True) for _ in sign.lower()]
    if not isinstance(step, tuple):
        return step(text), origins[: len(step(text))]
    old, new = step
    kept, start = [], 0
    while (place := text.find(old, start)) >= 0:
        kept += origins[start:place] + [(origins[place][0], origins[place + len(old) - 1][1])] * len(new)
        start = place + len(old)
    return text.replace(old, new), kept + origins[start:]


# As in the module string, whose import compiles regular expressions.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PUNCTUATION = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
_ASCII_PUNCTUATION = frozenset(_PUNCTUATION)
_WITHOUT_PUNCTUATION = str.maketrans("", "", _PUNCTUATION)
_SPACED_PUNCTUATION = str.maketrans(dict.fromkeys(_PUNCTUATION, " "))
_13A_STEPS = (
    str.rstrip,
    ("<skipped>", ""),
    ("-\n", ""),
    ("\n", " "),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)
_13A_SPLITS = (
    (r"([{-~\[-`!-&(-+:-@/])", r" \1 "),
    (r"([^0-9])([.,])", r"\1 \2 "),
    (r"([.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return patterns of outlines."""
    negated = f"n't(?![{outlined(WORD)}])"
    unspaced = f"[{outlined(UNSPACED)}][{outlined(MARK)}]*"
    spaced = f"[{outlined(LETTER | MARK | NUMBER, UNSPACED)}]"
    number = f"[{outlined(NUMBER)}]+"
    kinds = [
        f"'(?:s|re|ve|ll|d|m)(?![{outlined(WORD)}])",
        negated,
        f"{number}(?:[.,]{number})+",
        unspaced,
        f"(?:(?!{negated}){spaced})+",
    ]
    symbol = f"[^{outlined(LETTER | MARK | NUMBER | OTHER | SPACE)}]"
    alphanumeric = f"[{outlined(LETTER | NUMBER)}]"
    in_words, digit = (f"[{outlined(classes)}]" for classes in (LETTER | MARK | NUMBER, NUMBER))
    found = {
        "unicode": f"{unspaced}|{spaced}+",
        "punctuated": "|".join([*kinds, symbol]),
        "joined": f"{in_words}+(?:(?:['.\\-]|(?<={digit}),(?={digit})){in_words}+)*",
        "article": f"(?<!{alphanumeric})(?:a|an|the)(?!{alphanumeric})",
    }
    return {name: re.compile(pattern) for name, pattern in found.items()}


def _matched(name: str, text: str, seen: str | None = None) -> list[str]:
    """Return the parts of a text whose outlines a pattern matches; the outlines may be of another text `seen`
    of the same length.
    """
    pattern = _patterns()[name]
    if text.isascii():
        return pattern.findall(text)
    return [text[match.start() : match.end()] for match in pattern.finditer(outline(seen or text))]


def _unicode(text: str) -> list[str]:
    """Return runs of letters, marks and digits in lower case, with each character of an unspaced script
    separate; no script is lost.
    """
    return _matched("unicode", text.lower())


def _punctuated(text: str) -> list[str]:
    """Split as "unicode", but each punctuation mark or symbol is a token, 3,000.5 is one, and English 's,
    're, n't and the like are split off.
    """
    return _matched("punctuated", text.lower())


def _joined(text: str) -> list[str]:
    """Return runs of letters, marks and digits with single apostrophes, hyphens and full stops, and commas
    between digits, inside them.
    """
    return _matched("joined", text, text.replace("\u2010", "-").replace("\u2011", "-"))


def _google(text: str) -> list[str]:
    """Tokenize by rouge-score's rule: runs of ASCII letters and digits in lower case; everything else is lost."""
    return re.findall(r"[a-z0-9]+", text.lower())


def _ascii_words(text: str) -> list[str]:
    """Tokenize by ROUGE-1.5.5's rule: as Google's, but only A to Z have a lower case, so no other letter turns
    into one of them.
    """
    return [word.lower() for word in re.findall(r"[A-Za-z0-9]+", text)]


def _jiwer_words(text: str) -> list[str]:
    """Tokenize by jiwer's default: white space of two or more becomes a space, words are split at spaces (not at a
    lone tab).
    """
    return [word for word in re.sub(r"\s\s+", " ", text.strip()).split(" ") if word]


def _without_articles(text: str) -> str:
    """Return the text with blanks for the articles a, an, the."""
    if text.isascii():
        return _patterns()["article"].sub(lambda match: " " * len(match[0]), text)
    signs = list(text)
    for match in _patterns()["article"].finditer(outline(text)):
        signs[match.start() : match.end()] = " " * len(match[0])
    return "".join(signs)


def _squad_words(text: str) -> list[str]:
    """Tokenize by SQuAD's normalization: lower case, without ASCII punctuation and without the articles a, an,
    the; split at white space.
    """
    return _without_articles(text.lower().translate(_WITHOUT_PUNCTUATION)).split()


def _spaced_words(text: str) -> list[str]:
    """Tokenize by NLG-Metricverse's rule: ASCII punctuation becomes a space, the rest is lower-cased and split at
    white space.
    """
    return text.translate(_SPACED_PUNCTUATION).lower().split()


def _chrf_words(text: str) -> list[str]:
    """Tokenize by chrF++'s rule: one ASCII punctuation mark is split off a word's end, else off its start."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _ASCII_PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _ASCII_PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def _mteval_words(text: str) -> list[str]:
    """Tokenize by mteval-v13a's rule as sacreBLEU has it: the four entities are resolved, ASCII punctuation is
    split off, but not within numbers.
    """
    line = text.rstrip()
    for old, new in _13A_STEPS[1:]:
        line = line.replace(old, new)
    line = f" {line} "
    for pattern, replacement in _13A_SPLITS:
        line = re.sub(pattern, replacement, line)
    return line.split()


_TOKENIZERS: dict[str, tuple[Any, ...]] = {
    "13a": (_mteval_words, _13A_STEPS),
    "none": (str.split,),
    "unicode": (_unicode, (str.lower,)),
    "punctuated": (_punctuated, (str.lower,)),
    "google": (_google, (str.lower,)),
    "1.5.5": (_ascii_words, tuple((letter.upper(), letter) for letter in _LETTERS)),
    "jiwer": (_jiwer_words,),
    "chrf-words": (_chrf_words,),
    "squad": (_squad_words, (str.lower, *((mark, "") for mark in _PUNCTUATION)), _without_articles),
    "nlg-metricverse": (_spaced_words, (*((mark, " ") for mark in _PUNCTUATION), str.lower)),
    "joined": (_joined,),
    "whitespace": (str.split,),
    "characters": (list,),
    "stripped-characters": (lambda text: list(text.strip()),),
    "visible-characters": (lambda text: list("".join(text.split())),),
}


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of a name."""
    if name in _TOKENIZERS:
        split, *rest = _TOKENIZERS[name]
        return Tokenizer(split, name, *rest)
    if name in SENTENCEPIECE_TOKENIZERS or name.startswith("spm:"):
        from nlgauge.features.tokens.sentencepiece import pieces

        return Tokenizer(pieces(name))
    if name == "treebank":
        from nlgauge.features.tokens.treebank import treebank_words

        return Tokenizer(treebank_words)
    if name == "norm":
        from nlgauge.features.lexical.meteor_words import normalized_words

        return Tokenizer(normalized_words)
    if is_function(name):
        return Tokenizer(function_tokens(name))
    if name not in SACREBLEU_TOKENIZERS:
        names = dict.fromkeys(
            [*SACREBLEU_TOKENIZERS, *_TOKENIZERS, *SENTENCEPIECE_TOKENIZERS, "spm:FILE", "treebank", "norm"]
        )
        raise ParameterError(no_such("tokenizer", name, names))
    from sacrebleu.metrics.bleu import _get_tokenizer

    try:
        tokenize: Callable[[str], str] = _get_tokenizer(name)()
    except (ImportError, RuntimeError):
        raise MissingExtraError(
            f"sacrebleu's {name[:2]} dictionary", name[:2], f"the tokenizer {name!r}"
        ) from None
    return Tokenizer(lambda text: tokenize(text.rstrip()).split())
