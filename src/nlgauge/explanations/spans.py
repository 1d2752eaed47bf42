"""Places of the tokens of an explanation in their texts.

Metrics lower-case, stem, split and drop: their tokens are not always pieces of the text. All characters of
the tokens are aligned with the characters of the text together, so that a changed token is found between its
neighbors, and a token that the text lacks has no place.

>>> spans(["the", "cats", "sit"], "The cats, sitting")
[(0, 3), (4, 8), (10, 13)]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import accumulate

from rapidfuzz.distance import Levenshtein

from nlgauge.explanations import (
    Alignment,
    Distributions,
    Edits,
    Explanation,
    NgramMatches,
    Span,
    TokenScores,
    Transport,
    WordAlignment,
)

# Marks of tokenizers for the beginning or the middle of a word.
_MARKS = ("##", "Ġ", "▁", "Ċ", "</w>")


def located(explanation: Explanation, texts: Mapping[str, int], text_of: Callable[[int], str]) -> Explanation:
    """Return the explanation with the places of its tokens, for the texts ("prediction", "reference",
    "source") whose tokens it has; places that the metric did not add are searched for.
    """
    return replace(
        explanation,
        spans={
            side: explanation.spans[side]
            if side in explanation.spans
            else spans(tokens, text_of(texts[side]))
            for side, tokens in sides(explanation).items()
            if side in texts
        },
    )


@singledispatch
def sides(explanation: Explanation) -> dict[str, list[str]]:
    """Return the tokens of each text, in the order of the explanation; nothing if its words have no order."""
    return {}


@sides.register
def _(explanation: NgramMatches) -> dict[str, list[str]]:
    return {"prediction": explanation.tokens}


@sides.register
def _(explanation: Edits) -> dict[str, list[str]]:
    kept = [edit for edit in explanation.edits if edit.kind != "shift"]
    return {
        "prediction": [token for edit in kept for token in edit.prediction],
        "reference": [token for edit in kept for token in edit.reference],
    }


@sides.register(Alignment)
@sides.register(Transport)
@sides.register(WordAlignment)
def _(explanation: Alignment | Transport | WordAlignment) -> dict[str, list[str]]:
    return {"prediction": explanation.prediction, "reference": explanation.reference}


@sides.register
def _(explanation: Distributions) -> dict[str, list[str]]:
    return {
        "prediction": [guesses.token for guesses in explanation.prediction],
        "reference": [guesses.token for guesses in explanation.reference],
    }


@sides.register
def _(explanation: TokenScores) -> dict[str, list[str]]:
    return {explanation.text: explanation.tokens} if explanation.text else {}


def spans(tokens: Sequence[str], text: str) -> list[Span | None]:
    """Start and end of each token in the text; None if the text does not have it.

    First come the tokens that the alignment finds whole, then moved tokens that are whole elsewhere, then
    tokens with a remaining part.
    """
    # Tokens may be characters, and then some of them are spaces.
    spaces = any(token.isspace() for token in tokens)
    folded, places = _folded(text, spaces)
    plain = [_folded(bare(token), spaces)[0] for token in tokens]
    if "".join(plain) == folded:
        ends = accumulate(map(len, plain))
        return [
            (places[end - len(token)], places[end - 1] + 1) if token else None
            for token, end in zip(plain, ends, strict=True)
        ]
    aligned = _aligned(plain, folded)
    free = bytearray(b"\1" * len(folded))
    found: list[Span | None] = [None] * len(tokens)

    def take(i: int, span: Span | None) -> None:
        if span is not None and all(free[slice(*span)]):
            found[i] = span
            free[slice(*span)] = bytes(span[1] - span[0])

    for i, span in enumerate(aligned):
        if span is not None and folded[slice(*span)] == plain[i]:
            take(i, span)
    for i, token in enumerate(plain):
        at = folded.find(token) if token else -1
        while found[i] is None and at >= 0:
            take(i, (at, at + len(token)))
            at = folded.find(token, at + 1)
    for i, span in enumerate(aligned):
        if found[i] is None:
            take(i, span)
    return [None if span is None else (places[span[0]], places[span[1] - 1] + 1) for span in found]


def _aligned(tokens: list[str], text: str) -> list[Span | None]:
    """Return the span of each token's characters in the text, if at least half of them are found close
    together.
    """
    owners = [i for i, token in enumerate(tokens) for _ in token]
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    matched = [0] * len(tokens)
    for step in Levenshtein.opcodes("".join(tokens), text):
        if step.tag == "equal":
            for at in range(step.src_end - step.src_start):
                owner, place = owners[step.src_start + at], step.dest_start + at
                first.setdefault(owner, place)
                last[owner] = place + 1
                matched[owner] += 1
    return [
        (first[i], last[i])
        if 2 * matched[i] >= len(token) > 0 and last[i] - first[i] <= len(token) + 1
        else None
        for i, token in enumerate(tokens)
    ]


def bare(token: str) -> str:
    """Return a token without the marks of its tokenizer."""
    for mark in _MARKS:
        token = token.removeprefix(mark).removesuffix(mark)
    return token


def _folded(text: str, spaces: bool) -> tuple[str, list[int]]:
    """Return the text without capitals and accents, with or without spaces, and the place of each character
    in the original text.
    """
    if text.isascii():
        signs = text.lower()
        if spaces or not any(map(str.isspace, text)):
            return signs, list(range(len(text)))
        shown = [place for place, sign in enumerate(signs) if not sign.isspace()]
        return "".join(signs.split()), shown
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for plain in unicodedata.normalize("NFKD", character).casefold():
            if (spaces or not plain.isspace()) and not unicodedata.combining(plain):
                characters.append(plain)
                places.append(place)
    return "".join(characters), places
