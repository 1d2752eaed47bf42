"""The alignments that two programs of METEOR find, which are not those with the fewest chunks; see
`kernels.alignment` for the terms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge._core.backend import compiled
from nlgauge._core.ragged import Array, Ragged
from nlgauge.kernels.alignment import Alignment, Keys, Match, followed, match_column, offers

# The METEOR 1.5 program's default.
BEAM = 40


@dataclass(frozen=True)
class _Path:
    """A partial alignment of the METEOR 1.5 program; `end` is the place after the last match of an open
    chunk, `following` that in the reference.
    """

    used: int
    weight: int = 0
    chunks: int = 0
    distance: int = 0
    end: int = -1
    following: int = 0
    path: Any = None  # ((... earlier path), match), shared between paths

    def matched(self, match: Match) -> _Path:
        broken = self.end not in (-1, match.prediction)
        weight = 2 if match.module == 0 else match.predicted // 2 + match.expected // 2
        end, following = match.ends()
        return _Path(
            self.used | _mask(match),
            self.weight + weight,
            self.chunks + broken,
            self.distance,
            end,
            following,
            (self.path, match),
        )

    def closed(self) -> _Path:
        return replace(self, chunks=self.chunks + (self.end != -1), end=-1)


@compiled
def beam_alignments(
    column: Ragged, predictions: Array, references: Array, modules: Sequence[Ragged]
) -> Ragged:
    """Return the matches of each row by `beam`, without phrases; a module has one row of keys for each word
    of the column.
    """
    rows, keys = column.lists(), [module.lists() for module in modules]
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return match_column(beam(rows[prediction], rows[reference], keys) for prediction, reference in pairs)


def beam(
    prediction: list[int], reference: list[int], modules: Sequence[Keys], phrases: Sequence[Match] = ()
) -> list[Match]:
    """Return the alignment of the METEOR 1.5 program, left to right with 40 partial alignments.

    Matches that share no word with another are taken beforehand. The rest is ranked by the words of exact
    matches and half of those of others, rounded down on each side (so a word matched otherwise counts
    nothing), then chunks closed so far, then distance, which a tried match adds to the alignment that it
    extends and not to the new alignment. Equal ranks stay in the order in which they were made: by module,
    then by place in the prediction, phrases in their order, leaving the word out last.
    """
    same = prediction == reference
    # Twice, because a long text has more matches than should be stored.
    offered, again = (
        offers(prediction, reference, modules[:1] if same else modules, [] if same else phrases)
        for _ in range(2)
    )
    fixed = _fixed(again)
    paths = [_Path(sum(map(_mask, fixed.values())))]
    for r, matches in enumerate(offered):
        following: list[_Path] = []
        for path in sorted(paths, key=_rank)[:BEAM]:
            if path.following > r:
                following.append(path)
                continue
            if r in fixed:
                match = fixed[r]
                following.append(
                    replace(path.matched(match), distance=path.distance + abs(match.prediction - r))
                )
                continue
            distance = path.distance
            for match in matches:
                if not path.used & _mask(match):
                    following.append(replace(path.matched(match), distance=distance))
                    distance += abs(match.prediction - r)
            following.append(replace(path.closed(), distance=distance))
        paths = following
    finished = [path.closed() for path in sorted(paths, key=_rank)[:BEAM]]
    return followed(min(finished, key=_rank).path)


def _fixed(offered: Iterable[list[Match]]) -> dict[int, Match]:
    """Return the matches that share no word with another, by their place in the reference."""
    covered: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
    alone: dict[int, Match] = {}
    for r, matches in enumerate(offered):
        for match in matches:
            for places, words in zip(covered, _places(match), strict=True):
                places.update(words)
        if len(matches) == 1:
            alone[r] = matches[0]
    pairs = {r: list(zip(covered, _places(match), strict=True)) for r, match in alone.items()}
    return {
        r: match
        for r, match in alone.items()
        if all(places[word] == 1 for places, words in pairs[r] for word in words)
    }


def _rank(path: _Path) -> tuple[int, int, int]:
    return -path.weight, path.chunks, path.distance


def _mask(match: Match) -> int:
    """Return the prediction's words that a match takes, as bits."""
    return (1 << match.predicted) - 1 << match.prediction


def _places(match: Match) -> tuple[range, range]:
    return range(match.prediction, match.ends()[0]), range(match.reference, match.ends()[1])


@compiled
def greedy_alignments(
    column: Ragged, predictions: Array, references: Array, stems: Ragged, accepted: Ragged
) -> Ragged:
    """Return the matches of each row by `greedy`; for each word of the column its stem, and the stems that it
    accepts as synonyms.
    """
    rows, stem_of, accepted_of = column.lists(), stems.values.tolist(), accepted.lists()
    pairs = zip(predictions.tolist(), references.tolist(), strict=True)
    return match_column(
        greedy(rows[prediction], rows[reference], stem_of, accepted_of) for prediction, reference in pairs
    )


def greedy(
    prediction: list[int], reference: list[int], stems: Sequence[int], accepted: Sequence[Collection[int]]
) -> Alignment:
    """Return the alignment of NLTK: module by module, from the end of the prediction, each word takes the
    last free word of the reference that it matches.

    Stems stay stems: synonyms are looked for with and among the stems of the words that are left.
    """
    ours, theirs = dict(enumerate(prediction)), dict(enumerate(reference))
    found = _taken(ours, theirs, 0, lambda word: (word,), lambda word: word)
    found += _taken(ours, theirs, 1, lambda word: (stems[word],), lambda word: stems[word])
    found += _taken(ours, theirs, 2, lambda word: accepted[word], lambda word: stems[word])
    return sorted(found, key=lambda match: match[1])


def _taken(
    ours: dict[int, int],
    theirs: dict[int, int],
    module: int,
    accepted: Callable[[int], Collection[int]],
    key: Callable[[int], int],
) -> Alignment:
    """Return the matches of one module, taken out of both sides."""
    places = defaultdict(list)
    for r, word in theirs.items():
        places[key(word)].append(r)
    found: Alignment = []
    for p in sorted(ours, reverse=True):
        r = max((places[one][-1] for one in accepted(ours[p]) if places.get(one)), default=-1)
        if r >= 0:
            places[key(theirs.pop(r))].pop()
            del ours[p]
            found.append((p, r, module))
    return found
