"""The table of readers, and the function that reads logs of any tool."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.io.logs import deepeval, every_eval_ever, helm, inspect_ai, lm_eval, mlflow, promptfoo, ragas
from nlgauge.io.logs.rows import Log, LogOptions
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested


class Reader(NamedTuple):
    """Reader of the logs of one tool.

    `depth` is the number of arrays and objects around a record, for documents that were cut off.
    """

    title: str
    tested: Tested
    recognizes: Callable[[Source], bool]
    read: Callable[[Source, LogOptions], list[Log]]
    depth: int


READERS = {
    name: Reader(title, module.TESTED, module.recognizes, module.read, module.DEPTH)
    for name, title, module in (
        ("inspect", "Inspect", inspect_ai),
        ("lm_eval", "lm-evaluation-harness", lm_eval),
        ("promptfoo", "promptfoo", promptfoo),
        ("deepeval", "deepeval", deepeval),
        ("ragas", "ragas", ragas),
        ("mlflow", "MLflow", mlflow),
        ("helm", "HELM", helm),
        ("every_eval_ever", "Every Eval Ever", every_eval_ever),
    )
}


def read_logs(
    paths: str | Path | Iterable[str | Path],
    tool: str | None = None,
    *,
    scores: Iterable[str] = (),
    references: str | None = None,
    passes: bool = False,
) -> list[Log]:
    """Read logs of evaluation harnesses.

    Parameters
    ----------
    paths : str, Path or iterable of these
        Files, directories of HELM runs, or patterns such as `logs/*.eval`. "NAME=FILE" names the system of a file.
    tool : str, optional
        Tool that wrote the logs, a key of `READERS`. Default: the tool that the content of each file shows.
    scores : iterable of str
        Names of scores to read in addition to the default scores of a tool.
    references : str, optional
        Variable of promptfoo that contains the reference.
    passes : bool, default False
        True to read whether deepeval's metrics passed their thresholds.

    Returns
    -------
    list of Log
        One log for each system and task of a file, in the order of the files.

    Raises
    ------
    InputError
        If a file is not a log of a known tool, or is damaged.
    """
    if tool is not None and tool not in READERS:
        raise ParameterError(no_such("tool", tool, READERS))
    options = LogOptions(scores=tuple(scores), references=references, passes=passes)
    words = [paths] if isinstance(paths, str | Path) else list(paths)
    logs: list[Log] = []
    for word in words:
        name, files = _files_of(str(word))
        for file in files:
            read = _read(Source(file), tool, options)
            _rename(read, name, file)
            logs += read
    return _without_repeated_files(logs)


def are_logs(paths: Iterable[str | Path]) -> bool:
    """Return True if all files are logs of known tools."""
    sources = [Source(file) for word in paths for file in _files_of(str(word))[1]]
    return all(
        any(reader.recognizes(source.up_to_last_record(reader.depth)) for reader in READERS.values())
        for source in sources
    )


def _files_of(word: str) -> tuple[str | None, list[str]]:
    """Return the name of the system, if the word is NAME=FILE, and the files; existing files take precedence."""
    if Path(word).exists():
        return None, [word]
    name, equals, rest = word.partition("=")
    if not equals or not name or "/" in name:
        return None, _matches(word)
    return name, _matches(rest)


def _matches(pattern: str) -> list[str]:
    """Return the files of a pattern, or the pattern itself if it has no wildcards."""
    if Path(pattern).exists() or glob.escape(pattern) == pattern:
        return [pattern]
    files = sorted(glob.glob(pattern))  # noqa: PTH207
    if not files:
        raise InputError(f"no file matches {pattern}.")
    return files


def _read(source: Source, tool: str | None, options: LogOptions) -> list[Log]:
    """Return the logs of a source, with a note if its file is incomplete."""
    for name, reader in READERS.items():
        if tool not in (None, name):
            continue
        part = source.up_to_last_record(reader.depth)
        if tool is not None or reader.recognizes(part):
            logs = reader.read(part, options)
            _add_notes(logs)
            return logs
    names = ", ".join(READERS)
    if source.kind == "directory":
        raise InputError(f"{source.path} is a directory and not a run of HELM; name the files in it.")
    if source.is_truncated:
        raise InputError(
            f"{source.path} is incomplete and has no complete record; copy or download it again."
        )
    raise InputError(
        f"{source.path} is not a log of a known tool",
        python=f"pass tool with one of {names}, or read a table of scores with nlgauge.from_scores",
        cli=f"name the tool with --from ({names}), or read columns of a table with nlgauge import --scores NAME",
    )


def _rows_read(log: Log, row: str) -> str:
    return f"its {counted(len(log.rows), row, spec=',')} {'is' if len(log.rows) == 1 else 'are'} read"


def _add_notes(logs: list[Log]) -> None:
    """Add notes about runs that did not end and logs that have no scores."""
    for log in logs:
        facts = log.facts
        if facts.status == "truncated":
            facts.notes.append(f"{facts.file} is incomplete; {_rows_read(log, 'complete row')}.")
        elif facts.status != "success":
            facts.notes.append(
                f"{facts.file} is a run with the status {facts.status!r}; {_rows_read(log, 'row')}."
            )
        if not facts.columns:
            facts.notes.append(f"{facts.file} has no scores.")


def _rename(logs: list[Log], name: str | None, file: str) -> None:
    """Give the systems of a file the name that the user chose."""
    for log in logs:
        if name is not None:
            several = len({other.facts.system for other in logs}) > 1
            log.facts.system = f"{name} {log.facts.system}" if several else name
            log.facts.renamed = True
        for row in log.rows:
            row.system = log.facts.system


def _without_repeated_files(logs: list[Log]) -> list[Log]:
    """Return the logs without copies of a run: results of lm-evaluation-harness also name files of samples."""
    unique: dict[tuple[str, str, str], Log] = {}
    for log in logs:
        path = str(Path(log.facts.file).absolute())
        unique.setdefault((path, log.facts.system, log.facts.task), log)
    return list(unique.values())
