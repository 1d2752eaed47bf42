"""Reader of deepeval test runs: `test_run_TIME.json` of `DEEPEVAL_RESULTS_FOLDER`, or `.latest_test_run.json`."""

from __future__ import annotations

from typing import Any

import msgspec

from nlgauge.io.logs.columns import ScoreTable
from nlgauge.io.logs.decoding import Json, decode, readable_rows
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    ScoreColumn,
    digest_of,
    flat_fields,
    number_repeats,
    text_of,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("deepeval", "4.3.1")
DEPTH = 2


class _Metric(msgspec.Struct):
    name: str
    score: float | None = None
    success: bool | None = None
    reason: str | None = None
    error: str | None = None


class _Turn(msgspec.Struct):
    role: str = ""
    content: str = ""


class _Case(msgspec.Struct, rename="camel"):
    name: str | None = None
    input: Any = None
    actual_output: Any = None
    expected_output: Any = None
    expected_outcome: Any = None
    context: list[str] | None = None
    retrieval_context: list[str] | None = None
    metrics_data: list[_Metric] | None = None
    run_duration: float | None = None
    evaluation_cost: float | None = None
    metadata: dict[str, Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    tags: list[str] | None = None
    turns: list[_Turn] | None = None


class _Totals(msgspec.Struct):
    metric: str
    scores: list[float] = []


class _Document(msgspec.Struct, rename="camel"):
    test_cases: list[msgspec.Raw] = []
    conversational_test_cases: list[msgspec.Raw] = []
    metrics_scores: list[_Totals] = []
    identifier: str | None = None
    hyperparameters: dict[str, Any] | None = None
    dataset_alias: str | None = None


class _Latest(msgspec.Struct, rename="camel"):
    test_run_data: msgspec.Raw


_DOCUMENT = msgspec.json.Decoder(_Document)
_CASE = msgspec.json.Decoder(_Case)
_LATEST = msgspec.json.Decoder(_Latest)


def recognizes(source: Source) -> bool:
    """Return True if a source has a test run of deepeval; an incomplete file may lack its totals."""
    if "testRunData" in source.keys:
        return True
    return "testCases" in source.keys and ("metricsScores" in source.keys or source.is_truncated)


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return the run of a test run."""
    data: Json = source.document()
    if "testRunData" in source.keys:
        data = decode(data, _LATEST, source.path, TESTED).test_run_data
    document = decode(data, _DOCUMENT, source.path, TESTED)
    parameters = {name: text_of(value) or "" for name, value in (document.hyperparameters or {}).items()}
    facts = LogFacts(
        tool="deepeval",
        file=source.path,
        system=parameters.pop("model", "") or document.identifier or source.stem,
        task=document.dataset_alias or "deepeval",
        status="truncated" if source.is_truncated else "success",
        details={**parameters, **({"identifier": document.identifier} if document.identifier else {})},
    )
    table = ScoreTable()
    rows = []
    cases = [*document.test_cases, *document.conversational_test_cases]
    places = ((f"{source.path}, test case {i}", case) for i, case in enumerate(cases, 1))
    for case in readable_rows(places, _CASE, TESTED, facts):
        row = _row(case, facts.task)
        rows.append(row)
        _add_scores(table, row, case, options)
    number_repeats(rows)
    table.finish(facts, rows, lambda row, name: "absent")
    for totals in document.metrics_scores:
        if totals.scores and totals.metric in facts.columns:
            facts.own_scores[totals.metric] = sum(totals.scores) / len(totals.scores)
    return [Log(facts, rows)]


def _row(case: _Case, task: str) -> LogRow:
    """Return the row of a test case, without scores."""
    fields = flat_fields({**(case.additional_metadata or {}), **(case.metadata or {})})
    further = {
        "tags": case.tags,
        "context": case.context,
        "retrieval_context": case.retrieval_context,
        "cost": case.evaluation_cost,
        "seconds": case.run_duration,
    }
    fields |= {name: value for name, value in further.items() if value is not None}
    for metric in case.metrics_data or []:
        if metric.reason is not None:
            fields[f"{metric.name}.explanation"] = metric.reason
        if metric.error is not None:
            fields[f"{metric.name}.error"] = metric.error
    answers = [turn.content for turn in case.turns or [] if turn.role == "assistant"]
    questions = [turn.content for turn in case.turns or [] if turn.role == "user"]
    source = text_of(case.input) if case.turns is None else "\n".join(questions)
    return LogRow(
        item=case.name or digest_of(source),
        task=task,
        source=source,
        references=texts_of(case.expected_output if case.expected_outcome is None else case.expected_outcome),
        prediction=text_of(case.actual_output) if case.turns is None else "\n".join(answers),
        fields=fields,
    )


def _add_scores(table: ScoreTable, row: LogRow, case: _Case, options: LogOptions) -> None:
    """Add the scores of a test case; a metric that failed has no score, whatever its field `success` is."""
    for metric in case.metrics_data or []:
        has_failed = metric.score is None and metric.error is not None
        table.declare(ScoreColumn(metric.name, low=0, high=1))
        table.add(row, metric.name, metric.score)
        names = [metric.name]
        if options.passes:
            names.append(f"{metric.name}.pass")
            table.declare(ScoreColumn(names[1], low=0, high=1, kind="binary"))
            table.add(row, names[1], None if has_failed else metric.success)
        if has_failed:
            row.missing |= dict.fromkeys(names, "unreadable")
