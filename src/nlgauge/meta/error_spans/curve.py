"""`span_curve`: precision and recall of a metric's spans by the confidence from which they count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.meta.error_spans.additive import GOLDS, Expected, text_rows, values_of
from nlgauge.meta.findings import Findings, made
from nlgauge.spans.columns import Spans
from nlgauge.spans.combining import check_same_texts
from nlgauge.spans.measures import MEASURES, Rules

# More thresholds do not change a curve visibly.
_MOST = 100


def span_curve(
    people: Spans | Sequence[Spans],
    metric: Spans,
    measure: str = "mpp",
    *,
    penalty: float = 0.5,
    severity: str = "penalty",
    gold: str = "each",
) -> Findings:
    """Return precision and recall of a metric for each confidence from which its spans count.

    Parameters
    ----------
    people : Spans or sequence of Spans
        Spans of people.
    metric : Spans
        Spans of a metric with confidences. Spans without a confidence count at every threshold.
    measure : {"em", "mp", "mpp", "char", "char23"}
        Measure.
    penalty : float, default 0.5
        Loss of credit for a wrong severity.
    severity : {"penalty", "exact", "ignore"}
        Whether critical errors count as major errors ("penalty") or not ("exact"), or severities do not matter.
    gold : {"each", "first", "union"}
        Several annotators of a text: the mean of their counts, the first annotator, or the union of their spans.

    Returns
    -------
    Findings
        One row per threshold, from the highest: threshold, precision, recall, `value` (F), and number of spans. The settings
        have `average_precision`: the precision at each threshold, weighted by the gain in recall.

    Raises
    ------
    InputError
        If no span has a confidence, or no text was read by both.
    ParameterError
        If an option is invalid.

    Notes
    -----
    At most 100 thresholds are used, at quantiles of the confidences. The threshold with the best F is chosen with the same
    people, so that its F is too high for new texts.
    """
    for name, value, values in (("measure", measure, MEASURES), ("gold", gold, GOLDS)):
        if value not in values:
            raise ParameterError(no_such(name, value, values))
    rules = Rules(penalty, severity)
    several = [people] if isinstance(people, Spans) else list(people)
    check_same_texts(several)
    predicted = metric.aligned(several[0].systems, several[0].segments)
    known = predicted.confidence[~np.isnan(predicted.confidence)]
    if not len(known):
        raise InputError(f"the spans of {metric.who} have no confidence, so they have no curve.")
    read = np.any([each.looked for each in several], axis=0) & predicted.looked
    if not read.any():
        raise InputError(
            "no text was read by people and by the metric; check the names of systems and segments."
        )
    expected = Expected.of(several, gold).within(read.ravel())
    thresholds = np.unique(known)[::-1]
    if len(thresholds) > _MOST:
        thresholds = np.unique(np.quantile(known, np.linspace(0, 1, _MOST), method="lower"))[::-1]
    rows = []
    for threshold in thresholds.tolist():
        some = predicted.where(~(predicted.confidence < threshold))
        sums = text_rows(some, expected, [measure], "micro", rules, read.size)[measure].sum(axis=0)
        precision, recall, f = values_of(sums, "micro").tolist()
        rows.append(
            {
                "metric": metric.who,
                "measure": measure,
                "threshold": threshold,
                "precision": precision,
                "recall": recall,
                "value": f,
                "n_spans": int((some.start >= 0).sum()),
            }
        )
    gains = np.diff([0.0, *(row["recall"] for row in rows)])
    average = float((gains * np.array([row["precision"] for row in rows])).sum())
    settings = made(measure=measure, penalty=penalty, severity=severity, gold=gold, average_precision=average)
    return Findings(rows, settings, "Precision and recall by confidence")
