"""google/wmt-mqm-human-evaluation: ratings with marked errors (mqm_*.tsv), and their means per segment
(*.avg_seg_scores.tsv).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.originals.files import Opened, mean, number
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_PAIR = re.compile(r"_([a-z]{2})-?([a-z]{2})(?=[._])")
_BY_PEOPLE = re.compile(r"(ref|human)([-._]?[a-z])?(\.\d+)?", re.IGNORECASE)
_SEVERITIES = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "no error": 0.0}


def knows(opened: Opened) -> bool:
    """Return True if this is a file of ratings."""
    return opened.has("system", "rater", "source", "target", "category", "severity")


def knows_means(opened: Opened) -> bool:
    """Return True if this is a file of means: its header is separated by blanks, its lines by tabs and blanks."""
    return opened.kind == "tsv" and opened.text.startswith("system mqm_avg_score seg_id")


def name(opened: Opened) -> str | None:
    """Return the benchmark, by the file's name."""
    return "wmt21_mqm_news" if "newstest2021" in opened.place.name else None


def weight(severity: str, category: str) -> float | None:
    """Return the weight of an error (Freitag et al. 2021); None if it is not of that scheme.

    >>> weight("Major", "Non-translation!"), weight("Minor", "Fluency/Punctuation"), weight("Major", "Style/Awkward")
    (25.0, 0.1, 5.0)
    """
    severity, category = severity.strip().lower(), category.strip().lower()
    if severity == "major" and category.startswith("non-translation"):
        return 25.0
    if severity == "minor" and category == "fluency/punctuation":
        return 0.1
    return _SEVERITIES.get(severity)


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per segment and system; a rater's score is minus the sum of the errors' weights, the
    segment's score is the mean over raters.
    """
    pair = _language_pair(opened)
    sums: dict[tuple[str, str], dict[str, float]] = {}
    texts: dict[tuple[str, str], Mapping[str, Any]] = {}
    for i, record in enumerate(opened.records, 1):
        severity, category = record["severity"] or "", record["category"] or ""
        if severity.strip().lower() == "hotw-test":  # a planted error that tests the rater
            continue
        counted = weight(severity, category)
        if counted is None:
            raise InputError(
                f"{opened.place}, record {i}: the severity {severity!r} is not one of {', '.join(_SEVERITIES)}."
            )
        key = str(record.get("globalSegId") or record.get("seg_id")), record["system"]
        texts.setdefault(key, record)
        sums.setdefault(key, {}).setdefault(record["rater"], 0.0)
        sums[key][record["rater"]] -= counted
    for (segment, system), by_rater in sums.items():
        record = texts[segment, system]
        ratings = tuple(round(value, 6) + 0.0 for value in by_rater.values())
        meta = {**_meta(pair, system), "document": record.get("doc")}
        yield BenchmarkRow(
            f"{pair}:{segment}",
            system,
            {"mqm": mean(ratings)},
            unmarked(record["target"]),
            unmarked(record["source"]),
            (),
            {"mqm": ratings},
            meta=meta,
        )


def read_means(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per judged segment and system, without texts; segments that were not judged ("None") are
    left out.
    """
    pair = _language_pair(opened)
    for i, line in enumerate(opened.text.splitlines()[1:], 2):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 3:
            raise InputError(
                f"{opened.place}, line {i} has {len(fields)} fields; it needs three: system, score and segment."
            )
        system, score, segment = fields
        if score != "None":
            yield BenchmarkRow(
                f"{pair}:{segment}", system, {"mqm": number(score, opened.place, i)}, meta=_meta(pair, system)
            )


def unmarked(text: str) -> str:
    """Return a text without the marks of an error.

    >>> unmarked("Das <v>ist</v> so.")
    'Das ist so.'
    """
    return re.sub(r"</?v>", "", text)


def _language_pair(opened: Opened) -> str:
    match = _PAIR.search(opened.place.name)
    if not match:
        raise InputError(
            f"{opened.place.name} has no language pair in its name; rename it like mqm_newstest2021_ende.tsv."
        )
    return f"{match[1]}-{match[2]}"


def _meta(pair: str, system: str) -> dict[str, Any]:
    return {"lp": pair, "human_reference": bool(_BY_PEOPLE.fullmatch(system))}
