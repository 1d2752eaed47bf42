"""Two runs as the plain data of a page: sentences, tests, slices, differences of the test sets, and the old
scores and texts of common segments.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted, decimals_of, is_count, number, p_value
from nlgauge._core.ragged import Array
from nlgauge._core.safe_text import visible
from nlgauge.results.comparison import Compared
from nlgauge.results.runs.alignment import Runs
from nlgauge.results.runs.testing import RunTests, SliceTest, pair_of
from nlgauge.show.page_data.names import short_labels, shown_name
from nlgauge.show.page_data.parts import array_part, json_part

# Segments in one part of old texts, and ids listed for each difference of the test sets.
_BLOCK = 256
_LISTED = 200
# Pairs and slices that sentences name.
_NAMED = 3


def run_sentences(runs: Runs, tests: RunTests) -> list[str]:
    """Return what changed between the runs: metrics, the largest significant loss of a slice, segments."""
    sentences = [*_on_metrics(runs, tests)]
    falls: dict[tuple[str, str, str], list[SliceTest]] = {}
    for one in tests.slices:
        if tests.is_significant(one.row) and one.row.gain < 0:
            falls.setdefault((one.row.second, one.field, one.value), []).append(one)
    # The slices on which most scores are worse, and of each the loss that is clearest.
    shown = sorted(falls.values(), key=lambda group: (-len(group), min(map(_clearness, group))))[:_NAMED]
    sentences += [_fall(runs, group) for group in shown]
    return [*sentences, _on_segments(runs)]


def _on_metrics(runs: Runs, tests: RunTests) -> Iterator[str]:
    told = 0
    for pair in runs.pairs:
        rows = [row for row in _directed(tests) if pair_of(runs, row) == pair]
        better = [row for row in rows if tests.is_significant(row) and row.gain > 0]
        worse = [row for row in rows if tests.is_significant(row) and row.gain < 0]
        if not better and not worse:
            continue
        told += 1
        if told <= _NAMED:
            name = "The new run" if len(runs.pairs) == 1 else pair.name
            lost = f"worse on {_numbered(worse)}" if worse else "worse on none"
            gained = f"better on {_numbered(better)}" if better else "better on none"
            first, second = (gained, lost) if better else (lost, gained)
            yield f"{name} is significantly {first} of {counted(len(rows), 'score')} and {second}."
    if told > _NAMED:
        yield f"{counted(told - _NAMED, 'more system')} changed significantly."
    if not told:
        yield "No score can tell the two runs apart."


def _numbered(rows: Sequence[Compared]) -> str:
    return f"{len(rows)}" if len(rows) > 2 else f"{len(rows)} ({', '.join(row.name for row in rows)})"


def _directed(tests: RunTests) -> list[Compared]:
    return [
        row
        for row in tests.rows
        if row.output.higher_is_better is not None and (row.label, row.output.name) not in tests.equal
    ]


def _clearness(one: SliceTest) -> tuple[float, float]:
    """Return the p-value and the loss in widths of its interval, a unit that different scores share."""
    width = one.row.gain_high - one.row.gain_low
    return one.row.p_holm, one.row.gain / width if width > 0 else 0.0


def _fall(runs: Runs, group: Sequence[SliceTest]) -> str:
    one = min(group, key=_clearness)
    row = one.row
    who = "" if len(runs.pairs) == 1 else f" of {pair_of(runs, row).name}"
    gain = number(row.gain, row.output, sign=True)
    more = f" and {counted(len(group) - 1, 'more score')}" if len(group) > 1 else ""
    verb = "are" if more else "is"
    return (
        f"{row.name}{more}{who} {verb} significantly worse on {one.field} = {one.value} ({row.name}: gain {gain},"
        f" p = {p_value(row.p_holm)})."
    )


def _on_segments(runs: Runs) -> str:
    total = len(runs.new.corpus)
    parts = [f"{len(runs.common):,} of {counted(total, 'segment')} are compared"]
    if runs.only_new:
        parts.append(f"{len(runs.only_new):,} {_are(runs.only_new)} new")
    if runs.only_old:
        parts.append(f"{len(runs.only_old):,} {_are(runs.only_old)} missing")
    if runs.changed:
        verb = "has" if len(runs.changed) == 1 else "have"
        parts.append(f"{len(runs.changed):,} {verb} another source or other references")
    return f"{'; '.join(parts)}."


def _are(ids: Sequence[str]) -> str:
    return "is" if len(ids) == 1 else "are"


def runs_meta(runs: Runs, tests: RunTests, names: tuple[str, str]) -> dict[str, Any]:
    """Return the plain data of the section; `names` name the new and the old run."""
    short = short_labels(runs.both.labels)
    return {
        "names": [visible(name) for name in names],
        "sentences": [visible(sentence) for sentence in run_sentences(runs, tests)],
        "pairs": [
            {"name": visible(pair.name), "system": runs.new.systems.index(pair.new), "old": visible(pair.old)}
            for pair in runs.pairs
        ],
        "rows": [_row(runs, tests, row, short) for row in tests.rows if _is_shown(tests, row)],
        "slices": [
            {
                **_row(runs, tests, one.row, short),
                "field": visible(one.field),
                "value": visible(one.value),
                "segments": one.segments,
            }
            for one in tests.slices
        ],
        "confidence": tests.confidence,
        "resamples": tests.resamples,
        "caution": tests.caution,
        "compared": len(runs.common),
        "columns": [[visible(name) for name in key] for key in _columns(runs)],
        "differences": [
            {"what": what, "count": len(items), "items": [visible(item) for item in items[:_LISTED]]}
            for what, items in run_differences(runs).items()
        ],
    }


def _is_shown(tests: RunTests, row: Compared) -> bool:
    return (row.label, row.output.name) not in tests.equal


def _row(runs: Runs, tests: RunTests, row: Compared, short: Mapping[str, str]) -> dict[str, Any]:
    output = row.output
    is_person = row.label in runs.people
    return {
        "pair": runs.pairs.index(pair_of(runs, row)),
        "label": visible(row.label),
        "output": visible(output.name),
        "name": visible(row.label if is_person else shown_name(row.label, output.name, short)),
        "people": is_person,
        "up": output.higher_is_better,
        "decimals": None if is_count(output) else decimals_of(output),
        "old": _known(row.first_score),
        "new": _known(row.second_score),
        "gain": _known(row.gain),
        "low": _known(row.gain_low),
        "high": _known(row.gain_high),
        "p": _known(row.p),
        "p_holm": _known(row.p_holm),
        "sure": tests.is_significant(row),
        "reason": row.reason,
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def run_differences(runs: Runs) -> dict[str, Sequence[str]]:
    """Return what only one run has, what changed, and what cannot be compared, with the reason."""
    changed = [f"{segment}: other {text}" for segment, text in runs.changed.items()]
    refused = [f"{label}: {ours} (new), {theirs} (old)" for label, (ours, theirs) in runs.refused.items()]
    versions = [
        f"{label}: nlgauge {ours} (new), {theirs} (old)" for label, (ours, theirs) in runs.versions.items()
    ]
    unrated = [f"{label}: not rated in the {run} run" for label, run in runs.unrated.items()]
    listed: dict[str, Sequence[str]] = {
        "Segments of the new run only": runs.only_new,
        "Segments of the old run only": runs.only_old,
        "Segments with other texts, not compared": changed,
        "Metrics with other parameters, not compared": refused,
        "Metrics that other versions of nlgauge scored": versions,
        "Human scores of one run": unrated,
        "Systems of the new run only": runs.only_new_systems,
        "Systems of the old run only": runs.only_old_systems,
        "Metrics of the new run only": runs.only_new_metrics,
        "Metrics of the old run only": runs.only_old_metrics,
    }
    return {what: items for what, items in listed.items() if items}


def _columns(runs: Runs) -> list[tuple[str, str]]:
    """Return the label and name of the outputs with scores of segments in both runs."""
    return [
        (label, output.name)
        for label in runs.both.labels
        for output in runs.both._tables[runs.both.systems[0], label].leading()
        if all(
            runs.both._tables[system, label].segments().get(output.name) is not None
            for system in runs.both.systems
        )
    ]


def run_score_part(runs: Runs) -> bytes:
    """Return the old scores of the segments of the new run, float32 (column, pair, segment); NaN for segments
    that are not compared.
    """
    columns = _columns(runs)
    scores = np.full((len(columns), len(runs.pairs), len(runs.new.corpus)), np.nan, dtype=np.float32)
    for place, (label, name) in enumerate(columns):
        for pair, names in enumerate(runs.pairs):
            scores[place, pair, runs.common] = runs.both._tables[names.old_name, label].segments()[name]
    return array_part(scores)


def run_text_parts(runs: Runs) -> Iterator[tuple[str, bytes]]:
    """Yield the old texts that differ from the new texts, by segment of the new run and pair, in parts of
    some segments.
    """
    texts, old_texts = runs.new.corpus.texts, runs.old.corpus.texts
    place_of: Array = np.full(len(runs.new.corpus), -1, dtype=np.int64)
    place_of[runs.common] = runs.places
    for start in range(0, len(place_of), _BLOCK):
        block: dict[str, dict[str, str]] = {}
        for segment in range(start, min(start + _BLOCK, len(place_of))):
            if place_of[segment] < 0:
                continue
            changed = {}
            for pair, names in enumerate(runs.pairs):
                ours = _first(texts, runs.new.corpus.predictions[names.new][segment])
                theirs = _first(old_texts, runs.old.corpus.predictions[names.old][int(place_of[segment])])
                if ours != theirs:
                    changed[str(pair)] = theirs
            if changed:
                block[str(segment)] = changed
        yield f"old{start // _BLOCK}", json_part(block)


def _first(texts: Any, numbers: Array) -> str:
    return str(texts[int(numbers[0])]) if len(numbers) else ""


def run_parts(
    runs: Runs, tests: RunTests, names: tuple[str, str], with_texts: bool
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the data of the section and its parts, with old texts if both runs have texts."""
    meta = runs_meta(runs, tests, names)
    parts = {"old_scores": run_score_part(runs)}
    meta["texts"] = with_texts and runs.both.has_texts
    if meta["texts"]:
        parts |= dict(run_text_parts(runs))
    return meta, parts
