"""The texts and numbers of differential fuzzing; case i depends only on the seed and i.

Texts are those of tools/fuzz_native.py: empty, short, repetitive, with marks, entities, digits, scripts with and without
spaces, and characters beyond the basic plane.
"""

from __future__ import annotations

import random

from tools.fuzz_native import text, worn


def case(seed: int, number: int, most: int = 40) -> tuple[str, list[str]]:
    """Return a prediction and its references."""
    chance = random.Random(f"{seed} {number}")
    references = [text(chance, most) for _ in range(chance.randint(1, 3))]
    return (worn(chance, references[0]) if chance.random() < 0.7 else text(chance, most)), references


def columns(seed: int, number: int) -> tuple[list[float], list[float]]:
    """Return two columns of numbers: continuous, or whole numbers with many ties."""
    chance = random.Random(f"{seed} columns {number}")
    size = chance.choice((3, 4, 5, 8, 13, 30, chance.randint(3, 60)))
    shared = [chance.gauss(0, 1) for _ in range(size)]
    sides = [[value * chance.random() + chance.gauss(0, 1) for value in shared] for _ in range(2)]
    for side in sides:
        if chance.random() < 0.6:
            side[:] = [float(round(value * chance.choice((1, 2)))) for value in side]
    return sides[0], sides[1]


def ratings(seed: int, number: int) -> list[list[float | None]]:
    """Return ratings of two to four people from 1 to 5, one row per person, with gaps."""
    chance = random.Random(f"{seed} ratings {number}")
    people, units = chance.randint(2, 4), chance.randint(5, 30)
    quality = [chance.gauss(3, 1) for _ in range(units)]
    return [
        [
            None if chance.random() < 0.1 else float(min(5, max(1, round(value + chance.gauss(0, 0.8)))))
            for value in quality
        ]
        for _ in range(people)
    ]
