"""The conclusion of a page in at most two sentences, and the small print that goes with it.

A sentence is a list of words and systems: a text is {"text": ...}, a system {"system": its number}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge.show.page_data.facts import Facts, Group

Sentence = list[dict[str, Any]]
# More names than these are counted.
_NAMES = 5
_UNDIRECTED = "No score here has a better direction, so no system is called better than another."
_INCOMPLETE = (
    "No metric has scores of the same segments for every system, so no system is called better than another."
)


def verdict(facts: Facts, metrics: int) -> list[Sentence]:
    """Return the sentences at the head of a page; `metrics` is the number of metrics of the result."""
    systems = len(facts.order)
    if systems == 1:
        return [
            [
                _system(0),
                _text(f" has {counted(metrics, 'metric')}; there is no other system to compare it with."),
            ]
        ]
    if len(facts.groups) == 1:
        return [
            [
                *_listed([(system,) for system in facts.groups[0]]),
                _text(" have the same texts, so every score is the same."),
            ]
        ]
    if not facts.voices:
        return [[_text(_INCOMPLETE if facts.silent else _UNDIRECTED)]]
    if all(_tells_nothing(voice.best, voice.top, systems) for voice in facts.voices):
        return [[_text("No metric can tell "), *_listed(_ordered(facts, range(systems))), _text(" apart.")]]
    return [_leaders(facts), *_best_group(facts)]


def small_print(facts: Facts) -> list[Sentence]:
    """Return remarks for below the sentences: systems with equal texts, metrics that do not vote, metrics
    that were not tested.
    """
    if len(facts.groups) == 1:
        return []
    remarks: list[Sentence] = [
        [*_listed([(system,) for system in group]), _text(" have the same texts.")]
        for group in facts.groups
        if len(group) > 1
    ]
    for metric, lacking in facts.silent:
        if not lacking:
            remarks.append([_text(f"{metric} is not counted: systems lack scores of different segments.")])
            continue
        verb = "has" if len(lacking) == 1 else "have"
        remarks.append(
            [
                _text(f"{metric} is not counted: "),
                *_listed([(system,) for system in lacking]),
                _text(f" {verb} no score."),
            ]
        )
    untested = [voice.metric for voice in facts.voices if voice.top is None]
    if untested and len(facts.order) > 1:
        remarks.append([_text(f"Not tested for significance: {', '.join(untested)}.")])
    return remarks


def _tells_nothing(best: Group, top: Group | None, systems: int) -> bool:
    return len(best) == systems or (top is not None and len(top) == systems)


def _leaders(facts: Facts) -> Sentence:
    """Return the sentence about the systems that are first on the most metrics.

    It begins with the first system of `facts.order`.
    """
    count, leading = len(facts.voices), facts.order[0]
    most = max(facts.first)
    if most == 0:
        return _tied(facts)
    leaders = _ordered(facts, [system for system, first in enumerate(facts.first) if first == most])
    if leading not in leaders[0]:
        own = f" and first on {facts.first[leading]}" if facts.first[leading] else ""
        is_first = " is" if len(leaders) == 1 else " are"
        return [
            *_named(facts.group(leading)),
            _text(f" is in the best group on {facts.in_top[leading]} of {counted(count, 'metric')}{own}; "),
            *_listed(leaders),
            _text(f"{is_first} first on the most, {most}{' each' if len(leaders) > 1 else ''}."),
        ]
    if len(leaders) > 1:
        return [*_listed(leaders), _text(f" are first on {most} of {counted(count, 'metric')} each.")]
    clear = sum(voice.top is not None and set(voice.top) == set(leaders[0]) for voice in facts.voices)
    others = [group for group in _ordered(facts, range(len(facts.order))) if group != leaders[0]]
    rest = _named(others[0]) if len(others) == 1 else [_text("every other system")]
    if most == clear == count:
        head = f"All {count} metrics put " if count > 1 else f"{facts.voices[0].metric} puts "
        return [_text(head), *_named(leaders[0]), _text(" first, significantly ahead of "), *rest, _text(".")]
    sentence = [*_named(leaders[0]), _text(f" is first on {most} of {counted(count, 'metric')}")]
    if all(voice.top is None for voice in facts.voices):
        return [*sentence, _text(".")]
    if clear == 0:
        return [*sentence, _text(", on none of them significantly ahead of "), *rest, _text(".")]
    return [*sentence, _text(", significantly ahead of "), *rest, _text(f" on {clear} of them.")]


def _tied(facts: Facts) -> Sentence:
    """Return the sentence if no metric puts a single system first."""
    most = max(facts.shared)
    tied = _ordered(facts, [system for system, shared in enumerate(facts.shared) if shared == most])
    verb = "ties" if len(tied) == 1 else "tie"
    return [*_listed(tied), _text(f" {verb} for first on {most} of {counted(len(facts.voices), 'metric')}.")]


def _best_group(facts: Facts) -> list[Sentence]:
    """Return a sentence on the systems that no metric puts significantly behind another, if they are
    several and not all.
    """
    tested = sum(voice.top is not None for voice in facts.voices)
    inside = _ordered(facts, [system for system, count in enumerate(facts.in_top) if count == tested])
    if not tested or not 1 < len(inside) < len(facts.groups):
        return []
    never = sum(count == 0 for count in facts.in_top)
    rest = f"; {counted(never, 'system')} {'is' if never == 1 else 'are'} in it on none." if never else "."
    where = (
        "on every metric"
        if tested > 1
        else f"on {next(voice.metric for voice in facts.voices if voice.top is not None)}"
    )
    return [[*_listed(inside), _text(f" are in the best group {where}{rest}")]]


def _ordered(facts: Facts, systems: Sequence[int]) -> list[Group]:
    """Return the groups of the systems in the order of the table."""
    return list(dict.fromkeys(facts.group(system) for system in facts.order if system in systems))


def _listed(groups: Sequence[Group]) -> Sentence:
    """Return names as a phrase: "A, B (= C) and D", or five names "and 12 more"."""
    more = len(groups) - _NAMES
    parts = [_named(group) for group in groups[: _NAMES if more > 0 else None]]
    parts += [[_text(f"{more} more")]] if more > 0 else []
    sentence: Sentence = []
    for place, part in enumerate(parts):
        sentence += [*([] if place == 0 else [_text(" and " if place == len(parts) - 1 else ", ")]), *part]
    return sentence


def _named(group: Group) -> Sentence:
    sentence = [_system(group[0])]
    for place, system in enumerate(group[1:]):
        sentence += [_text(", " if place else " (= "), _system(system)]
    return [*sentence, _text(")")] if len(group) > 1 else sentence


def _text(text: str) -> dict[str, Any]:
    return {"text": text}


def _system(number: int) -> dict[str, Any]:
    return {"system": number}
