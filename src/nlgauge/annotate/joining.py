"""Ratings as human scores of a saved result."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.annotate.campaign import CAMPAIGN, Campaign
from nlgauge.annotate.rows import rows
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def with_ratings(result: Result, path: str | Path) -> Result:
    """Return a result with the ratings of people as fields human.NAME.

    Parameters
    ----------
    result : Result
        Result with the systems and segments of the ratings.
    path : str or Path
        Campaign, or a file of `nlgauge annotate export` or `import`.

    Returns
    -------
    Result
        Result whose records have one list of ratings per text and dimension, one per annotator.

    Raises
    ------
    InputError
        If a system or a segment is unknown, a text differs, or there are no ratings.
    """
    place = Path(path)
    places = {str(identifier): number for number, identifier in enumerate(result.corpus.ids)}
    columns: dict[str, dict[str, list[Any]]] = {}
    for segment, system, prediction, ratings in _ratings(place):
        where = f"{place}, segment {segment!r} of {system!r}"
        if system not in result.systems or segment not in places:
            raise InputError(f"{where} is not in the result; use the ratings of the same texts.")
        if result.has_texts and prediction is not None:
            ids = result.corpus.predictions[system].lists()[places[segment]]
            if prediction not in [result.corpus.texts.strings[text] for text in ids]:
                raise InputError(
                    f"{where} has another text than the result; use the ratings of the same texts."
                )
        for dimension, values in ratings.items():
            by_system = columns.setdefault(
                f"human.{dimension}", {name: [None] * len(places) for name in result.systems}
            )
            by_system[system][places[segment]] = values
    if not columns:
        raise InputError(f"{place} has no ratings.")
    fields: dict[str, Any] = {
        name: {system: tuple(values) for system, values in by_system.items()}
        for name, by_system in columns.items()
    }
    corpus = replace(result.corpus, system_fields={**result.corpus.system_fields, **fields})
    return replace(result, corpus=corpus)


def _ratings(place: Path) -> list[tuple[str, str, str | None, dict[str, list[float]]]]:
    """Return segment, system, text and ratings by dimension of a campaign or a file."""
    if place.is_dir():
        if not (place / CAMPAIGN).is_file():
            raise InputError(f"{place} is not a campaign; name a campaign, or a file of ratings.")
        return [
            (
                row["segment"],
                row["system"],
                row["prediction"],
                {
                    name: known
                    for name, values in row["human_raw"].items()
                    if (known := [value for value in values if value is not None])
                },
            )
            for row in rows(Campaign.open(place))
        ]
    from nlgauge.meta.benchmarks.rows import read_lines

    found = []
    for row in read_lines(place)[0]:
        ratings = {
            name: _known(row.ratings.get(name, ())) or [value]
            for name, value in row.human.items()
            if math.isfinite(value)
        }
        found.append((row.segment, row.system, row.prediction, ratings))
    return found


def _known(values: Any) -> list[float]:
    return [float(value) for value in values if value is not None and math.isfinite(value)]
