"""Word alignments of METEOR in which phrases of several words may match as well; see `kernels.alignment` for
the terms.

    most words covered on both sides together, then fewest chunks, then least distance between the starts of matches

is what METEOR's papers define. The search goes through the reference from left to right with all partial
alignments that can still win; if they are too many, only the best continue, and the alignment of only words
is used if it is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nlgauge.kernels.alignment import NARROW, Keys, Match, chunk_numbers, fewest_chunks, followed, offers

# Approximate limit of extensions of partial alignments for one pair.
BUDGET = 50_000


class _State(NamedTuple):
    """A partial alignment: places of the prediction that are taken and may matter later, the end of an
    open chunk (else -1), and costs.
    """

    used: int
    end: int
    covered: int
    chunks: int
    distance: int
    path: Any  # ((... earlier path), match), shared between states

    def extended(self, match: Match) -> _State:
        taken = (1 << match.predicted) - 1 << match.prediction
        covered = self.covered + match.predicted + match.expected
        chunks = self.chunks + (match.prediction != self.end)
        distance = self.distance + abs(match.prediction - match.reference)
        return _State(self.used | taken, match.ends()[0], covered, chunks, distance, (self.path, match))


def phrase_alignment(
    prediction: list[int],
    reference: list[int],
    modules: Sequence[Keys],
    phrases: Sequence[Match],
    budget: int = BUDGET,
) -> list[Match]:
    """Return the alignment of words by `modules` and of these phrases; without phrases the alignment of
    `fewest_chunks`.
    """
    words = [Match(*match) for match in fewest_chunks(prediction, reference, modules)]
    if not phrases or prediction == reference:
        return words
    slope, most = len(prediction) / len(reference), most_places(reference, budget)
    offered = offers(prediction, reference, modules, phrases, most)
    near = [
        sorted(matches, key=lambda match: abs(match.prediction - match.reference * slope))[:most]
        for matches in offered
    ]
    width = max(NARROW, budget // sum(map(len, near)))
    later = [0]
    for matches in reversed(near):
        later.append(later[-1])
        for match in matches:
            later[-1] |= (1 << match.predicted) - 1 << match.prediction
    later.reverse()
    reached: list[list[_State]] = [[] for _ in range(len(reference) + 1)]
    reached[0].append(_State(0, -1, 0, 0, 0, None))
    for r, matches in enumerate(near):
        for state in _best(reached[r], later[r])[:width]:
            reached[r + 1].append(state._replace(end=-1))
            for match in matches:
                new = state.extended(match)
                if new.used.bit_count() == state.used.bit_count() + match.predicted:
                    reached[match.ends()[1]].append(new)
        reached[r] = []
    return min(words, followed(min(reached[-1], key=_cost).path), key=cost)


def most_places(reference: Sequence[object], budget: int = BUDGET) -> int:
    """Return the greatest number of matches that are tried at one place of the reference."""
    return max(2, budget // (NARROW * max(1, len(reference))))


def cost(alignment: list[Match]) -> tuple[int, int, int]:
    """Return the costs to minimize: words covered, negative; chunks; distance."""
    covered = sum(match.predicted + match.expected for match in alignment)
    return (
        -covered,
        max(chunk_numbers(alignment), default=0),
        sum(abs(match.prediction - match.reference) for match in alignment),
    )


def _cost(state: _State) -> tuple[int, int, int]:
    return -state.covered, state.chunks, state.distance


def _best(states: list[_State], later: int) -> list[_State]:
    """Return the states in order of cost, without those that another with the same places taken makes
    useless.

    An open chunk saves one chunk at most: a state that covers less than the cheapest, or costs a chunk more
    and no less distance, cannot win.
    """
    kept: dict[tuple[int, int], _State] = {}
    cheapest: dict[int, _State] = {}
    for state in sorted((state._replace(used=state.used & later) for state in states), key=_cost):
        first = cheapest.setdefault(state.used, state)
        open_chunk = (
            state.end >= 0
            and state.covered == first.covered
            and (state.chunks, state.distance) < (first.chunks + 1, first.distance)
        )
        if state is first or open_chunk:
            kept.setdefault((state.used, state.end), state)
    return list(kept.values())
