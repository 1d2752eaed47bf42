"""load: a benchmark by its name, from the folder of benchmarks, or by the path of a file; imported:
original files put into that folder.
"""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.paths import write_whole
from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta.benchmarks import originals
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.card import BenchmarkCard
from nlgauge.meta.benchmarks.catalog import CATALOG, card
from nlgauge.meta.benchmarks.places import SHIPPED, folder, missing, peers_of, place_of
from nlgauge.meta.benchmarks.rows import AnyPair, BenchmarkRow, Pair, read_lines, written


def load(name: str | Path) -> Benchmark:
    """Load a benchmark by name, or from a file of judged texts.

    Parameters
    ----------
    name : str or Path
        Name of an installed benchmark, a JSON Lines file in the format of nlgauge, or the original files of a known
        benchmark.

    Returns
    -------
    Benchmark
        Judged texts.

    Raises
    ------
    UnknownNameError
        If there is neither a benchmark nor a file of this name.
    """
    text = str(name)
    try:
        known = card(text)
    except UnknownNameError:
        if not Path(text).exists():
            raise
        return _of_path(Path(text))
    if known.name == "sample":
        return Benchmark(known, tuple(_sample()))
    if known.name in SHIPPED:
        with as_file(files("nlgauge") / "data" / f"{known.name}.jsonl.gz") as path:
            return Benchmark.of(known, *read_lines(path))
    place = place_of(known.name)
    if place is None:
        raise missing(known)
    rows, pairs = read_lines(place)
    rows = [
        replace(row, meta={**row.meta, **known.corrections[row.system]})
        if row.system in known.corrections
        else row
        for row in rows
    ]
    peers = peers_of(place)
    # Published for pairs are verdicts of judges, which are not scores of texts.
    if peers is not None and not pairs:
        rows = _with_metrics(rows, peers)
    return Benchmark.of(known, rows, pairs)


def imported(*paths: str | Path, name: str | None = None, overwrite: bool = False) -> tuple[Benchmark, Path]:
    """Install a benchmark from its original files.

    Parameters
    ----------
    *paths : str or Path
        Original files or directories.
    name : str, optional
        Name of the benchmark. Default: recognized from the files.
    overwrite : bool, default False
        Replace an installed benchmark.

    Returns
    -------
    benchmark : Benchmark
        Judged texts.
    path : Path
        File in the directory of benchmarks (JSON Lines, gzip), from which `load` reads it.

    Raises
    ------
    ParameterError
        If the files belong to several benchmarks or to an unknown benchmark.
    InputError
        If the files have no rows of the benchmark or duplicates, or the benchmark is already installed.
    """
    given = ", ".join(map(str, paths))
    parts = [_of_path(Path(path), None if name is None else card(name)) for path in paths]
    found = {part.name: part.card for part in parts}
    if len(found) != 1 or not found.keys() <= CATALOG.keys() or found.keys() & set(SHIPPED):
        known = ", ".join(one for one in CATALOG if one not in SHIPPED)
        raise ParameterError(
            f"{given} may belong to several benchmarks or to an unknown one; known are {known}",
            python="pass its name as name",
            cli="name it with --name",
        )
    (own,) = found.values()
    # A table may have rows of several benchmarks; the field `dataset` may name the benchmark of a row.
    others = CATALOG.keys() - {own.name}
    rows = [row for part in parts for row in part.rows if row.meta.get("dataset") not in others]
    if not rows:
        raise InputError(f"{given} has no rows of {own.name}; check the file and the name.")
    (segment, system), times = Counter((row.segment, row.system) for row in rows).most_common(1)[0]
    if times > 1:
        raise InputError(
            f"{given} has segment {segment!r} of system {system!r} {times} times; name each file once."
        )
    if place_of(own.name) is not None and not overwrite:
        raise InputError(
            f"{own.name} is already in {folder()}",
            python="pass overwrite=True to replace it",
            cli="use --overwrite to replace it",
        )
    pairs: list[AnyPair] = []
    for part in parts:
        pairs += [*part.pairs, *part.graded]
    benchmark = Benchmark.of(own, rows, pairs)
    target = folder() / f"{own.name}.jsonl.gz"
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, gzip.compress(written(rows, pairs), mtime=0))
    return benchmark, target


def _sample() -> list[BenchmarkRow]:
    """Return the package's sample with made-up ratings, and two further systems: the first sentence of the
    source, and its first words.
    """
    data = files("nlgauge") / "data"
    with as_file(data / "sample_ratings.jsonl") as path:
        rated, _ = read_lines(path)
    known: dict[str, dict[str, Any]] = {}
    texts: dict[tuple[str, str], str] = {}
    for line in (data / "sample.jsonl").read_text("utf-8").splitlines():
        record = msgspec.json.decode(line)
        known[record["id"]] = {"source": record["source"], "references": tuple(record["references"])}
        texts[record["id"], record["system"]] = record["prediction"]
    return [
        replace(
            row,
            **known[row.segment],
            prediction=row.prediction if row.prediction is not None else texts[row.segment, row.system],
            human={name: sum(values) / len(values) for name, values in row.ratings.items()},
        )
        for row in rated
    ]


def _of_path(path: Path, known: BenchmarkCard | None = None) -> Benchmark:
    loaded = originals.read(path)
    if known is None and loaded.name is not None:
        known = CATALOG[loaded.name]
    if known is None:
        judged = (row.human for row in (*loaded.rows, *loaded.pairs) if not isinstance(row, Pair))
        dimensions = (name for human in judged for name in human)
        known = BenchmarkCard.own(path, dimensions, (row.group for row in loaded.rows))
    return Benchmark.of(known, loaded.rows, loaded.pairs)


def _with_metrics(rows: list[BenchmarkRow], peers: Path) -> list[BenchmarkRow]:
    published = {(row.segment, row.system): row.metrics for row in read_lines(peers)[0]}
    return [
        replace(row, metrics={**row.metrics, **published.get((row.segment, row.system), {})}) for row in rows
    ]
