"""Biases of a judge: for the first place, for length and style, and for a family of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.style import MARKS, style_marks
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.auditing.cells import Cells
from nlgauge.meta.auditing.draws import Draws, Row, is_clustered, row
from nlgauge.meta.auditing.verdicts import Verdicts
from nlgauge.stats.corrections import holm
from nlgauge.stats.regression import Regression, linear, logistic

LENGTH = "length"
TOGETHER = "with all covariates"
TIES = ("tie", "equal", "both", "same", "draw", "neither", "c", "0")
_PER = 1000
# exp of more has no float.
_HIGHEST = 700.0


def position_rows(verdicts: Verdicts, draws: Draws) -> list[Row]:
    """Return the preference for the first place, from verdicts in both orders.

    Without verdicts on exchanged texts, only the share of verdicts for the first text is known.
    """
    coding, clusters = verdicts.coding, verdicts.cells.clusters
    if verdicts.swapped is None:
        here = ~np.isnan(verdicts.verdicts)
        if not verdicts.cells.columns.is_pair or coding.scale != "binary" or not here.any():
            return []
        share, bounds = draws.share(verdicts.verdicts[here] == 1, clusters[here])
        remark = "verdicts in one order; the first texts may be better"
        return [row("position", "share for the first place", share, bounds, n=int(here.sum()), remark=remark)]
    straight, swapped = (_signed(verdicts, each) for each in (verdicts.verdicts, verdicts.swapped))
    here = ~np.isnan(straight + swapped)
    straight, swapped, clusters = straight[here], swapped[here], clusters[here]
    n = len(straight)
    if not n:
        return [row("position", "same winner", math.nan, remark="no cell has verdicts in both orders")]
    same, bounds = draws.share(straight == swapped, clusters)
    rows = [row("position", "same winner", same, bounds, n=n)]
    difference = straight - swapped
    p = draws.sign_p(np.sign(difference), clusters)
    first, second = int((difference > 0).sum()), int((difference < 0).sum())
    rows.append(row("position", "first place", first, p=p, n=n))
    rows.append(row("position", "second place", second, p=p, n=n))
    if coding.scale in ("binary", "nominal"):
        share, bounds = draws.mean(0.5 + difference / 4, clusters)
        rows.append(row("position", "share for the first place", share, bounds, p=p, n=n))
    return rows


def _signed(verdicts: Verdicts, numbers: Array) -> Array:
    """Return 1 for the first text, -1 for the second and 0 for a tie; numbers of a scale stay."""
    coding = verdicts.coding
    if coding.scale == "binary":
        return 2 * numbers - 1
    if coding.scale != "nominal":
        return numbers
    texts = [level for level in coding.levels if level.lower() not in TIES]
    if len(texts) != 2:
        raise InputError(
            f"verdicts in both orders need two texts and a tie, got the categories {', '.join(coding.levels)};"
            " name the tie 'tie'."
        )
    signs = {texts[0]: 1.0, texts[1]: -1.0}
    table = np.array([signs.get(level, 0.0) for level in coding.levels])
    known = ~np.isnan(numbers)
    signed = np.full(len(numbers), np.nan)
    signed[known] = table[numbers[known].astype(np.int64)]
    return signed


def covariates_of(cells: Cells, texts: Sequence[str], names: Sequence[str]) -> dict[str, Array]:
    """Return log length and marks per 1,000 characters of the texts, and fields that are numbers.

    With two fields of texts, the covariates are of the first text compared with the second: the log ratio of lengths,
    and differences of marks.
    """
    covariates: dict[str, Array] = {}
    if texts:
        if len(texts) != 2:
            raise ParameterError(
                f"texts must name two fields, got {', '.join(texts)}",
                python="pass the fields of the first and the second text",
                cli="write --texts FIRST,SECOND",
            )
        first, second = (_properties([str(text or "") for text in cells.field(name)]) for name in texts)
        covariates = {name: first[name] - second[name] for name in first}
    elif (predictions := _predictions(cells)) is not None:
        covariates = _properties(predictions)
    for name in names:
        try:
            covariates[name] = np.array([math.nan if v is None else float(v) for v in cells.field(name)])
        except (TypeError, ValueError):
            raise InputError(f"the field {name!r} has values that are not numbers.") from None
    return {name: values for name, values in covariates.items() if np.ptp(values[~np.isnan(values)]) > 0}


def _predictions(cells: Cells) -> list[str] | None:
    """Return the text of each cell; None if texts are missing."""
    corpus = cells.result.corpus
    if not cells.result.has_texts:
        return None
    texts = []
    for system, segment, answer in zip(
        cells.system.tolist(), cells.segment.tolist(), cells.answer.tolist(), strict=True
    ):
        numbers = corpus.predictions[cells.result.systems[system]][segment]
        if answer >= len(numbers):
            return None
        texts.append(corpus.texts.strings[int(numbers[answer])])
    return texts


def _properties(texts: Sequence[str]) -> dict[str, Array]:
    lengths = np.array([max(1, len(text)) for text in texts], dtype=float)
    marks = [style_marks(text) for text in texts]
    densities = {name: _PER * np.array([each[name] for each in marks]) / lengths for name in MARKS}
    return {LENGTH: np.log(lengths), **densities}


def covariate_rows(verdicts: Verdicts, covariates: dict[str, Array], draws: Draws) -> list[Row]:
    """Return the effect of each covariate on the verdict at equal labels, and of all covariates together.

    Binary verdicts have a logistic regression on the label and the covariate: the value is the factor of the odds,
    for twice the length, or for one unit of another covariate. Other verdicts have a linear regression.
    """
    if verdicts.coding.scale == "nominal" or not covariates:
        return []
    here = verdicts.both & ~np.isnan(np.sum(list(covariates.values()), axis=0))
    rows = []
    for name, values in covariates.items():
        fit = _fitted(verdicts, here, [values])
        rows.append(_effect(verdicts, fit, 2, name, draws, int(here.sum())))
    if len(covariates) > 1:
        fit = _fitted(verdicts, here, list(covariates.values()))
        together = [
            _effect(verdicts, fit, 2 + place, name, draws, int(here.sum()), TOGETHER)
            for place, name in enumerate(covariates)
        ]
        # Several rows of style have a p-value below 5% by chance more often than a single row.
        styles = [place for place, name in enumerate(covariates) if name != LENGTH]
        for group in (rows, together):
            corrected = holm([group[place]["p"] for place in styles])
            for place, p in zip(styles, corrected, strict=True):
                group[place]["p"] = p
        rows += together
    return rows


def _fitted(verdicts: Verdicts, here: Array, covariates: Sequence[Array]) -> Regression:
    x, z, clusters = verdicts.verdicts[here], verdicts.labels[here], verdicts.cells.clusters[here]
    center = 0.5 if verdicts.coding.scale == "binary" else float(z.mean()) if len(z) else 0.0
    columns = np.stack([np.ones(len(x)), z - center, *(values[here] for values in covariates)], axis=1)
    units = clusters if is_clustered(clusters) else None
    if not len(x):
        return linear(x, columns)
    return logistic(x, columns, units) if verdicts.coding.scale == "binary" else linear(x, columns, units)


def _effect(
    verdicts: Verdicts, fit: Regression, place: int, name: str, draws: Draws, n: int, among: str = ""
) -> Row:
    """Return the effect of twice the length, or of one unit of another covariate."""
    unit = math.log(2) if name == LENGTH else 1.0
    value, reach = float(fit.coefficients[place]) * unit, float(fit.reach(draws.confidence)[place]) * unit
    numbers = [value, value - reach, value + reach]
    measure = "effect"
    if verdicts.coding.scale == "binary":
        numbers, measure = [math.exp(min(number, _HIGHEST)) for number in numbers], "odds ratio"
    part = LENGTH if name == LENGTH else "style" if name in MARKS else "covariate"
    measure = f"{measure} {among}".strip()
    p = float(fit.p[place])
    return row(part, measure, numbers[0], (numbers[1], numbers[2]), p=p, n=n, of=name, remark=fit.reason)


def family_rows(verdicts: Verdicts, own: Sequence[str], draws: Draws) -> list[Row]:
    """Return the advantage of the judge's own family: its verdicts minus labels, compared with other systems on the
    same segments.
    """
    if not own:
        return []
    systems = verdicts.cells.result.systems
    if not set(own) < set(systems):
        raise ParameterError(
            f"own must name some of the systems {', '.join(systems)}, but not all; got {', '.join(own)}."
        )
    here = verdicts.both
    coding = verdicts.coding
    errors = (coding.values(verdicts.verdicts) - coding.values(verdicts.labels))[here]
    segments, clusters = verdicts.cells.segment[here], verdicts.cells.clusters[here]
    is_own = np.isin(np.array(systems)[verdicts.cells.system[here]], list(own))
    names, places = np.unique(segments, return_inverse=True)
    difference = _means(errors, places, is_own, len(names)) - _means(errors, places, ~is_own, len(names))
    known = ~np.isnan(difference)
    by_segment = np.zeros(len(names), dtype=np.int64)
    by_segment[places] = clusters
    value, bounds = draws.mean(difference[known], by_segment[known])
    p = draws.sign_p(difference[known], by_segment[known]) if known.any() else math.nan
    return [row("self-preference", "advantage", value, bounds, p=p, n=int(known.sum()), of=", ".join(own))]


def _means(values: Array, places: Array, mask: Array, count: int) -> Array:
    """Return the mean of the masked values at each place; NaN if a place has none."""
    sizes = np.bincount(places[mask], minlength=count)
    return np.asarray(np.bincount(places[mask], values[mask], count) / np.where(sizes == 0, np.nan, sizes))
