"""The conclusion of a page in at most three sentences, what people say first, and the small print that goes with it.

A sentence is a list of words and systems: a text is {"text": ...}, a system {"system": its number}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge._core.numbers import counted, listed
from nlgauge.show.page_data.facts import Facts, Group, Voice

Sentence = list[dict[str, Any]]
# More names than these are counted.
_NAMES = 5
# Each of at most this number of systems behind is named with the systems ahead of it.
_BEHIND = 2
_UNDIRECTED = "No score here has a better direction, so no system is called better than another."
_INCOMPLETE = (
    "No metric has scores of the same segments for every system, so no system is called better than another."
)


def verdict(facts: Facts, metrics: int) -> list[Sentence]:
    """Return the sentences at the head of a page; `metrics` is the number of metrics of the result."""
    systems = len(facts.order)
    if systems == 1:
        rated = f" and {counted(len(facts.people), 'human score')}" if facts.people else ""
        return [
            [
                _system(0),
                _text(
                    f" has {counted(metrics, 'metric')}{rated}; there is no other system to compare it with."
                ),
            ]
        ]
    if len(facts.groups) == 1:
        return [
            [
                *_listed([(system,) for system in facts.groups[0]]),
                _text(" have the same texts, so every score is the same."),
            ]
        ]
    people = _people(facts)
    if not facts.voices:
        return people or [[_text(_INCOMPLETE if facts.silent else _UNDIRECTED)]]
    if all(_tells_nothing(voice.best, voice.top, systems) for voice in facts.voices):
        return [
            *people,
            [_text("No metric can tell "), *_listed(_ordered(facts, range(systems))), _text(" apart.")],
        ]
    return [*people, _leaders(facts), *(_disagreement(facts) if people else _best_group(facts))]


def _people(facts: Facts) -> list[Sentence]:
    """Return the sentence about the systems that people prefer, if there are human scores."""
    if not facts.people:
        return []
    tested = [voice for voice in facts.people if voice.top is not None]
    if len(tested) < len(facts.people):
        return [_preferences(facts)]
    tops = [set(voice.top or ()) for voice in tested]
    common = _ordered(facts, sorted(set.intersection(*tops)))
    if len(tested) == 1:
        return [_one_dimension(facts, tested[0], common)]
    dimensions = f"all {len(tested)} human dimensions"
    if not common:
        return [_preferences(facts)]
    if all(len(top) == len(facts.order) for top in tops):
        return [[_text(f"People cannot tell the {len(facts.groups)} systems apart on {dimensions}.")]]
    rest = " is in the best group, and no other system is." if len(common) == 1 else " are in the best group."
    return [[_text(f"On {dimensions} "), *_listed(common), _text(rest)]]


def _one_dimension(facts: Facts, voice: Voice, top: list[Group]) -> Sentence:
    """Return the sentence about a single human score that was tested."""
    others = [group for group in _ordered(facts, range(len(facts.order))) if group not in top]
    if not others:
        return [_text(f"People cannot tell the {len(facts.groups)} systems apart ({voice.metric}).")]
    if len(top) == 1:
        ahead = _named(others[0]) if len(others) == 1 else [_text("every other system")]
        return [
            _text("People put "),
            *_named(top[0]),
            _text(f" first ({voice.metric}), significantly ahead of "),
            *ahead,
            _text("."),
        ]
    sentence = [_text("People cannot tell "), *_listed(top), _text(f" apart ({voice.metric}); ")]
    if voice.ahead is None or len(others) > _BEHIND:
        return [*sentence, _text(f"{counted(len(others), 'system')} {_are(others)} significantly behind.")]
    for place, group in enumerate(others):
        leaders = _ordered(facts, voice.ahead[group[0]])
        sentence += [
            *([_text(", and ")] if place else []),
            *_named(group),
            _text(" is significantly behind "),
            *_listed(leaders),
        ]
    return [*sentence, _text(".")]


def _preferences(facts: Facts) -> Sentence:
    """Return the sentence if people prefer different systems on different dimensions, or nothing was tested."""
    shown = facts.people[:_NAMES]
    preferred = [_ordered(facts, voice.best) for voice in shown]
    differ = len(set(map(tuple, preferred))) > 1
    sentence = [_text("People prefer different systems: " if differ else "People give the best score to ")]
    if not differ:
        names = ", ".join(voice.metric for voice in shown)
        return [*sentence, *_listed(preferred[0]), _text(f" ({names}).")]
    for place, (voice, best) in enumerate(zip(shown, preferred, strict=True)):
        sentence += [*([_text(", ")] if place else []), *_listed(best), _text(f" on {voice.metric}")]
    more = len(facts.people) - len(shown)
    return [*sentence, _text(f", and others on {more} more." if more else ".")]


def _disagreement(facts: Facts) -> list[Sentence]:
    """Return a sentence if the first system of the metrics is not in the best group of people."""
    most = max(facts.first)
    leaders = _ordered(facts, [system for system, first in enumerate(facts.first) if first == most])
    if most == 0 or len(leaders) > 1:
        return []
    leader = leaders[0][0]
    behind = [voice for voice in facts.people if voice.top is not None and leader not in voice.top]
    if not behind:
        return []
    head = _text("People disagree with the metrics: ")
    if len(facts.people) == 1 and behind[0].ahead is not None:
        ahead = _listed(_ordered(facts, behind[0].ahead[leader]))
        return [
            [
                head,
                _text("they put "),
                *ahead,
                _text(" significantly ahead of "),
                *_named(leaders[0]),
                _text("."),
            ]
        ]
    where = (
        f" on {len(behind)} of {counted(len(facts.people), 'human dimension')}"
        if len(facts.people) > 1
        else ""
    )
    return [[head, *_named(leaders[0]), _text(f" is not in their best group{where}.")]]


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
    for lacking in dict.fromkeys(lacking for _, lacking in facts.silent):
        metrics = [metric for metric, other in facts.silent if other == lacking]
        begin = _text(f"{listed(metrics)} {'is' if len(metrics) == 1 else 'are'} not counted: ")
        if not lacking:
            remarks.append([begin, _text("systems lack scores of different segments.")])
            continue
        verb = "has" if len(lacking) == 1 else "have"
        remarks.append([begin, *_listed([(system,) for system in lacking]), _text(f" {verb} no score.")])
    untested = [voice.metric for voice in (*facts.people, *facts.voices) if voice.top is None]
    if untested and len(facts.order) > 1:
        remarks.append([_text(f"Not tested for significance: {', '.join(untested)}.")])
    return remarks


def _tells_nothing(best: Group, top: Group | None, systems: int) -> bool:
    return len(best) == systems or (top is not None and len(top) == systems)


def _leaders(facts: Facts) -> Sentence:
    """Return the sentence about the systems that are first on the most metrics.

    Without human scores it begins with the first system of `facts.order`, which has the order of people else.
    """
    count, leading = len(facts.voices), facts.order[0]
    most = max(facts.first)
    if most == 0:
        return _tied(facts)
    leaders = _ordered(facts, [system for system, first in enumerate(facts.first) if first == most])
    if leading not in leaders[0] and not facts.people:
        own = f" and first on {facts.first[leading]}" if facts.first[leading] else ""
        return [
            *_named(facts.group(leading)),
            _text(f" is in the best group on {facts.in_top[leading]} of {counted(count, 'metric')}{own}; "),
            *_listed(leaders),
            _text(f" {_are(leaders)} first on the most, {most}{' each' if len(leaders) > 1 else ''}."),
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


def _are(groups: Sequence[Group]) -> str:
    return "is" if len(groups) == 1 else "are"


def _named(group: Group) -> Sentence:
    sentence = [_system(group[0])]
    for place, system in enumerate(group[1:]):
        sentence += [_text(", " if place else " (= "), _system(system)]
    return [*sentence, _text(")")] if len(group) > 1 else sentence


def _text(text: str) -> dict[str, Any]:
    return {"text": text}


def _system(number: int) -> dict[str, Any]:
    return {"system": number}
