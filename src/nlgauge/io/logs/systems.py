"""Names of systems, tasks, and repeats of several logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nlgauge._core.numbers import listed
from nlgauge.errors import InputError
from nlgauge.io.files import Address
from nlgauge.io.logs.rows import Log

# Tools whose logs have the whole prompt, which may differ between systems, and not only the input of the segment.
_PROMPTED = ("promptfoo", "lm_eval")
# Longest value of a fact in the name of a system.
_LONGEST = 40


def tasks_of(logs: Iterable[Log], *, repeats: bool = False) -> dict[str, list[Log]]:
    """Group logs by task, and give each system a distinct name.

    Systems are named after their models. If runs of the same model differ in facts such as the version of the prompt,
    the first fact that distinguishes them is added, or all that differ. The names are written into facts and rows.

    Parameters
    ----------
    logs : iterable of Log
        Logs.
    repeats : bool, default False
        True if several logs of one system with the same segments are repeats.

    Returns
    -------
    dict
        Logs by task.

    Raises
    ------
    InputError
        If two logs of one system have the same segments, or if logs have different segments with the same identifier.
    """
    read = list(logs)
    tools: dict[str, set[str]] = {}
    for log in read:
        tools.setdefault(log.facts.task, set()).add(log.facts.tool)
    tasks: dict[str, list[Log]] = {}
    for log in read:
        # Tools identify segments in different ways, so a task that two tools have is two tasks.
        name = log.facts.task if len(tools[log.facts.task]) == 1 else f"{log.facts.task} ({log.facts.tool})"
        tasks.setdefault(name, []).append(log)
    for task in tasks.values():
        _name_systems(task)
        _check_segments(task)
        _separate_prompts(task)
        _number_repeats(task, repeats)
    return tasks


def _name_systems(logs: Sequence[Log]) -> None:
    """Add distinguishing facts to the names of runs of the same model."""
    runs: dict[str, list[Log]] = {}
    for log in logs:
        if not log.facts.renamed:
            runs.setdefault(log.facts.system, []).append(log)
    for same in runs.values():
        for log, suffix in zip(same, _suffixes(same), strict=True):
            if suffix:
                log.facts.system = f"{log.facts.system} {suffix}"
    for log in logs:
        for row in log.rows:
            row.system = log.facts.system


def _suffixes(logs: Sequence[Log]) -> list[str]:
    """Return the text that distinguishes each run from other runs of the same model; "" if facts are equal."""
    names = list(dict.fromkeys(name for log in logs for name in log.facts.details))
    differing = [name for name in names if len({log.facts.details.get(name, "") for log in logs}) > 1]
    values = [{name: log.facts.details.get(name, "") for name in differing} for log in logs]
    if any(len(value) > _LONGEST or "\n" in value for row in values for value in row.values()):
        return [f"({Address(log.facts.file).stem})" for log in logs]
    distinct = len({tuple(row.values()) for row in values})
    enough = next((name for name in differing if len({row[name] for row in values}) == distinct), None)
    chosen = differing if enough is None else [enough]
    return [" ".join(f"{name}={row[name]}" for name in chosen if row[name]) for row in values]


def _check_segments(logs: Sequence[Log]) -> None:
    """Raise InputError if segments with the same identifier have different hashes in two logs."""
    first: dict[str, tuple[str, Log]] = {}
    for log in logs:
        for row in log.rows:
            if not row.digest:
                continue
            digest, other = first.setdefault(row.item, (row.digest, log))
            if digest != row.digest:
                raise InputError(
                    f"segment {row.item!r:.60} has different contents in {other.facts.file} and {log.facts.file};"
                    " these are not the same segments."
                )


def _separate_prompts(logs: Sequence[Log]) -> None:
    """Move prompts from the sources to the fields if they differ between rows of the same segment."""
    sources: dict[str, str | None] = {}
    prompted = [log for log in logs if log.facts.tool in _PROMPTED]
    if all(sources.setdefault(row.item, row.source) == row.source for log in prompted for row in log.rows):
        return
    for log in prompted:
        log.facts.notes.append("The prompts of a segment differ, so they are fields of the predictions.")
        for row in log.rows:
            row.fields, row.source = {**row.fields, "prompt": row.source}, None


def _number_repeats(logs: Sequence[Log], repeats: bool) -> None:
    """Set the numbers of repeats of segments that several logs of one system have."""
    by_system: dict[str, list[Log]] = {}
    for log in logs:
        by_system.setdefault(log.facts.system, []).append(log)
    for system, runs in by_system.items():
        last: dict[str, int] = {}
        for log in runs:
            items = {row.item for row in log.rows}
            common = items & last.keys()
            if common and not repeats:
                files = listed([run.facts.file for run in runs])
                raise InputError(
                    f"{files} have the same segments of the system {system!r}",
                    python='name their systems with "NAME=FILE", or pass repeats=True if they are repeats of one system',
                    cli="name their systems with NAME=FILE, or use --repeats if they are repeats of one system",
                )
            shift = max((last[item] for item in common), default=0)
            for row in log.rows:
                row.repeat += shift
                last[row.item] = max(last.get(row.item, 0), row.repeat)
