"""Reader of instance files of Every Eval Ever: `NAME_samples.jsonl` next to `NAME.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from nlgauge.io.logs.columns import ScoreTable, blank_or
from nlgauge.io.logs.decoding import decode, decoded_file, readable_rows
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    Reason,
    ScoreColumn,
    number_repeats,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested, numbers_of

TESTED = Tested("every_eval_ever", "0.3.0")
DEPTH = 1
SCORE, CORRECT = "score", "is_correct"
_ENDING = "_samples.jsonl"


class _Input(msgspec.Struct):
    raw: str | None = None
    reference: Any = None


class _Output(msgspec.Struct):
    raw: Any = None


class _Message(msgspec.Struct):
    role: str = ""
    content: Any = None


class _Evaluation(msgspec.Struct):
    score: float | None = None
    is_correct: bool | None = None


class _Tokens(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Times(msgspec.Struct):
    latency_ms: float | None = None


class _Sample(msgspec.Struct):
    schema_version: str
    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: _Evaluation
    input: _Input = msgspec.field(default_factory=_Input)
    evaluation_id: str = ""
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    output: _Output | None = None
    messages: list[_Message] | None = None
    token_usage: _Tokens | None = None
    performance: _Times | None = None
    error: str | None = None
    metadata: dict[str, Any] | None = None


class _Configuration(msgspec.Struct):
    lower_is_better: bool | None = None
    min_score: float | None = None
    max_score: float | None = None


class _Details(msgspec.Struct):
    score: float | None = None


class _Result(msgspec.Struct):
    evaluation_name: str
    evaluation_result_id: str | None = None
    metric_config: _Configuration = msgspec.field(default_factory=_Configuration)
    score_details: _Details = msgspec.field(default_factory=_Details)


class _Aggregate(msgspec.Struct):
    evaluation_results: list[_Result] = []


_SAMPLE = msgspec.json.Decoder(_Sample)
_AGGREGATE = msgspec.json.Decoder(_Aggregate)


def recognizes(source: Source) -> bool:
    """Return True if a source has instances of Every Eval Ever."""
    return {"schema_version", "sample_id", "evaluation"} <= source.keys


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return one run for each pair of model and evaluation; several results of an evaluation are its scores."""
    results = _results_beside(source)
    runs: dict[tuple[str, str], list[_Sample]] = {}
    common = LogFacts(tool="every_eval_ever", file=source.path, version=_version(source))
    for sample in readable_rows(source.lines(), _SAMPLE, TESTED, common):
        runs.setdefault((sample.model_id, sample.evaluation_name), []).append(sample)
    TESTED.note(common)
    if source.is_truncated:
        common.status = "truncated"
    return [_log(common, run, results) for run in runs.values()]


def _version(source: Source) -> str:
    """Return the version of the schema of the first line."""
    for place, line in source.lines():
        first = decode(line, msgspec.json.Decoder(dict[str, Any]), place, TESTED)
        return ".".join(map(str, numbers_of(str(first.get("schema_version", "")))))
    return ""


def _log(common: LogFacts, run: list[_Sample], results: list[_Result]) -> Log:
    """Return the run of a model and an evaluation."""
    facts = msgspec.structs.replace(
        common,
        system=run[0].model_id,
        task=run[0].evaluation_name,
        columns={},
        own_scores={},
        own_remarks={},
        notes=list(common.notes),
    )
    identifiers = list(dict.fromkeys(sample.evaluation_result_id for sample in run))
    table = ScoreTable()
    # Rows by segment and repeat: several results of one prediction are scores of one row.
    rows: dict[tuple[str, int], LogRow] = {}
    for identifier in identifiers:
        counts: dict[str, int] = {}
        prefix = f"{identifier}." if len(identifiers) > 1 and identifier else ""
        result = _result_of(results, facts.task, identifier)
        table.declare(_described(f"{prefix}{SCORE}", result))
        for sample in (sample for sample in run if sample.evaluation_result_id == identifier):
            key = sample.sample_id, counts.get(sample.sample_id, 0)
            counts[sample.sample_id] = key[1] + 1
            row = rows.setdefault(key, _row(sample, facts.task))
            if sample.error is None:
                table.add(row, f"{prefix}{SCORE}", sample.evaluation.score)
                if sample.evaluation.is_correct is not None:
                    table.add(row, f"{prefix}{CORRECT}", sample.evaluation.is_correct)
        if result and result.score_details.score is not None and common.status != "truncated":
            facts.own_scores[f"{prefix}{SCORE}"] = result.score_details.score
    number_repeats(rows.values())
    table.finish(facts, rows.values(), _reason)
    facts.own_scores = {name: value for name, value in facts.own_scores.items() if name in facts.columns}
    return Log(facts, list(rows.values()))


def _row(sample: _Sample, task: str) -> LogRow:
    """Return the row of a sample, without scores."""
    fields = dict(sample.metadata or {})
    if sample.token_usage is not None:
        fields |= {
            "input_tokens": sample.token_usage.input_tokens,
            "output_tokens": sample.token_usage.output_tokens,
        }
    if sample.performance is not None:
        fields["latency_ms"] = sample.performance.latency_ms
    fields["error"] = sample.error
    return LogRow(
        item=sample.sample_id,
        task=task,
        source=sample.input.raw,
        references=texts_of(sample.input.reference),
        prediction=_prediction(sample),
        fields={name: value for name, value in fields.items() if value is not None},
        digest=sample.sample_hash or "",
    )


def _prediction(sample: _Sample) -> str | None:
    """Return the first output, or the last message of the assistant."""
    if sample.output is not None:
        return next(iter(texts_of(sample.output.raw)), None)
    answers = [message.content for message in sample.messages or [] if message.role == "assistant"]
    return answers[-1] if answers and isinstance(answers[-1], str) else None


def _reason(row: LogRow, name: str) -> Reason:
    return "error" if "error" in row.fields else blank_or("absent")(row, name)


def _results_beside(source: Source) -> list[_Result]:
    """Return the results of the file with aggregates, if it is in the same directory."""
    if not source.name.endswith(_ENDING):
        return []
    file = Path(source.path).with_name(f"{source.name.removesuffix(_ENDING)}.json")
    aggregate = decoded_file(file, _AGGREGATE, TESTED)
    return aggregate.evaluation_results if aggregate else []


def _result_of(results: list[_Result], task: str, identifier: str | None) -> _Result | None:
    """Return the aggregate of an evaluation; without an identifier it must be the only one."""
    matches = [result for result in results if result.evaluation_name == task]
    if identifier is not None:
        matches = [result for result in matches if result.evaluation_result_id == identifier] or matches
    return matches[0] if len(matches) == 1 else None


def _described(name: str, result: _Result | None) -> ScoreColumn:
    """Return the description of a score, with the direction and bounds of its aggregate."""
    column = ScoreColumn(name)
    if result is None:
        return column
    config = result.metric_config
    return ScoreColumn(
        name,
        "lower" if config.lower_is_better else "higher",
        column.low if config.min_score is None else config.min_score,
        column.high if config.max_score is None else config.max_score,
    )
