"""Explanations: why a text got its score, as typed values; how they look in a terminal is in `explain.terminal`.

Each carries the statistics of the row it explains, so that what is shown and what was scored cannot drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nlgauge.corpus.columns import Array


@dataclass(frozen=True, eq=False)
class Explanation:
    """What every kind has: a title and the statistics of the row, part by part."""

    title: str
    statistics: dict[str, Array] = field(repr=False)


@dataclass(frozen=True)
class Order:
    """How one n-gram order fared: matched of all in the prediction and in the reference."""

    name: str
    matched: float
    predicted: float
    expected: float | None = None


@dataclass(frozen=True, eq=False)
class NgramMatches(Explanation):
    """Which tokens of the prediction are part of a matched n-gram, and of what length at most."""

    tokens: list[str]
    longest: list[int]
    orders: list[Order]


@dataclass(frozen=True)
class Edit:
    """One run of an alignment: "equal", "replace", "delete" or "insert", with the tokens of both sides.

    A "shift" moves tokens of the prediction to the place `target`, before anything is aligned; a "jump" goes on reading the prediction there.
    """

    kind: str
    reference: list[str]
    prediction: list[str]
    target: int | None = None

    @classmethod
    def of(cls, run: tuple[str, int, int, int, int], reference: list[str], prediction: list[str]) -> Edit:
        """The edit that a run of an alignment stands for: kind, start and end in the reference, start and end in the prediction."""
        kind, start, end, first, last = run
        return cls(kind, [], [], last) if kind == "jump" else cls(kind, reference[start:end], prediction[first:last])


@dataclass(frozen=True, eq=False)
class Edits(Explanation):
    """The edits that turn the reference into the prediction, left to right; shifts come first."""

    edits: list[Edit]


@dataclass(frozen=True, eq=False)
class Alignment(Explanation):
    """Tokens of both sides, their similarity, and the weight with which each counts."""

    prediction: list[str]
    reference: list[str]
    similarity: Array
    prediction_weights: Array
    reference_weights: Array


@dataclass(frozen=True, eq=False)
class Transport(Explanation):
    """Tokens of both sides, how much of each prediction token goes to each reference token, and what a unit of that costs."""

    prediction: list[str]
    reference: list[str]
    plan: Array
    cost: Array


@dataclass(frozen=True)
class Guesses:
    """What a model expects at one place of a text: the token that is there and its probability, and the likeliest tokens with theirs."""

    token: str
    probability: float
    likeliest: list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Distributions(Explanation):
    """The tokens whose probabilities in two distributions differ most, and at each place of both texts what went into them.

    `differences` has (token, its probability for the prediction, for the reference), the largest difference first; `covered` is the share of
    all differences that these make up.
    """

    differences: list[tuple[str, float, float]]
    covered: float
    prediction: list[Guesses]
    reference: list[Guesses]


@dataclass(frozen=True, eq=False)
class TokenScores(Explanation):
    """One text's tokens with one or more values each, such as its information with and without help."""

    tokens: list[str]
    values: dict[str, list[float]]


@dataclass(frozen=True, eq=False)
class WordGroups(Explanation):
    """Words by what became of them, such as those added rightly and those added wrongly."""

    groups: dict[str, list[str]]


@dataclass(frozen=True, eq=False)
class WordAlignment(Explanation):
    """Words of both sides, which of them match and why (prediction place, reference place, reason), and the chunk that each match is in."""

    prediction: list[str]
    reference: list[str]
    matches: list[tuple[int, int, str]]
    chunks: list[int]
