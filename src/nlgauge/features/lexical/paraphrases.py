"""Knowledge from paraphrases: tables of interchangeable phrases, and words that paraphrases retain.

A table is a text file in UTF-8, plain or compressed by gzip, in one of two forms: METEOR's, three lines per
entry (probability, phrase, phrase), or one entry per line, `phrase TAB phrase` or `phrase TAB phrase TAB
probability`. Probabilities are not used, as in METEOR; a few in its own table are above 1.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.kernels.alignment import around


class PhraseMatch(NamedTuple):
    """Words of the prediction that may replace words of the reference: their starts and their numbers."""

    prediction: int
    reference: int
    predicted: int
    expected: int


class PhraseTable(NamedTuple):
    """Entries by the 64-bit digests of their phrases, 16 bytes each: METEOR's English table has 5.3 million
    of them.

    Entries are sorted by their first phrase, those with the same one stay in the order of the file; `longest`
    counts words.
    """

    first: Array
    second: Array
    longest: int

    def matches(
        self, prediction: Sequence[str], reference: Sequence[str], most: int | None = None
    ) -> list[PhraseMatch]:
        """Return every place at which the sides have the two phrases of an entry, in either direction.

        With `most`, a phrase at more places than that is matched only at the places nearest to its place in
        the other text.

        They are in the order of METEOR's program: entries whose first phrase is in the reference, place by
        place, then the others; an entry that is in the table in both directions is found twice.
        """
        ours, theirs = (list(self._phrases(words)) for words in (prediction, reference))
        slope = len(prediction) / max(1, len(reference))
        found = [PhraseMatch(p, r, m, n) for (r, n), (p, m) in self._found(theirs, ours, slope, most)]
        return found + [
            PhraseMatch(p, r, m, n)
            for (p, m), (r, n) in self._found(ours, theirs, 1 / slope if slope else 0, most)
        ]

    def _phrases(self, words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Return place, number of words and digest of every phrase that is short enough to be in the table."""
        for start in range(len(words)):
            for length in range(1, min(self.longest, len(words) - start) + 1):
                yield start, length, _digest(" ".join(words[start : start + length]))

    def _found(
        self,
        holding: list[tuple[int, int, int]],
        other: list[tuple[int, int, int]],
        slope: float,
        most: int | None,
    ) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        places, lengths = defaultdict(list), {}
        for start, length, digest in other:
            places[digest].append(start)
            lengths[digest] = length
        digests = np.array([digest for _, _, digest in holding], dtype=np.uint64)
        bounds = zip(
            np.searchsorted(self.first, digests, "left"),
            np.searchsorted(self.first, digests, "right"),
            strict=True,
        )
        for (start, length, _), (low, high) in zip(holding, bounds, strict=True):
            for second in self.second[low:high].tolist():
                for place in around(places.get(second, []), start * slope, most):
                    yield (start, length), (place, lengths[second])


def phrase_table(path: str) -> PhraseTable:
    """Return the table in a file, read again only when the file has changed."""
    return _table(path, _state(path))


def word_list(path: str) -> frozenset[str]:
    """Return the words of a file with one word per line, in lower case."""
    return _words(path, _state(path))


def content(path: str) -> str:
    """Return a digest of the content of a file: the first 16 digits of its SHA-256."""
    return _content(path, _state(path))


def copied_words(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], share: float = 0.6, least: int = 5
) -> tuple[str, ...]:
    """Return the words that paraphrases retain, learned from pairs of texts of the same meaning, each a list
    of words.

    A word is returned if it occurs in at least `least` texts, and if for at least `share` of them the other
    side has it too.

    >>> copied_words([(["oslo", "is", "big"], ["oslo", "is", "large"]), (["in", "oslo"], ["at", "oslo"])], least=3)
    ('oslo',)
    """
    held: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for left, right in pairs:
        held.update(set(left))
        held.update(set(right))
        kept.update(dict.fromkeys(set(left) & set(right), 2))
    return tuple(
        sorted(word for word, count in held.items() if count >= least and kept[word] >= share * count)
    )


def _digest(phrase: str) -> int:
    return int.from_bytes(blake2b(phrase.encode(), digest_size=8).digest(), "big")


@lru_cache(maxsize=1 << 16)
def _entry(phrase: str) -> tuple[int, int]:
    """Return the number of words of a phrase of a file, and its digest; many consecutive entries have the
    same first phrase.
    """
    words = phrase.lower().split()
    return len(words), _digest(" ".join(words))


def _state(path: str) -> tuple[int, int]:
    try:
        found = Path(path).stat()
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise InputError(
            f"cannot read {path!r}: {getattr(error, 'strerror', None) or error}; use the path of a text"
            " file, plain or .gz."
        ) from None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _content(path: str, state: tuple[int, int]) -> str:
    digest = sha256()
    with Path(path).open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]


@lru_cache(maxsize=8)
def _words(path: str, state: tuple[int, int]) -> frozenset[str]:
    found = set()
    for number, line in enumerate(_lines(path), 1):
        if len(line.split()) > 1:
            raise InputError(
                f"{path}, line {number}: {line!r:.60} has several words; write one word per line."
            )
        found.update(line.lower().split())
    return frozenset(found)


@lru_cache(maxsize=2)
def _table(path: str, state: tuple[int, int]) -> PhraseTable:
    digests: list[Array] = []
    block: list[int] = []
    longest = 0
    for phrases in _entries(path):
        for phrase in phrases:
            length, digest = _entry(phrase)
            longest = max(longest, length)
            block.append(digest)
        if len(block) >= 1 << 20:
            digests.append(np.array(block, dtype=np.uint64))
            block = []
    both = np.concatenate([*digests, np.array(block, dtype=np.uint64)]).reshape(-1, 2)
    order = np.argsort(both[:, 0], kind="stable")
    return PhraseTable(both[order, 0], both[order, 1], longest)


def _entries(path: str) -> Iterator[tuple[str, str]]:
    """Yield the two phrases of every entry; the first line that is not empty decides the form."""
    lines = ((number, line) for number, line in enumerate(_lines(path), 1) if line.strip())
    for number, line in lines:
        if "\t" in line:
            fields = line.split("\t")
            if len(fields) not in (2, 3):
                raise _bad(
                    path,
                    number,
                    line,
                    "an entry must be phrase TAB phrase, or phrase TAB phrase TAB probability",
                )
            first, second, *probability = fields
        else:
            probability = [line]
            following = [next(lines, (number, "")) for _ in range(2)]
            if any("\t" in phrase for _, phrase in following):
                raise _bad(path, number, line, "an entry must be phrase TAB phrase, but this line has no tab")
            (_, first), (_, second) = following
        if not all(map(_is_weight, probability)):
            raise _bad(
                path,
                number,
                line,
                "a probability must be a number of at least 0; in METEOR's format two lines with one phrase each"
                " follow it",
            )
        if not first.strip() or not second.strip():
            raise _bad(path, number, line, "an entry needs two phrases")
        yield first, second


def _is_weight(text: str) -> bool:
    try:
        return 0 <= float(text) < float("inf")
    except ValueError:
        return False


def _bad(path: str, number: int, line: str, rule: str) -> InputError:
    return InputError(f"{path}, line {number}: {line!r:.60} cannot be read; {rule}.")


def _lines(path: str) -> Iterator[str]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.endswith(".gz")
            else Path(path).open(encoding="utf-8")
        ) as stream:
            for line in stream:
                yield line.rstrip("\r\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read {path!r}: {error}; use the path of a text file in UTF-8, plain or .gz."
        ) from None
