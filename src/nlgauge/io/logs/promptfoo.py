"""Reader of promptfoo results: `promptfoo eval -o out.json` or `-o out.jsonl`.

promptfoo gives every repeat of a test another `testIdx`, so segments are identified by variables and description.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from nlgauge._core.numbers import counted
from nlgauge.io.logs.columns import ScoreTable
from nlgauge.io.logs.decoding import Json, decode, readable_rows
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    Reason,
    ScoreColumn,
    digest_of,
    flat_fields,
    note_repetitions,
    number_repeats,
    text_of,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("promptfoo", "0.121.20")
DEPTH = 3
SCORE, PASS = "score", "pass"
_FAILED = 2  # failureReason of an error of the provider
_LINE_KEYS = {"promptIdx", "testIdx", "namedScores", "provider"}
_SKIPPED = {"_promptfooFileMetadata"}


class _Provider(msgspec.Struct):
    id: str = ""
    label: str | None = None


class _Prompt(msgspec.Struct):
    raw: str | None = None
    label: str = ""


class _Response(msgspec.Struct):
    output: Any = None


class _Assertion(msgspec.Struct):
    metric: str | None = None


class _Component(msgspec.Struct):
    reason: str | None = None
    assertion: _Assertion | None = None


class _Grading(msgspec.Struct):
    componentResults: list[_Component] | None = None  # noqa: N815


class _Tokens(msgspec.Struct):
    total: float | None = None


class _Case(msgspec.Struct):
    description: str | None = None


class _Result(msgspec.Struct, rename="camel"):
    provider: _Provider | str
    score: float
    success: bool
    prompt: _Prompt = msgspec.field(default_factory=_Prompt)
    prompt_idx: int = 0
    test_idx: int | None = None
    vars: dict[str, Any] = {}
    test_case: _Case = msgspec.field(default_factory=_Case)
    named_scores: dict[str, float | None] = {}
    response: _Response | None = None
    failure_reason: int = 0
    error: str | None = None
    grading_result: _Grading | None = None
    cost: float | None = None
    latency_ms: float | None = None
    token_usage: _Tokens | None = None
    metadata: dict[str, Any] | None = None


class _Totals(msgspec.Struct, rename="camel"):
    score: float | None = None
    test_pass_count: int = 0
    test_fail_count: int = 0
    test_error_count: int = 0
    named_scores: dict[str, float] = {}
    named_scores_count: dict[str, float] = {}


class _PromptTotals(msgspec.Struct):
    raw: str = ""
    metrics: _Totals | None = None


class _Results(msgspec.Struct):
    results: list[msgspec.Raw]
    prompts: list[_PromptTotals] = []


class _Config(msgspec.Struct):
    description: str | None = None


class _Versions(msgspec.Struct):
    promptfooVersion: str = ""  # noqa: N815


class _Document(msgspec.Struct):
    results: _Results
    config: _Config = msgspec.field(default_factory=_Config)
    metadata: _Versions = msgspec.field(default_factory=_Versions)


_DOCUMENT = msgspec.json.Decoder(_Document)
_RESULT = msgspec.json.Decoder(_Result)
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def recognizes(source: Source) -> bool:
    """Return True if a source has results of promptfoo."""
    if source.keys >= _LINE_KEYS:
        return True
    results = source.part("results")
    try:
        return results is not None and {"version", "results"} <= _KEYS.decode(results).keys()
    except msgspec.DecodeError:
        return False


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return one run for each pair of provider and prompt."""
    if source.keys >= _LINE_KEYS:
        document = _Document(_Results([]))
        lines: Iterable[tuple[str, Json]] = source.lines()
    else:
        document = decode(source.document(), _DOCUMENT, source.path, TESTED)
        lines = ((f"{source.path}, result {i}", raw) for i, raw in enumerate(document.results.results, 1))
    common = LogFacts(
        tool="promptfoo",
        file=source.path,
        version=document.metadata.promptfooVersion,
        task=document.config.description or "promptfoo",
    )
    TESTED.note(common)
    runs: dict[int, list[_Result]] = {}
    for result in readable_rows(lines, _RESULT, TESTED, common):
        runs.setdefault(result.prompt_idx, []).append(result)
    if source.is_truncated:
        common.status = "truncated"
    several = len({run[0].prompt.label for run in runs.values()}) > 1
    prompts = dict(enumerate(document.results.prompts))
    return [
        _log(run, common, several, prompts.get(index, _PromptTotals()), options)
        for index, run in sorted(runs.items())
    ]


def _log(
    run: list[_Result], common: LogFacts, several: bool, prompt: _PromptTotals, options: LogOptions
) -> Log:
    """Return the run of a provider and a prompt."""
    first = run[0]
    provider = first.provider
    system = provider if isinstance(provider, str) else provider.label or provider.id
    facts = msgspec.structs.replace(
        common,
        system=f"{system} {first.prompt.label}" if several else system,
        details={"prompt": prompt.raw} if prompt.raw else {},
        columns={},
        own_scores={},
        own_remarks={},
        notes=list(common.notes),
    )
    table = ScoreTable()
    rows = []
    for result in run:
        row = _row(result, facts.task, options)
        rows.append(row)
        if result.failure_reason != _FAILED:
            for name, value in {SCORE: result.score, PASS: result.success, **result.named_scores}.items():
                table.declare(ScoreColumn(name, low=0, high=1, kind="binary" if name == PASS else "number"))
                table.add(row, name, value)
    note_repetitions(facts, [result.test_idx for result in run if result.test_idx is not None])
    number_repeats(rows)
    table.finish(facts, rows, _reason)
    if prompt.metrics is not None and facts.status != "truncated":
        _add_own_scores(facts, prompt.metrics)
    return Log(facts, rows)


def _row(result: _Result, task: str, options: LogOptions) -> LogRow:
    """Return the row of a result, without scores."""
    fields = flat_fields({name: value for name, value in result.vars.items() if name != options.references})
    metadata = {name: value for name, value in (result.metadata or {}).items() if name not in _SKIPPED}
    fields = {**flat_fields(metadata), **fields}
    costs = {"cost": result.cost, "latency_ms": result.latency_ms}
    if result.token_usage is not None:
        costs["tokens"] = result.token_usage.total
    fields |= {name: value for name, value in costs.items() if value is not None}
    for component in (result.grading_result and result.grading_result.componentResults) or []:
        if component.assertion and component.assertion.metric and component.reason:
            fields[f"{component.assertion.metric}.explanation"] = component.reason
    if result.failure_reason == _FAILED:
        fields["error"] = result.error or ""
    return LogRow(
        item=digest_of(result.vars, result.test_case.description),
        task=task,
        source=result.prompt.raw,
        references=texts_of(result.vars.get(options.references)) if options.references else [],
        prediction=text_of(result.response.output) if result.response else None,
        fields=fields,
    )


def _reason(row: LogRow, name: str) -> Reason:
    return "error" if "error" in row.fields else "absent"


def _add_own_scores(facts: LogFacts, totals: _Totals) -> None:
    """Add the means of promptfoo's sums; promptfoo counts errors of the provider as 0."""
    count = totals.test_pass_count + totals.test_fail_count + totals.test_error_count
    sums = {SCORE: totals.score, PASS: totals.test_pass_count}
    for name, total in sums.items():
        if count and total is not None and name in facts.columns:
            facts.own_scores[name] = total / count
            if totals.test_error_count:
                facts.own_remarks[name] = (
                    f"it counts {counted(totals.test_error_count, 'error')} of the provider as 0"
                )
    for name, total in totals.named_scores.items():
        if name in facts.columns and totals.named_scores_count.get(name):
            facts.own_scores[name] = total / totals.named_scores_count[name]
