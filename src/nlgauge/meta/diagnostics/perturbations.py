"""Perturbations: texts made worse in one known way, to see whether a metric notices.

Every perturbation draws only from the seed, its name and the number of the text, so that other texts or
perturbations change nothing. If a perturbation does not apply to a text (no number to swap, no word to leave
out), the text stays unchanged, with the reason. Negation and number words are English; entities are runs of
capitalized words. In scripts without spaces, characters are the words.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import regex

from nlgauge.corpus.scripts import unspaced_script
from nlgauge.errors import InputError, ParameterError, no_such

Severity = Literal["critical", "major", "minor"]

_WORD = regex.compile(r"\s*\S+")
_NUMBER = regex.compile(r"\d+(?:[.,]\d+)*")
_AUXILIARIES = "am|is|are|was|were|has|have|had|will|would|can|could|shall|should|may|might|must|do|does|did"
_NUMBER_WORDS = tuple(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split()
)
_NUMBER_WORD = regex.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", regex.IGNORECASE)
_AUXILIARY = regex.compile(rf"\b(?:{_AUXILIARIES})\b(?!['’])", regex.IGNORECASE)
_NOT = regex.compile(rf"\b({_AUXILIARIES}|be)(\s+not\b|n['’]t\b)", regex.IGNORECASE)
_CANNOT = regex.compile(r"\b(ca|wo)(n['’]t)\b|\b(can)(not)\b", regex.IGNORECASE)
_ENTITY = regex.compile(
    r"\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}](?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{N}])*"
)
_SENTENCE_START = regex.compile(r"(?:^|[.!?…]['\"”’)]*\s+|\n)\s*['\"“‘(]*$")
# Punctuation marks, except for marks within numbers and words (3.5, don't, U.S).
_MARK = regex.compile(r"(?!(?<=\w)[.,:'’/-](?=\w))\p{P}")
_SENTENCE = regex.compile(r"[^.!?。！？]+[.!?。！？]*\s*")


class Perturbed(NamedTuple):
    """A text after a perturbation; `reason` is why it could not be changed, or ""."""

    text: str
    reason: str = ""

    @property
    def changed(self) -> bool:
        """True if the text was changed."""
        return not self.reason


class _Given(NamedTuple):
    """The input of a perturbation."""

    text: str
    number: int
    texts: Sequence[str]
    sources: Sequence[str] | None
    rng: np.random.Generator

    def words(self) -> list[str]:
        """Return the words, each with the white space before it."""
        return list(self.text) if unspaced_script(self.text) else _WORD.findall(self.text)

    def another(self) -> str | None:
        """Return another of the texts, that is not this one and not empty."""
        start = int(self.rng.integers(len(self.texts)))
        others = (self.texts[(start + step) % len(self.texts)] for step in range(len(self.texts)))
        return next((other for other in others if other.strip() and other.split() != self.text.split()), None)


@dataclass(frozen=True)
class Perturbation:
    """One way to make a text worse: its severity, its description, and the reason why it may not apply."""

    name: str
    severity: Severity
    description: str
    cannot: str
    function: Callable[[_Given], str | None]
    needs_sources: bool = False

    def __call__(
        self, texts: Sequence[str], sources: Sequence[str] | None = None, seed: int = 12345
    ) -> list[Perturbed]:
        """Return each text perturbed."""
        if self.needs_sources and sources is None:
            raise InputError(f"the perturbation {self.name!r} needs sources; pass sources=[...].")
        if sources is not None and len(sources) != len(texts):
            raise InputError(
                f"each text needs one source, got {len(texts)} texts and {len(sources)} sources."
            )
        found = []
        for number, text in enumerate(texts):
            rng = np.random.default_rng([seed, zlib.crc32(self.name.encode()), number])
            if not text.strip():
                found.append(Perturbed(text, "the text is empty"))
                continue
            made = self.function(_Given(text, number, texts, sources, rng))
            found.append(Perturbed(text, self.cannot) if made is None or made == text else Perturbed(made))
        return found


def perturbation(name: str) -> Perturbation:
    """Return a perturbation by name.

    Parameters
    ----------
    name : str
        Name in `nlgauge.meta.PERTURBATIONS`.

    Returns
    -------
    Perturbation
        Function that makes texts worse.

    Raises
    ------
    ParameterError
        If there is no such perturbation.

    Examples
    --------
    >>> changed, unchanged = perturbation("negation")(["The cat is black.", "No verb here"])
    >>> changed.text, unchanged.changed
    ('The cat is not black.', False)
    """
    if name not in PERTURBATIONS:
        raise ParameterError(no_such("perturbation", name, PERTURBATIONS))
    return PERTURBATIONS[name]


def chosen(names: str | Iterable[str] | None, sources: bool) -> list[Perturbation]:
    """Return the perturbations of these names; by default all, except those that need sources if there are
    none.
    """
    if names is None:
        return [one for one in PERTURBATIONS.values() if sources or not one.needs_sources]
    return [perturbation(name) for name in ([names] if isinstance(names, str) else names)]


def _negation(given: _Given) -> str | None:
    text = given.text
    if found := _CANNOT.search(text):
        stem = found[1] or found[3]
        whole = {"ca": "can", "wo": "will", "can": "can"}[stem.lower()]
        return (
            text[: found.start()] + (whole.capitalize() if stem[0].isupper() else whole) + text[found.end() :]
        )
    if found := _NOT.search(text):
        return text[: found.end(1)] + text[found.end() :]
    if found := _AUXILIARY.search(text):
        return f"{text[: found.end()]} not{text[found.end() :]}"
    return None


def _number(given: _Given) -> str | None:
    if found := list(_NUMBER.finditer(given.text)):
        one = found[int(given.rng.integers(len(found)))]
        first = int(given.text[one.start()])
        lowest = 1 if one.end() - one.start() > 1 and first else 0
        others = [digit for digit in range(lowest, 10) if digit != first]
        return (
            given.text[: one.start()]
            + str(others[int(given.rng.integers(len(others)))])
            + given.text[one.start() + 1 :]
        )
    if found := list(_NUMBER_WORD.finditer(given.text)):
        one = found[int(given.rng.integers(len(found)))]
        others_of = [word for word in _NUMBER_WORDS if word != one[0].lower()]
        word = others_of[int(given.rng.integers(len(others_of)))]
        return (
            given.text[: one.start()]
            + (word.capitalize() if one[0][0].isupper() else word)
            + given.text[one.end() :]
        )
    return None


def _entities(text: str) -> list[str]:
    """Return runs of capitalized words, except single words that occur only at the start of a sentence."""
    runs = [
        (found[0], bool(_SENTENCE_START.search(text, endpos=found.start())))
        for found in _ENTITY.finditer(text)
    ]
    within = {run for run, starts in runs if not starts}
    return list(
        dict.fromkeys(
            run for run, starts in runs if not starts or run in within or (" " in run and not run.isupper())
        )
    )


def _entity(given: _Given) -> str | None:
    ours = _entities(given.text)
    if len(ours) > 1:
        one, other = (ours[i] for i in given.rng.choice(len(ours), 2, replace=False))
        if one not in other and other not in one:
            either = regex.compile(rf"\b(?:{regex.escape(one)}|{regex.escape(other)})\b")
            return str(either.sub(lambda found: other if found[0] == one else one, given.text))
    if not ours:
        return None
    one = ours[int(given.rng.integers(len(ours)))]
    start = int(given.rng.integers(len(given.texts)))
    for step in range(len(given.texts)):
        for other in _entities(given.texts[(start + step) % len(given.texts)]):
            if other not in given.text and one not in other:
                return given.text.replace(one, other)
    return None


def _truncation(given: _Given) -> str | None:
    words = given.words()
    return "".join(words[: len(words) // 2]) if len(words) > 1 else None


def _repetition(given: _Given) -> str | None:
    words = given.words()
    size = min(len(words), 5)
    end = size + int(given.rng.integers(len(words) - size + 1))
    between = "" if unspaced_script(given.text) else " "
    again = between + "".join(words[end - size : end]).strip()
    return "".join(words[:end]) + again + again + "".join(words[end:])


def _word_order(given: _Given) -> str | None:
    pieces = given.words()
    words = [piece.strip() for piece in pieces]
    if len(set(words)) < 2:
        return None
    order = words
    while order == words:
        order = [words[i] for i in given.rng.permutation(len(words))]
    return "".join(
        piece[: len(piece) - len(piece.lstrip())] + word for piece, word in zip(pieces, order, strict=True)
    )


def _copied_source(given: _Given) -> str | None:
    return given.sources[given.number] if given.sources is not None else None


def _length(given: _Given) -> str | None:
    other = given.another()
    if other is None:
        return None
    sentences = _SENTENCE.findall(other)
    added = (sentences[int(given.rng.integers(len(sentences)))] if sentences else other).strip()
    return f"{given.text.rstrip()}{'' if unspaced_script(given.text) else ' '}{added}"


def _case(given: _Given) -> str | None:
    lower = given.text.lower()
    return lower if lower != given.text else given.text.upper()


def _punctuation(given: _Given) -> str | None:
    return str(_MARK.sub("", given.text))


def _deletion(given: _Given) -> str | None:
    words = given.words()
    if len(words) < 2:
        return None
    left_out = set(given.rng.choice(len(words), max(1, len(words) // 7), replace=False).tolist())
    return "".join(word for i, word in enumerate(words) if i not in left_out).lstrip()


def _empty(given: _Given) -> str | None:
    return ""


PERTURBATIONS = {
    one.name: one
    for one in (
        Perturbation(
            "negation",
            "critical",
            "'not' is added or taken away",
            "there is no auxiliary verb to negate",
            _negation,
        ),
        Perturbation(
            "number",
            "critical",
            "one number becomes another of as many digits",
            "there is no number",
            _number,
        ),
        Perturbation(
            "entity",
            "critical",
            "two names change places, or one becomes another",
            "there is no name that could be another",
            _entity,
        ),
        Perturbation(
            "wrong_document", "critical", "another of the texts", "there is no other text", _Given.another
        ),
        Perturbation(
            "copied_source",
            "critical",
            "a copy of the source",
            "the source is this text",
            _copied_source,
            needs_sources=True,
        ),
        Perturbation("empty", "critical", "nothing at all", "the text is empty", _empty),
        Perturbation(
            "truncation", "major", "the first half of the words", "there are not two words", _truncation
        ),
        Perturbation(
            "deletion", "major", "every seventh word or so is left out", "there are not two words", _deletion
        ),
        Perturbation(
            "repetition", "major", "up to five words occur three times", "the text is empty", _repetition
        ),
        Perturbation(
            "word_order",
            "major",
            "the words in another order",
            "there are not two different words",
            _word_order,
        ),
        Perturbation(
            "length", "major", "a sentence of another text is added", "there is no other text", _length
        ),
        Perturbation(
            "case",
            "minor",
            "lower case, or upper case if the text is already lower case",
            "there is no letter with two cases",
            _case,
        ),
        Perturbation(
            "punctuation",
            "minor",
            "without punctuation marks",
            "there are no punctuation marks",
            _punctuation,
        ),
    )
}
