"""Word alignments of METEOR: one to one, between words that share a key in one of several modules.

A module is a column with the keys of each word (itself, its stem, its synsets): two words match in it if they
share one, and a pair counts for the first module in which it matches. Alignments are lists of (prediction
place, reference place, module) in reference order. A chunk is a run of them that is adjacent and in the same
order on both sides.

`fewest_chunks` finds what METEOR's papers define: most matches, then fewest chunks, then the least sum of
distances between matched places. `kernels.alignment_compat` has the alignments of other programs.
`word_alignments` does so for every row of a column.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged, offsets_of

# Approximate limit of extensions of partial alignments for one pair. The search is exact up to this limit:
# for 1,988 of 2,000 translated sentences of WMT17 (all below 36 words) and 339 of 400 summaries of
# SummEval. Beyond it only the best partial alignments continue, at least 8 of them, and of a word's many
# places only those near the diagonal are tried.
BUDGET = 200_000
NARROW = 8

Alignment = list[tuple[int, int, int]]
Keys = Sequence[Collection[Any]] | Mapping[int, Collection[Any]]


class Match(NamedTuple):
    """The first place of a match in prediction and reference, its module, and its number of words on each
    side.
    """

    prediction: int
    reference: int
    module: int
    predicted: int = 1
    expected: int = 1

    def ends(self) -> tuple[int, int]:
        """Return the places after it in prediction and reference."""
        return self.prediction + self.predicted, self.reference + self.expected


@compiled
def word_alignments(
    column: Ragged, predictions: Array, references: Array, modules: Sequence[Ragged], budget: int
) -> Ragged:
    """Return the matches of each row by `fewest_chunks`; a module has one row of keys for each word of the
    column.
    """
    rows, keys = column.lists(), [module.lists() for module in modules]
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return match_column(
        fewest_chunks(rows[prediction], rows[reference], keys, budget) for prediction, reference in pairs
    )


def match_column(found: Iterable[Sequence[tuple[int, ...]]]) -> Ragged:
    """Return the matches of each row, as the five numbers of `Match`."""
    rows = [[Match(*match) for match in row] for row in found]
    flat = np.array([match for row in rows for match in row], dtype=np.int64).reshape(-1, 5)
    return Ragged(flat, offsets_of([len(row) for row in rows]))


def followed(path: Any) -> list[Any]:
    """Return the matches of a path, first to last: a path is the previous path and a match."""
    found = []
    while path is not None:
        path, match = path
        found.append(match)
    return found[::-1]


def chunk_numbers(alignment: Alignment | list[Match]) -> list[int]:
    """Return the number of the chunk that each match is in, from 1 on."""
    numbers: list[int] = []
    end = (-1, -1)
    for match in (Match(*match) for match in alignment):
        continues = end == (match.prediction, match.reference)
        numbers.append(numbers[-1] + (not continues) if numbers else 1)
        end = match.ends()
    return numbers


def links(
    prediction: list[int], reference: list[int], modules: Sequence[Keys]
) -> dict[int, dict[int, list[int]]]:
    """Return for each word of the reference, the words of the prediction that it matches and the modules in
    which it does.
    """
    found: dict[int, dict[int, list[int]]] = {}
    ours, theirs = set(prediction), set(reference)
    for number, keys in enumerate(modules):
        holders = defaultdict(list)
        for word in sorted(ours):
            for key in keys[word]:
                holders[key].append(word)
        for word in theirs:
            for other in sorted({other for key in keys[word] for other in holders.get(key, ())}):
                # Equal words match exactly and in no other way.
                if number == 0 or other != word:
                    found.setdefault(word, {}).setdefault(other, []).append(number)
    return found


def around(places: list[int], middle: float, most: int | None) -> list[int]:
    """Return the `most` places nearest to the middle, from ascending places; all places if `most` is None."""
    if most is None or len(places) <= most:
        return places
    start = max(0, min(bisect_left(places, middle) - most // 2, len(places) - most))
    return places[start : start + most]


def offers(
    prediction: list[int],
    reference: list[int],
    modules: Sequence[Keys],
    phrases: Sequence[Match],
    most: int | None = None,
) -> Iterator[list[Match]]:
    """Yield the matches that may begin at each place of the reference, place by place: of words, by module
    and place, then of phrases.

    With `most`, a word at more places than that is matched only at the places nearest to the diagonal.
    """
    linked = links(prediction, reference, modules)
    places = defaultdict(list)
    for p, word in enumerate(prediction):
        places[word].append(p)
    beginning = defaultdict(list)
    for phrase in phrases:
        beginning[phrase.reference].append(phrase)
    slope = len(prediction) / max(1, len(reference))
    for r, word in enumerate(reference):
        near = {other: around(places[other], r * slope, most) for other in linked.get(word, {})}
        pairs = sorted(
            (module, p)
            for other, matched in linked.get(word, {}).items()
            for module in matched
            for p in near[other]
        )
        yield [*(Match(p, r, module) for module, p in pairs), *beginning.get(r, ())]


def fewest_chunks(
    prediction: list[int], reference: list[int], modules: Sequence[Keys], budget: int = BUDGET
) -> Alignment:
    """Return most matches, then fewest chunks, then least distance; a tie goes to the leftmost word of the
    prediction, word by word.
    """
    if prediction == reference:
        return [(place, place, 0) for place in range(len(prediction))]
    search = _Search(prediction, reference, links(prediction, reference, modules), budget)
    narrow, complete = search.run(NARROW, None)
    if complete:
        return followed(narrow.path)
    wide, _ = search.run(search.width, narrow)
    return followed(min(narrow, wide, key=lambda state: (-state.matches, state.chunks, state.distance)).path)


class _State(NamedTuple):
    """A partial alignment: places of the prediction that are taken and may matter later, the last matched
    place if it is just before, and costs.
    """

    used: int
    last: int
    matches: int
    chunks: int
    distance: int
    path: Any  # ((... earlier path), (prediction place, reference place, module)), shared between states


class _Group(NamedTuple):
    """Words that are linked with each other, directly or not: their places, and their greatest possible
    number of matches.
    """

    places: int
    predicted: int
    expected: list[int]
    most: int


class _Search:
    def __init__(
        self,
        prediction: list[int],
        reference: list[int],
        linked: dict[int, dict[int, list[int]]],
        budget: int,
    ) -> None:
        self.linked, self.reference = linked, reference
        self.places: dict[int, list[int]] = defaultdict(list)
        for place, word in enumerate(prediction):
            self.places[word].append(place)
        self.targets = {
            word: sorted((p, found[0]) for other, found in of.items() for p in self.places[other])
            for word, of in linked.items()
        }
        self.masks = {word: sum(1 << p for p, _ in targets) for word, targets in self.targets.items()}
        self.groups = self._groups()
        self.slope = len(prediction) / max(len(reference), 1)
        sizes = [len(self.targets.get(word, ())) for word in reference]
        self.most_targets = max(2, budget // (NARROW * max(len(reference), 1)))
        self.width = max(NARROW, budget // max(1, sum(min(size, self.most_targets) for size in sizes)))
        self.later_chunks = self._later_chunks(set(pairwise(prediction)))

    def _groups(self) -> dict[int, _Group]:
        """Return the group of each matched word of the reference."""
        owner: dict[int, set[int]] = {}
        for word, others in self.linked.items():
            joined = {word}.union(*(owner[other] for other in others if other in owner))
            reached = {other for one in joined for other in self.linked[one]}
            owner.update(dict.fromkeys(reached, joined))
        expected = defaultdict(list)
        for r, word in enumerate(self.reference):
            expected[word].append(r)
        found: dict[int, _Group] = {}
        for words in {id(words): words for words in owner.values()}.values():
            reached = {other for word in words for other in self.linked[word]}
            predicted = sum(len(self.places[other]) for other in reached)
            complete = all(len(self.linked[word]) == len(reached) for word in words)
            supply = {word: len(expected[word]) for word in words}
            most = (
                min(predicted, sum(supply.values()))
                if complete
                else self._most(supply, {other: len(self.places[other]) for other in reached})
            )
            mask = sum(1 << p for other in reached for p in self.places[other])
            group = _Group(mask, predicted, sorted(r for word in words for r in expected[word]), most)
            found.update(dict.fromkeys(words, group))
        return found

    def _most(self, supply: dict[int, int], room: dict[int, int]) -> int:
        """Return the greatest number of matches between words with these counts: a maximum flow, by
        augmenting paths.
        """
        flow: dict[tuple[int, int], int] = defaultdict(int)
        total = 0
        for source in sorted(supply):
            while supply[source]:
                # Breadth first from a word of the reference to a word of the prediction with room; back along
                # flow that can be undone.
                came: dict[tuple[str, int], tuple[str, int] | None] = {("r", source): None}
                queue, end = [("r", source)], None
                for side, word in queue:
                    if side == "p" and room[word]:
                        end = (side, word)
                        break
                    onward = (
                        [("p", p) for p in sorted(self.linked[word])]
                        if side == "r"
                        else [("r", r) for r in sorted(supply) if flow[r, word]]
                    )
                    for node in onward:
                        if node not in came:
                            came[node] = (side, word)
                            queue.append(node)
                if end is None:
                    break
                steps, node = [], end
                while (previous := came[node]) is not None:
                    steps.append((previous, node))
                    node = previous
                undone = [flow[b[1], a[1]] for a, b in steps if a[0] == "p"]
                amount = min([supply[source], room[end[1]], *undone])
                for a, b in steps:
                    if a[0] == "r":
                        flow[a[1], b[1]] += amount
                    else:
                        flow[b[1], a[1]] -= amount
                supply[source] -= amount
                room[end[1]] -= amount
                total += amount
        return total

    def _later_chunks(self, bigrams: set[tuple[int, int]]) -> list[int]:
        """Return the least number of chunks that start at or after each place of the reference, whatever came
        before.
        """
        later = [0]
        known: dict[tuple[int, int], bool] = {}
        for r in range(len(self.reference) - 1, -1, -1):
            word = self.reference[r]
            group = self.groups.get(word)
            begins = False
            if group is not None and len(group.expected) == group.most:  # it cannot stay unmatched
                pair = (self.reference[r - 1], word) if r else (-1, word)
                if pair not in known:
                    before, here = self.linked.get(pair[0], {}), self.linked[word]
                    known[pair] = any(first in before and second in here for first, second in bigrams)
                begins = r == 0 or not known[pair]
            later.append(later[-1] + begins)
        return later[::-1]

    def run(self, width: int, known: _State | None) -> tuple[_State, bool]:
        """Return the best of the alignments that are followed, at most `width` at a time, and True if all
        were; alignments with more chunks than the known alignment are dropped.
        """
        states = [_State(0, -2, 0, 0, 0, None)]
        complete = True
        for r, word in enumerate(self.reference):
            group = self.groups.get(word)
            if group is None:
                states = self._best([state._replace(last=-2) for state in states])
                continue
            remaining = len(group.expected) - bisect_left(group.expected, r + 1)
            complete = complete and len(self.targets[word]) <= self.most_targets
            extended = [new for state in states for new in self._extended(state, r, word)]
            kept = [new for new in extended if self._can_finish(new, group, remaining)] or extended
            if known is not None:
                kept = [new for new in kept if new.chunks + self.later_chunks[r + 1] <= known.chunks] or kept
            if not remaining:
                kept = [new._replace(used=new.used & ~group.places) for new in kept]
            states = self._best(kept)
            complete = complete and len(states) <= width
            states = states[:width]
        return min(states, key=lambda state: (-state.matches, state.chunks, state.distance)), complete

    def _extended(self, state: _State, r: int, word: int) -> list[_State]:
        """Return the next states: the word of the reference unmatched, or matched with each unused place."""
        found = [state._replace(last=-2)]
        for p, module in self._tried(state, r, word):
            if not state.used >> p & 1:
                path = (state.path, (p, r, module))
                chunks = state.chunks + (p - 1 != state.last)
                found.append(
                    _State(
                        state.used | 1 << p, p, state.matches + 1, chunks, state.distance + abs(p - r), path
                    )
                )
        return found

    def _tried(self, state: _State, r: int, word: int) -> list[tuple[int, int]]:
        targets = self.targets[word]
        if len(targets) <= self.most_targets:
            return targets
        start = max(0, bisect_left(targets, (int(r * self.slope), -1)) - self.most_targets // 2)
        near = targets[start : start + self.most_targets]
        free = self.masks[word] & ~state.used
        first = (free & -free).bit_length() - 1
        taken = {place for place, _ in near}
        for place in dict.fromkeys(
            place for place in (state.last + 1, first) if place >= 0 and place not in taken
        ):
            at = bisect_left(targets, (place, -1))
            if at < len(targets) and targets[at][0] == place:
                near = [*near, targets[at]]
        return near

    @staticmethod
    def _can_finish(state: _State, group: _Group, remaining: int) -> bool:
        matched = (state.used & group.places).bit_count()
        return matched + min(group.predicted - matched, remaining) >= group.most

    @staticmethod
    def _best(states: list[_State]) -> list[_State]:
        """Return the states in order of cost, without those that another with the same places taken makes
        useless.

        An open chunk saves one chunk at most: a state that costs one more than the cheapest, and no less
        distance, cannot win; nor can one without an open chunk that is not the cheapest.
        """
        kept: dict[tuple[int, int, int], _State] = {}
        cheapest: dict[tuple[int, int], tuple[int, int]] = {}
        for state in sorted(states, key=lambda state: (state.chunks, -state.matches, state.distance)):
            key, cost = (state.used, state.matches), (state.chunks, state.distance)
            first = key not in cheapest
            chunks, distance = cheapest.setdefault(key, cost)
            if first or (state.last >= 0 and cost < (chunks + 1, distance)):
                kept.setdefault((state.used, state.last, state.matches), state)
        return list(kept.values())
