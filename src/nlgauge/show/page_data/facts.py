"""Facts of a headline: the first system of each metric, the systems that do not differ significantly from the
best, and the order of the systems.

A voice is one metric name, all its parameters and outputs together: a metric with four outputs has one vote. Each
human score is a voice too; people and metrics are counted separately.
Systems whose texts are equal on every segment are one group, which counts as one system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.metric.imported import Imported

if TYPE_CHECKING:
    from nlgauge.results.result import Result

Group = tuple[int, ...]


@dataclass(frozen=True)
class Voice:
    """The vote of a metric or of a human score: the systems whose printed score is the best, and those that no
    system beats significantly (None: not tested).

    `ahead` has for each system the systems that are significantly better; None if the pairs are not known.
    """

    metric: str
    output: int
    best: Group
    top: Group | None
    ahead: tuple[Group, ...] | None = None


@dataclass(frozen=True)
class Facts:
    """Votes and order of systems, which are numbers in the order given.

    `first` counts for each system the voices that put only it (or its group) at the best printed score,
    `shared` those that put it there at all, `in_top` those whose top includes it. `silent` names the metrics
    that do not vote, with the systems that have no score; with none if the systems lack scores of different
    segments. `people` are the votes of human scores; `first`, `shared` and `in_top` count only metrics.
    """

    groups: tuple[Group, ...]
    voices: tuple[Voice, ...]
    silent: tuple[tuple[str, Group], ...]
    first: tuple[int, ...]
    shared: tuple[int, ...]
    in_top: tuple[int, ...]
    order: tuple[int, ...]
    people: tuple[Voice, ...] = ()

    def group(self, system: int) -> Group:
        """Return the group of a system: only the system unless others have the same texts."""
        return next(group for group in self.groups if system in group)


def facts_of(outputs: Sequence[dict[str, Any]], groups: Sequence[Group], level: float = 0.05) -> Facts:
    """Return the facts of the outputs of a page (see `page_data.data`) and the groups of equal texts.

    Differences are significant if their corrected p-value is at most `level`.
    """
    count = sum(map(len, groups))
    (people, unrated), (voices, silent) = (_voices(outputs, human, level) for human in (True, False))
    by_system = {system: group for group in groups for system in group}
    first = tuple(
        sum(set(voice.best) == set(by_system[system]) for voice in voices) for system in range(count)
    )
    shared = tuple(sum(system in voice.best for voice in voices) for system in range(count))
    in_top = tuple(
        sum(voice.top is not None and system in voice.top for voice in voices) for system in range(count)
    )
    human, ranks = (
        np.mean([_ranks(outputs[voice.output]) for voice in each] or [[0.0] * count], axis=0).round(9)
        for each in (people, voices)
    )
    order = sorted(
        range(count),
        key=lambda system: (human[system], -in_top[system], -first[system], ranks[system], system),
    )
    return Facts(
        tuple(groups),
        tuple(voices),
        (*unrated, *silent),
        first,
        shared,
        in_top,
        tuple(order),
        tuple(people),
    )


def equal_texts(result: Result) -> list[Group]:
    """Return the systems in groups whose predictions are equal on every segment; a system that differs
    from all others is a group of one.

    Equal texts have equal scores, except imported scores: systems with different imported scores are not
    grouped.
    """
    imported = [label for label, metric in result._job.metrics.items() if isinstance(metric, Imported)]
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for number, system in enumerate(result.systems):
        texts = result.corpus.predictions.get(system) if result.has_texts else None
        key = (
            (str(number).encode(),)
            if texts is None or not len(texts.values)
            else (
                np.asarray(texts.values).tobytes(),
                np.asarray(texts.offsets).tobytes(),
                *(
                    np.asarray(result._tables[system, label].statistics[label]).tobytes()
                    for label in imported
                ),
            )
        )
        groups.setdefault(key, []).append(number)
    return [tuple(group) for group in groups.values()]


def printed(score: float, output: dict[str, Any]) -> str:
    """Return a score as the page prints it, without the sign of a zero."""
    return f"{score:z.{output['decimals']}f}"


def best_systems(output: dict[str, Any]) -> Group:
    """Return the systems whose printed score is the best of those with a score; nothing if no score can be
    the best.

    None can be the best of an output without a direction, or of means over different segments.
    """
    known = [score for score in output["scores"] if score is not None]
    if output["up"] is None or output["unequal"] or not known:
        return ()
    best = printed((max if output["up"] else min)(known), output)
    return tuple(
        number
        for number, score in enumerate(output["scores"])
        if score is not None and printed(score, output) == best
    )


def _voices(
    outputs: Sequence[dict[str, Any]], human: bool, level: float
) -> tuple[list[Voice], list[tuple[str, Group]]]:
    """Return the votes by metric name or human score, and those with a direction but no output that every
    system has on the same segments.
    """
    directed: dict[str, list[int]] = {}
    for number, output in enumerate(outputs):
        if output["up"] is not None and output["people"] == human:
            directed.setdefault(output["metric"], []).append(number)
    voices: list[Voice] = []
    silent: list[tuple[str, Group]] = []
    for metric, numbers in directed.items():
        complete = [
            number
            for number in numbers
            if None not in outputs[number]["scores"] and not outputs[number]["unequal"]
        ]
        if not complete:
            scores = outputs[numbers[0]]["scores"]
            silent.append((metric, tuple(system for system, score in enumerate(scores) if score is None)))
        else:
            output = outputs[complete[0]]
            voices.append(
                Voice(metric, complete[0], best_systems(output), _top(output), _ahead(output, level))
            )
    return voices, silent


def _top(output: dict[str, Any]) -> Group | None:
    ranks = output["ranks"]
    return None if None in ranks else tuple(number for number, rank in enumerate(ranks) if rank[0] == 1)


def _ahead(output: dict[str, Any], level: float) -> tuple[Group, ...] | None:
    """Return for each system the systems that are significantly better."""
    if output.get("pairs") is None:
        return None
    ahead: list[list[int]] = [[] for _ in output["scores"]]
    pairs = combinations(range(len(ahead)), 2)
    tested = zip(pairs, output["pairs"]["gains"], output["pairs"]["p_max_t"], strict=True)
    for (first, second), gain, p in tested:
        if p is not None and p <= level:
            ahead[first if gain > 0 else second].append(second if gain > 0 else first)
    return tuple(map(tuple, ahead))


def _ranks(output: dict[str, Any]) -> list[float]:
    """Return the rank of each system by its printed score; systems that tie share the mean of their ranks."""
    sign = -1 if output["up"] else 1
    worth = [sign * float(printed(score, output)) for score in output["scores"]]
    ranks = [0.0] * len(worth)
    place = 0
    for _, tied in groupby(sorted(range(len(worth)), key=worth.__getitem__), key=worth.__getitem__):
        systems = list(tied)
        for system in systems:
            ranks[system] = place + (len(systems) + 1) / 2
        place += len(systems)
    return ranks
