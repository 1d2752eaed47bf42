"""Calls every function of the compiled module with hostile arguments, and stops at an exception that is not a
refusal.

    python tools/fuzz_arguments.py --seconds 60 [--seed 1] [--only look_up]

Arguments begin as a call that is right; then some are made too short, too long, negative, huge, not numbers,
of another type or shape, or apart in memory; offsets fall; lists hold other things than texts. Meant for a
build with sanitizers, see CONTRIBUTING: a wrong address ends the process.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from nlgauge._core import backend
from nlgauge._core.ragged import Ragged
from nlgauge.errors import NlgaugeError
from nlgauge.kernels.edits.jumps import JumpCosts

# What a function may raise; anything else, SystemError among them, is a defect.
REFUSALS = (
    TypeError,
    ValueError,
    IndexError,
    OverflowError,
    MemoryError,
    AttributeError,
    KeyError,
    NlgaugeError,
)

Chance = random.Random
Arguments = list[Any]

# No size between: arrays of a few gigabytes would really be made.
_NUMBERS = (
    0,
    1,
    2,
    3,
    5,
    300,
    -1,
    -2,
    2**31 - 1,
    2**31,
    2**40,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    -(2**63),
)
# Sizes of results: what is between is refused by no one.
_SIZES = tuple(number for number in _NUMBERS if number <= 300 or number >= 2**40)
_FLOATS = (0.0, 1.0, -1.0, 1.2, 1e300, -1e300, float("nan"), float("inf"), float("-inf"))
_TEXTS = (
    "the cat",
    "",
    "a",
    "İ",
    "running ponies",
    "\ud800",
    "\x00",
    "猫",
    "😀",
    "e" * 70,
    "it’s 3,000.5-",
    "Größe",
    "dogs",
    "-" * 20,
    "a b c d e f g",
)


class _Shouting(str):
    """A text whose `lower` gives no text."""

    __slots__ = ()

    def lower(self) -> Any:
        return 7


def column(chance: Chance, kind: Any = np.int32, most: int = 8, rows: int = 5) -> Ragged:
    """Rows of numbers."""
    sizes = [chance.choice((0, 1, 2, 5, 64, 65, 130)) for _ in range(rows)]
    return Ragged.of([[chance.randrange(most) for _ in range(size)] for size in sizes], dtype=kind)


def numbers(chance: Chance, most: int = 5, size: int = 6) -> Any:
    """Row numbers."""
    return np.array([chance.randrange(most) for _ in range(size)], dtype=np.int64)


def groups(chance: Chance, most: int = 5, rows: int = 6) -> Ragged:
    """Groups of row numbers."""
    return Ragged.of(
        [[chance.randrange(most) for _ in range(chance.randint(1, 3))] for _ in range(rows)], dtype=np.int64
    )


def texts(chance: Chance) -> list[Any]:
    """A list of strings."""
    return [chance.choice(_TEXTS) for _ in range(chance.randint(0, 6))]


def _keyed(chance: Chance) -> tuple[Ragged, Any]:
    keys = column(chance, np.uint64, 2**40)
    return keys, np.array([chance.random() for _ in keys.values])


def _modules(chance: Chance) -> list[Ragged]:
    """For each of eight words its keys, in two ways of matching."""
    return [
        Ragged.of([[word] for word in range(8)], dtype=np.int32),
        Ragged.of([[chance.randrange(4)] for _ in range(8)], dtype=np.int32),
    ]


def _pairs(chance: Chance, *others: Any) -> Arguments:
    return [column(chance), numbers(chance), numbers(chance), *others]


def _known(chance: Chance) -> Arguments:
    known = np.unique(
        np.array([chance.randrange(2**64) for _ in range(chance.choice((0, 1, 40)))], dtype=np.uint64)
    )
    asked = np.array([chance.randrange(2**64) for _ in range(9)] + known[:3].tolist(), dtype=np.uint64)
    return [asked, known, np.ones(len(known)), 0.5]


def _grouped_keys(chance: Chance) -> Arguments:
    keys, weights = _keyed(chance)
    return [keys, weights, numbers(chance), groups(chance)]


def _counted(chance: Chance) -> Arguments:
    keys, weights = _keyed(chance)
    return [keys.values, weights]


def _read(chance: Chance) -> Arguments:
    facts = np.array([[chance.randrange(5) for _ in range(4)] for _ in range(8)], dtype=np.int64)
    return [column(chance), numbers(chance, 3, 5), 3, facts]


class _Splitter:
    """A tokenizer that only Python has, or that is compiled, by its name; perhaps it gives what is no
    list of strings.
    """

    def __init__(self, chance: Chance) -> None:
        self.name = chance.choice(
            (
                "13a",
                "unicode",
                "punctuated",
                "google",
                "1.5.5",
                "jiwer",
                "chrf-words",
                "squad",
                "joined",
                "none",
                "mine",
            )
        )
        self._wrong = chance.choice((None, None, None, 3, "text", [1], [None], ("a",)))

    def __call__(self, text: Any) -> Any:
        return text.split() if self._wrong is None else self._wrong

    def places(self, text: Any, lowercase: bool) -> Any:
        return [(0, 1)] * len(text.split())


def vocabulary(chance: Chance) -> Arguments:
    """The arguments of `use_vocabulary`."""
    forms = chance.choice(
        (
            None,
            lambda words: words,
            lambda words: words[:1],
            lambda words: [None for _ in words],
            lambda words: [7 for _ in words],
            3,
        )
    )
    return [_Splitter(chance), chance.random() < 0.5, forms, chance.random() < 0.3, texts(chance)]


def use_vocabulary(split: Any, lowercase: Any, form: Any, stem: Any, given: Any) -> list[Any]:
    """What every method of a vocabulary gives."""
    made = backend.NATIVE.Vocabulary(split, lowercase, form, stem)
    found = [made.tokens(given)]
    for text in given:
        found += [made.split(text), made.places(text)]
    return [*found, made.words(), made.keys()]


def keys(words: list[str]) -> tuple[list[str], list[Ragged], list[bool]]:
    """Return the keys of words: the first letter as the stem, the length as the synset."""
    lengths = Ragged.single(np.array([len(word) for word in words], dtype=np.int32))
    return [word[:1] for word in words], [lengths], [len(word) < 3 for word in words]


def compiled_metric(chance: Chance) -> Arguments:
    """A small metric, and texts for it."""
    count = chance.randrange(1, 70)
    levels = [(chance.choice(("13a", "characters", "unicode")), chance.random() < 0.5, False, None)]
    kernels = [(chance.choice(("edit_distance", "common_subsequence", "union_subsequence")), 0, 0)]
    width = 3
    if chance.random() < 0.3:
        levels, kernels, width = [("unicode", True, False, keys)], [("word_alignment", 0, 1000)], 22
    columns = (width, [(0, k, -1, -1, 0.0) for k in range(width)], list(range(width)))
    given = [[chance.choice(_TEXTS[:5]) for _ in range(count)] for _ in range(2)]
    return [
        levels,
        kernels,
        columns,
        columns,
        [(width, 0, True)],
        chance.random() < 0.5,
        *given,
    ]


def use_compiled_metric(
    levels: Any,
    kernels: Any,
    first: Any,
    second: Any,
    parts: Any,
    chooses: Any,
    predictions: Any,
    references: Any,
) -> list[Any]:
    """What every method of a compiled metric gives, but for the seconds."""
    made = backend.NATIVE.CompiledMetric(
        levels, kernels, backend.NATIVE.Program(*first), backend.NATIVE.Program(*second), parts, chooses
    )
    found = made.statistics(predictions, references)
    return [made.function(0)(predictions, references), found and found[0]]


def program(chance: Chance) -> Arguments:
    """A program of two inputs, and rows for it."""
    code = [(0, 0, -1, -1, 0.0), (0, 1, -1, -1, 0.0), (chance.choice((2, 3, 4, 8)), 0, 1, -1, 0.0)]
    return [2, code, [2], np.ones((chance.randrange(0, 130), 2))]


def use_program(inputs: Any, code: Any, outputs: Any, rows: Any) -> Any:
    """What a program gives."""
    return backend.NATIVE.Program(inputs, code, outputs).run(rows)


def text_square(chance: Chance) -> Arguments:
    """The arguments of `use_text_square`."""
    kernel = chance.choice(
        ("clipped_matches", "edit_counts", "edit_distance", "common_subsequence", "union_subsequence")
    )
    orders = chance.choice((1, 2, 6)) if kernel == "clipped_matches" else 0
    width = 3 * orders or (4 if kernel == "edit_counts" else 3)
    known = [*texts(chance), "a cat", "the cat"]
    order = numbers(chance, 3, 5)
    return [
        [(chance.choice(("13a", "visible-characters", "jiwer")), chance.random() < 0.5, False)],
        [(kernel, 0, orders)],
        (width, [(0, k, -1, -1, 0.0) for k in range(width)], [0]),
        known,
        numbers(chance, len(known), 4),
        numbers(chance, len(known), 3),
        order,
        np.ones(len(order)),
    ]


def use_text_square(
    levels: Any, kernels: Any, program: Any, given: Any, first: Any, second: Any, order: Any, weights: Any
) -> list[Any]:
    """What every method of a square of texts gives."""
    square = backend.NATIVE.TextSquare(levels, kernels, backend.NATIVE.Program(*program))
    return [
        square.utilities(given, first, second, 0.0, 1.0, float("nan")),
        square.expected(given, first, second, order, weights, 0.0, 1.0, float("nan")),
    ]


def set_threads(most: Any, worthwhile: Any) -> None:
    """Sets the number of threads, and sets it back."""
    try:
        backend.NATIVE.set_threads(most, worthwhile)
    finally:
        backend.NATIVE.set_threads(1)


# The arguments of a right call of every function; functions that are named after no function of the module
# call one with arguments of another kind.
CASES: dict[str, Callable[[Chance], Arguments]] = {
    "CompiledMetric": compiled_metric,
    "Program": program,
    "TextSquare": text_square,
    "Vocabulary": vocabulary,
    "accepted_stems": lambda chance: [texts(chance)],
    "any_has_lines": lambda chance: [texts(chance)],
    "are_texts": lambda chance: [texts(chance)],
    "ascending_pairs": lambda chance: [groups(chance)],
    "beam_alignments": lambda chance: _pairs(chance, _modules(chance)),
    "character_column": lambda chance: [
        texts(chance),
        chance.choice(("characters", "stripped-characters", "visible-characters", "padded", "words")),
        True,
    ],
    "character_edits": lambda chance: _pairs(chance, chance.random() < 0.5),
    "count_keys": _counted,
    "different_ngrams": lambda chance: [column(chance), numbers(chance), 3],
    "draw_counts": lambda chance: [
        np.array([[chance.randrange(4) for _ in range(5)] for _ in range(3)], dtype=np.int32),
        4,
    ],
    "edit_counts": _pairs,
    "edit_distances": _pairs,
    "flattened": lambda chance: [[texts(chance) for _ in range(3)]],
    "fragment_column": lambda chance: _pairs(chance, chance.random() < 0.5),
    "greedy_alignments": lambda chance: _pairs(chance, *_modules(chance)),
    "js_divergences": lambda chance: _pairs(chance, chance.choice(_SIZES[:5]), 0.1),
    "jump_distances": lambda chance: _pairs(
        chance,
        JumpCosts(*chance.choice(((1, 1, 1, 1, 1), (0.2, 1.0, 1.0, 2.0, 0.5)))),
        chance.choice((None, 3)),
    ),
    "keys_once_each": lambda chance: [column(chance, np.uint64), groups(chance)],
    "lcs_lengths": _pairs,
    "lcs_places": lambda chance: [
        [chance.randrange(3) for _ in range(70)],
        [chance.randrange(3) for _ in range(chance.randrange(70))],
    ],
    "look_up": _known,
    "matches_with_the_others": lambda chance: [column(chance), numbers(chance), 3],
    "mean_ngram_matches": lambda chance: [
        column(chance),
        numbers(chance),
        numbers(chance, size=4),
        np.array([chance.random() for _ in range(4)]),
        3,
    ],
    "moving_ratios": lambda chance: [column(chance), numbers(chance), 10],
    "new_ids": lambda chance: [numbers(chance), np.full(5, chance.choice((-1, 0)), dtype=np.int64)],
    "ngram_keys": lambda chance: [column(chance, np.uint64), 2, chance.choice((None, 1))],
    "ngram_matches": lambda chance: [column(chance), numbers(chance), groups(chance), 4],
    "ngram_square": lambda chance: [column(chance), numbers(chance), numbers(chance, size=4), 4],
    "nltk_stems": lambda chance: [texts(chance), 4],
    "novel_ngrams": lambda chance: _pairs(chance, 3, True),
    "number_texts": lambda chance: [texts(chance), {"a": 0}, ["a"]],
    "operation_counts": lambda chance: _pairs(chance, groups(chance), 3),
    "operation_shares": lambda chance: _pairs(chance, groups(chance), 3),
    "readability_counts": _read,
    "repeated_ngrams": lambda chance: [column(chance), numbers(chance), 3],
    "rouge155_stems": lambda chance: [texts(chance)],
    "set_patience": lambda chance: [2**26],
    "set_threads": lambda chance: [2, 1],
    "shift_edits": _pairs,
    "skip_bigram_matches": lambda chance: _pairs(chance, chance.choice((None, 0, 4)), True, False),
    "stop_kernels": lambda chance: [],
    "synset_column": lambda chance: [texts(chance), chance.random() < 0.5],
    "text_lengths": lambda chance: [texts(chance)],
    "tfidf_similarity": lambda chance: [*_keyed(chance), numbers(chance), numbers(chance), True],
    "union_lcs_hits": lambda chance: [column(chance), groups(chance), groups(chance)],
    "weighted_lcs_hits": lambda chance: [column(chance), groups(chance), groups(chance), 1.2],
    "weighted_lcs_places": lambda chance: [
        [chance.randrange(3) for _ in range(70)],
        [chance.randrange(3) for _ in range(9)],
        1.2,
    ],
    "weighted_matches": _grouped_keys,
    "word_alignments": lambda chance: _pairs(chance, _modules(chance), 1000),
    "word_facts": lambda chance: [texts(chance)],
    "word_places": lambda chance: _pairs(chance, chance.random() < 0.5),
}
_INSTEAD = {
    "CompiledMetric": use_compiled_metric,
    "Program": use_program,
    "TextSquare": use_text_square,
    "Vocabulary": use_vocabulary,
    "set_threads": set_threads,
}


def function(name: str) -> Callable[..., Any]:
    """What a case calls."""
    return _INSTEAD.get(name) or getattr(backend.NATIVE, name)


def hostile(chance: Chance, value: Any) -> Any:
    """Something in the place of a right argument, mostly of its kind."""
    if chance.random() < 0.05:
        return chance.choice(
            (None, 3, "x", 1.5, [], {}, object(), np.zeros(3), np.array(["a"]), Ragged(None, None))
        )
    if isinstance(value, Ragged):
        return _hostile_ragged(chance, value)
    if isinstance(value, np.ndarray):
        return _hostile_array(chance, value)
    if (isinstance(value, list | tuple) and value and isinstance(value[0], str | list)) or value == []:
        return [*value, chance.choice((None, 3, _Shouting("Ö"), b"x", ["a", 3], "\ud800", object()))]
    if isinstance(value, list | tuple):
        worn = [hostile(chance, item) if chance.random() < 0.5 else item for item in value]
        return (
            (type(value)._make(worn) if hasattr(value, "_make") else type(value)(worn))
            if chance.random() < 0.8
            else tuple(worn[:-1])
        )
    if isinstance(value, float):
        return chance.choice(_FLOATS)
    return (
        chance.choice(_SIZES)
        if isinstance(value, int) and not isinstance(value, bool)
        else chance.choice((True, False, None, 7, "z"))
    )


def _hostile_ragged(chance: Chance, value: Ragged) -> Ragged:
    values, offsets = value.values, value.offsets.copy()
    how = chance.randrange(7)
    if how == 0:
        values = _hostile_array(chance, values)
    elif how == 1 and len(offsets):
        offsets[chance.randrange(len(offsets))] = chance.choice((-1, 10**6, 2**62, -(2**63), 2**63 - 1))
    elif how == 2:
        offsets = offsets[::-1]
    elif how == 3:
        offsets = offsets[: chance.randrange(len(offsets))]
    elif how == 4:
        offsets = chance.choice(
            (
                np.concatenate([offsets, offsets[-1:]]),
                offsets.astype(np.float64) * chance.choice((1.0, np.nan)),
                offsets[:, None],
            )
        )
    elif how == 5:
        values = values[: chance.randrange(len(values) + 1)]
    else:
        values, offsets = np.repeat(values, 2)[::2], np.repeat(offsets, 2)[::2]
    return Ragged(values, offsets)


def _hostile_array(chance: Chance, value: Any) -> Any:
    how = chance.randrange(8)
    if how == 0:
        return value[: chance.randrange(len(value) + 1)]
    if how == 1:
        return np.concatenate([value, value])
    if how == 2:
        return value[..., None] if value.ndim == 1 else value.ravel()
    if how == 3:
        return np.repeat(value, 2, axis=0)[::2]
    if how == 4:
        return value.astype(
            chance.choice(
                (np.int8, np.int32, np.int64, np.uint64, np.float32, np.float64, bool, object, complex)
            )
        )
    if how == 5 and value.size:
        worn = value.astype(np.float64)
        worn.flat[chance.randrange(value.size)] = chance.choice(_FLOATS)
        return worn
    if value.size and value.dtype.kind in "iu":
        worn, limits = value.copy(), np.iinfo(value.dtype)
        fitting = [
            number
            for number in (-1, -2, 4, 5, 6, 2**31 - 1, 2**40, limits.min, limits.max)
            if limits.min <= number <= limits.max
        ]
        worn.flat[chance.randrange(value.size)] = chance.choice(fitting)
        return worn
    return value[:0]


def attempt(name: str, chance: Chance) -> str:
    """Call a function with arguments that are right, or of which some are hostile; tell what came of it."""
    arguments = CASES[name](chance)
    for place in range(len(arguments)):
        if chance.random() < 0.4:
            arguments[place] = hostile(chance, arguments[place])
    try:
        function(name)(*arguments)
    except REFUSALS as error:
        return type(error).__name__
    return "accepted"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one function")
    given = parser.parse_args()
    if backend.NATIVE is None:
        sys.exit("nlgauge was installed without compiled kernels")
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in CASES if given.only in (None, name)}
    ends, rounds = time.monotonic() + given.seconds, 0
    while time.monotonic() < ends:
        for name, counts in outcomes.items():
            backend.NATIVE.set_threads(1 + rounds % 3, worthwhile=1)
            try:
                counts[attempt(name, Chance(f"{given.seed} {rounds} {name}"))] += 1
            except BaseException:
                print(f"seed {given.seed}, round {rounds}: {name}")
                raise
        rounds += 1
    for name, counts in outcomes.items():
        print(f"{name:26s} {', '.join(f'{what} {count}' for what, count in counts.most_common())}")
    print(
        f"{rounds} rounds of {len(outcomes)} functions,"
        f" {sum(counts['accepted'] for counts in outcomes.values())} calls accepted"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
