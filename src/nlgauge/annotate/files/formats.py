"""Ratings as files of other tools, through the readers and writers of error spans."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge._core.paths import replacing
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.items import RATE
from nlgauge.annotate.rating import points
from nlgauge.annotate.responses import Responses, ratings_of, responses_of, skips_in
from nlgauge.annotate.rows import export, pairs
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.spans import Annotation, Span, SpanFile, write
from nlgauge.spans.weights import score
from nlgauge.spans.writing import WRITERS

OWN, PAIRS = "nlgauge", "pairs"
SCORE, ERRORS = "score", "errors"


def write_ratings(
    campaign: Campaign, path: str | Path, form: str = OWN, without: Collection[str] = ()
) -> list[str]:
    """Write the ratings of a campaign, and return what the format cannot contain.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    path : str or Path
        File to write.
    form : str, default "nlgauge"
        "nlgauge" (a benchmark), "pairs" (verdicts that `nlgauge rank` reads), or a format of `nlgauge.spans.write`.
    without : collection of str, optional
        Annotators whose ratings are left out.

    Returns
    -------
    list of str
        What the format cannot contain.

    Raises
    ------
    ParameterError
        If the format is unknown, or the protocol compares outputs.
    """
    if form == OWN:
        export(campaign, path, without)
        return []
    if form == PAIRS:
        if campaign.plan.protocol.side_by_side == 1:
            raise ParameterError(
                f"the format pairs needs a protocol that compares texts, and {campaign.plan.protocol.name} does not",
                python="use the format nlgauge",
                cli="use --format nlgauge",
            )
        with replacing(path, text=True) as stream:
            stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in pairs(campaign, without))
        return _left_behind(campaign, without)
    form = form.replace("-", "_")
    if form not in WRITERS:
        raise ParameterError(no_such("format", form, WRITERS))
    plan = campaign.plan
    if plan.protocol.side_by_side > 1:
        raise ParameterError(
            f"the format {form} has one text per rating, and {plan.protocol.name} compares texts",
            python="use the format nlgauge or pairs",
            cli="use --format nlgauge or pairs",
        )
    dimensions = plan.protocol.dimensions()
    lost = write(annotations_of(campaign, ratings_of(campaign, without)), path, form)
    if len(dimensions) > 1:
        lost.append(f"dimensions other than {dimensions[0]}: {', '.join(dimensions[1:])}")
    return [*lost, *_left_behind(campaign, without)]


def _left_behind(campaign: Campaign, without: Collection[str]) -> list[str]:
    """Return the responses that only the format nlgauge contains: skips, and answers to checks."""
    responses = responses_of(campaign, without)
    skips = len(skips_in(campaign, responses))
    checks = Counter(campaign.items[key].kind for _, key in responses if campaign.items[key].kind != RATE)
    lost = [counted(skips, "skip")] if skips else []
    if checks:
        lost.append(
            f"answers to checks: {', '.join(f'{count} {kind}' for kind, count in sorted(checks.items()))}"
        )
    return lost


def annotations_of(campaign: Campaign, ratings: Responses) -> list[Annotation]:
    """Return ratings of a campaign as annotations of texts; checks are left out."""
    plan = campaign.plan
    scored = plan.protocol.dimensions()[0]
    found = []
    for (annotator, key), record in ratings.items():
        item = campaign.items[key]
        if item.kind != RATE or len(item.systems) != 1:
            continue
        numbers = points(item, record, plan.protocol)
        # The score of marks follows from the marks.
        is_own = any(question.id == scored for question in plan.protocol.questions)
        found.append(
            Annotation(
                item.segment,
                item.systems[0],
                annotator,
                tuple(Span(**{"start": None, "end": None, **span}) for span in record.get("spans", [])),
                numbers[scored][0] if is_own and scored in numbers else None,
                record["active"],
                item.source,
                item.outputs[0],
                tuple(item.references),
            )
        )
    places = {segment: number for number, segment in enumerate(plan.segments)}
    systems = {system: number for number, system in enumerate(plan.systems)}
    found.sort(key=lambda each: (places[str(each.segment)], systems[each.system], each.annotator))
    return found


def write_rows(file: SpanFile, path: str | Path, weights: str = "") -> int:
    """Write annotations as a benchmark that `nlgauge meta` reads, and return the number of records.

    Parameters
    ----------
    file : SpanFile
        Annotations.
    path : str or Path
        File to write.
    weights : str, optional
        Weights by which marks become a score, such as "mqm".

    Returns
    -------
    int
        Number of records.

    Raises
    ------
    InputError
        If no text has a score, and there are no weights.
    """
    people = list(dict.fromkeys(each.annotator for each in file.annotations))
    cells: dict[tuple[Any, str], dict[str, Annotation]] = {}
    for each in file.annotations:
        cells.setdefault((each.segment, each.system), {})[each.annotator] = each
    if not weights and not any(each.score is not None for each in file.annotations):
        raise InputError(
            "the file has no scores",
            python="pass weights='mqm'",
            cli="compute them from the marks with --weights mqm",
        )
    summed = _summed(file, weights) if weights else {}
    rows = []
    for (segment, system), by in cells.items():
        raw: dict[str, list[float | None]] = {}
        given = [by[name].score if name in by else None for name in people]
        if any(value is not None for value in given):
            raw[SCORE] = given
        if weights:
            raw[ERRORS] = [summed.get((segment, system, name)) for name in people]
        some = next(iter(by.values()))
        row: dict[str, Any] = {"segment": segment, "system": system}
        texts = {
            "prediction": some.target,
            "source": some.source,
            "references": list(some.references) or None,
        }
        row |= {name: value for name, value in texts.items() if value is not None}
        row["human"] = {
            name: statistics.fmean(value for value in values if value is not None)
            for name, values in raw.items()
            if any(value is not None for value in values)
        }
        row["human_raw"] = raw
        row["meta"] = {
            "annotators": people,
            "seconds": [by[name].seconds if name in by else None for name in people],
            "spans": [[span.plain() for span in by[name].spans] if name in by else None for name in people],
        }
        rows.append(row)
    with replacing(path, text=True) as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return len(rows)


def _summed(file: SpanFile, weights: str) -> dict[tuple[Any, str, str], float]:
    """Return the score of the marks of each text and annotator."""
    found = {}
    for spans in file:
        values = score(spans, weights)
        for s, system in enumerate(spans.systems):
            for n, segment in enumerate(spans.segments):
                if spans.looked[s, n]:
                    found[segment, system, spans.who] = float(values[s, n])
    return found


def left_out(names: Sequence[str]) -> str:
    """Return a sentence about excluded annotators; "" if there are none."""
    if not names:
        return ""
    people = counted(len(names), "annotator")
    return f"left out {people} who did not rate damaged texts lower: {', '.join(names)}"
