"""Reader of Inspect logs: `.eval` files (ZIP) and `.json` files, also of runs that did not end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nlgauge.errors import InputError
from nlgauge.io.logs.archives import Archive, opened_archive
from nlgauge.io.logs.columns import ScoreTable
from nlgauge.io.logs.decoding import Json, check_depth, decode, readable_rows
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    Reason,
    ScoreColumn,
    flat_fields,
    note_repetitions,
    text_of,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("inspect_ai", "0.3.285")
DEPTH = 2
_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"
# Inspect's conversion of letters and words to numbers.
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ACCURACIES = ("accuracy", "mean")
_MEAN_REDUCERS = (None, "mean")
# Fields of a sample that are skipped on purpose.
_SKIPPED = frozenset(
    "messages events events_data attachments store role_usage started_at completed_at working_time uuid error_retries"
    " turn_count message_count choices sandbox files setup invalidation limit timelines".split()
)


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    role: str = ""
    content: str | list[_Part] = ""


class _Output(msgspec.Struct):
    completion: str


class _Score(msgspec.Struct):
    value: Any = None
    answer: str | None = None
    explanation: str | None = None


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class _Error(msgspec.Struct):
    message: str = ""


class _Sample(msgspec.Struct):
    id: str | int
    input: str | list[_Message]
    epoch: int = 1
    target: Any = None
    output: _Output | None = None
    scores: dict[str, _Score] | None = None
    metadata: dict[str, Any] | None = None
    error: _Error | None = None
    model_usage: dict[str, _Usage] | None = None
    total_time: float | None = None


class _Run(msgspec.Struct):
    task: str
    model: str
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    task_args: dict[str, Any] | None = None
    model_args: dict[str, Any] | None = None
    model_generate_config: dict[str, Any] | None = None
    packages: dict[str, str] = {}


class _Value(msgspec.Struct):
    value: float | None = None


class _Total(msgspec.Struct):
    name: str
    scorer: str = ""
    reducer: str | None = None
    metrics: dict[str, _Value] = {}


class _Results(msgspec.Struct):
    scores: list[_Total] = []


class _Header(msgspec.Struct):
    eval: _Run
    status: str = "started"
    results: _Results | None = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None


_HEADERS = msgspec.json.Decoder(_Header)
_SAMPLE = msgspec.json.Decoder(_Sample)
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAWS = msgspec.json.Decoder(list[msgspec.Raw])


def recognizes(source: Source) -> bool:
    """Return True if a source is an Inspect log."""
    if source.kind == "archive":
        with opened_archive(source.path) as archive:
            return _HEADER in archive.members or any(
                name.startswith(("_journal/", _SAMPLES)) for name in archive.members
            )
    return {"eval", "samples"} <= source.keys


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return the run of an Inspect log."""
    if source.kind == "archive":
        with opened_archive(source.path) as archive:
            return [_read_archive(archive, source)]
    header = decode(source.document(), _HEADERS, source.path, TESTED)
    samples = decode(source.part("samples") or b"[]", _RAWS, source.path, TESTED)
    places = ((f"{source.path}, sample {i}", sample) for i, sample in enumerate(samples, 1))
    return [_log(source, header, places, source.is_truncated)]


def _read_archive(archive: Archive, source: Source) -> Log:
    """Return the run of an archive; without a header it has the facts of the start of the run."""
    name = next((name for name in (_HEADER, _START) if name in archive.members), None)
    if name is None:
        raise InputError(
            f"{source.path} has neither {_HEADER} nor {_START}; it has no description of the run."
        )
    header = decode(_json(archive, name), _HEADERS, f"{source.path}, {name}", TESTED)
    samples = [
        member for member in archive.members if member.startswith(_SAMPLES) and member.endswith(".json")
    ]
    places = ((f"{source.path}, {member}", _json(archive, member)) for member in samples)
    return _log(source, header, places, not archive.is_complete)


def _json(archive: Archive, name: str) -> bytes:
    """Return the JSON of a member, with limited nesting."""
    data = archive.read(name)
    check_depth(data, name)
    return data


def _log(source: Source, header: _Header, samples: Iterable[tuple[str, Json]], is_truncated: bool) -> Log:
    """Return the log of a header and samples."""
    run = header.eval
    facts = LogFacts(
        tool="inspect",
        file=source.path,
        version=run.packages.get("inspect_ai", ""),
        system=run.model,
        task=run.task,
        status="truncated" if is_truncated else header.status,
        details=_details(header),
    )
    table = ScoreTable()
    has_letters: set[str] = set()
    rows = []
    for sample in readable_rows(_noted(samples, facts), _SAMPLE, TESTED, facts):
        row = _row(sample, run.task)
        rows.append(row)
        for name, value in _values(sample):
            table.add(row, name, _number(value))
            if isinstance(value, str) and value in LETTERS:
                has_letters.add(name)
    for name in has_letters:
        table.declare(ScoreColumn(name, low=0, high=1))
    note_repetitions(facts, [(row.item, row.repeat) for row in rows])
    table.finish(facts, rows, _reason)
    if not is_truncated:
        _add_own_scores(facts, header.results)
    if has_letters:
        facts.notes.append("The letters C, P, I and N are read as 1, 0.5, 0 and 0, as in Inspect.")
    return Log(facts, rows)


def _noted(samples: Iterable[tuple[str, Json]], facts: LogFacts) -> Iterator[tuple[str, Json]]:
    """Yield the samples; the first sample of a newer version shows which fields are unknown."""
    known = {*_Sample.__struct_fields__, *_SKIPPED}
    for i, (place, data) in enumerate(samples):
        if i == 0 and TESTED.is_older_than(facts.version):
            TESTED.note(facts, decode(data, _KEYS, place, TESTED), known)
        yield place, data


def _details(header: _Header) -> dict[str, str]:
    """Return the facts that distinguish runs of the same model."""
    run = header.eval
    metadata = {**(header.metadata or {}), **(run.metadata or {})}
    groups = (metadata, run.task_args, run.model_args, run.model_generate_config)
    details = {
        name: text_of(value) or "" for group in groups if group for name, value in flat_fields(group).items()
    }
    tags = run.tags or header.tags
    return {**details, "tags": ",".join(tags)} if tags else details


def _row(sample: _Sample, task: str) -> LogRow:
    """Return the row of a sample, without scores."""
    completion = sample.output.completion if sample.output else None
    fields = flat_fields(sample.metadata or {})
    for name, score in (sample.scores or {}).items():
        if score.answer is not None:
            fields[f"{name}.answer"] = score.answer
        if score.explanation is not None:
            fields[f"{name}.explanation"] = score.explanation
    if sample.model_usage:
        fields["input_tokens"] = sum(usage.input_tokens for usage in sample.model_usage.values())
        fields["output_tokens"] = sum(usage.output_tokens for usage in sample.model_usage.values())
    if sample.total_time is not None:
        fields["seconds"] = sample.total_time
    if sample.error is not None:
        fields["error"] = sample.error.message
    return LogRow(
        item=str(sample.id),
        repeat=sample.epoch,
        task=task,
        source=_source(sample.input),
        references=texts_of(sample.target),
        prediction=completion or None if sample.error else completion,
        fields=fields,
    )


def _source(messages: str | list[_Message]) -> str:
    """Return the text of the input: the text itself, or the messages of the user."""
    if isinstance(messages, str):
        return messages
    return "\n".join(
        message.content
        if isinstance(message.content, str)
        else "\n".join(part.text for part in message.content)
        for message in messages
        if message.role == "user"
    )


def _values(sample: _Sample) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each score; the values of objects and lists are separate scores."""
    for name, score in (sample.scores or {}).items():
        if isinstance(score.value, dict):
            yield from ((f"{name}.{key}", value) for key, value in score.value.items())
        elif isinstance(score.value, list):
            yield from ((f"{name}.{i}", value) for i, value in enumerate(score.value))
        else:
            yield name, score.value


def _number(value: Any) -> Any:
    """Return the number of a letter or word by Inspect's conversion; other values do not change."""
    if not isinstance(value, str):
        return None if isinstance(value, dict | list) else value
    return LETTERS.get(value, _WORDS.get(value.lower(), value))


def _reason(row: LogRow, name: str) -> Reason:
    """Return the reason why a sample has no score."""
    return "error" if "error" in row.fields else "unreadable"


def _add_own_scores(facts: LogFacts, results: _Results | None) -> None:
    """Add the accuracy or mean of each score; a mean over epochs takes precedence over other reducers."""
    totals = results.scores if results else []
    for total in sorted(totals, key=lambda total: total.reducer not in _MEAN_REDUCERS):
        inner = f"{total.scorer}.{total.name}"
        name = inner if inner in facts.columns else total.name
        metric = next((metric for metric in _ACCURACIES if metric in total.metrics), None)
        value = total.metrics[metric].value if metric else None
        if name not in facts.columns or name in facts.own_scores or value is None:
            continue
        facts.own_scores[name] = value
        if total.reducer not in _MEAN_REDUCERS:
            facts.own_remarks[name] = f"its reducer is {total.reducer!r}"
