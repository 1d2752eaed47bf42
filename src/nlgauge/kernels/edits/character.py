"""CharacTER's edits: phrases of the prediction are shifted to their places in the reference, then characters
are edited.

Texts are rows of code points with one space (32) between words. In every round each longest common phrase at
another word place in the reference is taken out of the prediction and put back at that place; the shift that
leaves the lowest edit distance on words is made if it lowers the distance. Ties: the word list that is
greatest in the order of code points.

`rounded` repeats the released program, which counts in shares of the reference's words: rounding then makes
it take a shift for a gain now and then that is not one. Otherwise, once the shifts tried have cost MOST_CELLS
cells of the edit grid, which takes texts of some thousand words, the current round is abandoned and no more
shifts are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.edits.tercom import Shift, shift_column

MOST_CELLS = 2 * 10**11
_SPACE = ord(" ")
Word = tuple[int, ...]


class PhraseShifts(NamedTuple):
    """Shifts in the order they are made, the words of the prediction after them, and what the shifts cost."""

    shifts: list[Shift]
    shifted: list[Word]
    cost: float


@compiled
def character_edits(
    column: Ragged, predictions: Array, references: Array, rounded: bool
) -> tuple[Array, Ragged]:
    """Return (rows, 2) characters to edit after the shifts, and the cost of the shifts; and those, as (start,
    length, target) in words.
    """
    rows = column.lists()
    found, shifts = np.zeros((len(predictions), 2)), []
    for i, (prediction, reference) in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        moved = phrase_shifts(words(rows[prediction]), words(rows[reference]), rounded)
        found[i] = Levenshtein.distance(joined(moved.shifted), rows[reference]), moved.cost
        shifts.append(moved.shifts)
    return found, shift_column(shifts)


def words(characters: list[int]) -> list[Word]:
    """Return the words of a row."""
    found: list[Word] = []
    start = 0
    for end in [*(i for i, character in enumerate(characters) if character == _SPACE), len(characters)]:
        if end > start:
            found.append(tuple(characters[start:end]))
        start = end + 1
    return found


def joined(sequence: list[Word]) -> list[int]:
    """Return the row of a list of words."""
    return [character for word in sequence for character in (_SPACE, *word)][1:]


def phrase_shifts(prediction: list[Word], reference: list[Word], rounded: bool) -> PhraseShifts:
    """Return the shifts that bring the words of the prediction nearest to the reference, greedily."""
    unit = len(reference) or 1 if rounded else 1
    # One character per word, in the words' order: strings compare as the lists do, and far faster.
    spelling = sorted({*prediction, *reference})
    letter = {word: _letter(rank) for rank, word in enumerate(spelling)}
    original, expected = ("".join(letter[word] for word in side) for side in (prediction, reference))
    current, shifts = original, list[Shift]()
    distance: float = Levenshtein.distance(original, expected) / unit
    left = MOST_CELLS
    # Shifts do not change which words there are, so no distance can be lower than this.
    lowest = max(len(prediction), len(reference)) - (Counter(prediction) & Counter(reference)).total()
    while distance > (0 if rounded and shifts else lowest / unit):
        best: tuple[int, str, Shift] | None = None
        now = round(distance * unit)
        for shift in _phrases(current, expected):
            left -= len(current) * len(expected)
            if left < 0 and not rounded:
                break
            # A shift swaps two neighboring blocks, so it gains at most twice the shorter one's words.
            if best and 2 * min(shift.length, abs(shift.target - shift.start)) < now - best[0]:
                continue
            rest = current[: shift.start] + current[shift.start + shift.length :]
            shifted = (
                rest[: shift.target]
                + current[shift.start : shift.start + shift.length]
                + rest[shift.target :]
            )
            limit = None if rounded else best[0] if best else int(distance) - 1
            words_off = Levenshtein.distance(shifted, expected, score_cutoff=limit)
            if (limit is None or words_off <= limit) and (
                best is None or words_off < best[0] or (words_off == best[0] and shifted > best[1])
            ):
                best = words_off, shifted, shift
        gain = 0.0 if best is None else distance - best[0] / unit
        if best is None or gain <= 0 or (left < 0 and not rounded):
            break
        distance -= gain
        current = best[1]
        shifts.append(best[2])
    word = dict(zip(letter.values(), letter, strict=True))
    shifted_words = [word[sign] for sign in current]
    return PhraseShifts(shifts, shifted_words, _shift_cost(prediction, shifted_words))


def _letter(rank: int) -> str:
    """Return the character of a rank; surrogates are skipped, because strings cannot contain them."""
    return chr(rank if rank < 0xD800 else rank + 0x800)


def _phrases(prediction: str, reference: str) -> Iterator[Shift]:
    """Return every longest common phrase that begins at different places, as a shift to its place in the
    reference.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(prediction):
        for place in places.get(word, []):
            if place != start:
                length = _common(prediction, start, reference, place)
                yield Shift(start, length, min(place, len(prediction) - length))


def _common(ours: Sequence[Word | str], start: int, theirs: Sequence[Word | str], place: int) -> int:
    """Return the number of words that are the same from here on."""
    length = 0
    while (
        start + length < len(ours)
        and place + length < len(theirs)
        and ours[start + length] == theirs[place + length]
    ):
        length += 1
    return length


def _shift_cost(original: list[Word], shifted: list[Word]) -> float:
    """Return the mean word length of each phrase that is now later, summed over phrases.

    Read from left to right: if the two differ, the phrase that begins here is looked for in its first later
    place.
    """
    cost = 0.0
    i = 0
    while i < len(original):
        length = 0
        if original[i] != shifted[i]:
            later = next((k for k in range(i + 1, len(shifted)) if shifted[k] == original[i]), None)
            if later is not None:
                length = _common(original, i, shifted, later)
                cost += sum(map(len, original[i : i + length])) / length
        i += max(length, 1)
    return cost
