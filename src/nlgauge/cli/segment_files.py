"""Segment scores in files: .tsv, .csv, .jsonl or .parquet by suffix; a hyphen is TSV on standard output."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._core.paths import replacing, require_folder
from nlgauge.cli.output import STDOUT, emit
from nlgauge.show.writers.csv import SAFE, Writable, field_of, row_writer

if TYPE_CHECKING:
    from nlgauge.results.result import Result

FORMS = ("tsv", "csv", "jsonl", "parquet")
Columns = Mapping[str, Sequence[Any]]


def form_of(target: str) -> str:
    """Return the format of a file by its suffix; TSV for standard output."""
    return "tsv" if target == STDOUT else Path(target).suffix[1:].lower()


def check_target(target: str, option: str = "--segments") -> None:
    """Raise if segment scores cannot be written, before anything is scored."""
    if form_of(target) not in FORMS:
        raise click.BadParameter(
            f"{target!r} must end in {', '.join(f'.{form}' for form in FORMS)}, or be - for TSV.",
            param_hint=f"'{option}'",
        )
    if target != STDOUT:
        require_folder(Path(target))
    if target != STDOUT and not os.access(target if Path(target).exists() else Path(target).parent, os.W_OK):
        raise click.BadParameter(f"{target} is not writable; choose another file.", param_hint=f"'{option}'")
    if form_of(target) == "parquet" and find_spec("pyarrow") is None:
        raise _no_pyarrow()


def write_segments(
    result: Result,
    target: str,
    form: str | None = None,
    *,
    texts: bool = False,
    wide: bool = False,
    metrics: Sequence[str] = (),
) -> None:
    """Write the score of every segment: one row per segment and system or, if wide, one per segment; NaN
    is an empty field or null.
    """
    from nlgauge.errors import ResultError
    from nlgauge.results.joined import of_metrics
    from nlgauge.results.segments import segment_columns

    if texts and not result.has_texts:
        raise ResultError("this result was saved without its texts", cli="omit --texts")
    chosen = of_metrics(result, *metrics) if metrics else result
    if not any(table.has_segments for table in chosen._tables.values()):
        raise ResultError(f"no segment scores of {', '.join(chosen.labels)} exist; choose another metric.")
    write_columns(segment_columns(chosen, wide, texts), target, form or form_of(target))


def write_columns(blocks: Iterator[Columns], target: str, form: str) -> None:
    """Write blocks of the same columns one after the other."""
    if form == "parquet":
        _write_parquet(blocks, target)
    elif target == STDOUT:
        _write_lines(blocks, form, _Printed())
    else:
        with replacing(target, text=True) as stream:
            _write_lines(blocks, form, stream)


class _Printed:
    """Standard output, with escapes if it is a terminal."""

    def write(self, text: str) -> None:
        emit(text)


def _write_lines(blocks: Iterator[Columns], form: str, stream: Writable) -> None:
    if form == "jsonl":
        import msgspec

        for columns in blocks:
            for values in zip(*columns.values(), strict=True):
                # NaN becomes null.
                stream.write(
                    msgspec.json.encode(dict(zip(columns, values, strict=True)), enc_hook=str).decode() + "\n"
                )
        return
    writer = row_writer(stream, "\t" if form == "tsv" else ",")
    for i, columns in enumerate(blocks):
        if not i:
            writer.writerow([field_of(name, SAFE.get()) for name in columns])
        writer.writerows(zip(*map(_fields, columns.values()), strict=True))


def _fields(values: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a column as fields."""
    if SAFE.get():
        return [field_of(value, safe=True) for value in values]
    kinds = set(map(type, values))
    # Most columns have only numbers or only texts, which need no change.
    if kinds <= {int, str} or (kinds == {float} and not any(map(math.isnan, values))):
        return values
    return [field_of(value) for value in values]


def _no_pyarrow() -> Exception:
    from nlgauge.errors import MissingExtraError

    return MissingExtraError("pyarrow", "parquet", "writing .parquet files")


def _write_parquet(blocks: Iterator[Columns], target: str) -> None:

    if target == STDOUT:
        raise click.UsageError("cannot write Parquet to standard output; use -o with a .parquet file.")
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise _no_pyarrow() from None
    chunks: dict[str, list[Any]] = {}
    for columns in blocks:
        for name, values in columns.items():
            # from_pandas: NaN is null.
            chunks.setdefault(name, []).append(pyarrow.array(_plain(values), from_pandas=True))
    with replacing(target) as stream:
        parquet.write_table(
            pyarrow.table({name: _of_one_kind(values, pyarrow) for name, values in chunks.items()}), stream
        )


def _plain(values: Sequence[Any]) -> list[Any]:
    """Return the values of a column in a type of Parquet; as text if the types differ."""
    kinds = {type(value) for value in values if value is not None}
    return (
        list(values)
        if len(kinds) <= 1 and kinds <= {int, float, str, bool, list}
        else [None if value is None else str(value) for value in values]
    )


def _of_one_kind(chunks: list[Any], pyarrow: Any) -> Any:
    """Return the chunks of a column as one column; as text if their types differ."""
    kinds = {chunk.type for chunk in chunks} - {pyarrow.null()}
    if len(kinds) > 1:
        chunks = [
            pyarrow.array(
                [None if value is None else str(value) for value in chunk.to_pylist()], pyarrow.string()
            )
            for chunk in chunks
        ]
        kinds = {pyarrow.string()}
    return pyarrow.chunked_array([chunk.cast(kind) for chunk in chunks for kind in kinds or {pyarrow.null()}])
