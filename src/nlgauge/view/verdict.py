"""The conclusion in a sentence or two: who leads, on how many scores, against whom beyond chance, and which metric disagrees.

A sentence is a list of words and systems: a text is {"text": ...}, a system {"system": its number}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

Sentence = list[dict[str, Any]]


def verdict(outputs: Sequence[dict[str, Any]], systems: Sequence[str], confidence: float) -> list[Sentence]:
    """Sentences for the head of a page; none that says "better" where one system is alone or no score has a direction."""
    if len(systems) == 1:
        return [
            [
                _system(0),
                _text(f" has {_counted(sum(not output['given'] for output in outputs), 'score')}; there is no other system to compare it with."),
            ]
        ]
    judged = [output for output in outputs if output["up"] is not None and not output["given"] and None not in output["scores"]]
    if not judged:
        return [[_text("No score here has a better direction, so no system is called better than another.")]]
    leads = [sum(_first(output) == number for output in judged) for number in range(len(systems))]
    most = max(leads)
    leaders = [number for number, count in enumerate(leads) if count == most]
    if len(leaders) > 1:
        return [[*_listed(leaders), _text(f" lead on {most} of {_counted(len(judged), 'score')} each; none leads on more.")]]
    leader = leaders[0]
    head: Sentence = [_system(leader), _text(f" leads on {most} of {_counted(len(judged), 'score')}")]
    beaten = _beaten(judged, leader, len(systems), 1 - confidence)
    head += _named(beaten) if len(systems) <= 4 else [_text(_counts(list(beaten.values()), len(judged)))]
    found = [[*head, _text(".")]]
    against = [output for output in judged if _first(output) != leader]
    if against and len(against) <= 4:
        listed: Sentence = [_text("It is not first on ")]
        for place, output in enumerate(against):
            listed += [_text((", " if place else "") + f"{_name(output)} ("), _system(_first(output)), _text(")")]
        found.append([*listed, _text(".")])
    return found


def _named(beaten: Mapping[int, int]) -> Sentence:
    """On how many scores the leader is better beyond chance, for each of few systems."""
    if not any(beaten.values()):
        return [_text(", but on none beyond chance against "), *_listed(list(beaten))]
    found: Sentence = []
    for place, (other, count) in enumerate(beaten.items()):
        found += [_text((", beyond chance on " if place == 0 else " and on ") + f"{count or 'none'} against "), _system(other)]
    return found


def _counts(beaten: Sequence[int], scores: int) -> str:
    """The same of many systems, in numbers of them."""
    others = len(beaten)
    clear, some = sum(count == scores for count in beaten), sum(count > 0 for count in beaten)
    if clear == others:
        return f", beyond chance on every score against all {others} other systems"
    if not some:
        return f", but on none beyond chance against any of the other {others} systems"
    every = f" and on every score against {clear}" if clear else ""
    return f", beyond chance on some score against {some}{every} of the other {others} systems"


def _first(output: dict[str, Any]) -> int:
    """The system with the best score; of equal ones the first given."""
    scores = output["scores"] if output["up"] else [-score for score in output["scores"]]
    return max(range(len(scores)), key=scores.__getitem__)


def _beaten(judged: Sequence[dict[str, Any]], leader: int, count: int, alpha: float) -> dict[int, int]:
    """For each other system the number of scores on which the leader is better beyond chance."""
    place = {pair: at for at, pair in enumerate(combinations(range(count), 2))}
    found = {}
    for other in range(count):
        if other == leader:
            continue
        at = place[min(leader, other), max(leader, other)]
        found[other] = sum(
            _is_better(output, leader, other) and output["pairs"] is not None and _below(output["pairs"]["p"][at], alpha) for output in judged
        )
    return found


def _is_better(output: dict[str, Any], one: int, other: int) -> bool:
    ours, theirs = output["scores"][one], output["scores"][other]
    return bool(ours > theirs if output["up"] else ours < theirs)


def _below(p: float | None, alpha: float) -> bool:
    return p is not None and p <= alpha


def _name(output: dict[str, Any]) -> str:
    return output["label"] if output["output"] in (output["metric"], "score") else f"{output['label']} {output['output']}"


def _listed(systems: Sequence[int]) -> Sentence:
    found: Sentence = []
    for place, system in enumerate(systems):
        found += [_text("" if place == 0 else " and " if place == len(systems) - 1 else ", "), _system(system)]
    return found[1:]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _text(text: str) -> dict[str, Any]:
    return {"text": text}


def _system(number: int) -> dict[str, Any]:
    return {"system": number}
