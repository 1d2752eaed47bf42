"""`audit`: a judge against people, in all parts, with a verdict in one of four phrases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.page import Cell, Line, Page, Sheet, column
from nlgauge.errors import UnknownNameError, no_such
from nlgauge.meta.auditing.agreement import agreement_rows, group_rows, leniency_rows
from nlgauge.meta.auditing.biases import covariate_rows, covariates_of, family_rows, position_rows
from nlgauge.meta.auditing.cells import Columns, cells_of
from nlgauge.meta.auditing.draws import Draws, Row
from nlgauge.meta.auditing.drift import drift_rows
from nlgauge.meta.auditing.lines import lines_of
from nlgauge.meta.auditing.repeats import panel_rows, repeat_rows
from nlgauge.meta.auditing.scores import score_rows
from nlgauge.meta.auditing.verdicts import Verdicts, verdicts_of
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.resampling import check_resampling

USABLE, CORRECTED, CHANCE, FEW = (
    "usable as is",
    "usable with correction",
    "no better than chance",
    "not enough labels",
)
# Conventions: the least number of labels, the widest interval of kappa, and the kappa of a judge that is usable.
FEWEST_LABELS, WIDEST, SUBSTANTIAL = 20, 0.4, 0.6
# Rows whose p-value shows a bias.
_BIASES = {
    ("position", "first place"): "position",
    ("length", "odds ratio"): "length",
    ("length", "effect"): "length",
    ("style", "odds ratio"): "style",
    ("style", "effect"): "style",
    ("covariate", "odds ratio"): "covariates",
    ("covariate", "effect"): "covariates",
    ("self-preference", "advantage"): "self-preference",
    ("leniency", "difference"): "leniency",
    ("calibration", "mean difference"): "leniency",
}


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Findings):
    """An audit of a judge: one row per number, and a verdict.

    Parameters
    ----------
    rows : sequence of mapping
        One dictionary per number: `part`, `measure`, `of` (group, level, judge, system or covariate), `value`, `low`,
        `high`, `p`, `n` and `remark`.
    made : mapping, optional
        Settings of the audit, with versions.
    title : str, optional
        Title of the table.
    notes : sequence of str, optional
        Notes below the table.
    p_values : sequence of str
        Columns with p-values.
    drawn_as : str, optional
        Name of the plot in `nlgauge.plots`.
    verdict : str
        "usable as is", "usable with correction", "no better than chance" or "not enough labels".
    reasons : tuple of str
        Reasons of the verdict.
    alpha : float, default 0.05
        Level of the tests.
    """

    verdict: str = ""
    reasons: tuple[str, ...] = ()
    alpha: float = 0.05

    def number(self, part: str, measure: str, of: str | None = None) -> Mapping[str, Any]:
        """Return the row of a number.

        Parameters
        ----------
        part : str
            Part of the audit, such as "agreement" or "position".
        measure : str
            Name of the number, such as "kappa".
        of : str, optional
            Group, level, judge, system or covariate. Default: the first row.

        Returns
        -------
        mapping
            The row.

        Raises
        ------
        UnknownNameError
            If the audit has no such row.
        """
        for row in self.rows:
            if (row["part"], row["measure"]) == (part, measure) and of in (None, row["of"]):
                return row
        known = sorted({row["measure"] for row in self.rows if row["part"] == part})
        raise UnknownNameError(no_such(f"number of {part!r}", measure, known))

    def _page(self, decimals: int | None = None) -> Page:
        whole = super()._page(decimals)
        return replace(whole, blocks=[*self._short_page().blocks, *whole.blocks])

    def _short_page(self) -> Page:
        sheet = Sheet(
            [column("part"), column("finding")],
            [[Cell(part), Cell(text)] for part, text in lines_of(self)],
        )
        return Page([Line(self.title, "best"), sheet], notes=tuple(self.notes))


def audit(
    data: Any,
    *,
    human: str | Sequence[str],
    judge: str | Sequence[str] | None = None,
    swapped: str | None = None,
    by: str | Sequence[str] = (),
    texts: Sequence[str] = (),
    covariates: str | Sequence[str] = (),
    own: str | Sequence[str] = (),
    anchor: Any = None,
    positive: str | None = None,
    scale: str | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Audit:
    """Audit a judge against people, from verdicts and labels that exist.

    Parameters
    ----------
    data : Result, records or data frame
        A result with the scores of a judge, or records with a column of verdicts. Verdicts and labels are numbers,
        booleans or categories; a list has judge runs, or the labels of several people.
    human : str or sequence of str
        Imported score, field or column with human labels; missing values are not labeled. Several columns are
        annotators.
    judge : str or sequence of str, optional
        Label of a metric, or column with verdicts. NAME:worst/.../best sets the order of categories. Several judges are
        a panel, whose verdict is the mean or the majority. Default: the only judge or imported score of a result.
    swapped : str, optional
        Column with the verdicts on the same two texts in the other order. Its values name the same texts: if "1" is
        the text in the first place in `judge`, it is the text in the second place here.
    by : str or sequence of str
        Fields whose groups are audited separately.
    texts : sequence of str
        Two fields with the first and the second text of pairwise verdicts, for biases of length and style. Default: the
        predictions of the result.
    covariates : str or sequence of str
        Further fields with numbers that the judge may reward.
    own : str or sequence of str
        Systems of the judge's own family.
    anchor : Result, records or data frame, optional
        The same columns from an earlier run of the judge, to measure drift.
    positive : str, optional
        Category that counts as positive. Default: the higher or better category; with `swapped` or
        `texts`, the category of the first text: 1 of 0 and 1, otherwise the first in alphabetical order.
    scale : {"binary", "nominal", "ordinal", "interval"}, optional
        Scale of verdicts and labels. Default: binary for two values, ordinal for levels and for whole numbers in a range of
        at most 11, nominal for other categories, and interval for other numbers.
    resamples : int, default 2000
        Number of resamples B of segments or documents.
    confidence : float, default 0.95
        Confidence of the intervals; tests have the level 1 - confidence.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Audit
        One row per number, and the verdict.

    Raises
    ------
    InputError
        If a column is missing, or no verdict has a label.
    ParameterError
        If an option is not valid for the data.

    Notes
    -----
    The corrected score assumes that the labeled answers were drawn at random; see `nlgauge.meta.estimate`. The
    bounds of kappa in the verdict are conventions.

    Examples
    --------
    >>> records = [{"id": i, "verdict": i % 2, "label": (i + (i % 5 == 0)) % 2} for i in range(100)]
    >>> findings = audit(records, judge="verdict", human="label", resamples=200)
    >>> findings.verdict, findings.number("agreement", "agreement")["value"]
    ('usable with correction', 0.8)
    """
    check_resampling(resamples, seed)
    check_confidence(confidence)
    columns = Columns(tuple(listed(judge or ())), tuple(listed(human)), swapped, bool(swapped or texts))
    verdicts = verdicts_of(cells_of(data, columns), positive, scale)
    draws = Draws(resamples, confidence, seed)
    measured = covariates_of(verdicts.cells, listed(texts), listed(covariates))
    rows = [
        *agreement_rows(verdicts, draws),
        *position_rows(verdicts, draws),
        *covariate_rows(verdicts, measured, draws),
        *family_rows(verdicts, listed(own), draws),
        *score_rows(verdicts, draws),
        *leniency_rows(verdicts, draws),
        *group_rows(verdicts, listed(by), draws),
        *repeat_rows(verdicts),
        *panel_rows(verdicts, draws),
    ]
    if anchor is not None:
        names = verdicts.cells.columns
        before = Columns(names.judges, names.humans)
        earlier = cells_of(anchor, before, verdicts.cells.categories)
        rows += drift_rows(verdicts, verdicts_of(earlier, coding=verdicts.coding), draws)
    verdict, reasons = _verdict(rows, verdicts, draws)
    return _finished(verdicts, rows, verdict, reasons, draws)


def _finished(
    verdicts: Verdicts, rows: list[Row], verdict: str, reasons: tuple[str, ...], draws: Draws
) -> Audit:
    columns, labels = verdicts.cells.columns, int(verdicts.both.sum())
    how = made(
        judge=list(columns.judges),
        human=list(columns.humans),
        swapped=columns.swapped,
        scale=verdicts.coding.scale,
        levels=list(verdicts.coding.levels) or None,
        cells=len(verdicts.cells),
        labels=labels,
        resamples=draws.resamples,
        confidence=draws.confidence,
        seed=draws.seed,
    )
    notes = ["The bounds of kappa in the verdict (0.6, width 0.4) are conventions."]
    if verdicts.ties:
        notes.append(
            f"{counted(verdicts.ties, 'answer')} with as many values for one category as for another left out."
        )
    if verdicts.cells.result.corpus.weights is not None:
        notes.append("The weights of segments are not used.")
    missing = len(verdicts.cells) - int((~np.isnan(verdicts.verdicts)).sum())
    if missing:
        notes.append(f"{counted(missing, 'answer')} of {len(verdicts.cells)} without a verdict.")
    title = f"{verdicts.judge} against people, {labels} of {counted(len(verdicts.cells), 'answer')} labeled"
    return Audit(rows, how, title, notes, verdict=verdict, reasons=reasons, alpha=draws.alpha)


def _verdict(rows: Sequence[Row], verdicts: Verdicts, draws: Draws) -> tuple[str, tuple[str, ...]]:
    """Return the verdict, and its reasons."""
    by_name = {(row["part"], row["measure"]): row for row in reversed(rows)}
    measure = "kappa" if verdicts.coding.is_categorical else "spearman"
    main = by_name["agreement", measure]
    informed = by_name.get(("errors", "J"), main) if verdicts.coding.scale == "binary" else main
    labels = int(verdicts.both.sum())
    width = main["high"] - main["low"]
    if labels < FEWEST_LABELS:
        return FEW, (f"{counted(labels, 'label')}; an audit needs at least {FEWEST_LABELS}",)
    if math.isnan(informed["value"]) or math.isnan(width):
        return FEW, ("the labels or the verdicts have only one value",)
    if width > WIDEST:
        return FEW, (f"the interval of {measure} is {width:.2f} wide",)
    if informed["low"] <= 0:
        name = "sensitivity + specificity - 1" if informed is not main else measure
        return CHANCE, (f"the interval of {name} includes 0 or is below 0",)
    biases = dict.fromkeys(
        _BIASES[row["part"], row["measure"]]
        for row in rows
        if (row["part"], row["measure"]) in _BIASES and row["p"] < draws.alpha
    )
    reasons = [f"bias of {name}" for name in biases]
    cautious = _cautious_low(main, by_name.get(("agreement", "agreement")), verdicts)
    if main["low"] <= SUBSTANTIAL:
        reasons.insert(0, f"the lower bound of {measure} is {main['low']:.3f}")
    elif cautious <= SUBSTANTIAL:
        reasons.insert(0, f"by the lower bound of the agreement, {measure} may be {cautious:.3f}")
    return (CORRECTED, tuple(reasons)) if reasons else (USABLE, ())


def _cautious_low(main: Row, agreement: Row | None, verdicts: Verdicts) -> float:
    """Return the lower bound of a coefficient: of kappa, not above the kappa of the lower bound of the agreement.

    Resamples of few labels without an error, or with few, contain no more errors than the labels.
    """
    if agreement is None or verdicts.coding.scale == "ordinal":
        return float(main["low"])
    x, z = verdicts.verdicts[verdicts.both], verdicts.labels[verdicts.both]
    by_chance = sum(float(np.mean(x == level) * np.mean(z == level)) for level in np.unique(z))
    return float(min(main["low"], (agreement["low"] - by_chance) / (1 - by_chance)))
