"""Results from logs of evaluation harnesses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge._core.defaults import SEED
from nlgauge._core.numbers import counted
from nlgauge.corpus.records import ABSENT, Records
from nlgauge.errors import InputError, no_such
from nlgauge.io.logs import Log, LogRow, own_score_differences, read_logs, tasks_of
from nlgauge.io.logs.readers import READERS
from nlgauge.metric.imported import RESERVED
from nlgauge.results.imported.answers import AnswerFields, Answers
from nlgauge.results.imported.building import from_answers, with_files
from nlgauge.results.imported.columns import ScoreSpec, score_specs
from nlgauge.results.result import Result

_TEXTS = ("prediction", "references", "source")
_IDENTIFIERS = ("id", "system", "epoch")


class ImportedTask(NamedTuple):
    """The result of one task, its logs in one line, and sentences about them that a reader must know."""

    result: Result
    heading: str
    notes: tuple[str, ...]


def read_log(
    paths: str | Path | Iterable[str | Path],
    tool: str | None = None,
    *,
    scores: Any = None,
    repeats: bool = False,
    references: str | None = None,
    passes: bool = False,
    lang: str | None = None,
    seed: int = SEED,
) -> Result | dict[str, Result]:
    """Read logs of evaluation harnesses as results.

    Parameters
    ----------
    paths : str, Path or iterable of these
        Files, directories of HELM runs, or patterns such as `logs/*.eval`. "NAME=FILE" names the system of a file.
    tool : str, optional
        Tool that wrote the logs, such as "inspect". Default: the tool that the content of each file shows.
    scores : str, sequence of str or mapping, optional
        Scores to read, as in `from_scores`. Default: all scores of the logs, except categories, whose order is unknown.
    repeats : bool, default False
        Several logs of one system with the same segments are repeats.
    references : str, optional
        Variable of promptfoo that contains the reference.
    passes : bool, default False
        Also read whether deepeval's metrics passed their thresholds.
    lang : str, optional
        ISO language code, used for metrics that are added later.
    seed : int, default 12345
        Seed of the resamples.

    Returns
    -------
    Result or dict of str to Result
        The result; a dictionary by task if the logs have several tasks.

    Raises
    ------
    InputError
        If a file is not a log of a known tool or is damaged, or two logs of one system have the same segments.
    """
    tasks = imported_tasks(
        paths,
        tool,
        scores=scores,
        repeats=repeats,
        references=references,
        passes=passes,
        lang=lang,
        seed=seed,
    )
    results = {name: task.result for name, task in tasks.items()}
    return next(iter(results.values())) if len(results) == 1 else results


def imported_tasks(
    paths: str | Path | Iterable[str | Path],
    tool: str | None = None,
    *,
    scores: Any = None,
    repeats: bool = False,
    references: str | None = None,
    passes: bool = False,
    lang: str | None = None,
    seed: int = SEED,
) -> dict[str, ImportedTask]:
    """Return the result and the notes of each task."""
    specs = [] if scores is None else score_specs(scores)
    logs = read_logs(paths, tool, scores=[spec.name for spec in specs], references=references, passes=passes)
    return {
        task: _imported(of_task, specs, lang, seed)
        for task, of_task in tasks_of(logs, repeats=repeats).items()
    }


def _imported(logs: Sequence[Log], chosen: Sequence[ScoreSpec], lang: str | None, seed: int) -> ImportedTask:
    facts = logs[0].facts
    for log in logs:
        _rename_scores(log)
    rows = [row for log in logs for row in log.rows]
    specs, notes = _specs(logs, chosen)
    if not specs or not rows:
        raise InputError(" ".join([f"{facts.file} has no scores of segments.", *notes]))
    names = [spec.name for spec in specs]
    records = _records(rows, names)
    answers = Answers.of(records, AnswerFields(*_IDENTIFIERS), names)
    reasons = {
        name: {i: row.missing[name] for i, row in enumerate(rows) if name in row.missing} for name in names
    }
    origin = " ".join(filter(None, (facts.tool, facts.version)))
    result = from_answers(
        answers, specs, reasons=reasons, origin=origin, lang=lang, seed=seed, ignore_inputs=True
    )
    result = with_files(result, (log.facts.file for log in logs))
    several = len(result.systems) > 1
    said = (
        sentence
        for log in logs
        for sentence in (
            *log.facts.notes,
            *(f"{log.facts.system}, {each}" if several else each for each in own_score_differences(log)),
        )
    )
    return ImportedTask(result, _heading(logs, result), (*notes, *dict.fromkeys(said)))


def _heading(logs: Sequence[Log], result: Result) -> str:
    """Return tool, version and task, and the numbers of systems, segments, answers and errors."""
    facts = logs[0].facts
    rows = [row for log in logs for row in log.rows]
    errors = sum("error" in row.missing.values() for row in rows)
    counts = [
        counted(len(result.systems), "system"),
        counted(len(result.corpus), "segment"),
        counted(len(rows), "answer"),
        counted(errors, "error"),
    ]
    tool = " ".join(filter(None, (READERS[facts.tool].title, facts.version)))
    return f"{tool}, task {facts.task}: {', '.join(counts)}"


def _rename_scores(log: Log) -> None:
    """Add the name of the tool to scores whose names are needed for other columns or counts."""
    taken = {"", *_IDENTIFIERS, *_TEXTS, *RESERVED}
    facts = log.facts
    for name in [name for name in facts.columns if name.strip() in taken]:
        new = f"{facts.tool}.{name.strip() or 'score'}"
        by_name: list[dict[str, Any]] = [facts.columns, facts.own_scores, facts.own_remarks]
        by_name += [named for row in log.rows for named in (row.scores, row.missing)]
        for named in by_name:
            if name in named:
                named[new] = named.pop(name)


def _specs(logs: Sequence[Log], chosen: Sequence[ScoreSpec]) -> tuple[list[ScoreSpec], list[str]]:
    """Return the scores to import, and sentences about categories that are not imported."""
    columns = {name: column for log in logs for name, column in log.facts.columns.items()}
    for spec in chosen:
        if spec.name not in columns:
            raise InputError(no_such("score", spec.name, columns, f" in {logs[0].facts.file}"))
    wanted = {spec.name: spec for spec in chosen}
    specs, notes = [], []
    for name, column in columns.items():
        spec = wanted.get(name, ScoreSpec(name))
        if wanted and name not in wanted:
            continue
        if column.kind == "levels" and not spec.levels:
            notes.append(
                f"{name} has categories ({', '.join(column.levels)}) of unknown order, and is not imported;"
                f" to import it, name the score with its levels: {name}:{'/'.join(column.levels)}, the worst first."
            )
            continue
        bounded = math.isfinite(spec.low) or math.isfinite(spec.high)
        low, high = (spec.low, spec.high) if bounded else (column.low, column.high)
        specs.append(replace(spec, better=spec.better or column.better, low=low, high=high))
    return specs, notes


def _records(rows: Sequence[LogRow], names: Sequence[str]) -> Records:
    """Return the rows of logs as records; a field that has the name of a score gets a prefix."""
    fields = dict.fromkeys(name for row in rows for name in row.fields)
    identifiers = ([row.item for row in rows], [row.system for row in rows], [row.repeat for row in rows])
    columns: dict[str, list[Any]] = {
        **dict(zip(_IDENTIFIERS, identifiers, strict=True)),
        **{role: [getattr(row, role) or _nothing(role) for row in rows] for role in _TEXTS},
    }
    columns["prediction"] = [ABSENT if row.prediction is None else row.prediction for row in rows]
    if not any(row.references for row in rows):
        del columns["references"]
    if all(row.source is None for row in rows):
        del columns["source"]
    taken = {*columns, *names}
    for name in fields:
        columns[f"log.{name}" if name in taken else name] = [row.fields.get(name, ABSENT) for row in rows]
    for name in names:
        columns[name] = [row.scores.get(name) for row in rows]
    return Records(columns, len(rows), _place(rows))


def _nothing(role: str) -> Any:
    return [] if role == "references" else ABSENT


def _place(rows: Sequence[LogRow]) -> Any:
    return lambda i: f"segment {rows[i].item!r} of {rows[i].system}"
