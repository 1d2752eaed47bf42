"""Files and directories as predictions and references, and the function behind `nlgauge eval`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.paths import write_whole
from nlgauge.errors import InputError, ParameterError, did_you_mean
from nlgauge.io.files import decoded, lines_of, read_bytes
from nlgauge.io.quoting import csv_rows, tsv_rows

_CONFIG = ("predictions", "references", "reduce_fn", "metrics")
_TABLES = {".csv": csv_rows, ".tsv": tsv_rows}


class DataLoaderStrategies(Enum):
    """How texts are stored in files; lists of texts need neither.

    OneRecordPerFile: the files *.txt of a directory, by name, hold one text each; this is the default for
    directories. OneRecordPerLine: each line of a file is a text; this is the default for a file. In a
    directory each file *.txt holds all predictions, or all references, of one segment, one per line.
    """

    OneRecordPerLine = "one_record_per_line"
    OneRecordPerFile = "one_record_per_file"


def is_path(given: Any) -> bool:
    """Whether predictions or references are the path of a file or directory."""
    return isinstance(given, str | Path)


def read_texts(
    predictions: Any, references: Any, strategy: DataLoaderStrategies | None
) -> tuple[list[Any], list[Any] | None]:
    """Predictions and references from files, both, or from directories, both, whose files must have the
    same names.
    """
    given = {"predictions": predictions, "references": references}
    paths = {name: Path(path) for name, path in given.items() if is_path(path)}
    for name, path in given.items():
        if path is not None and name not in paths:
            other = next(iter(paths))
            raise InputError(
                f"{other} is a path ({str(paths[other])!r:.60}) but {name} is not; pass two paths, or two lists of"
                " texts."
            )
    for name, path in paths.items():
        if not path.exists():
            raise InputError(
                f"{name} is {str(path)!r:.80}, but no such file or directory exists; pass a text in a list:"
                f" {name}=[text]."
            )
    folders = {path.is_dir() for path in paths.values()}
    if len(folders) > 1:
        raise InputError(
            "predictions and references must be two files or two directories; one of them is a file, the"
            " other a directory."
        )
    found: dict[str, list[Any]]
    if not folders.pop():
        read = _lines if strategy is not DataLoaderStrategies.OneRecordPerFile else _whole
        found = {name: [*read(path)] for name, path in paths.items()}
    else:
        names = {name: sorted(file.name for file in path.glob("*.txt")) for name, path in paths.items()}
        _check_names(paths, names)
        by_line = strategy is DataLoaderStrategies.OneRecordPerLine
        found = {
            name: [_lines(path / file) if by_line else _whole(path / file)[0] for file in names[name]]
            for name, path in paths.items()
        }
    return found["predictions"], found.get("references")


def evaluate_files(
    predictions: str | Path | None = None,
    references: str | Path | None = None,
    reduce_fn: str | None = None,
    config: str | Path | None = None,
    export: str | Path | None = None,
) -> dict[str, Any]:
    """The scores that `nlgauge eval` prints: those of two files, or by file name those of each pair of files
    of two directories.

    A file holds one text per line; a .csv or .tsv file without a header holds the texts of one segment per
    row, and a blank field after the first is none. `config` is a JSON file with any of "predictions",
    "references", "reduce_fn" and "metrics" (names, or objects with "path" and "compute_kwargs"); arguments
    given here come first. `export` is a file that the scores are written to as JSON, in which NaN is null.
    """
    from nlgauge.compat.nlgmetricverse.scorer import NLGMetricverse

    given = _config(config) if config is not None else {}
    paths = [
        Path(path)
        for path in (predictions or given.get("predictions"), references or given.get("references"))
        if path
    ]
    if len(paths) < 2:
        raise InputError(
            "predictions and references are needed: two files, or two directories, given here or in the"
            " configuration."
        )
    for path in paths:
        if not path.exists():
            raise InputError(f"cannot find the file or directory {path}.")
    scorer = NLGMetricverse(metrics=given.get("metrics"))
    rule = reduce_fn or given.get("reduce_fn")
    if paths[0].is_dir() != paths[1].is_dir():
        raise InputError(
            "predictions and references must be two files or two directories; one of them is a file, the"
            " other a directory."
        )
    if paths[0].is_dir():
        names = {str(path): sorted(file.name for file in path.iterdir() if file.is_file()) for path in paths}
        _check_names({name: Path(name) for name in names}, names)
        scores = {
            name: scorer(_rows(paths[0] / name), _rows(paths[1] / name), rule)
            for name in names[str(paths[0])]
        }
    else:
        scores = scorer(_rows(paths[0]), _rows(paths[1]), rule)
    if export is not None:
        write_whole(export, msgspec.json.format(msgspec.json.encode(scores), indent=4) + b"\n")
    return scores


def _check_names(paths: Mapping[str, Path], names: Mapping[str, list[str]]) -> None:
    """Raises unless the directories hold files, and files of the same names."""
    for name, files in names.items():
        if not files:
            raise InputError(
                f"the directory {paths[name]} has no files to read; OneRecordPerFile and OneRecordPerLine read"
                " *.txt."
            )
    first, *others = names
    for other in others:
        alone = sorted(set(names[first]) ^ set(names[other]))
        if alone:
            raise InputError(
                f"the files of {paths[first]} and {paths[other]} must have the same names; {alone[0]} is in"
                " one of them only."
            )


def _text(path: Path) -> str:
    return decoded(read_bytes(str(path)), str(path))


def _lines(path: Path) -> list[str]:
    return lines_of(_text(path))


def _whole(path: Path) -> list[str]:
    """The text of a file as a list of one, without the line feed at its end."""
    return [_text(path).removesuffix("\n").removesuffix("\r")]


def _rows(path: Path) -> list[Any]:
    read = _TABLES.get(path.suffix.lower())
    if read is None:
        return list(_lines(path))
    return [
        [first, *(field for field in rest if field.strip())]
        for first, *rest in (row.fields for row in read(_text(path), str(path)))
    ]


def _config(path: str | Path) -> dict[str, Any]:
    try:
        given = msgspec.json.decode(_text(Path(path)).encode())
    except msgspec.DecodeError as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise InputError(f"{path} must contain a JSON object with {', '.join(_CONFIG)}.")
    for key in given:
        if key not in _CONFIG:
            raise ParameterError(
                f"{path} has an unknown key {key!r}{did_you_mean(key, _CONFIG)}; known are"
                f" {', '.join(_CONFIG)}."
            )
    metrics = given.get("metrics")
    for spec in metrics if isinstance(metrics, list) else [metrics]:
        name = spec.get("path") if isinstance(spec, dict) else spec
        if isinstance(name, str) and Path(name).is_dir():
            raise ParameterError(
                f"{path} names the directory {name} as a metric; a configuration never runs code, load it in"
                " Python: load_metric."
            )
    return given
