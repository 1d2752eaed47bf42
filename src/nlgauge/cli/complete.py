"""Completion of words in a shell: metrics, results, and the systems and metrics of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from nlgauge.results.result import Result

# The words of a command line that is being completed.
WORDS = "nlgauge.words"


def complete_metrics(context: click.Context, _: click.Parameter, start: str) -> list[str]:
    """Return the names of metrics."""
    from nlgauge.metric.registry import metric_classes

    return _starting(start, metric_classes())


def complete_files(
    context: click.Context, parameter: click.Parameter, start: str
) -> list[CompletionItem | str]:
    """Return metrics after -m, which takes several; else let the shell complete files."""
    from click.shell_completion import CompletionItem

    options = [word for word in context.meta.get(WORDS, ()) if word.startswith("-")]
    if options and options[-1] in ("-m", "--metric", "--metrics"):
        metrics = complete_metrics(context, parameter, start)
        if metrics:
            return list(metrics)
    return [CompletionItem(start, type="file")]


def complete_results(_: click.Context, __: click.Parameter, start: str) -> list[CompletionItem | str]:
    """Return saved results; if no directory is a result, let the shell complete directories."""
    from click.shell_completion import CompletionItem

    from nlgauge.results.storage.layout import is_result

    home, slash, _name = start.rpartition("/")
    folder = Path(home or slash or ".")
    names = (
        (path.name for path in folder.iterdir() if path.is_dir() and is_result(path))
        if folder.is_dir()
        else ()
    )
    results = _starting(start, (f"{home}{slash}{name}" for name in names))
    return list(results) or [CompletionItem(start, type="dir")]


def complete_systems(context: click.Context, _: click.Parameter, start: str) -> list[str]:
    """Return the systems of the result that the command reads."""
    return _starting(start, _of_result(context, lambda result: result.systems))


def complete_labels(context: click.Context, _: click.Parameter, start: str) -> list[str]:
    """Return the metrics of the result that the command reads."""
    return _starting(start, _of_result(context, lambda result: result.labels))


def _of_result(context: click.Context, names: Callable[[Result], Iterable[str]]) -> Iterable[str]:
    from nlgauge.errors import NlgaugeError
    from nlgauge.results.storage.load import load

    # Without the value of the last option, click leaves the arguments unparsed.
    directory = context.params.get("directory") or next(iter(context.args), None)
    try:
        return () if directory is None else names(load(directory))
    except (NlgaugeError, OSError):
        return ()


def _starting(start: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(start))
