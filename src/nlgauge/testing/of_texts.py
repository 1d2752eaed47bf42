"""Checks of scores of particular texts: bounds, the best score, the direction, and empty texts."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from nlgauge.metric import AnyMetric, CorpusMetric, first_output
from nlgauge.results.result import Result
from nlgauge.testing.comparing import Terms, best, better, outputs_of, require, rows_of, scored, scores_of
from nlgauge.testing.texts import ODD, SENTENCES


def check_the_direction(metric: AnyMetric, terms: Terms) -> None:
    """Check that predictions equal to their references do not score worse than other predictions."""
    output = first_output(metric)
    if terms.judged or metric.takes == "alone" or output.higher_is_better is None:
        return
    texts = [group[0] for prediction, group in SENTENCES if len(prediction.split()) > 3]
    equal, other = (
        scores_of(scored(metric, predictions, texts, texts))["score"]
        for predictions in (texts, texts[1:] + texts[:1])
    )
    beaten = better(output, other, equal + (-1e-5 if output.higher_is_better is False else 1e-5))
    require(
        not beaten,
        metric,
        f"equal texts have the {output.name} {equal}, other texts have {other}, which is better: is"
        " higher_is_better wrong?",
    )


def require_bounds(metric: AnyMetric, result: Result, terms: Terms) -> None:
    """Raise AssertionError unless all scores of a result are NaN or within their bounds."""
    rounding = 1e-9 if terms.exact else 1e-5
    for table in result._tables.values():
        scores, segments = table.scores(), table.segments()
        for output in outputs_of(metric):
            values = np.array([scores[output.name], *segments.get(output.name, ())], dtype=np.float64)
            wrong = values[(values < output.low - rounding) | (values > output.high + rounding)]
            require(
                not len(wrong),
                metric,
                f"{output.name} is {wrong[:1].tolist()}, but its bounds are {output.low} and {output.high}",
            )


def check_bounds_hold_on_odd_texts(metric: AnyMetric, terms: Terms) -> None:
    """Check that pairs of odd texts of every kind have scores within bounds, or NaN."""
    usual = SENTENCES[1][0]
    texts = [*ODD.values(), usual]
    # There are a few hundred pairs, which are too many for a model.
    pairs = [(a, b) for a, b in product(texts, texts) if terms.exact or a == b or usual in (a, b)]
    require_bounds(
        metric, scored(metric, [a for a, _ in pairs], [b for _, b in pairs], [b for _, b in pairs]), terms
    )


def check_an_odd_text_alone_is_scored(metric: AnyMetric, terms: Terms) -> None:
    """Check that an odd text as the only segment has scores within bounds, or NaN."""
    for kind, text in ODD.items():
        try:
            require_bounds(metric, scored(metric, [text], [[text, SENTENCES[1][0]]], [text]), terms)
        except Exception as error:
            error.add_note(f"the only segment's text is {kind!r}")
            raise


def check_an_empty_prediction_is_never_best(metric: AnyMetric, terms: Terms) -> None:
    """Check that an empty prediction has no best score, and none better than the reference.

    Metrics that show empty predictions to a model (`shows_empty`) are not checked.
    """
    if getattr(metric, "shows_empty", False):
        return
    text = "The cat sat on the mat."
    nothing, same = (scores_of(scored(metric, [prediction], [text], [text])) for prediction in ("", text))
    for part in metric.outputs().values():
        value, equal = nothing[part[0].name], same[part[0].name]
        if part[0].higher_is_better is None or math.isnan(value):
            continue
        require(
            not math.isclose(value, best(part[0]), abs_tol=1e-6),
            metric,
            f"an empty prediction gets the best {part[0].name}, {value}",
        )
        worse = math.isnan(equal) or not better(part[0], value, equal)
        require(
            worse,
            metric,
            f"an empty prediction has a better {part[0].name}, {value}, than a prediction equal to the"
            f" reference, {equal}",
        )


def check_equal_texts_get_the_best_score(metric: AnyMetric, terms: Terms) -> None:
    """Check that predictions equal to their references get the best score, if it is finite."""
    output = first_output(metric)
    if terms.judged or metric.takes == "alone" or output.higher_is_better is None or math.isinf(best(output)):
        return
    texts = [
        "The cat sat on the mat, and then it slept.",
        *(text for _, group in SENTENCES for text in group if len(text.split()) > 3),
    ]
    result = scored(metric, texts, texts, texts)
    for value in (scores_of(result)["score"], *(row[output.name] for row in rows_of(result))):
        close = math.isclose(value, best(output), abs_tol=1e-5)
        require(
            close,
            metric,
            f"equal texts have the {output.name} {value}, not the best, {best(output)}: is higher_is_better"
            " wrong, or a bound?",
        )


def check_equal_odd_texts_get_the_best_score(metric: AnyMetric, terms: Terms) -> None:
    """Check that equal odd texts get the best score, except for `not_best_when_equal`."""
    output = first_output(metric)
    if (
        terms.judged
        or metric.takes == "alone"
        or isinstance(metric, CorpusMetric)
        or output.higher_is_better is None
        or math.isinf(best(output))
    ):
        return
    texts = list(ODD.values())
    rows = rows_of(scored(metric, texts, texts, texts))
    short = {
        kind
        for kind, row in zip(ODD, rows, strict=True)
        if not math.isclose(row[output.name], best(output), abs_tol=1e-5)
    }
    exceptions = set(terms.not_best_when_equal)
    require(
        not short - exceptions,
        metric,
        "equal odd texts do not get the best score; if this is intended, pass"
        f" not_best_when_equal={sorted(short)}",
    )
    require(
        not exceptions - short,
        metric,
        f"texts in not_best_when_equal get the best score: {sorted(exceptions - short)}",
    )
