"""nlgauge mbr: choose among candidates."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_metrics
from nlgauge.cli.options import Encoding
from nlgauge.cli.output import emit
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, RUNNING, argument, option
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.candidates.choice import Consensus
    from nlgauge.io.reader import Reader


class _Task(NamedTuple):
    """The candidates of each input, and whatever else a file of records has; None if it has none."""

    candidates: list[Any]
    references: list[Any] | None = None
    weights: list[Any] | None = None
    sources: list[Any] | None = None


@Command
def mbr_command(
    *,
    files: Annotated[
        list[str],
        argument(
            "One file with -n or of records, or one file per candidate; - is standard input.",
            metavar="FILE...",
            panel=FILES,
        ),
    ],
    per_input: Annotated[
        int | None,
        option(
            "--candidates",
            "-n",
            at_least=1,
            help="Number of consecutive lines that are the candidates for one input.",
            metavar="N",
            panel=FILES,
        ),
    ] = None,
    references: Annotated[
        list[str] | None,
        option(
            "--references",
            "-r",
            help="References to compare with (default: the candidates); repeatable.",
            metavar="FILE",
            panel=FILES,
        ),
    ] = None,
    sources: Annotated[
        str | None,
        option("--source", "-s", help="Source texts, one line per input.", metavar="FILE", panel=FILES),
    ] = None,
    fitted_on: Annotated[
        str | None,
        option(
            "--fitted-on",
            help="References of the training set, for metrics such as cider.",
            metavar="FILE",
            panel=FILES,
        ),
    ] = None,
    encoding: Encoding = None,
    metric: Annotated[
        str,
        option(
            "--metric",
            "-m",
            help='Metric that measures the utility, such as bleu or "chrf(word_order=2)".',
            metavar="METRIC",
            panel=METRICS,
            complete=complete_metrics,
        ),
    ] = "chrf",
    score: Annotated[
        str | None,
        option(
            "--score",
            help="Output of the metric, such as rouge2 (default: the first).",
            metavar="NAME",
            panel=METRICS,
        ),
    ] = None,
    lang: Annotated[
        str | None,
        option("--lang", "-l", help="Language of the texts, such as de.", metavar="CODE", panel=METRICS),
    ] = None,
    aggregate: Annotated[
        bool,
        option(
            "--aggregate",
            help="Average the n-gram counts of the references first; an approximation.",
            panel=METRICS,
        ),
    ] = False,
    rerank: Annotated[
        bool,
        option(
            "--rerank",
            help="Choose by the score of the metric; do not compare candidates with each other.",
            panel=METRICS,
        ),
    ] = False,
    numbers: Annotated[
        bool,
        option(
            "--numbers",
            help="Print number (from 0), expected utility and text, separated by tabs.",
            panel=OUTPUT,
        ),
    ] = False,
    as_json: Annotated[
        bool, option("--json", help="Print one JSON object per input, with all utilities.", panel=OUTPUT)
    ] = False,
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", help="File to write (default: standard output).", metavar="FILE", panel=OUTPUT
        ),
    ] = None,
    threads: Annotated[
        int | None,
        option(
            "--threads",
            at_least=1,
            help="Number of threads (default: NLGAUGE_THREADS, else one per core).",
            metavar="N",
            panel=RUNNING,
        ),
    ] = None,
    device: Annotated[
        str | None,
        option("--device", help="Device of models, such as cpu or cuda.", metavar="NAME", panel=RUNNING),
    ] = None,
    batch_size: Annotated[
        int | None,
        option(
            "--batch-size",
            at_least=1,
            help="Number of texts that a model reads at once.",
            metavar="N",
            panel=RUNNING,
        ),
    ] = None,
) -> None:
    """Choose the best of several candidates for each input (minimum Bayes risk).

        nlgauge mbr -n 64 samples.txt -m chrf
        nlgauge mbr sysA.txt sysB.txt sysC.txt -m "bertscore(model='minilm')"
        nlgauge mbr samples.jsonl -m bleu --json

    Compare the candidates for an input with each other, and print the candidate with the highest expected
    utility: the mean score of the metric, negated if lower is better, with each candidate as the reference.
    With -n, every N lines of a file are the candidates for one input. With several files, line i of each file
    is a candidate for input i.

    A record of a .jsonl file is one input: {"candidates": [...]}, and optionally "weights" (one per candidate
    or reference), "references" and "source".

    With --rerank, the score of the metric itself decides, with the source (-s) or real references (-r).
    """
    from nlgauge.candidates.choice import choosing_reward, mbr
    from nlgauge.candidates.choice import rerank as rerank_candidates
    from nlgauge.io.reader import Reader

    if aggregate and rerank:
        raise click.UsageError("--aggregate and --rerank cannot be combined; omit one.")
    if numbers and as_json:
        raise click.UsageError("--numbers and --json cannot be combined; --json includes the numbers.")
    if output is not None:
        from nlgauge._core.paths import require_folder

        require_folder(output)
    reader = Reader(encoding)
    training = None if fitted_on is None else reader.single_texts(fitted_on).values
    reward = choosing_reward(metric, score, lang, training, batch_size, device)
    task = _task(reader, files, per_input, references, sources)
    with _using_threads(threads):
        if rerank:
            chosen = rerank_candidates(task.candidates, reward, task.sources, task.references)
        else:
            method = "aggregate" if aggregate else "exact"
            chosen = mbr(
                task.candidates,
                reward,
                references=task.references,
                weights=task.weights,
                method=method,
                sources=task.sources,
            )
    _write(_json_lines(chosen) if as_json else _lines(chosen, numbers), output)


@contextmanager
def _using_threads(count: int | None) -> Iterator[None]:
    """Let kernels and models use a number of threads inside the block."""
    from nlgauge._core.backend import NATIVE, kernel_threads

    if count is None:
        yield
        return
    os.environ["NLGAUGE_THREADS"] = str(count)
    if NATIVE is None:
        yield
        return
    with kernel_threads(count):
        yield


def _task(
    reader: Reader,
    files: Sequence[str],
    per_input: int | None,
    references: Sequence[str] | None,
    sources: str | None,
) -> _Task:
    """Read all files."""
    task = _records(reader, files[0]) if len(files) == 1 else None
    if task is not None and per_input is not None:
        raise click.UsageError(f"-n is for files of lines, but {files[0]} has one record per input; omit -n.")
    if task is None:
        task = _Task(_candidates(reader, files, per_input))
    count = len(task.candidates)
    if references:
        if task.references is not None:
            raise click.UsageError(f"{files[0]} has references for each input; omit -r.")
        task = task._replace(references=_references(reader, references, count))
    if sources is not None:
        if task.sources is not None:
            raise click.UsageError(f"{files[0]} has a source for each input; omit -s.")
        column = reader.single_texts(sources)
        if len(column.values) != count:
            raise InputError(
                f"{column.place} has {counted(len(column.values), 'line')} for {counted(count, 'input')}; it needs one line per input."
            )
        task = task._replace(sources=column.values)
    return task


def _records(reader: Reader, file: str) -> _Task | None:
    """Read a file of records with candidates; None if it is a file of lines or a column."""
    from nlgauge.corpus.records import ABSENT
    from nlgauge.io.files import Address

    address = Address.of(file)
    if address.kind not in ("jsonl", "json", "parquet") or address.column is not None:
        return None
    records = reader.table(address)
    columns = {
        name: [None if value is ABSENT else value for value in values]
        for name, values in records.columns.items()
    }
    if "candidates" not in columns:
        raise InputError(f"{file} has no field 'candidates'; each record needs a list of texts of that name.")
    for number, texts in enumerate(columns["candidates"]):
        if not isinstance(texts, list):
            raise InputError(
                f"{records.place(number)}: 'candidates' is {texts!r:.40}, but must be a list of texts."
            )
    given = {name: columns[name] for name in ("references", "weights") if name in columns}
    return _Task(columns["candidates"], sources=columns.get("source"), **given)


def _candidates(reader: Reader, files: Sequence[str], per_input: int | None) -> list[list[str]]:
    columns = [reader.single_texts(file) for file in files]
    first = columns[0]
    if len(columns) == 1:
        if per_input is None:
            raise click.UsageError(
                f"{first.place} is one file; add -n N if every N lines are the candidates for one input, or name"
                " one file per candidate."
            )
        return _groups(first.values, per_input, first.place)
    if per_input is not None:
        raise click.UsageError("-n takes one file; omit it if each file has one candidate per input.")
    for column in columns:
        if len(column.values) != len(first.values):
            raise InputError(
                f"{column.place} has {counted(len(column.values), 'line')} and {first.place} has {len(first.values)};"
                " line i of each file must be a candidate for input i."
            )
    _check_lines(first.values, first.place)
    return [list(texts) for texts in zip(*(column.values for column in columns), strict=True)]


def _references(reader: Reader, files: Sequence[str], count: int) -> list[list[str]]:
    """Return the references of each input: some lines of one file, or one line of each file."""
    columns = [reader.single_texts(file) for file in files]
    for column in columns:
        lines = len(column.values)
        if lines != count and (len(columns) > 1 or lines % count):
            several = "a multiple of " if len(columns) == 1 else ""
            raise InputError(
                f"{column.place} has {counted(lines, 'line')} for {counted(count, 'input')}; it needs {several}{counted(count, 'line')}."
            )
    if len(columns) == 1:
        return _groups(columns[0].values, len(columns[0].values) // count, columns[0].place)
    return [list(texts) for texts in zip(*(column.values for column in columns), strict=True)]


def _check_lines(lines: list[str], place: str) -> None:
    """Raise if a file has no lines."""
    if not lines:
        raise InputError(f"{place} is empty; it needs at least one line.")


def _groups(lines: list[str], size: int, place: str) -> list[list[str]]:
    _check_lines(lines, place)
    if len(lines) % size:
        raise InputError(
            f"{place} has {counted(len(lines), 'line')}, which is not a multiple of {size}; change -n or the file."
        )
    return [lines[start : start + size] for start in range(0, len(lines), size)]


def _lines(chosen: Sequence[Consensus], numbers: bool) -> str:
    lines = []
    for number, each in enumerate(chosen, 1):
        if "\n" in each.text or "\r" in each.text:
            raise InputError(f"the candidate chosen for input {number} has several lines", cli="use --json")
        expected = each.expected[each.best]
        shown = "n/a" if math.isnan(expected) else f"{expected:.3f}"
        lines.append(f"{each.best}\t{shown}\t{each.text}\n" if numbers else f"{each.text}\n")
    return "".join(lines)


def _json_lines(chosen: Sequence[Consensus]) -> str:
    import msgspec

    return "".join(msgspec.json.encode(asdict(each)).decode() + "\n" for each in chosen)


def _write(content: str, output: Path | None) -> None:
    if output is None:
        emit(content)
        return
    from nlgauge._core.paths import replacing

    with replacing(output, text=True) as stream:
        stream.write(content)
