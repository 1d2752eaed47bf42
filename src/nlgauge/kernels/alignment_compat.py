"""The alignments that two programs of METEOR find, which are not those with the fewest chunks; see `kernels.alignment` for the terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from nlgauge.kernels.alignment import Alignment, Keys, links

# The METEOR 1.5 program's default.
BEAM = 40


@dataclass(frozen=True)
class _Path:
    """A partial alignment of the METEOR 1.5 program; `end` is the place after the last match of an open chunk."""

    used: int
    exact: int = 0
    chunks: int = 0
    distance: int = 0
    end: int = -1
    alignment: tuple[tuple[int, int, int], ...] = ()

    def matched(self, p: int, r: int, module: int) -> _Path:
        broken = self.end not in (-1, p)
        taken = (*self.alignment, (p, r, module))
        return replace(self, used=self.used | 1 << p, exact=self.exact + (module == 0), chunks=self.chunks + broken, end=p + 1, alignment=taken)

    def closed(self) -> _Path:
        return replace(self, chunks=self.chunks + (self.end != -1), end=-1)


def beam(prediction: list[int], reference: list[int], modules: Sequence[Keys]) -> Alignment:
    """What the METEOR 1.5 program finds, left to right with 40 partial alignments.

    Words whose only match is each other are matched beforehand. The rest is ranked by exact matches alone (others are rounded to
    nothing), then chunks closed so far, then distance, which a tried match adds to the alignment it extends and not to the one it makes.
    Equal ranks stay in the order in which they were made: by module, then by place in the prediction, leaving the word out last.
    """
    linked = links(prediction, reference, modules[:1] if prediction == reference else modules)
    places = defaultdict(list)
    for p, word in enumerate(prediction):
        places[word].append(p)
    offers = [sorted((m, p) for other, found in linked.get(word, {}).items() for m in found for p in places[other]) for word in reference]
    coverage: dict[int, int] = defaultdict(int)
    for offered in offers:
        for _, p in offered:
            coverage[p] += 1
    fixed = [len(offered) == 1 and coverage[offered[0][1]] == 1 for offered in offers]
    paths = [_Path(sum(1 << offered[0][1] for offered, alone in zip(offers, fixed, strict=True) if alone))]
    for r, offered in enumerate(offers):
        following: list[_Path] = []
        for path in sorted(paths, key=_rank)[:BEAM]:
            if fixed[r]:
                module, p = offered[0]
                following.append(replace(path.matched(p, r, module), distance=path.distance + abs(p - r)))
                continue
            distance = path.distance
            for module, p in offered:
                if not path.used >> p & 1:
                    following.append(replace(path.matched(p, r, module), distance=distance))
                    distance += abs(p - r)
            following.append(replace(path.closed(), distance=distance))
        paths = following
    finished = [path.closed() for path in sorted(paths, key=_rank)[:BEAM]]
    return list(min(finished, key=_rank).alignment)


def _rank(path: _Path) -> tuple[int, int, int]:
    return -path.exact, path.chunks, path.distance


def greedy(
    prediction: list[str],
    reference: list[str],
    stem: Callable[[str], str] | None,
    synonyms: Callable[[str], Collection[str]] | None,
) -> Alignment:
    """What NLTK finds: module by module, from the end of the prediction, each word takes the last free word of the reference that it matches.

    Stems stay stems: synonyms are looked for with and among the stems of the words that are left.
    """
    ours, theirs = dict(enumerate(prediction)), dict(enumerate(reference))
    found = _taken(ours, theirs, 0, lambda word: (word,))
    if stem:
        ours, theirs = ({place: stem(word) for place, word in side.items()} for side in (ours, theirs))
        found += _taken(ours, theirs, 1, lambda word: (word,))
    if synonyms:
        found += _taken(ours, theirs, 2, lambda word: {word, *synonyms(word)})
    return sorted(found, key=lambda match: match[1])


def _taken(ours: dict[int, str], theirs: dict[int, str], module: int, accepted: Callable[[str], Collection[str]]) -> Alignment:
    """The matches of one module, taken out of both sides."""
    places = defaultdict(list)
    for r, word in theirs.items():
        places[word].append(r)
    found: Alignment = []
    for p in sorted(ours, reverse=True):
        r = max((places[word][-1] for word in accepted(ours[p]) if places.get(word)), default=-1)
        if r >= 0:
            places[theirs.pop(r)].pop()
            del ours[p]
            found.append((p, r, module))
    return found
