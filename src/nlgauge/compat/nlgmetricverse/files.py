"""Files and directories as predictions and references, and the function of the command `nlgauge eval`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
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
    """Storage of texts in files; lists of texts need no strategy.

    OneRecordPerFile, the default for directories: each file *.txt of a directory contains one text; the files are sorted
    by name. OneRecordPerLine, the default for a file: each line of a file is a text. In a directory, each file *.txt
    contains all predictions, or all references, of one segment, one per line.
    """

    OneRecordPerLine = "one_record_per_line"
    OneRecordPerFile = "one_record_per_file"


def is_path(texts: Any) -> bool:
    """Return True if predictions or references are the path of a file or directory."""
    return isinstance(texts, str | Path)


def read_texts(
    predictions: Any, references: Any, strategy: DataLoaderStrategies | None
) -> tuple[list[Any], list[Any] | None]:
    """Return predictions and references from two files or two directories.

    The files of the two directories must have the same names.
    """
    arguments = {"predictions": predictions, "references": references}
    paths = {name: Path(path) for name, path in arguments.items() if is_path(path)}
    for name, path in arguments.items():
        if path is not None and name not in paths:
            other = next(iter(paths))
            raise InputError(
                f"{other} is a path ({str(paths[other])!r:.60}) but {name} is not; pass two paths, or two lists of"
                " texts."
            )
    for name, path in paths.items():
        if not _exists(path):
            raise InputError(
                f"{name} is {str(path)!r:.80}, but no such file or directory exists; pass a text in a list:"
                f" {name}=[text]."
            )
    _check_kinds(list(paths.values()))
    texts: dict[str, list[Any]]
    if not paths["predictions"].is_dir():
        read = _lines if strategy is not DataLoaderStrategies.OneRecordPerFile else _whole
        texts = {name: [*read(path)] for name, path in paths.items()}
    else:
        names = {name: sorted(file.name for file in path.glob("*.txt")) for name, path in paths.items()}
        _check_names(paths, names, ".txt files")
        by_line = strategy is DataLoaderStrategies.OneRecordPerLine
        texts = {
            name: [_lines(path / file) if by_line else _whole(path / file)[0] for file in names[name]]
            for name, path in paths.items()
        }
    return texts["predictions"], texts.get("references")


def evaluate_files(
    predictions: str | Path | None = None,
    references: str | Path | None = None,
    reduce_fn: str | None = None,
    config: str | Path | None = None,
    export: str | Path | None = None,
) -> dict[str, Any]:
    """Return the scores that `nlgauge eval` prints.

    Parameters
    ----------
    predictions, references : str or Path, optional
        Two files, or two directories whose files have the same names. A file contains one text per line. A row of a .csv or
        .tsv file, which has no header, contains the texts of one segment; blank fields after the first are ignored.
    reduce_fn : str, optional
        Rule for several references or predictions of a segment, see `nlgauge.score`.
    config : str or Path, optional
        JSON file with any of "predictions", "references", "reduce_fn" and "metrics" (names, or objects with "path" and
        "compute_kwargs"). The arguments of the call take precedence.
    export : str or Path, optional
        JSON file for the scores, in which NaN is null.

    Returns
    -------
    dict
        Scores of the two files, or scores by file name for two directories.
    """
    from nlgauge.compat.nlgmetricverse.scorer import NLGMetricverse

    settings = _config(config) if config is not None else {}
    paths = [
        Path(path)
        for path in (predictions or settings.get("predictions"), references or settings.get("references"))
        if path
    ]
    if len(paths) < 2:
        raise InputError(
            "predictions or references are missing",
            python="pass two files or two directories as predictions and references, or name them in the file config",
            cli="name two files or two directories with --predictions and --references, or in the file of --config",
        )
    for path in paths:
        if not _exists(path):
            raise InputError(f"the file or directory {str(path)!r:.80} does not exist; check the path.")
    scorer = NLGMetricverse(metrics=settings.get("metrics"))
    rule = reduce_fn or settings.get("reduce_fn")
    _check_kinds(paths)
    if paths[0].is_dir():
        names = {str(path): sorted(file.name for file in path.iterdir() if file.is_file()) for path in paths}
        _check_names({name: Path(name) for name in names}, names, "files")
        scores = {
            name: scorer(_rows(paths[0] / name), _rows(paths[1] / name), rule)
            for name in names[str(paths[0])]
        }
    else:
        scores = scorer(_rows(paths[0]), _rows(paths[1]), rule)
    if export is not None:
        write_whole(export, msgspec.json.format(msgspec.json.encode(scores), indent=4) + b"\n")
    return scores


def _exists(path: Path) -> bool:
    """Return True if the path exists; False for text that cannot be a path."""
    with suppress(OSError, ValueError):  # a path that is too long or contains a NUL character
        return path.exists()
    return False


def _check_kinds(paths: Sequence[Path]) -> None:
    """Raise InputError unless all paths are files, or all are directories."""
    kinds = {path.is_dir(): path for path in paths}
    if len(kinds) > 1:
        raise InputError(
            f"{kinds[True]} is a directory, but {kinds[False]} is a file; name two files or two directories as"
            " predictions and references."
        )


def _check_names(paths: Mapping[str, Path], names: Mapping[str, list[str]], kind: str) -> None:
    """Raise InputError unless the directories contain files with the same names."""
    for name, files in names.items():
        if not files:
            raise InputError(f"the directory {paths[name]} has no {kind}; name a directory that has some.")
    first, *others = names
    for other in others:
        unpaired = sorted(set(names[first]) ^ set(names[other]))
        if unpaired:
            raise InputError(
                f"the files of {paths[first]} and {paths[other]} must have the same names; {unpaired[0]} is in"
                " only one of them."
            )


def _text(path: Path) -> str:
    return decoded(read_bytes(str(path)), str(path))


def _lines(path: Path) -> list[str]:
    return lines_of(_text(path))


def _whole(path: Path) -> list[str]:
    """Return a list with the text of a file, without the line end at its end."""
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
        settings = msgspec.json.decode(_text(Path(path)).encode())
    except msgspec.DecodeError as error:
        raise InputError(f"{path} is not valid JSON ({error}); correct the file.") from None
    if not isinstance(settings, dict):
        raise InputError(f"{path} must contain a JSON object with {', '.join(_CONFIG)}.")
    for key in settings:
        if key not in _CONFIG:
            raise ParameterError(
                f"{path} has an unknown key {key!r}{did_you_mean(key, _CONFIG)}; the keys are"
                f" {', '.join(_CONFIG)}."
            )
    metrics = settings.get("metrics")
    for spec in metrics if isinstance(metrics, list) else [metrics]:
        name = spec.get("path") if isinstance(spec, dict) else spec
        if isinstance(name, str) and Path(name).is_dir():
            raise ParameterError(
                f"{path} names the directory {name} as a metric, but a configuration never runs code; load it in"
                " Python with load_metric."
            )
    return settings
