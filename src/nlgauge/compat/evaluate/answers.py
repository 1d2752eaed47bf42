"""Outputs of the SQuAD metrics of evaluate, versions 1.1 and 2, for records of questions with ids."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from nlgauge._core.numbers import counted
from nlgauge.compat.evaluate.request import Request
from nlgauge.errors import InputError

_NEEDED = {
    "prediction": '{"id": ..., "prediction_text": ...}',
    "prediction of version 2": '{"id": ..., "prediction_text": ..., "no_answer_probability": ...}',
    "reference": '{"id": ..., "answers": {"text": [...], "answer_start": [...]}}',
}


class _Question(NamedTuple):
    """Question with the answer of the system, the right answers, and the probability of no answer."""

    answer: str
    right: list[str]
    doubt: float


def squad(request: Request) -> dict[str, float]:
    """Return exact match and F1 of version 1.1, 0 to 100; predictions are records or plain texts.

    A question without a prediction counts as 0, with a warning.
    """
    if all(isinstance(prediction, str) for prediction in request.predictions):
        scores = request.table("squad", compat="1.1").scores()
        return {name: scores[name] for name in ("exact_match", "f1")}
    right = _right_answers(request)
    answers = {
        _field(record, "id", "prediction"): _field(record, "prediction_text", "prediction")
        for record in request.predictions
    }
    answered = [question for question in right if question in answers]
    unanswered = [question for question in right if question not in answers]
    if unanswered:
        warnings.warn(
            f"predictions are missing for {counted(len(unanswered), 'question')}, the first is {unanswered[0]!r}; such"
            " questions count as 0.",
            stacklevel=4,
        )
    without_answer = next((question for question in answered if not right[question]), None)
    if without_answer is not None:
        raise InputError(
            f"the reference of question {without_answer!r} has no answers; use load('squad_v2') for questions without"
            " an answer."
        )
    if not answered:
        return {"exact_match": 0.0, "f1": 0.0}
    texts = Request(
        [answers[question] for question in answered],
        [right[question] for question in answered],
        options=request.options,
    )
    scores = texts.table("squad", compat="1.1").scores()
    return {name: scores[name] * len(answered) / len(right) for name in ("exact_match", "f1")}


def squad_v2(request: Request, *, no_answer_threshold: float = 1.0) -> dict[str, Any]:
    """Return exact match and F1 of version 2.

    The outputs include the values for questions with and without answers, and the values with the best threshold for
    the probability of no answer.
    """
    right = _right_answers(request)
    kind = "prediction of version 2"
    predictions = {
        _field(record, "id", kind): (
            _field(record, "prediction_text", kind),
            float(_field(record, "no_answer_probability", kind)),
        )
        for record in request.predictions
    }
    questions = [
        _Question(answer, right[question], doubt)
        for question, (answer, doubt) in predictions.items()
        if question in right
    ]
    if len(questions) < len(right):
        missing = next(question for question in right if question not in predictions)
        raise InputError(
            f"predictions are missing for {counted(len(right) - len(questions), 'question')}, the first is {missing!r};"
            " pass one prediction per question."
        )
    texts = Request(
        [question.answer for question in questions],
        [question.right or [""] for question in questions],
        options=request.options,
    )
    segments = texts.table("squad").segments()
    scores = {"exact": (segments["exact_match"] / 100).tolist(), "f1": (segments["f1"] / 100).tolist()}
    decided = {
        name: [_decided(*each, no_answer_threshold) for each in zip(questions, values, strict=True)]
        for name, values in scores.items()
    }
    results: dict[str, Any] = _means(decided, range(len(questions)))
    for prefix, has_answer in (("HasAns", True), ("NoAns", False)):
        rows = [i for i, question in enumerate(questions) if bool(question.right) is has_answer]
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
    """Return the score; above the threshold for the probability of no answer, no answer is assumed."""
    return float(not question.right) if question.doubt > threshold else score


def _best_threshold(questions: list[_Question], scores: list[float]) -> tuple[float, float]:
    """Return the best score over all thresholds, 0 to 100, and the threshold."""
    score = best = float(sum(not question.right for question in questions))
    threshold = 0.0
    for question, gained in sorted(zip(questions, scores, strict=True), key=lambda each: each[0].doubt):
        # An answer to a question without an answer loses the point for giving no answer.
        score += gained if question.right else -1.0 if question.answer else 0.0
        if score > best:
            best, threshold = score, question.doubt
    return 100 * best / len(questions), threshold


def _right_answers(request: Request) -> dict[Any, list[str]]:
    """Return the right answers of each question, by id."""
    if not request.references:
        raise InputError(f"SQuAD needs references; pass a record {_NEEDED['reference']} for each question.")
    right = {}
    for record in request.references:
        answers = _field(record, "answers", "reference")
        texts = (
            _field(answers, "text", "reference")
            if isinstance(answers, Mapping)
            else [_field(answer, "text", "reference") for answer in answers]
        )
        right[_field(record, "id", "reference")] = list(texts)
    return right


def _field(record: Any, name: str, kind: str) -> Any:
    if not isinstance(record, Mapping) or name not in record:
        raise InputError(f"a {kind} of SQuAD must be a record {_NEEDED[kind]}; got {record!r:.80}.")
    return record[name]
