"""A result as the plain data that pages show: outputs with intervals and letters, pairs of systems,
agreement, costs, cards, provenance.

`View.meta` is JSON; the scores of segments are a separate array. The page itself computes no statistics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.numbers import decimals_of, is_count
from nlgauge._core.ragged import Array
from nlgauge._core.safe_text import visible
from nlgauge._core.versions import installed_version
from nlgauge.errors import NlgaugeError
from nlgauge.metric import Output
from nlgauge.metric.card import card
from nlgauge.metric.registry import without_parameters
from nlgauge.results.equal_outputs import EqualOutputs, OutputKey, equal_note, equal_outputs
from nlgauge.results.imported.human import ORIGIN, HumanScores, unnamed_numbers, with_human_scores
from nlgauge.results.ranks import Ranked
from nlgauge.show.page_data.agreement import agreement
from nlgauge.show.page_data.commands import commands
from nlgauge.show.page_data.facts import best_systems, equal_texts, facts_of
from nlgauge.show.page_data.names import brief_names, short_labels, shown_name
from nlgauge.show.page_data.verdict import small_print, verdict
from nlgauge.show.pages.costs import whole_run
from nlgauge.show.pages.tested import TESTS

if TYPE_CHECKING:
    from nlgauge.results.result import Result

FORMAT = 2
# More pairs than this would make a page of megabytes that is too long to read; letters and ranks contain the
# same result.
MOST_PAIRS = 1000


@dataclass(frozen=True, eq=False)
class PageData:
    """The data of a result for a page: `meta` is plain data, `columns` (column, system, segment) the scores
    of segments. `human_fields` are the fields of the corpus that are shown as human scores.
    """

    meta: dict[str, Any]
    columns: Array
    human_fields: tuple[str, ...] = ()


def view_of(
    result: Result,
    title: str,
    *,
    human: HumanScores | str | Sequence[str] | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int | None = None,
) -> PageData:
    """Return everything that a page shows but texts and explanations; `human` names human scores, as for
    `with_human_scores`.
    """
    if baseline is not None:
        result._check_system(baseline)
    columns: list[Array] = []
    scored, people, fields = human if isinstance(human, HumanScores) else with_human_scores(result, human)
    metrics = [label for label in result.labels if label not in people]
    equal = equal_outputs({key: table for key, table in scored._tables.items() if key[1] in metrics})
    outputs = _outputs(scored, people, columns, equal, confidence, resamples, seed)
    briefs = brief_names([output["name"] for output in outputs])
    for output, brief in zip(outputs, briefs, strict=True):
        output.update(_missing(output, columns))
        output["brief"] = brief
        output["best"] = list(best_systems(output))
    kept = (
        np.stack(columns).astype(np.float32)
        if columns
        else np.zeros((0, len(result.systems), len(result.corpus)), dtype=np.float32)
    )
    corpus = result.corpus
    facts = facts_of(outputs, equal_texts(scored), 1 - confidence)
    meta = {
        "format": FORMAT,
        "version": installed_version("nlgauge"),
        "title": visible(title),
        "systems": [visible(system) for system in result.systems],
        "segments": len(corpus),
        "references": corpus.references is not None,
        "sources": corpus.sources is not None,
        "outputs": outputs,
        "verdict": verdict(facts, len(metrics)),
        "remarks": small_print(facts),
        "order": list(facts.order),
        "pair": _pair(facts.order, 0 if baseline is None else result.systems.index(baseline)),
        "votes": len(facts.voices),
        "humans": len(facts.people),
        "alike": len(facts.groups) == 1,
        "in_top": list(facts.in_top),
        "equal": equal_note(equal, set(equal.values())),
        "agreement": agreement(outputs, kept),
        "labels": [visible(label) for label in metrics],
        "numbers": [visible(name) for name in unnamed_numbers(result, fields)],
        "names": _label_names(scored.labels),
        "cards": {visible(label): found for label in metrics if (found := _card(result, label)) is not None},
        "signatures": {visible(label): visible(signature) for label, signature in result.signatures.items()},
        "commands": [[purpose, visible(command)] for purpose, command in commands(result, baseline)],
        "costs": _costs(result),
        "environment": dict(result.environment),
        "config": {
            name: value
            for name, value in result.config.items()
            if isinstance(value, str | int | float | None)
        },
        "test": {
            "name": TESTS["randomization"],
            "confidence": confidence,
            "resamples": resamples,
            "seed": result._job.options.seed if seed is None else seed,
        },
    }
    return PageData(meta, kept, fields)


def _label_names(labels: Sequence[str]) -> dict[str, str]:
    """Return the name of each label in tables of a page."""
    shown = short_labels(labels)
    briefs = brief_names([visible(name) for name in shown.values()])
    return {visible(label): brief for label, brief in zip(shown, briefs, strict=True)}


def _pair(order: Sequence[int], baseline: int) -> list[int]:
    """Return the systems that a page compares when it opens: the first of the order against the baseline, or
    the second if the first is the baseline itself; a single system has no other.
    """
    others = [system for system in order if system != baseline]
    return [*others[:1], baseline]


def _outputs(
    result: Result,
    people: Sequence[str],
    columns: list[Array],
    equal: EqualOutputs,
    confidence: float,
    resamples: int,
    seed: int | None,
) -> list[dict[str, Any]]:
    """Return the leading outputs of every metric with the numbers of each system; the scores of segments are
    added to the columns. The labels of `people` are human scores.

    `same` is the number of the output that an output repeats on every segment, else None.
    """
    systems, names = result.systems, short_labels(result.labels)
    numbers: dict[OutputKey, int] = {}
    intervals = result.intervals(confidence=confidence, resamples=resamples, seed=seed)
    by_system = intervals if len(systems) > 1 else {systems[0]: intervals}
    ranks = (
        {}
        if len(systems) < 2
        else {
            (row.label, row.output.name): row
            for row in result.ranks(confidence=confidence, resamples=resamples, seed=seed)
        }
    )
    found = []
    for label in result.labels:
        table = result._tables[systems[0], label]
        for output in table.leading():
            bounds = [by_system[system][label][output.name] for system in systems]
            segments = [result._tables[system, label].segments().get(output.name) for system in systems]
            numbers[label, output.name] = len(numbers)
            one = {
                **_described(label, *_names(label, output.name, names, label in people), output),
                "people": label in people,
                "same": numbers.get(equal.get((label, output.name), ("", ""))),
                "scores": [_number(bound.score) for bound in bounds],
                "low": [_number(bound.low) for bound in bounds],
                "high": [_number(bound.high) for bound in bounds],
                "reason": next((bound.reason for bound in bounds if bound.reason), ""),
                "column": None,
                **_ranked(ranks.get((label, output.name)), len(systems)),
            }
            if all(column is not None for column in segments):
                one["column"] = len(columns)
                columns.append(np.stack([column for column in segments if column is not None]))
            found.append(one)
    return found


def _missing(output: dict[str, Any], columns: list[Array]) -> dict[str, Any]:
    """Return the number of segments without a score for each system, and whether systems lack different
    segments.
    """
    if output["column"] is None:
        return {"missing": None, "unequal": False}
    missing = np.isnan(columns[output["column"]])
    return {"missing": missing.sum(axis=1).tolist(), "unequal": bool((missing != missing[0]).any())}


def _names(label: str, output: str, names: Mapping[str, str], human: bool) -> tuple[str, str, str]:
    """Return the names of the metric, of the output on its page, and of the output in its metric.

    A human score has one name, without the mark of a score that is called like a metric.
    """
    if not human:
        return without_parameters(label), shown_name(label, output, names), output
    bare = label.removeprefix(f"{ORIGIN}.")
    shown = label if bare in names else bare
    return shown, shown, shown


def _described(label: str, metric: str, name: str, inner: str, output: Output) -> dict[str, Any]:
    return {
        "label": visible(label),
        "metric": visible(metric),
        "name": visible(name),
        "output": visible(inner),
        "inner": visible(output.name),
        "up": output.higher_is_better,
        "bounds": [_number(output.low), _number(output.high)],
        "decimals": None if is_count(output) else decimals_of(output),
    }


def _ranked(row: Ranked | None, count: int) -> dict[str, Any]:
    """Return letters, ranks, and of every pair of systems (0 and 1, 0 and 2, ...) the gain of the second over
    the first with its bounds and p-values.
    """
    if row is None:
        return {"letters": [None] * count, "ranks": [None] * count, "pairs": None}
    pairs = list(combinations(range(count), 2))
    known = len(pairs) <= MOST_PAIRS and not np.isnan(row.p).all()
    return {
        "letters": list(row.letters),
        "ranks": [None if rank is None else list(rank) for rank in row.ranks],
        "pairs": {
            name: [_number(getattr(row, name)[second, first]) for first, second in pairs]
            for name in ("gains", "low", "high", "p", "p_max_t")
        }
        if known
        else None,
    }


def numeric_rows(by_system: Mapping[str, Sequence[Any]], result: Result) -> Array | None:
    """Return the (systems, segments) numbers of a field, NaN if one is missing; None if a value is not a
    number or a system lacks the field.
    """
    rows = []
    for system in result.systems:
        values = by_system.get(system)
        if values is None or not all(
            value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            for value in values
        ):
            return None
        rows.append([math.nan if value is None else float(value) for value in values])
    found = np.array(rows)
    return found if np.isfinite(found).any() else None


def _costs(result: Result) -> dict[str, Any]:
    """Return seconds of metrics and of the features that they share, the cost of each metric without sharing,
    and of the whole run.
    """
    costs = result.costs
    return {
        "whole": [
            {"name": visible(name), "value": value, "note": visible(note)}
            for name, value, note in whole_run(costs)
        ],
        "metrics": _shown(costs.metrics),
        "features": _shown(costs.features),
        "alone": _shown({label: costs.alone(label) for label in costs.metrics}),
    }


def _card(result: Result, label: str) -> dict[str, Any] | None:
    """Return the parts of a metric's card for a page: the first paragraphs on its meaning and on how to read
    it, and when it misleads.
    """
    try:
        found = card(result._tables[result.systems[0], label].metric.name)
    except NlgaugeError:
        return None
    misleads = [
        _plain(item)
        for item in re.split(r"^- ", found.sections["When it misleads"], flags=re.MULTILINE)
        if item.strip()
    ]
    return {
        "title": found.title,
        "paper": found.paper,
        "year": found.year,
        "what": _plain(found.sections["What it measures"].split("\n\n")[0]),
        "read": _plain(found.sections["How to read the number"].split("\n\n")[0]),
        "misleads": misleads,
        "categories": [category.value for category in found.categories],
        "qualities": [quality.value for quality in found.qualities],
    }


def _shown(times: Mapping[str, float]) -> dict[str, float]:
    return {visible(name): time for name, time in times.items()}


def _plain(markdown: str) -> str:
    """Return a paragraph of a card without marks and line breaks."""
    return re.sub(r"\s+", " ", markdown.replace("`", "")).strip()


def _number(value: Any) -> float | None:
    """Return a number that JSON has; None if it is unknown."""
    return None if value is None or not math.isfinite(value) else float(value)
