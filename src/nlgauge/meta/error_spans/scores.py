"""`span_scores`: how well metrics find the errors that people mark, with intervals over inputs and sentinels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted, listed
from nlgauge._core.page import Page
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.meta.comparison import MetricComparison
from nlgauge.meta.error_spans.additive import AVERAGES, GOLDS, Expected
from nlgauge.meta.error_spans.agreement import span_agreement
from nlgauge.meta.error_spans.pairs import Sample, compared
from nlgauge.meta.error_spans.scoring import (
    ALL_TEXTS,
    Plan,
    groups_of,
    samples_of,
    sentinels_of,
    table_rows,
    units_of,
)
from nlgauge.meta.findings import Findings, made
from nlgauge.meta.findings import listed as as_list
from nlgauge.results.resampling import caution as few_units
from nlgauge.spans.columns import Spans
from nlgauge.spans.combining import check_same_texts
from nlgauge.spans.measures import MEASURES, Rules
from nlgauge.spans.sentinels import AT_RANDOM
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.resampling import check_resampling

BY = ("severity", "system", "group")
UNITS = ("inputs", "documents")
PEOPLE = "people (one another)"


@dataclass(frozen=True, eq=False, repr=False)
class SpanScores(Findings):
    """Precision, recall and F of the spans of metrics, by measure and group of texts.

    Parameters
    ----------
    rows : sequence of mapping
        One dictionary per metric, measure and group: precision, recall, `value` (F), interval, letters, and whether the
        metric is a sentinel.
    made : mapping, optional
        Settings of the analysis.
    title : str, optional
        Title of the table.
    notes : sequence of str, optional
        Notes below the table.
    p_values : sequence of str
        Columns with p-values.
    drawn_as : str, optional
        Name of the plot in `nlgauge.plots`.
    samples : mapping
        Rows of the texts by measure and group, for `compare`.
    """

    samples: Mapping[tuple[str, str], Sample] = field(default_factory=dict)

    def compare(self, alpha: float = 0.05) -> MetricComparison:
        """Test whether metrics differ in F, with paired randomization of the inputs.

        Parameters
        ----------
        alpha : float, default 0.05
            Significance level of `better` and of letters.

        Returns
        -------
        MetricComparison
            One row per pair of metrics, measure (`human`) and group. p-values are corrected for all pairs of a measure and
            group by max-T. Sentinels take part.

        Raises
        ------
        InputError
            If there are fewer than two metrics.
        """
        check_confidence(alpha, "alpha")
        rows = [
            row
            for (measure, group), sample in self.samples.items()
            for row in compared(sample, measure, group, alpha)
        ]
        if not rows:
            raise InputError("a comparison needs two metrics or sentinels.")
        settings = {
            "coefficient": "F",
            "level": "span",
            "alpha": alpha,
            "test": "randomization",
            "adjust": "maxT",
        }
        settings |= {"generalize_to": "inputs", "systems": int(self.made.get("systems", 0))}
        notes = ("The claims are about new inputs of these very systems.",)
        return MetricComparison(rows, {**self.made, **settings}, "Differences in F of error spans", notes)

    def _short_page(self) -> Page:
        """Return the page of a console: F with its interval, without the counts of the notes."""
        rows = [
            {
                **{name: row[name] for name in ("measure", "group") if name in row},
                **{name: row[name] for name in ("metric", "precision", "recall")},
                "F": row["value"],
                "interval": "" if np.isnan(row["low"]) else f"[{row['low']:.3f}, {row['high']:.3f}]",
                "letters": row["letters"],
            }
            for row in self.rows
        ]
        title = f"{self.title} ({self.made['confidence']:.0%} intervals)"
        return replace(
            Findings(rows, {}, title, self.notes)._short_page(), small_print=self._page().small_print
        )

    def answer(self) -> list[str]:
        """Return sentences about the metrics that find errors better than sentinels.

        Returns
        -------
        list of str
            One sentence per measure and group.
        """
        families = dict.fromkeys((row["measure"], row.get("group", "")) for row in self.rows)
        return [sentence for measure, group in families if (sentence := self._sentence(measure, group))]

    def _sentence(self, measure: str, group: str) -> str:
        rows = [row for row in self.rows if (row["measure"], row.get("group", "")) == (measure, group)]
        metrics = [row for row in rows if row["kind"] == "metric"]
        floors = [row for row in rows if row["kind"] == "sentinel" and row["metric"] != AT_RANDOM]
        if not metrics or not floors:
            return ""
        floor = max(row["value"] for row in floors)
        better = [row["metric"] for row in metrics if row["low"] > floor]
        worse = [row["metric"] for row in metrics if not row["low"] > floor]
        called = f"{group}, {measure}" if group else measure
        parts = []
        if better:
            verb = "finds" if len(better) == 1 else "find"
            parts.append(
                f"{listed(better)} {verb} errors better than {listed([r['metric'] for r in floors])}"
            )
        if worse:
            verb = "is" if len(worse) == 1 else "are"
            parts.append(f"{listed(worse)} {verb} not shown to be better than every sentinel")
        return f"{called}: {'; '.join(parts)}."


def span_scores(
    people: Spans | Sequence[Spans],
    metrics: Mapping[str, Spans],
    measures: str | Sequence[str] = ("mpp",),
    average: str = "micro",
    *,
    penalty: float = 0.5,
    severity: str = "penalty",
    category: str = "ignore",
    omissions: str = "drop",
    by: str | None = None,
    gold: str = "each",
    units: str = "inputs",
    sentinels: bool = True,
    resamples: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> SpanScores:
    """Measure how well metrics find the errors that people mark.

    Parameters
    ----------
    people : Spans or sequence of Spans
        Spans of people, one `Spans` per annotator, as `nlgauge.spans.read` returns them.
    metrics : mapping of str to Spans
        Spans of metrics by name.
    measures : str or sequence of str, default ("mpp",)
        Measures: "em", "mp", "mpp", "char", "char23" (see `nlgauge.spans.measures`).
    average : {"micro", "macro"}
        Sum over texts before F ("micro"), or mean of the F of each text ("macro").
    penalty : float, default 0.5
        Loss of credit for a wrong severity.
    severity : {"penalty", "exact", "ignore"}
        Whether critical errors count as major errors ("penalty") or not ("exact"), or severities do not matter.
    category : {"ignore", "first", "all"}
        Which levels of the categories must be equal.
    omissions : {"drop", "match"}
        Leave errors without a place out, or match them in their order.
    by : {"severity", "system", "group"}, optional
        Also a row for each severity, system, or group of segments.
    gold : {"each", "first", "union"}
        Several annotators of a text: the mean of their counts, the first annotator, or the union of their spans.
    units : {"inputs", "documents"}
        Units of intervals and tests.
    sentinels : bool, default True
        Also score detectors that do not read a text as people do, if the texts are known.
    resamples : int, default 1000
        Number of resamples.
    seed : int, default 12345
        Seed of the resamples.
    confidence : float, default 0.95
        Confidence of the intervals.

    Returns
    -------
    SpanScores
        One row per metric, measure and group, with precision, recall, `value` (F), `low`, `high`, letters, `kind` ("people",
        "metric" or "sentinel"), and numbers of texts.

    Raises
    ------
    InputError
        If there are no spans of people, or no text that people and all metrics read.
    ParameterError
        If an option is invalid.

    Notes
    -----
    Texts that people or a metric did not read are excluded for all metrics, and counted. Intervals and tests are about new
    inputs of the same systems; they say nothing about new systems.
    """
    plan = Plan(
        tuple(as_list(measures)),
        average,
        Rules(penalty, severity, category, omissions),
        gold,
        units,
        resamples,
        seed,
        float(check_confidence(confidence)),
    )
    _check(plan, by)
    several = [people] if isinstance(people, Spans) else list(people)
    if not several:
        raise InputError("people has no spans; name a file with spans of people.")
    check_same_texts(several)
    first = several[0]
    predicted = {
        name: each
        if (each.systems, each.segments) == (first.systems, first.segments)
        else each.aligned(first.systems, first.segments)
        for name, each in metrics.items()
    }
    read_by_people = np.any([each.looked for each in several], axis=0)
    read = np.all([read_by_people, *(each.looked for each in predicted.values())], axis=0)
    if not read.any():
        raise InputError(
            "no text was read by people and by all metrics; check the names of systems and segments."
        )
    kinds = dict.fromkeys(predicted, "metric")
    if sentinels:
        for name, each in sentinels_of(several, read, seed).items():
            if name not in predicted:
                predicted[name], kinds[name] = each, "sentinel"
    if not predicted:
        raise InputError("metrics has no spans, and sentinels need the texts of the systems.")
    expected = Expected.of(several, gold).within(read.ravel())
    rows, samples = [], {}
    for label, part, of_texts in groups_of(by, first, expected, read, plan.rules):
        owners, count = units_of(first, plan)
        chosen = {name: of_texts(each) for name, each in predicted.items()}
        found = samples_of(chosen, part, owners, count, plan, read.size)
        for measure, sample in found.items():
            samples[measure, label] = sample
            rows += list(table_rows(sample, measure, label, kinds, plan, by))
    notes = _notes(several, expected, read, read_by_people, rows, plan)
    if sentinels and len(several) > 1 and by is None:
        rows = [*_people(several, plan), *rows]
    scores = SpanScores(rows, _made(plan, first, by), "Error spans", notes, samples=samples)
    return SpanScores(scores.rows, scores.made, scores.title, (*scores.answer(), *notes), samples=samples)


def _check(plan: Plan, by: str | None) -> None:
    for name, value, values in (
        ("average", plan.average, AVERAGES),
        ("gold", plan.gold, GOLDS),
        ("units", plan.units, UNITS),
        *(("by", by, BY) for _ in range(by is not None)),
        *(("measure", measure, MEASURES) for measure in plan.measures),
    ):
        if value not in values:
            raise ParameterError(no_such(name, value, values))
    if not plan.measures:
        raise ParameterError("measures must name at least one measure.")
    check_resampling(plan.resamples, plan.seed)


def _people(several: Sequence[Spans], plan: Plan) -> list[dict[str, Any]]:
    """Return the agreement of annotators with one another, if some of them read the same texts."""
    try:
        found = span_agreement(
            several,
            plan.measures,
            penalty=plan.rules.penalty,
            severity=plan.rules.severity,
            category=plan.rules.category,
            omissions=plan.rules.omissions,
            average=plan.average,
            chance=0,
            resamples=plan.resamples,
            seed=plan.seed,
            confidence=plan.confidence,
        )
    except InputError:
        return []
    names = ("precision", "recall", "value", "low", "high")
    return [
        {"measure": row["measure"], "metric": PEOPLE, "kind": "people"}
        | {name: row[name] for name in names}
        | {"letters": None, "n_texts": row["n_texts"], "n_units": row["n_units"]}
        for row in found.rows
        if row["annotators"] == "all pairs" and row["measure"] in plan.measures
    ]


def _notes(
    several: Sequence[Spans],
    expected: Expected,
    read: Array,
    by_people: Array,
    rows: Sequence[Any],
    plan: Plan,
) -> tuple[str, ...]:
    spans, units = expected.spans, max((row["n_units"] for row in rows), default=0)
    omitted = int((spans.start < 0).sum())
    left_out = "" if plan.rules.omissions == "match" else f", {counted(omitted, 'omission')} left out"
    sizes = [
        counted(int(read.sum()), "text", spec=","),
        counted(int((spans.start >= 0).sum()), "span", spec=","),
    ]
    notes = [
        f"{', '.join(sizes)}{left_out}; {plan.average} average; a wrong"
        f" severity loses {plan.rules.penalty:g}; intervals over {units:,} {plan.units}.",
        "Intervals and letters are about new inputs of these very systems.",
    ]
    if caution := few_units(units, ""):
        notes.append(caution[0].upper() + caution[1:] + ".")
    excluded = int((by_people & ~read).sum())
    if excluded:
        notes.append(
            f"Excluded for all metrics: {counted(excluded, 'text', spec=',')} that a metric did not read."
        )
    few = [
        row["metric"]
        for row in rows
        if row["n_texts"] < max(r["n_texts"] for r in rows) and row.get("group", ALL_TEXTS) == ALL_TEXTS
    ]
    if few:
        notes.append(f"{listed(list(dict.fromkeys(few)))}: fewer texts, because some have no reference.")
    if any(row["metric"] == AT_RANDOM for row in rows):
        notes.append(f"{AT_RANDOM!r} knows how many errors each text has, and how long they are.")
    return tuple(notes)


def _made(plan: Plan, first: Spans, by: str | None) -> dict[str, Any]:
    return made(
        measures=list(plan.measures),
        average=plan.average,
        penalty=plan.rules.penalty,
        severity=plan.rules.severity,
        category=plan.rules.category,
        omissions=plan.rules.omissions,
        by=by,
        gold=plan.gold,
        units=plan.units,
        resamples=plan.resamples,
        seed=plan.seed,
        confidence=plan.confidence,
        systems=len(first.systems),
    )
