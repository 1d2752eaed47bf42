"""Run the cases whose weights are on this machine, and judge each.

equal            every number is the printed one, to the decimals that can be compared
near             every number differs by at most .001 of its size (of 1 if it is smaller)
different        a number differs by more, or an error span is another
not comparable   the printed numbers are of something else; the reason is stated
no weights       the weights are not on this machine
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from nlgauge.explanations import ErrorSpans
from nlgauge.metric.registry import make
from nlgauge.models.weights import store
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer
from nlgauge.verification.cases import Case, Span

Word = Literal["equal", "near", "different", "not comparable", "no weights"]
WORDS: tuple[Word, ...] = ("equal", "near", "different", "not comparable", "no weights")
_SYSTEM = "system"
# Other processors, threads and floating-point types change numbers by less than this.
_NEAR = 1e-3
# Rounding of the comparison itself.
_SLACK = 1e-9


class Outcome(NamedTuple):
    """The verdict on a case, its mode (a place in `case.modes`), the largest difference, and the computed numbers.

    `numbers` are in the order of the case, `weights` has the hash of the weights of each model, and `missing` the models
    that are not on this machine.
    """

    case: Case
    word: Word
    mode: int = 0
    difference: float = math.nan
    numbers: tuple[float, ...] = ()
    spans: list[list[Span]] | None = None
    weights: Mapping[str, str] = {}
    missing: tuple[str, ...] = ()
    signature: str = ""


def verify(
    cases: Sequence[Case],
    instead: Mapping[str, str] | None = None,
    report: Callable[[Case], None] | None = None,
) -> list[Outcome]:
    """Compute printed numbers again, if the weights are on this machine.

    Parameters
    ----------
    cases : sequence of Case
        Cases of `nlgauge.verification.cases.chosen`.
    instead : mapping of str to str, optional
        Directories of models that are used instead of models of the catalog, by name.
    report : callable, optional
        Function that is called with each case before it runs.

    Returns
    -------
    list of Outcome
        One per case.
    """
    replaced = dict(instead or {})
    outcomes = []
    for case in cases:
        missing = missing_models(case, replaced)
        if case.why:
            outcomes.append(Outcome(case, "not comparable"))
        elif missing:
            outcomes.append(Outcome(case, "no weights", missing=missing))
        else:
            if report is not None:
                report(case)
            outcomes.append(_nearest(case, replaced))
    return outcomes


def missing_models(case: Case, instead: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the models of a case that are not on this machine."""
    names = [(instead or {}).get(name, name) for name in case.models.values() if name]
    return tuple(dict.fromkeys(name for name in names if store.location(name) is None))


def judged(case: Case, numbers: Sequence[float], spans: list[list[Span]] | None = None) -> tuple[Word, float]:
    """Return the verdict on numbers and error spans of a case, and the largest difference from print."""
    differences = [abs(ours - printed) for ours, printed in zip(numbers, case.numbers, strict=True)]
    largest = math.inf if any(map(math.isnan, differences)) else max(differences, default=0.0)
    if not same_spans(case, spans):
        return "different", largest
    unit = 0.5 * 10.0**-case.decimals
    if largest <= unit + _SLACK:
        return "equal", largest
    near = all(
        difference <= max(_NEAR * max(1.0, abs(printed)), unit) + _SLACK
        for difference, printed in zip(differences, case.numbers, strict=True)
    )
    return ("near" if near else "different"), largest


def same_spans(case: Case, spans: list[list[Span]] | None) -> bool:
    """Return True if error spans are the printed ones: severity and place, and confidence nearly."""
    if case.spans is None:
        return True
    if spans is None or [len(found) for found in spans] != [len(printed) for printed in case.spans]:
        return False
    return all(
        (one.severity, one.start, one.end) == (other.severity, other.start, other.end)
        and abs(one.confidence - other.confidence) <= _NEAR
        for found, printed in zip(spans, case.spans, strict=True)
        for one, other in zip(found, printed, strict=True)
    )


def _nearest(case: Case, instead: Mapping[str, str]) -> Outcome:
    """Return the outcome of the mode whose numbers are nearest to print; the first mode if several are."""
    found = [_ran(case, instead, mode) for mode in range(len(case.modes))]
    return min(found, key=lambda outcome: (WORDS.index(outcome.word), outcome.difference))


def _ran(case: Case, instead: Mapping[str, str], mode: int) -> Outcome:
    models = {parameter: instead.get(name, name) for parameter, name in case.models.items()}
    metric = make(case.metric, {**case.parameters, **models, **case.modes[mode]})
    result = Scorer([metric])(
        {_SYSTEM: case.predictions}, case.references, case.sources, reduce_fn=case.reduce, show_progress=False
    )
    numbers = tuple(_numbers(case, result))
    spans = None if case.spans is None else _spans(case, result)
    word, difference = judged(case, numbers, spans)
    weights = {
        name: store.weights_hash(store.require(instead.get(name, name))) for name in case.models.values()
    }
    signature = str(result.signatures[result.labels[0]])
    return Outcome(case, word, mode, difference, numbers, spans, weights, (), signature)


def _numbers(case: Case, result: Result) -> list[float]:
    table = result._tables[_SYSTEM, result.labels[0]]
    scores, segments = table.scores(), table.segments()
    leading = table.leading()[0].name
    found: list[float] = []
    for values in case.values:
        name = values.output or leading
        ours: Any = [scores[name]] if values.level == "system" else segments[name]
        found += [float(number) for number in ours]
    return found


def _spans(case: Case, result: Result) -> list[list[Span]]:
    """Return the error spans that the metric marked in each prediction."""
    found = []
    for segment, text in enumerate(case.predictions):
        (explanation,) = [
            one for one in result.explain(result.labels[0], segment) if isinstance(one, ErrorSpans)
        ]
        found.append(
            [
                Span(
                    one.severity, text[one.start : one.end], one.start, one.end, float(one.confidence or 0.0)
                )
                for one in explanation.errors
            ]
        )
    return found
