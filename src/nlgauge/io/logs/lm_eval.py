"""Reader of samples of the lm-evaluation-harness: `samples_TASK_TIME.jsonl` next to `results_TIME.json`."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError
from nlgauge.io.logs.columns import ScoreTable, blank_or
from nlgauge.io.logs.decoding import Json, decoded_file, readable_rows
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    ScoreColumn,
    flat_fields,
    note_repetitions,
    text_of,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("lm_eval", "0.4.13")
DEPTH = 2
_NO_FILTER = "none"
_NAME = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl(\.\w+)?")
_UNIT_SCORES = re.compile(r"acc(_.*)?|exact_match|em")


class _Line(msgspec.Struct):
    doc_id: int | str
    resps: list[Any]
    doc: Any = None
    target: Any = None
    arguments: Any = None
    filtered_resps: Any = None
    filter: str = _NO_FILTER
    metrics: list[str] | None = None
    doc_hash: str = ""
    prompt_hash: str = ""
    target_hash: str = ""


class _Metric(msgspec.Struct):
    metric: Any = None
    aggregation: Any = None


class _Config(msgspec.Struct):
    metric_list: list[_Metric] | None = None


class _Settings(msgspec.Struct):
    model: str = ""
    model_args: Any = None
    gen_kwargs: Any = None


class _Results(msgspec.Struct):
    results: dict[str, dict[str, Any]] = {}
    configs: dict[str, _Config] = {}
    higher_is_better: dict[str, dict[str, bool | None]] = {}
    config: _Settings = msgspec.field(default_factory=_Settings)
    model_name: str | None = None
    lm_eval_version: str = ""
    system_instruction: str | None = None


class _LineDecoder:
    """Decoder of the fields of a line, and of all its values, because the scores have the names of metrics."""

    _values = msgspec.json.Decoder(dict[str, Any])

    def decode(self, data: Json) -> tuple[_Line, dict[str, Any]]:
        """Return the line and its values by key."""
        values = self._values.decode(data)
        return msgspec.convert(values, _Line), values


_RESULTS = msgspec.json.Decoder(_Results)


def recognizes(source: Source) -> bool:
    """Return True if a source has samples or results of the lm-evaluation-harness."""
    return {"doc_id", "resps"} <= source.keys or _is_results(source)


def _is_results(source: Source) -> bool:
    return source.kind == "object" and {"results", "configs", "n-shot"} <= source.keys


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return the runs of a file of samples, or of all files of samples that belong to a file of results."""
    if not _is_results(source):
        return [_read_samples(source)]
    time = source.stem.removeprefix("results_")
    files = sorted(Path(source.path).parent.glob(f"samples_*_{time}.jsonl*"))
    if not files:
        raise InputError(
            f"{source.path} has no files of samples in its directory; run lm_eval with its option log_samples, and do not"
            " move its files."
        )
    return [_read_samples(Source(str(file))) for file in files]


def _read_samples(source: Source) -> Log:
    """Return the run of a file of samples."""
    match = _NAME.fullmatch(source.name)
    task = match[1] if match else source.stem
    results = _results_beside(source, match[2]) if match else None
    facts = LogFacts(
        tool="lm_eval", file=source.path, task=task, system=Path(source.path).absolute().parent.name
    )
    if results is None:
        facts.notes.append(
            f"{source.path} has no results_TIME.json next to it, so the model is named after the directory, and higher"
            " scores are better."
        )
    else:
        facts.version = results.lm_eval_version
        facts.system = results.model_name or results.config.model or facts.system
        facts.details = _details(results)
    TESTED.note(facts)
    rows, table, corpus_metrics = _rows(source, facts)
    for name in table.names:
        table.declare(_declared(name, task, results))
    table.finish(facts, rows, blank_or("absent"))
    _add_notes(facts, corpus_metrics, source)
    if results is not None and source.is_truncated is False:
        _add_own_scores(facts, results)
    return Log(facts, rows)


def _results_beside(source: Source, time: str) -> _Results | None:
    """Return the results of the same run, if their file is in the same directory."""
    return decoded_file(Path(source.path).with_name(f"results_{time}.json"), _RESULTS, TESTED)


def _details(results: _Results) -> dict[str, str]:
    arguments = results.config.model_args
    details = {"system_instruction": results.system_instruction} if results.system_instruction else {}
    if isinstance(arguments, str):
        arguments = dict(pair.partition("=")[::2] for pair in arguments.split(",") if pair)
    for group in (arguments, results.config.gen_kwargs):
        if isinstance(group, dict):
            details |= {name: text_of(value) or "" for name, value in flat_fields(group).items()}
    return details


def _rows(source: Source, facts: LogFacts) -> tuple[list[LogRow], ScoreTable, list[str]]:
    """Return one row per document, its scores by filter, and the names of corpus metrics."""
    rows: dict[tuple[str, int], LogRow] = {}
    keys: Counter[tuple[str, str]] = Counter()
    table = ScoreTable()
    corpus_metrics: dict[str, None] = {}
    most_answers = 1
    for line, values in readable_rows(source.lines(), _LineDecoder(), TESTED, facts):
        item = str(line.doc_id)
        # A document has one line per filter; a second line of a filter is another answer.
        keys[item, line.filter] += 1
        repeat = keys[item, line.filter]
        row = rows.get((item, repeat))
        if row is None:
            row = rows[item, repeat] = _row(line, item, facts.task)
            row.repeat = repeat
        names = values.keys() - set(_Line.__struct_fields__) if line.metrics is None else line.metrics
        for name in names:
            value = values.get(name)
            if isinstance(value, list | str | dict):
                corpus_metrics[name] = None
            else:
                table.add(row, name if line.filter == _NO_FILTER else f"{name}.{line.filter}", value)
        if line.resps and isinstance(line.resps[0], list):
            most_answers = max(most_answers, len(line.resps[0]))
    note_repetitions(facts, list(keys.elements()))
    if most_answers > 1:
        facts.notes.append(
            f"{facts.file} has up to {counted(most_answers, 'answer')} per segment, with one score per filter for all"
            " of them."
        )
    return list(rows.values()), table, list(corpus_metrics)


def _row(line: _Line, item: str, task: str) -> LogRow:
    """Return the row of a document, without scores."""
    filtered = line.filtered_resps
    prediction = filtered[0] if isinstance(filtered, list) and filtered else filtered
    scalars = (
        {name: value for name, value in line.doc.items() if isinstance(value, str | int | float)}
        if isinstance(line.doc, dict)
        else {}
    )
    return LogRow(
        item=item,
        task=task,
        source=_prompt(line.arguments),
        references=texts_of(line.target),
        prediction=prediction if isinstance(prediction, str) else None,
        fields=flat_fields(scalars, "doc."),
        digest=line.doc_hash,
    )


def _prompt(arguments: Any) -> str | None:
    """Return the prompt of the first request; older versions write requests as lists."""
    if isinstance(arguments, dict):
        arguments = arguments.get("gen_args_0")
        prompt = arguments.get("arg_0") if isinstance(arguments, dict) else None
    else:
        first = arguments[0] if isinstance(arguments, list) and arguments else None
        prompt = first[0] if isinstance(first, list) and first else None
    return prompt if isinstance(prompt, str) else None


def _declared(name: str, task: str, results: _Results | None) -> ScoreColumn:
    """Return the description of a score, with the direction of its metric."""
    metric = name.partition(".")[0]
    higher = results.higher_is_better.get(task, {}).get(metric) if results else None
    better: Any = "lower" if higher is False else "higher"
    return ScoreColumn(name, better, 0, 1) if _UNIT_SCORES.fullmatch(metric) else ScoreColumn(name, better)


def _add_notes(facts: LogFacts, corpus_metrics: list[str], source: Source) -> None:
    if source.is_truncated:
        facts.status = "truncated"
    for name in corpus_metrics:
        facts.notes.append(
            f"{name} is a corpus metric in lm-evaluation-harness and has no scores of segments, so it is not read;"
            " nlgauge add RESULT -m METRIC computes metrics of the texts."
        )


def _add_own_scores(facts: LogFacts, results: _Results) -> None:
    """Add the scores of the task that the harness printed."""
    totals = results.results.get(facts.task, {})
    config = results.configs.get(facts.task, _Config())
    aggregations = {
        each.metric: each.aggregation for each in config.metric_list or [] if isinstance(each.metric, str)
    }
    for name in facts.columns:
        metric, _, chosen = name.partition(".")
        value = totals.get(f"{metric},{chosen or _NO_FILTER}")
        if not isinstance(value, int | float):
            continue
        facts.own_scores[name] = float(value)
        if aggregations.get(metric) not in (None, "mean"):
            facts.own_remarks[name] = f"its aggregation is {aggregations[metric]!r:.40}"
