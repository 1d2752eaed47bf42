"""Reader of MLflow evaluations: `eval_results_table.json`, and the frame `result_df` of `mlflow.genai.evaluate`."""

from __future__ import annotations

from typing import Any

import msgspec

from nlgauge.io.logs.columns import ScoreTable, blank_or
from nlgauge.io.logs.decoding import decode
from nlgauge.io.logs.ragas import is_score, score_of
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    Reason,
    digest_of,
    number_repeats,
    text_of,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("mlflow", "3.17.2")
DEPTH = 2
_SOURCES, _REFERENCES, _PREDICTIONS = ("inputs",), ("targets",), ("outputs", "predictions")
_SCORE, _EXPLANATION, _VALUE = "/score", "/justification", "/value"
_EXPECTED = ("expected_response/value",)
_FRAME_KEYS = {"trace_id", "request", "response"}


class _Table(msgspec.Struct):
    columns: list[str]
    data: list[list[Any]]


_TABLE = msgspec.json.Decoder(_Table)


def recognizes(source: Source) -> bool:
    """Return True if a source has a table or a frame of MLflow."""
    return source.keys == {"columns", "data"} or source.keys >= _FRAME_KEYS


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return the run of a table or a frame."""
    facts = LogFacts(tool="mlflow", file=source.path, system=source.stem, task="mlflow")
    table = ScoreTable()
    if source.keys >= _FRAME_KEYS:
        frame = source.records(TESTED)
        names = _frame_names(frame)
        rows = [_frame_row(record, names, table, facts.task) for record in frame]
    else:
        document = decode(source.document(), _TABLE, source.path, TESTED)
        records = [dict(zip(document.columns, values, strict=False)) for values in document.data]
        names = _table_names(document.columns, records)
        rows = [_table_row(record, i, names, table, facts.task) for i, record in enumerate(records)]
    if source.is_truncated:
        facts.status = "truncated"
    number_repeats(rows)
    table.finish(facts, rows, _reason)
    return [Log(facts, rows)]


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of the first of these columns that a record has."""
    return next((record[name] for name in names if name in record), None)


def _table_names(columns: list[str], records: list[dict[str, Any]]) -> dict[str, str]:
    """Return the columns of scores and their names: NAME/score, or another column of numbers."""
    texts = (*_SOURCES, *_REFERENCES, *_PREDICTIONS)
    return {
        column: column.removesuffix(_SCORE)
        for column in columns
        if column not in texts
        and not column.endswith(_EXPLANATION)
        and all(is_score(record.get(column)) for record in records)
        and any(score_of(record.get(column)) is not None for record in records)
    }


def _table_row(
    record: dict[str, Any], position: int, names: dict[str, str], table: ScoreTable, task: str
) -> LogRow:
    """Return the row of a record of a table; its position identifies it if it has no inputs."""
    inputs = _first(record, _SOURCES)
    row = LogRow(
        item=str(position) if inputs is None else digest_of(inputs),
        task=task,
        source=text_of(inputs),
        references=texts_of(_first(record, _REFERENCES)),
        prediction=text_of(_first(record, _PREDICTIONS)),
        fields={
            column.replace(_EXPLANATION, ".explanation"): value
            for column, value in record.items()
            if column.endswith(_EXPLANATION) and isinstance(value, str)
        },
    )
    for column, name in names.items():
        table.add(row, name, score_of(record.get(column)))
    return row


def _frame_names(records: list[dict[str, Any]]) -> dict[str, str]:
    """Return the columns of assessments and their names, without expectations."""
    expectations = {
        name
        for record in records
        for name, assessment in _assessments(record).items()
        if "expectation" in assessment
    }
    columns = dict.fromkeys(column for record in records for column in record if column.endswith(_VALUE))
    return {
        column: column.removesuffix(_VALUE)
        for column in columns
        if column not in _EXPECTED and column.removesuffix(_VALUE) not in expectations
    }


def _frame_row(record: dict[str, Any], names: dict[str, str], table: ScoreTable, task: str) -> LogRow:
    """Return the row of a trace."""
    request = record.get("request")
    assessments = _assessments(record)
    fields: dict[str, Any] = {}
    for name, assessment in assessments.items():
        if isinstance(assessment.get("rationale"), str):
            fields[f"{name}.explanation"] = assessment["rationale"]
    if isinstance(record.get("execution_duration"), int | float):
        fields["latency_ms"] = record["execution_duration"]
    if record.get("state") == "ERROR":
        fields["error"] = "The trace has the state ERROR."
    row = LogRow(
        item=digest_of(request),
        task=task,
        source=text_of(request),
        references=texts_of(_first(record, _EXPECTED)),
        prediction=text_of(record.get("response")),
        fields=fields,
    )
    for column, name in names.items():
        table.add(row, name, score_of(record.get(column)))
        if _has_failed(assessments.get(name, {})):
            row.missing[name] = "unreadable"
    return row


def _assessments(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the assessments of a trace by name."""
    assessments = record.get("assessments")
    return {
        str(assessment.get("assessment_name")): {
            key: value for key, value in assessment.items() if value is not None
        }
        for assessment in (assessments if isinstance(assessments, list) else [])
        if isinstance(assessment, dict)
    }


def _has_failed(assessment: dict[str, Any]) -> bool:
    """Return True if the scorer of an assessment raised an error."""
    feedback = assessment.get("feedback")
    return isinstance(feedback, dict) and feedback.get("error") is not None and feedback.get("value") is None


def _reason(row: LogRow, name: str) -> Reason:
    return "error" if "error" in row.fields else blank_or("absent")(row, name)
