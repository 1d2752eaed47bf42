"""SQuAD as evaluate gives it: records of questions with ids, versions 1.1 and 2."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from nlgauge.compat.evaluate.given import Request
from nlgauge.errors import InputError

_NEEDED = {
    "prediction": '{"id": ..., "prediction_text": ...}',
    "prediction of version 2": '{"id": ..., "prediction_text": ..., "no_answer_probability": ...}',
    "reference": '{"id": ..., "answers": {"text": [...], "answer_start": [...]}}',
}


class _Question(NamedTuple):
    """A question that was answered: the answer, the right ones, and how likely the system found that
    there is none.
    """

    answer: str
    right: list[str]
    doubt: float


def squad(given: Request) -> dict[str, float]:
    """Exact match and F1 of version 1.1, 0 to 100; a question without a prediction counts as 0, with a
    warning. Plain texts are taken too.
    """
    if all(isinstance(prediction, str) for prediction in given.predictions):
        scores = given.table("squad", compat="1.1").scores()
        return {name: scores[name] for name in ("exact_match", "f1")}
    asked = _asked(given)
    answers = {
        _field(record, "id", "prediction"): _field(record, "prediction_text", "prediction")
        for record in given.predictions
    }
    answered = [question for question in asked if question in answers]
    unanswered = [question for question in asked if question not in answers]
    if unanswered:
        warnings.warn(
            f"{len(unanswered)} questions have no prediction and count as 0, the first of them"
            f" {unanswered[0]!r}.",
            stacklevel=4,
        )
    if any(not asked[question] for question in answered):
        raise InputError(
            "a reference has no answers; questions without an answer belong to version 2, load('squad_v2')."
        )
    if not answered:
        return {"exact_match": 0.0, "f1": 0.0}
    texts = Request(
        [answers[question] for question in answered],
        [asked[question] for question in answered],
        options=given.options,
    )
    scores = texts.table("squad", compat="1.1").scores()
    return {name: scores[name] * len(answered) / len(asked) for name in ("exact_match", "f1")}


def squad_v2(given: Request, *, no_answer_threshold: float = 1.0) -> dict[str, Any]:
    """Exact match and F1 of version 2, of questions with and without answers, and with the best threshold
    for the probability of no answer.
    """
    asked = _asked(given)
    kind = "prediction of version 2"
    found = {
        _field(record, "id", kind): (
            _field(record, "prediction_text", kind),
            float(_field(record, "no_answer_probability", kind)),
        )
        for record in given.predictions
    }
    questions = [
        _Question(answer, asked[question], doubt)
        for question, (answer, doubt) in found.items()
        if question in asked
    ]
    if len(questions) < len(asked):
        missing = next(question for question in asked if question not in found)
        raise InputError(
            f"{len(asked) - len(questions)} questions have no prediction, the first of them {missing!r}; pass"
            " one prediction per question."
        )
    texts = Request(
        [question.answer for question in questions],
        [question.right or [""] for question in questions],
        options=given.options,
    )
    segments = texts.table("squad").segments()
    scores = {"exact": (segments["exact_match"] / 100).tolist(), "f1": (segments["f1"] / 100).tolist()}
    decided = {
        name: [_decided(*each, no_answer_threshold) for each in zip(questions, values, strict=True)]
        for name, values in scores.items()
    }
    results: dict[str, Any] = _means(decided, range(len(questions)))
    for prefix, wanted in (("HasAns", True), ("NoAns", False)):
        rows = [i for i, question in enumerate(questions) if bool(question.right) is wanted]
        if rows:
            results |= {f"{prefix}_{name}": value for name, value in _means(decided, rows).items()}
    for name, values in scores.items():
        results[f"best_{name}"], results[f"best_{name}_thresh"] = _best_threshold(questions, values)
    return results


def _means(scores: Mapping[str, list[float]], rows: Any) -> dict[str, Any]:
    return {
        **{name: 100 * sum(values[i] for i in rows) / len(rows) for name, values in scores.items()},
        "total": len(rows),
    }


def _decided(question: _Question, score: float, threshold: float) -> float:
    """The score once the system's doubt decides: beyond the threshold it gives no answer."""
    return float(not question.right) if question.doubt > threshold else score


def _best_threshold(questions: list[_Question], scores: list[float]) -> tuple[float, float]:
    """The best score over all thresholds, 0 to 100, and the threshold."""
    score = best = float(sum(not question.right for question in questions))
    threshold = 0.0
    for question, gained in sorted(zip(questions, scores, strict=True), key=lambda each: each[0].doubt):
        # An answer to a question that has none loses the point that silence would have had.
        score += gained if question.right else -1.0 if question.answer else 0.0
        if score > best:
            best, threshold = score, question.doubt
    return 100 * best / len(questions), threshold


def _asked(given: Request) -> dict[Any, list[str]]:
    """The right answers of each question, by id."""
    found = {}
    for record in given.references or ():
        answers = _field(record, "answers", "reference")
        texts = (
            _field(answers, "text", "reference")
            if isinstance(answers, Mapping)
            else [_field(one, "text", "reference") for one in answers]
        )
        found[_field(record, "id", "reference")] = list(texts)
    return found


def _field(record: Any, name: str, kind: str) -> Any:
    if not isinstance(record, Mapping) or name not in record:
        raise InputError(f"a {kind} of SQuAD is a record {_NEEDED[kind]}; got {record!r:.80}.")
    return record[name]
